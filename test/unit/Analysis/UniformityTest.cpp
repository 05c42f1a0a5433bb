// Shapes of values over the lanes of a group, control, and who has to reach what together.
#include "loom/Analysis/Uniformity.h"
#include "Program.h"
#include <gmock/gmock.h>

using namespace loom;
using namespace loom::test;
using namespace mlir;
using testing::HasSubstr;

namespace {

using Extents = std::array<int64_t, 3>;

/// A kernel `@k` of workgroups of that size.
std::string kernelOf(const Extents &size, const std::string &parameters, const std::string &body) {
  auto constant = [&](const char *name, int64_t value) {
    return std::string("  %") + name + " = index.constant " + std::to_string(value) + " : index\n";
  };
  return "kernel.def @k() {\n" + constant("unit", 3) + constant("wx", size[0]) +
         constant("wy", size[1]) + constant("wz", size[2]) +
         "  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%wx, %wy, %wz) : "
         "index\n} launch" +
         parameters + " {\n" + body + "\n  kernel.return\n}\n";
}

/// A parsed kernel with its analysis.
struct Analyzed {
  Analyzed(const Extents &size, int64_t lanes, int64_t subgroupSize, const std::string &parameters,
           const std::string &body)
      : program(kernelOf(size, parameters, body)), facts(*program.module) {
    program.module->walk([&](KernelDefOp op) { kernel = op; });
    options.lanes = lanes;
    options.subgroupSize = subgroupSize;
    for (unsigned axis = 0; axis < 3; ++axis)
      options.workgroupSize[axis] = size[axis];
    analyze();
  }

  void analyze() { uniformity.emplace(kernel, facts, options); }

  /// `W`, `S`, `V`, or `A` and the stride.
  std::string operator[](llvm::StringRef name) {
    LaneShape shape = uniformity->shape(program.value(name));
    EXPECT_EQ(uniformity->isUniform(program.value(name)),
              shape.distribution <= Distribution::Subgroup);
    EXPECT_EQ(shape.stride != 0, shape.distribution == Distribution::Affine);
    return letter(shape.distribution) + (shape.stride ? std::to_string(shape.stride) : "");
  }
  /// The letter of what controls the operation that defines a value.
  std::string control(llvm::StringRef name) {
    return letter(uniformity->control(program.at(name)));
  }
  static std::string letter(Distribution distribution) {
    return std::string(1, "WSAV"[static_cast<unsigned>(distribution)]);
  }

  Program program;
  Facts facts;
  UniformityOptions options;
  KernelDefOp kernel;
  std::optional<Uniformity> uniformity;
};

const char *kPositions = R"(
  %x = kernel.workitem.id<x> : index
  %y = kernel.workitem.id<y> : index
  %z = kernel.workitem.id<z> : index
  %dx = kernel.workitem.dispatch.id<x> : index
  %dy = kernel.workitem.dispatch.id<y> : index
  %lane = kernel.subgroup.lane.id : index
  %subgroup = kernel.subgroup.id : index
  %gx = kernel.workgroup.id<x> : index
  %wide = kernel.workgroup.size<y> : index
  %grid = kernel.workgroup.count<z> : index
  %subgroups = kernel.subgroup.count : index
  %lanes = kernel.subgroup.size : index
  %cluster = kernel.cluster.id<x> : index
  %rank = kernel.cluster.workgroup.flat_id : index)";

/// Shapes of x, y, z, lane id and subgroup id.
std::string positionsOf(Analyzed &a) {
  EXPECT_EQ(a["dx"], a["x"]);
  EXPECT_EQ(a["dy"], a["y"]);
  for (const char *name :
       {"n", "gx", "wide", "grid", "subgroups", "lanes", "cluster", "rank", "text"})
    EXPECT_EQ(a[name], "W") << name;
  return a["x"] + " " + a["y"] + " " + a["z"] + " " + a["lane"] + " " + a["subgroup"];
}

