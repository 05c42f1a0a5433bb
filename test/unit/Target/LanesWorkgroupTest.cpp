//===- LanesWorkgroupTest.cpp - Collectives of a workgroup ----------------===//
#include "LanesPrograms.h"

namespace loom::test {
namespace {

constexpr int64_t kItems = 2 * 256;

const char *const kTypes[] = {"i1",     "i8",     "i16", "i32",  "i64", "index",
                              "f8E4M3", "f8E5M2", "f16", "bf16", "f32", "f64"};

class LanesWorkgroupTest : public LanesTest {};

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

/// The values of a subgroup, lanes without a work-item being the identity.
std::vector<uint64_t> padded(const std::string &kind, const ElementType &type,
                             llvm::ArrayRef<uint64_t> values, size_t begin, size_t lanes) {
  std::vector<uint64_t> part(lanes, identityOf(kind, type));
  llvm::copy(values.slice(begin, std::min(lanes, values.size() - begin)), part.begin());
  return part;
}

/// Subgroups one after another, beginning with the identity.
uint64_t reduceGroup(const std::string &kind, const ElementType &type,
                     llvm::ArrayRef<uint64_t> values, size_t lanes) {
  uint64_t all = identityOf(kind, type);
  for (size_t begin = 0; begin < values.size(); begin += lanes)
    all =
        combine(kind, type, all, reduceTree(kind, type, padded(kind, type, values, begin, lanes)));
  return all;
}

/// The scan of the subgroup behind what stands in front of it.
std::vector<uint64_t> scanForward(const std::string &kind, const ElementType &type,
                                  llvm::ArrayRef<uint64_t> values, size_t lanes, bool isExclusive) {
  std::vector<uint64_t> results;
  uint64_t before = identityOf(kind, type);
  for (size_t begin = 0; begin < values.size(); begin += lanes) {
    std::vector<uint64_t> part = padded(kind, type, values, begin, lanes);
    for (uint64_t own : scanDoubling(kind, type, part, isExclusive))
      results.push_back(combine(kind, type, before, own));
    before = combine(kind, type, before, reduceTree(kind, type, part));
  }
  results.resize(values.size());
  return results;
}

/// The same from the last work-item: each scan is in front of what was combined so far.
std::vector<uint64_t> scanReverse(const std::string &kind, const ElementType &type,
                                  llvm::ArrayRef<uint64_t> values, size_t lanes, bool isExclusive) {
  std::vector<uint64_t> results(llvm::alignTo(values.size(), lanes));
  uint64_t behind = identityOf(kind, type);
  for (size_t begin = results.size(); begin > 0;) {
    begin -= lanes;
    std::vector<uint64_t> part = padded(kind, type, values, begin, lanes);
    std::vector<uint64_t> own = scanBackwards(kind, type, part, isExclusive);
    for (size_t i = 0; i < lanes; ++i)
      results[begin + i] = combine(kind, type, own[i], behind);
    behind = combine(kind, type, reduceTree(kind, type, part), behind);
  }
  results.resize(values.size());
  return results;
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// A reduction and a scan of one kind, over scalars or vectors.
struct Trial {
  std::string name, type, kind;
  int64_t count; ///< of a vector; 0 is a scalar
  bool isReverse, isExclusive;
  int64_t size; ///< of the workgroup, 0 where the launch says it

  std::string text() const;
};

std::string Trial::text() const {
  bool isIndex = type == "index";
  std::string element = isIndex ? "i64" : type;
  auto vectorOf = [&](const std::string &scalar) {
    return count ? "vector<" + std::to_string(count) + "x" + scalar + ">" : scalar;
  };
  std::string text = R"(
kernel.def export("$name") @$name(%any: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %exact = index.constant $exact : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size($extent, %one, %one) : index
} launch(%in: buffer, %sums: buffer, %scans: buffer) {
  %base = index.constant 0 : offset
  %from = buffer.view %in[%base] : buffer -> $view
  %sum_view = buffer.view %sums[%base] : buffer -> $view
  %scan_view = buffer.view %scans[%base] : buffer -> $view
  %i = kernel.workitem.dispatch.id<x> : index
  %raw = $op.load %from$place : $view -> $raw
  $convert
  %sum = kernel.workgroup.reduce<$kind> %value : $type
  %scan = kernel.workgroup.scan<$kind> %value {direction = $direction, mode = $mode} : $type
  $back
  $op.store %sum_raw, %sum_view$place : $raw, $view
  $op.store %scan_raw, %scan_view$place : $raw, $view
  kernel.return
}
)";
  if (isIndex) {
    text = replaced(text, "$convert", "%value = index.cast %raw : i64 to index");
    text = replaced(text, "$back",
                    "%sum_raw = index.cast %sum : index to i64\n"
                    "  %scan_raw = index.cast %scan : index to i64");
  } else {
    for (auto [from, to] :
         {std::pair("$convert", ""), std::pair("$back", ""), std::pair("%value", "%raw"),
          std::pair("%sum_raw", "%sum"), std::pair("%scan_raw", "%scan")})
      text = replaced(text, from, to);
  }
  std::string extents = count ? "512x" + std::to_string(count) + "x" : "512x";
  for (auto [from, to] : {std::pair("$name", name), std::pair("$exact", std::to_string(size)),
                          std::pair("$extent", std::string(size ? "%exact" : "%any")),
                          std::pair("$op", std::string(count ? "vector" : "view")),
                          std::pair("$place", std::string(count ? "[%i, 0]" : "[%i]")),
                          std::pair("$view", "view<" + extents + element + ">"),
                          std::pair("$raw", vectorOf(element)), std::pair("$kind", kind),
                          std::pair("$direction", std::string(isReverse ? "reverse" : "forward")),
                          std::pair("$mode", std::string(isExclusive ? "exclusive" : "inclusive")),
                          std::pair("$type", vectorOf(type))})
    text = replaced(text, from, to);
  return text;
}

void runTrial(const Trial &trial, const x86::CompiledKernels &kernels, int64_t lanes, int64_t size,
              Random &random) {
  ElementType type = carrierOf(trial.type);
  int64_t number = std::max<int64_t>(trial.count, 1);
  std::vector<uint8_t> in(kItems * number * type.bytes), sums(in.size(), 0xcc), scans = sums;
  auto get = [&](const std::vector<uint8_t> &values, int64_t i) {
    uint64_t value = 0;
    std::memcpy(&value, &values[i * type.bytes], type.bytes);
    return value;
  };
  for (int64_t i = 0; i < kItems * number; ++i) {
    uint64_t value = type.random(random);
    std::memcpy(&in[i * type.bytes], &value, type.bytes);
  }
  launchSized(kernels, trial.name, 2, {size, 1, 1}, Arguments().add(in).add(sums).add(scans));
  for (int64_t group = 0; group < 2; ++group)
    for (int64_t k = 0; k < number; ++k) {
      std::vector<uint64_t> values;
      for (int64_t i = 0; i < size; ++i)
        values.push_back(get(in, (group * size + i) * number + k));
      uint64_t sum = reduceGroup(trial.kind, type, values, lanes);
      auto scan = trial.isReverse ? scanReverse : scanForward;
      std::vector<uint64_t> expected = scan(trial.kind, type, values, lanes, trial.isExclusive);
      for (int64_t i = 0; i < size; ++i) {
        int64_t at = (group * size + i) * number + k;
        ASSERT_TRUE(isSameValue(type, get(sums, at), sum))
            << trial.text() << lanes << " lanes, workgroup of " << size << ", work-item " << i
            << std::hex << ": sum " << get(sums, at) << ", expected " << sum;
        ASSERT_TRUE(isSameValue(type, get(scans, at), expected[i]))
            << trial.text() << lanes << " lanes, workgroup of " << size << ", work-item " << i
            << std::hex << ": scan " << get(scans, at) << ", expected " << expected[i];
      }
    }
}

TEST_F(LanesWorkgroupTest, ReductionsAndScans) {
  forEachProfile([&](const LaneProfile &profile) {
    std::vector<Trial> trials;
    std::string text;
    size_t turn = llvm::Log2_64(profile.lanes);
    const int64_t sizes[] = {16, 0, 7, 256, 40, 16, 100};
    for (const char *type : kTypes)
      for (const std::string &kind : kindsOf(carrierOf(type)))
        if (isTaken(++turn, 4)) {
          bool isVector = turn % 12 == 0 && std::string(type) != "index";
          trials.push_back({"k" + std::to_string(trials.size()), type, kind, isVector ? 2 : 0,
                            (turn / 4) % 2 != 0, (turn / 8) % 2 != 0,
                            isLong() ? 0 : sizes[trials.size() % std::size(sizes)]});
          text += trials.back().text();
        }
    std::optional<x86::CompiledKernels> kernels = compileFor(text, profile.key);
    if (!kernels)
      return;
    Random random(profile.lanes);
    for (const Trial &trial : trials)
      for (int64_t size : {1, 7, 16, 40, 100, 256})
        for (int round = 0; round < 4 && (!trial.size || trial.size == size); ++round) {
          runTrial(trial, *kernels, profile.lanes, size, random);
          if (HasFatalFailure())
            return;
        }
  });
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

TEST_F(LanesWorkgroupTest, Votes) {
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels = compileFor(R"(
kernel.def export("k") @k(%size: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%flags: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<512xi1>
  %to = buffer.view %out[%base] : buffer -> view<512x4xi64>
  %i = kernel.workitem.dispatch.id<x> : index
  %flag = view.load %flag_view[%i] : view<512xi1> -> i1
  %any = kernel.workgroup.vote.any %flag : i1
  %all = kernel.workgroup.vote.all %flag : i1
  %count = kernel.workgroup.vote.count %flag : i1 -> i64
  %short = kernel.workgroup.vote.count %flag : i1 -> i32
  %any64 = scalar.extui %any : i1 to i64
  %all64 = scalar.extui %all : i1 to i64
  %short64 = scalar.extui %short : i32 to i64
  view.store %any64, %to[%i, 0] : i64, view<512x4xi64>
  view.store %all64, %to[%i, 1] : i64, view<512x4xi64>
  view.store %count, %to[%i, 2] : i64, view<512x4xi64>
  view.store %short64, %to[%i, 3] : i64, view<512x4xi64>
  kernel.return
}
)",
                                                             profile.key);
    ASSERT_TRUE(kernels);
    Random random(profile.lanes);
    for (int64_t size : {1, 7, 16, 40, 100, 256})
      for (int round = 0; round < 64; ++round) {
        std::vector<uint8_t> flags(kItems);
        std::vector<int64_t> out(kItems * 4, -1);
        unsigned way = random() % 4;
        int64_t one = random() % size;
        for (int64_t i = 0; i < kItems; ++i)
          flags[i] = way == 0   ? i % size == one
                     : way == 1 ? i % size != one
                                : way + random() % 2 > 2;
        launchSized(*kernels, "k", 2, {size, 1, 1}, Arguments().add(flags).add(out));
        for (int64_t i = 0; i < 2 * size; ++i) {
          const uint8_t *own = &flags[i / size * size];
          int64_t count = std::count(own, own + size, 1);
          const int64_t expected[] = {count > 0, count == size, count, count};
          for (int k = 0; k < 4; ++k)
            ASSERT_EQ(out[i * 4 + k], expected[k]) << profile.lanes << " lanes, workgroup of "
                                                   << size << ", work-item " << i << ", " << k;
        }
      }
  });
}

