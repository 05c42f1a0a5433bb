//===- X86RacesTest.cpp - Races of whole kernels against a plain model ----===//
//
// Random kernels with scalar, vector, masked, packed, scattered and atomic accesses under divergent
// conditions and loops, in workgroups whose last block is short. The model runs each work-item by
// itself and compares all accesses with each other.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/BuiltinOps.h"

#include "loom/IR/Diagnostics.h"
#include "loom/Runtime/Generate.h"
#include "loom/Runtime/X86Device.h"
#include "loom/Text/Text.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>
#include <set>

using namespace loom;
using namespace loom::runtime;

namespace {

constexpr unsigned kItems = 40, kSubgroup = 16, kElements = 64, kElementBytes = 4;

/// One access of a work-item.
struct Touch {
  unsigned line, item, memory, first, elements;
  bool writes, isAtomic, isNarrow;
  unsigned arrived, passed, subgroup; ///< numbers of barriers in front of it
};

/// A work-item on its way through the kernel; of the counts there is one for each memory.
struct Run {
  unsigned item = 0, j = 0;
  unsigned arrived[2] = {}, passed[2] = {}, subgroup[2] = {};
  std::vector<Touch> touches;
};

using Step = std::function<void(Run &)>;
using Steps = std::vector<Step>;

void runAll(const Steps &steps, Run &run) {
  for (const Step &step : steps)
    step(run);
}

/// Writes a kernel and what its work-items do.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {
    text = "kernel.def @k() {\n"
           "  %unit = index.constant 1 : index\n"
           "  %size = index.constant 40 : index\n"
           "  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%size, %unit, "
           "%unit) : index\n"
           "} launch(%data: buffer) {\n"
           "  %base = index.constant 0 : offset\n"
           "  %bytes = index.constant 256 : offset\n"
           "  %zero = index.constant 0 : index\n"
           "  %one = index.constant 1 : index\n"
           "  %sixty = index.constant 60 : index\n"
           "  %value = scalar.constant 7 : i32\n"
           "  %odd = vector.constant 1 : vector<4xi32>\n"
           "  %even = vector.constant 0 : vector<4xi32>\n"
           "  %quad = vector.splat %value : vector<4xi32>\n"
           "  %plane = vector.splat %value : vector<2x4xi32>\n"
           "  %storage = buffer.alloca<workgroup> align(64) %bytes : buffer\n"
           "  %tile = buffer.view %storage[%base] : buffer -> view<64xi32>\n"
           "  %tile2 = buffer.view %storage[%base] : buffer -> view<8x8xi32>\n"
           "  %values = buffer.view %data[%base] : buffer -> view<64xi32>\n"
           "  %values2 = buffer.view %data[%base] : buffer -> view<8x8xi32>\n"
           "  %room = buffer.alloca<private> align(64) %bytes : buffer\n"
           "  %sink = buffer.view %room[%base] : buffer -> view<8x8xi32>\n"
           "  %item = kernel.workitem.id<x> : index\n"
           "  %number = index.cast %item : index to i32\n"
           "  %step = scalar.constant 1 : i32\n"
           "  %lanes = vector.iota %number step %step : vector<4xi32>\n"
           "  %low = vector.andi %lanes, %odd : vector<4xi32>\n"
           "  %mask = vector.cmpi eq, %low, %even : vector<4xi32> -> vector<4xi1>\n";
    steps = block(2 + below(5), "  ", "%item");
    text += "  kernel.return\n}\n";
  }

  /// The pairs of lines that race.
  std::set<std::pair<unsigned, unsigned>> races() const {
    std::vector<Touch> all;
    for (unsigned item = 0; item < kItems; ++item) {
      Run run;
      run.item = item;
      runAll(steps, run);
      all.insert(all.end(), run.touches.begin(), run.touches.end());
    }
    std::set<std::pair<unsigned, unsigned>> pairs;
    for (const Touch &a : all)
      for (const Touch &b : all)
        if (a.item < b.item && race(a, b))
          pairs.insert(std::minmax(a.line, b.line));
    return pairs;
  }

  std::string text;