TEST(Uniformity, PositionsFollowFromTheShapeOfTheWorkgroup) {
  struct Row {
    Extents size;
    int64_t lanes, subgroupSize;
    const char *shapes;
  };
  const Row rows[] = {
      {{8, 4, 2}, 8, 8, "A1 S S A1 S"},    {{8, 4, 2}, 16, 16, "V V S A1 S"},
      {{8, 4, 2}, 16, 8, "V V S V V"},     {{64, 1, 1}, 16, 16, "A1 W W A1 S"},
      {{64, 1, 1}, 16, 8, "A1 W W V V"},   {{50, 1, 1}, 16, 16, "A1 W W A1 S"},
      {{50, 2, 1}, 16, 16, "V V W A1 S"},  {{32, 3, 1}, 16, 16, "A1 S W A1 S"},
      {{1, 32, 2}, 16, 16, "W A1 S A1 S"}, {{1, 1, 40}, 16, 16, "W W A1 A1 S"},
      {{1, 20, 2}, 16, 16, "W V V A1 S"},  {{4, 4, 8}, 16, 16, "V V S A1 S"},
      {{4, 4, 8}, 32, 32, "V V V A1 S"},
  };
  for (const Row &row : rows) {
    Analyzed a(row.size, row.lanes, row.subgroupSize, "(%n: index, %text: buffer)", kPositions);
    EXPECT_EQ(positionsOf(a), row.shapes)
        << row.size[0] << "x" << row.size[1] << "x" << row.size[2] << " by " << row.lanes;
  }
}

TEST(Uniformity, UnknownExtentsAreNotGuessed) {
  Analyzed a({8, 4, 2}, 8, 8, "(%n: index, %text: buffer)", kPositions);
  a.options.workgroupSize = {std::nullopt, 4, 2};
  a.analyze();
  EXPECT_EQ(positionsOf(a), "V V V A1 S");
  // Whole groups fit into the rows of a plane, whatever the length of a row.
  a.options.workgroupSize = {std::nullopt, 16, 2};
  a.analyze();
  EXPECT_EQ(positionsOf(a), "V V S A1 S");
  a.options.workgroupSize = {8, std::nullopt, std::nullopt};
  a.analyze();
  EXPECT_EQ(positionsOf(a), "A1 S S A1 S");
  // The flat number is x, whatever its extent.
  a.options.workgroupSize = {std::nullopt, 1, 1};
  a.analyze();
  EXPECT_EQ(positionsOf(a), "A1 W W A1 S");
  a.options.workgroupSize = {};
  a.analyze();
  EXPECT_EQ(positionsOf(a), "V V V A1 S");
}

TEST(Uniformity, SmallGroupsHaveLessToTellApart) {
  Analyzed single({1, 1, 1}, 8, 8, "(%n: index, %text: buffer)", kPositions);
  EXPECT_EQ(positionsOf(single), "W W W W W");
  EXPECT_EQ(single.uniformity->cause(single.program.value("lane")), nullptr);
  Analyzed group({8, 2, 1}, 16, 16, "(%n: index, %text: buffer)", kPositions);
  EXPECT_EQ(positionsOf(group), "V V W A1 W");
  Analyzed scalar({8, 2, 1}, 1, 1, "(%n: index, %text: buffer)", kPositions);
  EXPECT_EQ(positionsOf(scalar), "S S W W S");
}