//===----------------------------------------------------------------------===//
// Numbers that need more room than what they come from
//===----------------------------------------------------------------------===//

/// Facts prove that 32 bits hold the operands, not that they hold results or identities.
TEST_F(LanesWorkgroupTest, IndicesThatFitInLess) {
  const char *kinds[] = {"addi", "minsi", "maxsi", "minui"};
  std::string body;
  int64_t row = 0;
  auto store = [&](const std::string &operation) {
    std::string name = "%r" + std::to_string(row);
    body += name + " = " + operation + " : index\n" + name + "_bits = index.cast " + name +
            " : index to i64\nview.store " + name + "_bits, %to[%i, " + std::to_string(row++) +
            "] : i64, view<512x12xi64>\n";
  };
  for (std::string kind : kinds) {
    store("kernel.subgroup.reduce<" + kind + "> %value");
    store("kernel.subgroup.scan<" + kind + "> %value {direction = forward, mode = exclusive}");
  }
  std::string inside = body;
  body.clear();
  for (std::string kind : kinds)
    store("kernel.workgroup.reduce<" + kind + "> %value");
  forEachProfile([&](const LaneProfile &profile) {
    std::optional<x86::CompiledKernels> kernels = compileFor(R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant 40 : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%flags: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %flag_view = buffer.view %flags[%base] : buffer -> view<512xi1>
  %to = buffer.view %out[%base] : buffer -> view<512x12xi64>
  %i = kernel.workitem.dispatch.id<x> : index
  %lane = kernel.workitem.id<x> : index
  %factor = index.constant 2000000 : index
  %value = index.madd %lane, %factor, %factor : index
  %flag = view.load %flag_view[%i] : view<512xi1> -> i1
)" + body + "  scf.if %flag {\n" + inside + "  }\n  kernel.return\n}\n",
                                                             profile.key);
    ASSERT_TRUE(kernels);
    ElementType type("i64");
    Random random(profile.lanes);
    size_t lanes = profile.lanes;
    const int64_t size = 40;
    for (int round = 0; round < 64; ++round) {
      std::vector<uint8_t> flags(kItems);
      std::vector<int64_t> out(kItems * 12, -1);
      for (uint8_t &flag : flags)
        flag = random() % 4 != 0;
      launchSized(*kernels, "k", 2, {size, 1, 1}, Arguments().add(flags).add(out));
      for (int64_t i = 0; i < 2 * size; ++i) {
        size_t local = i % size, first = local / lanes * lanes, group = i - local;
        for (size_t k = 0; k < std::size(kinds); ++k) {
          std::vector<uint64_t> all, part(lanes, identityOf(kinds[k], type));
          for (int64_t item = 0; item < size; ++item)
            all.push_back((item + 1) * 2000000);
          for (size_t lane = 0; lane < lanes && first + lane < size_t(size); ++lane)
            if (flags[group + first + lane])
              part[lane] = all[first + lane];
          uint64_t sum = reduceTree(kinds[k], type, part);
          uint64_t before = scanDoubling(kinds[k], type, part, true)[local - first];
          if (flags[i]) {
            ASSERT_EQ(uint64_t(out[i * 12 + 2 * k]), sum) << kinds[k] << " " << lanes;
            ASSERT_EQ(uint64_t(out[i * 12 + 2 * k + 1]), before) << kinds[k] << " " << lanes;
          }
          ASSERT_EQ(uint64_t(out[i * 12 + 8 + k]), reduceGroup(kinds[k], type, all, lanes))
              << kinds[k] << ", " << lanes << " lanes, workgroup of " << size;
        }
      }
    }
  });
}

} // namespace
} // namespace loom::test