private:
  static bool race(const Touch &a, const Touch &b) {
    if (a.memory != b.memory || !(a.writes || b.writes) || a.first >= b.first + b.elements ||
        b.first >= a.first + a.elements)
      return false;
    bool isSame = a.item / kSubgroup == b.item / kSubgroup;
    if (a.isAtomic && b.isAtomic && (isSame || !(a.isNarrow || b.isNarrow)))
      return false;
    bool isOrdered =
        a.arrived < b.passed || b.arrived < a.passed || (isSame && a.subgroup != b.subgroup);
    return !isOrdered;
  }

  unsigned below(unsigned limit) { return random() % limit; }
  std::string name() { return "%v" + std::to_string(names++); }
  unsigned emit(const std::string &line) {
    text += line + "\n";
    return std::count(text.begin(), text.end(), '\n');
  }
  std::string constant(const std::string &indent, unsigned value) {
    std::string result = name();
    emit(indent + result + " = index.constant " + std::to_string(value) + " : index");
    return result;
  }

  /// (item * a + j * b + c) mod `limit`, and how to compute it.
  std::pair<std::string, std::function<unsigned(const Run &)>>
  index(const std::string &indent, const std::string &j, unsigned limit) {
    unsigned a = below(5), b = below(4), c = below(limit);
    std::string scaled = name(), sum = name(), moved = name(), result = name();
    std::string fa = constant(indent, a), fb = constant(indent, b), fc = constant(indent, c),
                fl = constant(indent, limit);
    emit(indent + scaled + " = index.madd %item, " + fa + ", " + fc + " : index");
    emit(indent + sum + " = index.madd " + j + ", " + fb + ", " + scaled + " : index");
    emit(indent + moved + " = index.add " + sum + ", %zero : index");
    emit(indent + result + " = index.rem " + moved + ", " + fl + " : index");
    return {result, [=](const Run &run) { return (run.item * a + run.j * b + c) % limit; }};
  }

  static void touch(Run &run, unsigned line, unsigned memory, unsigned first, unsigned elements,
                    bool writes, bool isAtomic = false, bool isNarrow = false) {
    run.touches.push_back({line, run.item, memory, first, elements, writes, isAtomic, isNarrow,
                           run.arrived[memory], run.passed[memory], run.subgroup[memory]});
  }

  /// A write, or a read whose result is used. The line of the access.
  unsigned move(const std::string &indent, bool writes, const std::string &store,
                const std::string &load, const std::string &type) {
    if (writes)
      return emit(indent + store);
    std::string result = name();
    unsigned line = emit(indent + result + " = " + load);
    emit(indent + (type == "i32" ? "view" : "vector") + ".store " + result +
         ", %sink[0, 0] : " + type + ", view<8x8xi32>");
    return line;
  }

  /// A vector of two rows, which lie apart.
  Step planeAccess(const std::string &indent, const std::string &j, unsigned memory, bool writes) {
    auto [row, rowOf] = index(indent, j, 7);
    auto [column, columnOf] = index(indent, j, 5);
    std::string place = (memory ? "%values2[" : "%tile2[") + row + ", " + column + "]";
    unsigned line =
        move(indent, writes, "vector.store %plane, " + place + " : vector<2x4xi32>, view<8x8xi32>",
             "vector.load " + place + " : view<8x8xi32> -> vector<2x4xi32>", "vector<2x4xi32>");
    return [=, rowOf = rowOf, columnOf = columnOf](Run &run) {
      for (unsigned r = 0; r < 2; ++r)
        touch(run, line, memory, (rowOf(run) + r) * 8 + columnOf(run), 4, writes);
    };
  }

  Step access(const std::string &indent, const std::string &j) {
    unsigned memory = below(2), kind = below(9);
    bool writes = below(2);
    std::string view = memory ? "%values" : "%tile";
    if (kind == 0)
      return planeAccess(indent, j, memory, writes);
    auto [place, found] = index(indent, j, kind < 3 ? kElements : 48);
    std::function<unsigned(const Run &)> placeOf = found;
    std::string at = view + "[" + place + "]", quad = "vector<4xi32>";
    if (kind <= 2 || kind == 4) {
      bool isVector = kind == 4;
      std::string type = isVector ? quad : "i32", op = isVector ? "vector." : "view.";
      unsigned line = move(indent, writes,
                           op + "store " + (isVector ? "%quad, " : "%value, ") + at + " : " + type +
                               ", view<64xi32>",
                           op + "load " + at + " : view<64xi32> -> " + type, type);
      return [=](Run &run) { touch(run, line, memory, placeOf(run), isVector ? 4 : 1, writes); };
    }
    if (kind == 3) {
      bool isNarrow = below(3) == 0;
      unsigned line =
          emit(indent + "view.atomic.reduce<addi> %value, " + at +
               " {ordering = relaxed, scope = " + (isNarrow ? "subgroup" : "workgroup") +
               "} : i32, view<64xi32>");
      return [=](Run &run) { touch(run, line, memory, placeOf(run), 1, true, true, isNarrow); };
    }
    bool isMasked = kind <= 7, isPacked = kind == 6, isScattered = kind >= 7;
    unsigned distance = isScattered ? 3 : 1;
    std::string types = "view<64xi32>";
    if (isScattered) {
      std::string start = name(), three = name(), offsets = name();
      emit(indent + start + " = index.cast " + place + " : index to i32");
      emit(indent + three + " = scalar.constant 3 : i32");
      emit(indent + offsets + " = vector.iota " + start + " step " + three + " : vector<4xi32>");
      at = view + "[0][" + offsets + "]";
      types += ", vector<4xi32>";
    }
    std::string store = isScattered ? "scatter" : isPacked ? "store.compress" : "store";
    std::string load = isScattered ? "gather" : isPacked ? "load.expand" : "load";
    if (isMasked && !isPacked) {
      store += ".mask";
      load += ".mask";
    }
    std::string mask = isMasked ? ", %mask" : "", maskType = isMasked ? ", vector<4xi1>" : "";
    unsigned line =
        move(indent, writes,
             "vector." + store + " %quad, " + at + mask + " : vector<4xi32>, " + types + maskType,
             "vector." + load + " " + at + mask + (isMasked ? ", %quad" : "") + " : " + types +
                 maskType + (isMasked ? ", " : " -> ") + quad,
             quad);
    return [=](Run &run) {
      unsigned taken = 0;
      for (unsigned e = 0; e < 4; ++e)
        if (!isMasked || (run.item + e) % 2 == 0)
          touch(run, line, memory, placeOf(run) + (isPacked ? taken++ : e * distance), 1, writes);
    };
  }

  Step barrier(const std::string &indent, const std::string &j) {
    unsigned memory = below(2), kind = below(4);
    std::string space = memory ? "<global>" : "<workgroup>";
    if (kind == 0) {
      emit(indent + "kernel.barrier" + space + " scope(subgroup) ordering(acq_rel)");
      return [=](Run &run) { ++run.subgroup[memory]; };
    }
    Steps between;
    if (kind == 1) {
      std::string phase = name();
      emit(indent + phase + " = kernel.barrier.arrive" + space +
           " scope(workgroup) ordering(acq_rel) -> kernel.barrier.phase");
      between.push_back(access(indent, j));
      emit(indent + "kernel.barrier.wait " + phase + " : kernel.barrier.phase");
    } else {
      emit(indent + "kernel.barrier" + space + " scope(workgroup) ordering(acq_rel)");
    }
    return [=](Run &run) {
      ++run.arrived[memory];
      runAll(between, run);
      run.passed[memory] = run.arrived[memory];
    };
  }

  Step guarded(const std::string &indent, const std::string &j) {
    unsigned m = 2 + below(6), k = 1 + below(m);
    std::string fm = constant(indent, m), fk = constant(indent, k), rest = name(), holds = name();
    emit(indent + rest + " = index.rem %item, " + fm + " : index");
    emit(indent + holds + " = index.cmp slt, " + rest + ", " + fk + " : index");
    emit(indent + "scf.if " + holds + " {");
    Steps inner = {access(indent + "  ", j)};
    emit(indent + "}");
    return [=](Run &run) {
      if (run.item % m < k)
        runAll(inner, run);
    };
  }

  /// A loop that work-items leave one by one, or one with barriers that they leave together.
  Step loop(const std::string &indent) {
    bool isDivergent = below(2);
    unsigned m = 1 + below(3);
    std::string iv = name(), upper = constant(indent, m), count = name();
    if (isDivergent) {
      emit(indent + count + " = index.rem %item, " + upper + " : index");
      upper = count;
    }
    emit(indent + "scf.for " + iv + " = [%zero to " + upper + " step %one] {");
    Steps inner = {access(indent + "  ", iv)};
    if (!isDivergent) {
      inner.push_back(barrier(indent + "  ", iv));
      inner.push_back(access(indent + "  ", iv));
    }
    emit(indent + "}");
    return [=](Run &run) {
      unsigned outer = run.j, end = isDivergent ? run.item % m : m;
      for (run.j = 0; run.j < end; ++run.j)
        runAll(inner, run);
      run.j = outer;
    };
  }

  Steps block(unsigned count, const std::string &indent, const std::string &) {
    Steps list;
    for (unsigned i = 0; i < count; ++i) {
      switch (below(6)) {
      case 0:
      case 1:
        list.push_back(access(indent, "%zero"));
        break;
      case 2:
        list.push_back(guarded(indent, "%zero"));
        break;
      case 3:
        list.push_back(loop(indent));
        break;
      default:
        list.push_back(barrier(indent, "%zero"));
        break;
      }
    }
    return list;
  }

  std::mt19937 random;
  unsigned names = 0;
  Steps steps;
};