TEST(Uniformity, ArithmeticKeepsSequencesWhileTheyAreExact) {
  Analyzed a({64, 1, 1}, 16, 16, "(%n: index, %bytes: offset)", R"(
  %x = kernel.workitem.id<x> : index
  %s = kernel.subgroup.id : index
  %zero = index.constant 0 : index
  %four = index.constant 4 : index
  %minus = index.constant -1 : index
  %huge = index.constant 9223372036854775807 : index
  %pitch = index.constant 12 : offset
  %known = index.assume %n [range(%n, 3, 3)] : index
  %plus = index.add %x, %n : index
  %other = index.add %s, %x : index
  %less = index.sub %n, %x : index
  %twice = index.add %x, %x : index
  %none = index.sub %x, %x : index
  %times = index.mul %x, %four : index
  %back = index.mul %minus, %times : index
  %named = index.mul %x, %known : index
  %nothing = index.mul %x, %zero : index
  %unsure = index.mul %x, %n : index
  %square = index.mul %x, %x : index
  %wrapped = index.mul %twice, %huge : index
  %row = index.madd %x, %four, %less : index
  %uneven = index.madd %n, %x, %n : index
  %place = index.scale %row, %pitch : index, offset -> offset
  %start = index.add %place, %bytes : offset
  %again = index.cast %start : offset to index
  %narrow = index.cast %x : index to i32
  %promised, %plain = index.assume %again, %n [ge(%again, 0), ge(%n, 0)] : index, index
  %low = index.min %x, %four : index
  %part = index.div %x, %four : index
  %rest = index.rem %n, %four : index
  %both = index.mul %n, %s : index
  %test = index.cmp slt, %x, %n : index
  %same = index.cmp eq, %s, %n : index)");
  EXPECT_EQ(a["plus"], "A1");
  EXPECT_EQ(a["other"], "A1");
  EXPECT_EQ(a["less"], "A-1");
  EXPECT_EQ(a["twice"], "A2");
  EXPECT_EQ(a["none"], "W");
  EXPECT_EQ(a["times"], "A4");
  EXPECT_EQ(a["back"], "A-4");
  EXPECT_EQ(a["named"], "A3");
  EXPECT_EQ(a["nothing"], "W");
  EXPECT_EQ(a["unsure"], "V");
  EXPECT_EQ(a["square"], "V");
  EXPECT_EQ(a["wrapped"], "V");
  EXPECT_EQ(a["row"], "A3");
  EXPECT_EQ(a["uneven"], "V");
  EXPECT_EQ(a["place"], "A36");
  EXPECT_EQ(a["start"], "A36");
  EXPECT_EQ(a["again"], "A36");
  EXPECT_EQ(a["narrow"], "V");
  EXPECT_EQ(a["promised"], "A36");
  EXPECT_EQ(a["plain"], "W");
  EXPECT_EQ(a["low"], "V");
  EXPECT_EQ(a["part"], "V");
  EXPECT_EQ(a["rest"], "W");
  EXPECT_EQ(a["both"], "S");
  EXPECT_EQ(a["test"], "V");
  EXPECT_EQ(a["same"], "S");
  EXPECT_EQ(a.uniformity->cause(a.program.value("square")), a.program.at("x"));
  EXPECT_EQ(a.uniformity->cause(a.program.value("same")), a.program.at("s"));
  EXPECT_EQ(a.uniformity->cause(a.program.value("plain")), nullptr);
}

TEST(Uniformity, ChoicesJoinWhatTheyChooseFrom) {
  Analyzed a({64, 1, 1}, 16, 16, "(%n: index, %flag: i1)", R"(
  %x = kernel.workitem.id<x> : index
  %s = kernel.subgroup.id : index
  %zero = index.constant 0 : index
  %next = index.add %x, %n : index
  %twice = index.add %x, %x : index
  %mine = index.cmp eq, %x, %zero : index
  %leads = index.cmp eq, %s, %zero : index
  %affine = scf.select %flag, %x, %next : index
  %affine2 = scf.select %leads, %x, %next : index
  %mixed = scf.select %flag, %x, %twice : index
  %partly = scf.select %flag, %x, %n : index
  %number = scf.select %leads, %n, %zero : index
  %apart = scf.select %mine, %n, %zero : index
  %table, %second = scf.lookup %n { 0 = (%x, %n), 4 = (%next, %s) } default(%x, %n) : index, index
  %lost = scf.lookup %x { 0 = (%n) } default(%zero) : index
  %if_affine, %if_number = scf.if %leads -> (index, index) {
    %inner = index.add %x, %zero : index
    scf.yield %inner, %n : index, index
  } else {
    scf.yield %next, %zero : index, index
  }
  %if_apart = scf.if %mine -> (index) {
    %deep = index.add %n, %n : index
    scf.yield %deep : index
  } else {
    scf.yield %n : index
  }
  %switched = scf.switch %n -> (index) {
    case 0 {
      scf.yield %x : index
    }
    default {
      %other = index.add %x, %s : index
      scf.yield %other : index
    }
  })");
  EXPECT_EQ(a["affine"], "A1");
  EXPECT_EQ(a["affine2"], "A1");
  EXPECT_EQ(a["mixed"], "V");
  EXPECT_EQ(a["partly"], "V");
  EXPECT_EQ(a["number"], "S");
  EXPECT_EQ(a["apart"], "V");
  EXPECT_EQ(a["table"], "A1");
  EXPECT_EQ(a["second"], "S");
  EXPECT_EQ(a["lost"], "V");
  EXPECT_EQ(a["if_affine"], "A1");
  EXPECT_EQ(a["if_number"], "S");
  EXPECT_EQ(a["if_apart"], "V");
  EXPECT_EQ(a["switched"], "A1");
  // Those who run it agree.
  EXPECT_EQ(a["deep"], "W");
  EXPECT_EQ(a.control("switched"), "W");
  EXPECT_EQ(a.control("other"), "W");
  EXPECT_EQ(a.control("inner"), "S");
  EXPECT_EQ(a.control("deep"), "V");
  EXPECT_EQ(a.uniformity->cause(a.program.value("if_apart")), a.program.at("x"));
}

