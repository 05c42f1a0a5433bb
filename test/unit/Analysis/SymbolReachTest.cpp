// Which symbols a root needs.
#include "loom/Analysis/SymbolReach.h"
#include "Program.h"

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

const char *const source = R"(
config.def @depth = 3 : index
config.def @other = 3 : index
amdgpu.target<gfx11-generic> @gfx11
template.decl @family(%x: index) -> (index)
template.def<@family> target(@gfx11) @implementation(%x: index) -> (index) {
  %y = func.call @helper(%x) : (index) -> (index)
  template.return %y : index
}
func.def @helper(%x: index) -> (index) {
  func.return %x : index
}
func.def @unneeded(%x: index) -> (index) {
  %y = config.get @other : index
  func.return %y : index
}
func.def retain @retained(%x: index) -> (index) {
  func.return %x : index
}
kernel.def @k() {
  %unit = index.constant 1 : index
  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%unit, %unit, %unit) : index
} launch(%n: index) {
  %depth = config.get @depth : index
  %y = template.apply<@family>(%depth) : (index) -> (index)
  kernel.return
}
kernel.def @l() {
  %unit = index.constant 1 : index
  kernel.launch.config workgroups(%unit, %unit, %unit) workgroup_size(%unit, %unit, %unit) : index
} launch(%n: index) {
  kernel.return
}
check.case public @case {
  %n = check.literal value(5) : index
  kernel.launch @l(%n) : (index)
  check.return
}
check.benchmark<@case> @measured
)";

std::vector<std::string> names(ArrayRef<Operation *> ops) {
  std::vector<std::string> result;
  for (Operation *op : ops)
    result.push_back(getSymbol(op).str());
  return result;
}

std::vector<std::string> reach(Program &p, const std::vector<std::string> &roots) {
  auto resolved = resolveRoots(*p.module, roots);
  if (failed(resolved))
    return {"failed"};
  return names(reachableSymbols(*p.module, *resolved).getArrayRef());
}

using Names = std::vector<std::string>;

TEST(SymbolReach, AllKernelsAndRetainedSymbolsAreRootsByDefault) {
  Program p(source);
  EXPECT_EQ(reach(p, {}),
            (Names{"k", "l", "retained", "depth", "family", "implementation", "gfx11", "helper"}));
}

TEST(SymbolReach, RootsAreSpelledWithOrWithoutAt) {
  Program p(source);
  EXPECT_EQ(reach(p, {"l"}), (Names{"l", "retained"}));
  EXPECT_EQ(reach(p, {"@l", " l "}), (Names{"l", "retained"}));
  EXPECT_EQ(reach(p, {"@case"}), (Names{"case", "retained", "l"}));
}

TEST(SymbolReach, UnknownRootsAreAllReported) {
  Program p(source);
  EXPECT_EQ(reach(p, {"@helpr", "l", "zzz"}), Names{"failed"});
  EXPECT_NE(p.message.find("undefined root @helpr; did you mean 'helper'? [SYMBOL/002]"),
            std::string::npos)
      << p.message;
  EXPECT_NE(p.message.find("undefined root @zzz [SYMBOL/002]"), std::string::npos) << p.message;
}

TEST(SymbolReach, ErasingKeepsBenchmarksOfKeptCases) {
  for (bool kept : {true, false}) {
    Program p(source);
    auto roots = resolveRoots(*p.module, {kept ? "case" : "l"});
    ASSERT_TRUE(succeeded(roots));
    eraseOthers(*p.module, reachableSymbols(*p.module, *roots));
    SmallVector<Operation *> left;
    for (Operation &op : *p.module->getBody())
      left.push_back(&op);
    EXPECT_EQ(names(left),
              kept ? (Names{"retained", "l", "case", "measured"}) : (Names{"retained", "l"}));
    EXPECT_TRUE(succeeded(verifyModule(*p.module)));
  }
}

} // namespace