/// The pairs of lines in the events of the kernel.
std::set<std::pair<unsigned, unsigned>> reported(const std::string &text, unsigned threads) {
  mlir::MLIRContext context;
  mlir::DialectRegistry registry;
  registerLoomDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  std::string messages;
  llvm::raw_string_ostream os(messages);
  DiagnosticEngineScope diagnostics(&context, os);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseSourceText(text, "t.loom", &context);
  std::set<std::pair<unsigned, unsigned>> pairs;
  if (!module || mlir::failed(verifyModule(*module))) {
    ADD_FAILURE() << messages << text;
    return pairs;
  }
  X86DeviceOptions options;
  options.threads = threads;
  X86Device device(*module, *lookupTargetProfile("x86:avx2"), options);
  SanitizerOptions sanitizers;
  sanitizers.race = true;
  EXPECT_FALSE(device.setSanitizers(sanitizers));
  Tensor data = llvm::cantFail(Tensor::create(ElementType::I32, {kElements}));
  std::vector<Argument> arguments = {&data};
  if (std::optional<Issue> issue = device.launch({"k", {{1, 1, 1}, {kItems, 1, 1}}, arguments})) {
    ADD_FAILURE() << issue->message << "\n" << text;
    return pairs;
  }
  EventLog log = device.takeEvents();
  EXPECT_EQ(log.dropped, 0u);
  for (const Event &event : log.events) {
    EXPECT_EQ(event.kind, Event::Kind::TsanReport);
    llvm::StringRef rest = llvm::StringRef(event.message).split(" at t.loom:").second;
    unsigned prior = 0;
    EXPECT_FALSE(rest.take_until([](char c) { return c == ':'; }).getAsInteger(10, prior))
        << event.message;
    EXPECT_TRUE(pairs.insert(std::minmax(event.line, prior)).second) << "reported twice";
  }
  return pairs;
}

TEST(X86Races, RandomKernelsRaceWhereTheModelDoes) {
  unsigned racing = 0, silent = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Generator generator(seed);
    std::set<std::pair<unsigned, unsigned>> wanted = generator.races();
    ASSERT_EQ(reported(generator.text, 1 + seed % 2), wanted) << "seed " << seed << "\n"
                                                              << generator.text;
    ++(wanted.empty() ? silent : racing);
  }
  EXPECT_GT(racing, 15u);
  EXPECT_GT(silent, 3u);
}

} // namespace