TEST(Uniformity, LoopsReachAFixpoint) {
  Analyzed a({64, 1, 1}, 16, 16, "(%n: index, %flag: i1)", R"(
  %x = kernel.workitem.id<x> : index
  %s = kernel.subgroup.id : index
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %sum, %place, %lost, %late = scf.for %i = [%zero to %n step %one](%u = %zero : index, %p = %x : index, %q = %x : index, %r = %zero : index) -> (index, index, index, index) {
    %u2 = index.add %u, %i : index
    %p2 = index.add %p, %n : index
    %q2 = index.add %q, %x : index
    scf.yield %u2, %p2, %q2, %u : index, index, index, index
  }
  %a, %b = scf.for %j = [%zero to %n step %one](%c = %zero : index, %d = %x : index) -> (index, index) {
    scf.yield %d, %c : index, index
  }
  %t = scf.for %k = [%x to %n step %one](%v = %zero : index) -> (index) {
    %v2 = index.add %v, %one : index
    scf.yield %v2 : index
  }
  %m = scf.for %l = [%zero to %s step %one](%w = %zero : index) -> (index) {
    %w2 = index.add %w, %l : index
    scf.yield %w2 : index
  }
  %o = scf.for %odd = [%zero to %n step %x](%e = %zero : index) -> (index) {
    %e2 = index.add %e, %odd : index
    scf.yield %e2 : index
  }
  %last, %moved = scf.while(%at = %zero : index, %there = %x : index) -> (index, index) {
    %go = index.cmp slt, %at, %n : index
    scf.condition %go, %at, %there : i1, index, index
  } do(%here: index, %that: index) {
    %here2 = index.add %here, %one : index
    %that2 = index.add %that, %s : index
    scf.yield %here2, %that2 : index, index
  }
  %ends = scf.while(%from = %zero : index) -> (index) {
    %stays = index.cmp slt, %from, %x : index
    scf.condition %stays, %from : i1, index
  } do(%step: index) {
    %step2 = index.add %step, %one : index
    scf.yield %step2 : index
  })");
  for (const char *name : {"i", "u", "u2", "r", "sum", "late", "j"})
    EXPECT_EQ(a[name], "W") << name;
  for (const char *name : {"p", "p2", "place", "there", "that2", "moved"})
    EXPECT_EQ(a[name], "A1") << name;
  for (const char *name : {"q", "lost", "a", "b", "c", "d"})
    EXPECT_EQ(a[name], "V") << name;
  // Trip counts differ: inside everybody counts alike, behind it nothing is known.
  EXPECT_EQ(a["k"], "A1");
  EXPECT_EQ(a["v2"], "W");
  EXPECT_EQ(a["t"], "V");
  EXPECT_EQ(a.control("v2"), "V");
  EXPECT_EQ(a["l"], "W");
  EXPECT_EQ(a["w2"], "W");
  EXPECT_EQ(a["m"], "S");
  EXPECT_EQ(a.control("w2"), "S");
  EXPECT_EQ(a["odd"], "V");
  EXPECT_EQ(a["o"], "V");
  EXPECT_EQ(a.control("e2"), "V");
  EXPECT_EQ(a["last"], "W");
  EXPECT_EQ(a.control("go"), "W");
  EXPECT_EQ(a["step2"], "W");
  EXPECT_EQ(a["ends"], "V");
  EXPECT_EQ(a.control("stays"), "V");
}

