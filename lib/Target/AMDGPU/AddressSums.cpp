//===- AddressSums.cpp - Writing sums of terms into IR --------------------===//
#include "AddressSums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace loom::amdgpu {

bool sameTerms(ArrayRef<LinearTerm> a, ArrayRef<LinearTerm> b) {
  return llvm::equal(a, b, [](const LinearTerm &x, const LinearTerm &y) {
    return x.value == y.value && x.scale == y.scale && x.extension == y.extension &&
           x.boundedRoot == y.boundedRoot;
  });
}

/// Whether the sum of `terms` can be computed in 32 bits and zero-extended.
bool SumEmitter::fits32(ArrayRef<LinearTerm> terms) const {
  unsigned root = terms.front().boundedRoot;
  bool bounded = root != 0;
  uint64_t largest = 0;
  bool small = true;
  for (const LinearTerm &term : terms) {
    if (term.scale < 0 || !isUInt<32>(term.scale))
      return false;
    bounded &= term.boundedRoot == root;
    uint64_t value = analysis.maxUnsigned(term.value);
    bool negative = term.extension == Extension::Sign &&
                    value >> (term.value->getType()->getIntegerBitWidth() - 1);
    if (negative || !isUInt<32>(value)) {
      small = false;
      continue;
    }
    largest += std::min(value * uint64_t(term.scale), uint64_t(1) << 33);
    small &= isUInt<32>(largest);
  }
  return bounded || small;
}

static Value *emitScaled(Value *value, int64_t scale, IRBuilderBase &builder) {
  if (scale == 1)
    return value;
  if (scale > 0 && isPowerOf2_64(scale))
    return builder.CreateShl(value, Log2_64(scale));
  return builder.CreateMul(value, ConstantInt::getSigned(value->getType(), scale));
}

Value *SumEmitter::emitSum32(ArrayRef<LinearTerm> terms, IRBuilderBase &builder) {
  Value *sum = nullptr;
  for (const LinearTerm &term : terms) {
    Value *narrow = builder.CreateZExtOrTrunc(term.value, builder.getInt32Ty());
    uint32_t scale = term.scale;
    Value *part = narrow;
    if (isPowerOf2_32(scale) && scale != 1)
      part = builder.CreateShl(narrow, Log2_32(scale), "", /*HasNUW=*/true);
    else if (scale != 1)
      part = builder.CreateMul(narrow, builder.getInt32(scale), "", /*HasNUW=*/true);
    sum = sum ? builder.CreateAdd(sum, part, "", /*HasNUW=*/true) : part;
  }
  return sum;
}

Value *SumEmitter::emitTerm64(const LinearTerm &term, IRBuilderBase &builder) {
  if (term.value->getType()->isIntegerTy(64))
    return emitScaled(term.value, term.scale, builder);
  if (fits32(term))
    return builder.CreateZExt(emitSum32(term, builder), builder.getInt64Ty());
  Value *wide = term.extension == Extension::Sign
                    ? builder.CreateSExt(term.value, builder.getInt64Ty())
                    : builder.CreateZExt(term.value, builder.getInt64Ty());
  return emitScaled(wide, term.scale, builder);
}

Value *SumEmitter::laneOffset(ArrayRef<LinearTerm> terms) {
  for (auto &[known, value] : laneOffsets)
    if (sameTerms(known, terms))
      return value;
  Instruction *last = nullptr;
  for (const LinearTerm &term : terms)
    if (auto *operand = dyn_cast<Instruction>(term.value))
      if (!last || dominators.dominates(last, operand))
        last = operand;
  BasicBlock::iterator place = function.getEntryBlock().getFirstInsertionPt();
  if (last)
    place = isa<PHINode>(last) ? last->getParent()->getFirstInsertionPt()
                               : std::next(last->getIterator());
  IRBuilder<> builder(place->getParent(), place);
  Value *sum = nullptr;
  if (fits32(terms)) {
    sum = emitSum32(terms, builder);
  } else {
    for (const LinearTerm &term : terms) {
      Value *part = emitTerm64(term, builder);
      sum = sum ? builder.CreateAdd(sum, part) : part;
    }
  }
  laneOffsets.emplace_back(SmallVector<LinearTerm, 2>(terms), sum);
  return sum;
}

Value *SumEmitter::addTerms(Value *pointer, ArrayRef<LinearTerm> terms, Instruction *place) {
  IRBuilder<> builder(place);
  SmallVector<LinearTerm, 4> rest(terms);
  while (!rest.empty()) {
    SmallVector<LinearTerm, 4> together;
    unsigned root = rest.front().boundedRoot;
    llvm::erase_if(rest, [&](const LinearTerm &term) {
      if (term.boundedRoot != root || (root == 0 && !together.empty()))
        return false;
      together.push_back(term);
      return true;
    });
    Value *offset = nullptr;
    if (fits32(together)) {
      offset = builder.CreateZExt(emitSum32(together, builder), builder.getInt64Ty());
    } else {
      for (const LinearTerm &term : together) {
        Value *part = emitTerm64(term, builder);
        offset = offset ? builder.CreateAdd(offset, part) : part;
      }
    }
    pointer = builder.CreatePtrAdd(pointer, offset);
  }
  return pointer;
}

} // namespace loom::amdgpu
