//===- LanesTurnsTest.cpp - Code of accesses of many elements -------------===//
//
// An access of many elements by many lanes is a loop, so that neither the code nor the time that
// LLVM takes for it grows with their product. Sizes are those of the IR in front of all passes of
// LLVM, which depend on nothing but the program.
//
//===----------------------------------------------------------------------===//
#include "LanesPrograms.h"
#include "loom/Target/Common/Lowering.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace loom::test {
namespace {

class LanesTurnsTest : public LoweringTest {
protected:
  /// How many blocks and instructions the IR of `text` has.
  struct Size {
    size_t blocks = 0, instructions = 0;
  };
  Size sizeOf(const std::string &text, const char *profile, bool isSanitized) {
    mlir::ModuleOp module = parse(text);
    if (!module)
      return {};
    llvm::LLVMContext llvmContext;
    LoweringOptions options;
    options.monitor = isSanitized;
    options.checks.access = options.checks.race = isSanitized;
    mlir::FailureOr<LoweredModule> lowered =
        lowerForX86(module, *lookupTargetProfile(profile), llvmContext, options);
    if (mlir::failed(lowered)) {
      ADD_FAILURE() << takeErrors() << text;
      return {};
    }
    Size size;
    for (const llvm::Function &function : *lowered->module) {
      size.blocks += function.size();
      size.instructions += function.getInstructionCount();
    }
    return size;
  }
};

/// Accesses of vectors of `count` elements that lie three places apart, where the flag of a
/// work-item is set.
std::string accessesText(int64_t count) {
  return replaced(R"(
kernel.def export("k") @k() {
  %one = index.constant 1 : index
  %size = index.constant 64 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%flags: buffer, %masks: buffer, %numbers: buffer, %in: buffer, %out: buffer) {
  %base = index.constant 0 : offset
  %zero = vector.constant 0 : vector<$nxi16>
  %flag_view = buffer.view %flags[%base] : buffer -> view<64xi1>
  %parts = buffer.view %masks[%base] : buffer -> view<64x$nxi1>
  %places = buffer.view %numbers[%base] : buffer -> view<64x$nxi32>
  %apart = encoding.layout.strided [99, 3] : encoding<layout>
  %from = buffer.view %in[%base] : buffer -> view<64x33xi16, %apart>
  %to = buffer.view %out[%base] : buffer -> view<64x33xi16, %apart>
  %i = kernel.workitem.id<x> : index
  %flag = view.load %flag_view[%i] : view<64xi1> -> i1
  scf.if %flag {
    %part = vector.load %parts[%i, 0] : view<64x$nxi1> -> vector<$nxi1>
    %offsets = vector.load %places[%i, 0] : view<64x$nxi32> -> vector<$nxi32>
    %row = vector.load %from[%i, 0] : view<64x33xi16, %apart> -> vector<$nxi16>
    %masked = vector.load.mask %from[%i, 0], %part, %row : view<64x33xi16, %apart>, vector<$nxi1>, vector<$nxi16>
    %expanded = vector.load.expand %from[%i, 0], %part, %masked : view<64x33xi16, %apart>, vector<$nxi1>, vector<$nxi16>
    %gathered = vector.gather %from[%i, 0][%offsets] : view<64x33xi16, %apart>, vector<$nxi32> -> vector<$nxi16>
    %chosen = vector.gather.mask %from[%i, 0][%offsets], %part, %expanded : view<64x33xi16, %apart>, vector<$nxi32>, vector<$nxi1>, vector<$nxi16>
    vector.store %row, %to[%i, 0] : vector<$nxi16>, view<64x33xi16, %apart>
    vector.store.mask %masked, %to[%i, 0], %part : vector<$nxi16>, view<64x33xi16, %apart>, vector<$nxi1>
    vector.store.compress %expanded, %to[%i, 0], %part : vector<$nxi16>, view<64x33xi16, %apart>, vector<$nxi1>
    vector.scatter %gathered, %to[%i, 0][%offsets] : vector<$nxi16>, view<64x33xi16, %apart>, vector<$nxi32>
    vector.scatter.mask %chosen, %to[%i, 0][%offsets], %part : vector<$nxi16>, view<64x33xi16, %apart>, vector<$nxi32>, vector<$nxi1>
  }
  kernel.return
}
)",
                  "$n", std::to_string(count));
}

/// Blocks are what LLVM takes long for: each holds all that lives meanwhile.
TEST_F(LanesTurnsTest, CodeDoesNotGrowWithElements) {
  for (bool isSanitized : {false, true})
    for (const LaneProfile &profile : kLaneProfiles) {
      if (profile.lanes < 32)
        continue;
      Size few = sizeOf(accessesText(16), profile.key, isSanitized),
           many = sizeOf(accessesText(32), profile.key, isSanitized);
      EXPECT_EQ(few.blocks, many.blocks) << profile.key << isSanitized;
      EXPECT_LT(many.blocks, isSanitized ? 800u : 200u) << profile.key;
      // What is left are the flags of packed elements, which are counted.
      EXPECT_LT(many.instructions, few.instructions + 16 * 48) << profile.key << isSanitized;
      EXPECT_LT(many.instructions, 6000u) << profile.key << isSanitized;
    }
}

} // namespace
} // namespace loom::test