TEST(Uniformity, WhoHasLeftDoesNotComeBack) {
  Analyzed a({64, 1, 1}, 16, 16, "(%n: index)", R"(
  %x = kernel.workitem.id<x> : index
  %zero = index.constant 0 : index
  %none = index.cmp eq, %n, %zero : index
  kernel.exit %none : i1
  %early = index.add %n, %n : index
  %beyond = index.cmp sge, %x, %n : index
  kernel.exit %beyond : i1
  %late = index.add %n, %n : index)");
  EXPECT_EQ(a.control("early"), "W");
  EXPECT_EQ(a.control("late"), "V");
  EXPECT_EQ(a["late"], "W");
}

const char *kCollectives = R"(
  %x = kernel.workitem.id<x> : index
  %s = kernel.subgroup.id : index
  %zero = index.constant 0 : index
  %mine = index.cmp eq, %x, %zero : index
  %v = index.cast %x : index to i32
  %first = scalar.constant 0 : i32
  %off = scalar.constant 8 : i32
  %sum = kernel.subgroup.reduce<addi> %v : i32
  %part = kernel.subgroup.reduce<addi> %v {cluster_size = 4} : i32
  %whole = kernel.subgroup.reduce<addi> %v {cluster_size = 16} : i32
  %count = kernel.subgroup.reduce<addi> %n : i32
  %scan = kernel.subgroup.scan<addi> %n {direction = forward, mode = inclusive} : i32
  %any = kernel.subgroup.vote.any %mine : i1
  %sure = kernel.subgroup.vote.all %flag : i1
  %ballot = kernel.subgroup.vote.ballot %mine : i1 -> i32
  %active = kernel.subgroup.active.mask : i32
  %given = kernel.subgroup.broadcast %v from %first : i32, i32
  %mixed = kernel.subgroup.broadcast %v from %v : i32, i32
  %same = kernel.subgroup.broadcast %n from %v : i32, i32
  %lowest = kernel.subgroup.broadcast.first %v : i32
  %other, %inside = kernel.subgroup.shuffle<xor> %v, %first, %off : i32, i32, i32
  %peers = kernel.subgroup.match.any %v : i32 -> i32
  %mask, %agree = kernel.subgroup.match.all %v : i32 -> i32, i1
  %total = kernel.workgroup.reduce<addi> %v : i32
  %slot = kernel.workgroup.scan<addi> %v {direction = forward, mode = exclusive} : i32
  %some = kernel.workgroup.vote.any %mine : i1
  %votes = kernel.workgroup.vote.count %mine : i1 -> i32
  %tile = buffer.view %data[%base] : buffer -> view<64xi32>
  %old = view.atomic.rmw<addi> %n, %tile[0] {ordering = relaxed, scope = device} : i32, view<64xi32> -> i32)";

TEST(Uniformity, CollectivesOfGroupsThatAreSubgroups) {
  Analyzed a({64, 1, 1}, 16, 16, "(%n: i32, %flag: i1, %data: buffer, %base: offset)",
             kCollectives);
  for (const char *name : {"sure", "same", "total", "some", "votes"})
    EXPECT_EQ(a[name], "W") << name;
  for (const char *name :
       {"sum", "whole", "count", "any", "ballot", "active", "given", "lowest", "mask", "agree"})
    EXPECT_EQ(a[name], "S") << name;
  for (const char *name : {"part", "scan", "mixed", "other", "inside", "peers", "slot", "old"})
    EXPECT_EQ(a[name], "V") << name;
}

TEST(Uniformity, CollectivesOfGroupsOfSeveralSubgroups) {
  Analyzed a({64, 1, 1}, 32, 16, "(%n: i32, %flag: i1, %data: buffer, %base: offset)",
             kCollectives);
  for (const char *name : {"sure", "same", "total", "some", "votes"})
    EXPECT_EQ(a[name], "W") << name;
  for (const char *name : {"sum", "whole", "count", "any", "ballot", "active", "given", "lowest",
                           "mask", "agree", "part", "scan", "peers", "slot", "s"})
    EXPECT_EQ(a[name], "V") << name;
}

