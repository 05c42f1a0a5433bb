//===- PadVectors.cpp - Vectors that the back end splits right ------------===//
#include "PadVectors.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;

namespace loom::x86 {

static unsigned lengthOf(Value *vector) {
  return cast<FixedVectorType>(vector->getType())->getNumElements();
}

/// Whether a shuffle gives fewer elements than its operands have, which are no power of two.
static bool takesPart(const ShuffleVectorInst &shuffle) {
  auto *from = dyn_cast<FixedVectorType>(shuffle.getOperand(0)->getType());
  return from && !isPowerOf2_32(from->getNumElements()) &&
         cast<FixedVectorType>(shuffle.getType())->getNumElements() < from->getNumElements();
}

/// `vector` with elements of any value behind it.
static Value *padded(Value *vector, Instruction *user, DenseMap<Value *, Value *> &known) {
  Value *&result = known[vector];
  if (result)
    return result;
  unsigned length = lengthOf(vector);
  SmallVector<int> mask(PowerOf2Ceil(length), PoisonMaskElem);
  std::iota(mask.begin(), mask.begin() + length, 0);
  IRBuilder<> builder(user);
  if (auto *instruction = dyn_cast<Instruction>(vector))
    builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
  else
    builder.SetInsertPoint(&*user->getFunction()->getEntryBlock().getFirstInsertionPt());
  return result = builder.CreateShuffleVector(vector, mask);
}

static void padSources(ShuffleVectorInst *shuffle, DenseMap<Value *, Value *> &known) {
  int length = lengthOf(shuffle->getOperand(0)), added = PowerOf2Ceil(length) - length;
  SmallVector<int> mask;
  for (int element : shuffle->getShuffleMask())
    mask.push_back(element < length ? element : element + added);
  Value *first = padded(shuffle->getOperand(0), shuffle, known);
  Value *second = isa<PoisonValue>(shuffle->getOperand(1))
                      ? PoisonValue::get(first->getType())
                      : padded(shuffle->getOperand(1), shuffle, known);
  IRBuilder<> builder(shuffle);
  shuffle->replaceAllUsesWith(builder.CreateShuffleVector(first, second, mask));
}

void padShuffledVectors(Module &module) {
  for (Function &function : module) {
    SmallVector<ShuffleVectorInst *> shuffles;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
            shuffle && takesPart(*shuffle))
          shuffles.push_back(shuffle);
    DenseMap<Value *, Value *> known;
    for (ShuffleVectorInst *shuffle : shuffles)
      padSources(shuffle, known);
    for (ShuffleVectorInst *shuffle : shuffles)
      shuffle->eraseFromParent();
  }
}

} // namespace loom::x86