const char *kMemory = R"(
  %x = kernel.workitem.id<x> : index
  %size = index.constant 256 : offset
  %mine = buffer.alloca<private> align(16) %size : buffer
  %shared = buffer.alloca<workgroup> align(16) %size : buffer
  %in, %out = buffer.assume.noalias %a, %b : buffer, buffer
  %own = buffer.view %mine[%base] : buffer -> view<64xf32>
  %tile = buffer.view %shared[%base] : buffer -> view<64xf32>
  %read = buffer.view %in[%base] : buffer -> view<64xf32>
  %raw = buffer.view %c[%base] : buffer -> view<64xf32>
  %shifted = view.subview %read[%x] : view<64xf32> -> view<1xf32>
  %one = view.load %read[0] : view<64xf32> -> f32
  %four = vector.load %read[4] : view<64xf32> -> vector<4xf32>
  %each = view.load %read[%x] : view<64xf32> -> f32
  %other = view.load %shifted[0] : view<1xf32> -> f32
  %unsure = view.load %raw[0] : view<64xf32> -> f32
  %common = view.load %tile[0] : view<64xf32> -> f32
  %local = view.load %own[0] : view<64xf32> -> f32
  %byte = buffer.load.i8.u %in[%base]
  %scaled = vector.splat %one : vector<4xf32>
)";

TEST(Uniformity, ReadsFollowTheAddressAndTheWrites) {
  Analyzed quiet({64, 1, 1}, 16, 16, "(%a: buffer, %b: buffer, %c: buffer, %base: offset)",
                 kMemory);
  for (const char *name :
       {"one", "four", "unsure", "byte", "scaled", "shared", "tile", "read", "common"})
    EXPECT_EQ(quiet[name], "W") << name;
  for (const char *name : {"mine", "own", "local", "each", "other", "shifted"})
    EXPECT_EQ(quiet[name], "V") << name;

  // A write through a promised buffer reaches what has not promised anything.
  std::string body = std::string(kMemory) + R"(
  %written = buffer.view %out[%base] : buffer -> view<64xf32>
  view.store %each, %written[%x] : f32, view<64xf32>
  view.store %each, %tile[%x] : f32, view<64xf32>
  view.store %each, %own[0] : f32, view<64xf32>)";
  Analyzed promised({64, 1, 1}, 16, 16, "(%a: buffer, %b: buffer, %c: buffer, %base: offset)",
                    body);
  for (const char *name : {"one", "four", "byte", "scaled"})
    EXPECT_EQ(promised[name], "W") << name;
  for (const char *name : {"unsure", "common"})
    EXPECT_EQ(promised[name], "S") << name;
  EXPECT_EQ(promised["local"], "V");
  EXPECT_EQ(promised.uniformity->cause(promised.program.value("unsure")),
            promised.program.at("unsure"));

  body = std::string(kMemory) + R"(
  view.store %each, %raw[%x] : f32, view<64xf32>)";
  Analyzed anywhere({64, 1, 1}, 16, 16, "(%a: buffer, %b: buffer, %c: buffer, %base: offset)",
                    body);
  for (const char *name : {"one", "four", "byte", "unsure"})
    EXPECT_EQ(anywhere[name], "S") << name;
  EXPECT_EQ(anywhere["common"], "W");

  // What is read as volatile may change at any time.
  body = std::string(kMemory) + R"(
  %forced = view.load<volatile> %read[0] : view<64xf32> -> f32)";
  Analyzed forced({64, 1, 1}, 16, 16, "(%a: buffer, %b: buffer, %c: buffer, %base: offset)", body);
  EXPECT_EQ(forced["forced"], "V");
  EXPECT_EQ(forced["one"], "S");
}

const char *kConvergent = R"(
  %x = kernel.workitem.id<x> : index
  %s = kernel.subgroup.id : index
  %zero = index.constant 0 : index
  %one = index.constant 1 : index
  %mine = index.cmp eq, %x, %zero : index
  %leads = index.cmp eq, %s, %zero : index
  %flag = index.cmp eq, %n, %zero : index
  %size = index.constant 256 : offset
  %shared = kernel.workgroup.storage align(16) %size : buffer
  scf.if %mine {
    %alone = kernel.subgroup.reduce<addf> %f : f32
  }
  scf.if %flag {
    kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
  }
  scf.for %i = [%zero to %n step %one] {
    %any = kernel.workgroup.vote.any %mine : i1
    scf.if %any {
      kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)
    }
  }
  scf.if %leads {
    kernel.barrier<workgroup> scope(subgroup) ordering(acq_rel)
  }
  scf.if %flag {
    %total = kernel.workgroup.reduce<addf> %f : f32
  })";

class ConvergenceTest : public testing::Test {
protected:
  explicit ConvergenceTest(int64_t lanes = 16) : program(text()), facts(*program.module) {
    program.module->walk([&](KernelDefOp op) { kernel = op; });
    options.lanes = lanes;
    options.subgroupSize = 16;
    options.workgroupSize = {64, 1, 1};
  }
  static std::string text() {
    std::string body = kernelOf({64, 1, 1}, "(%n: index, %f: f32)", kConvergent);
    std::string config = "workgroup_size(%wx, %wy, %wz)";
    body.replace(body.find(config), config.size(), config + " dynamic_workgroup_storage(%bytes)");
    size_t first = body.find("  %unit");
    return body.insert(first, "  %bytes = index.constant 256 : offset\n");
  }

  /// The report of the check, empty when it accepts everything.
  std::string check() {
    Uniformity uniformity(kernel, facts, options);
    bool ok = succeeded(checkConvergentOps(kernel, uniformity));
    EXPECT_EQ(ok, program.message.empty());
    return program.message;
  }
  /// Puts another condition on the choice around the last operation of type Op.
  template <typename Op> void guard(llvm::StringRef condition) {
    Op last;
    kernel.walk([&](Op op) { last = op; });
    last->getParentOp()->setOperand(0, program.value(condition));
  }

  Program program;
  Facts facts;
  UniformityOptions options;
  KernelDefOp kernel;
};

TEST_F(ConvergenceTest, WhatTheVerifierAcceptsIsAccepted) { EXPECT_EQ(check(), ""); }

TEST_F(ConvergenceTest, BarriersOfSubgroupsNeedControlOfSubgroups) {
  guard<KernelBarrierOp>("mine");
  std::string report = check();
  EXPECT_THAT(report,
              HasSubstr("error: 'kernel.barrier' has to be reached by the whole subgroup "
                        "together, but the condition of an 'scf.if' around it differs "
                        "between work-items; move it out of the 'scf.if', or decide by a value "
                        "that is the same for all of it [STRUCTURE/038]"));
  EXPECT_THAT(report, HasSubstr("note: this 'scf.if' decides: region_selector is lane_predicate"));
  EXPECT_THAT(report, HasSubstr("note: 'kernel.workitem.id' differs from lane to lane"));
}

TEST_F(ConvergenceTest, CollectivesOfWorkgroupsNeedControlOfWorkgroups) {
  guard<KernelWorkgroupReduceOp>("leads");
  std::string report = check();
  EXPECT_THAT(report, HasSubstr("'kernel.workgroup.reduce' has to be reached by the whole "
                                "workgroup together, but the condition of an 'scf.if' around "
                                "it differs between subgroups; move it out of the 'scf.if'"));
  EXPECT_THAT(report, HasSubstr("this 'scf.if' decides: region_selector is subgroup"));
  EXPECT_THAT(report, HasSubstr("note: 'kernel.subgroup.id' differs from subgroup to subgroup"));
}

TEST_F(ConvergenceTest, OneSubgroupIsTheWorkgroup) {
  guard<KernelWorkgroupReduceOp>("leads");
  options.workgroupSize = {16, 1, 1};
  EXPECT_EQ(check(), "");
}

TEST_F(ConvergenceTest, OneWorkItemIsAlone) {
  guard<KernelWorkgroupReduceOp>("mine");
  options.workgroupSize = {1, 1, 1};
  EXPECT_EQ(check(), "");
}

TEST_F(ConvergenceTest, LengthsOfWorkgroupMemoryAreTheSame) {
  OpBuilder builder(kernel.getBody().front().getTerminator());
  KernelWorkgroupStorageOp storage;
  kernel.walk([&](KernelWorkgroupStorageOp op) { storage = op; });
  Value lane = program.value("x");
  OperationState state(storage.getLoc(),
                       program.at("size")->getName().getDialectNamespace().str() + ".cast");
  state.addOperands(lane);
  state.addTypes(storage.getLength().getType());
  builder.setInsertionPoint(storage);
  storage.getLengthMutable().assign(builder.create(state)->getResult(0));
  EXPECT_THAT(check(), HasSubstr("the length of dynamic workgroup memory has to be the same for "
                                 "the whole workgroup, but it differs between work-items "
                                 "[STRUCTURE/056]"));
}

} // namespace
