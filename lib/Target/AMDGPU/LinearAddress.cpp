//===- LinearAddress.cpp - Pointers as sums of scaled values --------------===//
#include "LinearAddress.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace loom::amdgpu {

/// LLVM's address space of global memory (AMDGPU Usage, "Address Spaces").
static constexpr unsigned globalSpace = 1;

Use *globalPointerUse(Instruction &instruction) {
  unsigned operand;
  if (isa<LoadInst>(instruction))
    operand = LoadInst::getPointerOperandIndex();
  else if (isa<StoreInst>(instruction))
    operand = StoreInst::getPointerOperandIndex();
  else if (isa<AtomicRMWInst>(instruction))
    operand = AtomicRMWInst::getPointerOperandIndex();
  else if (isa<AtomicCmpXchgInst>(instruction))
    operand = AtomicCmpXchgInst::getPointerOperandIndex();
  else
    return nullptr;
  Use &use = instruction.getOperandUse(operand);
  return use->getType()->getPointerAddressSpace() == globalSpace ? &use : nullptr;
}

/// An expression that shares its operands can be exponentially larger than it looks; below this
/// depth it is taken as one value.
static constexpr unsigned maxDepth = 16;

void LinearSum::add(LinearTerm term) {
  for (LinearTerm &known : terms) {
    if (known.value != term.value)
      continue;
    bool either = known.extension == Extension::Either || term.extension == Extension::Either;
    if (known.extension != term.extension && !either)
      continue;
    if (known.extension == Extension::Either)
      known.extension = term.extension;
    known.scale = static_cast<int64_t>(uint64_t(known.scale) + uint64_t(term.scale));
    if (known.boundedRoot != term.boundedRoot)
      known.boundedRoot = 0;
    if (known.scale == 0)
      terms.erase(&known);
    return;
  }
  if (term.scale != 0)
    terms.push_back(term);
}

/// `value` = scale0 * operand0 + scale1 * operand1 + constant, where each operand is extended by
/// `extension`, or is what a cast was applied to.
struct LinearAnalysis::Split {
  Value *operands[2] = {nullptr, nullptr};
  int64_t scales[2] = {1, 1};
  int64_t constant = 0;
  Extension extension = Extension::Either;
  bool keepsBound = false; ///< no operand is larger than the value, and none is negative
};

static uint64_t wrappingMul(int64_t a, int64_t b) { return uint64_t(a) * uint64_t(b); }

uint64_t LinearAnalysis::maxUnsigned(Value *value) const {
  return computeKnownBits(value, layout).getMaxValue().getLimitedValue();
}

/// Whether `op` cannot wrap as an unsigned or as a signed operation of its width.
static std::pair<bool, bool> noWrap(BinaryOperator *op, const DataLayout &layout) {
  bool isUnsigned = false, isSigned = false;
  if (auto *flags = dyn_cast<OverflowingBinaryOperator>(op)) {
    isUnsigned = flags->hasNoUnsignedWrap();
    isSigned = flags->hasNoSignedWrap();
  }
  if ((isUnsigned && isSigned) || op->getOpcode() == Instruction::Sub)
    return {isUnsigned, isSigned};
  // The largest operands tell: if even they do not reach the sign bit, nothing wraps.
  unsigned width = op->getType()->getIntegerBitWidth();
  APInt left = computeKnownBits(op->getOperand(0), layout).getMaxValue().zext(2 * width);
  APInt right = computeKnownBits(op->getOperand(1), layout).getMaxValue().zext(2 * width);
  APInt largest = left;
  if (op->getOpcode() == Instruction::Add)
    largest += right;
  else if (op->getOpcode() == Instruction::Mul)
    largest *= right;
  else
    largest <<= right.getLimitedValue(width);
  return {isUnsigned || largest.getActiveBits() <= width,
          isSigned || largest.getActiveBits() < width};
}

bool LinearAnalysis::split(Value *value, Extension extension, Split &result) const {
  auto *op = dyn_cast<BinaryOperator>(value);
  if (!op)
    return false;
  bool wide = value->getType()->getIntegerBitWidth() == 64;
  auto *disjoint = dyn_cast<PossiblyDisjointInst>(op);
  bool isOr = disjoint && disjoint->isDisjoint();
  unsigned opcode = isOr ? unsigned(Instruction::Add) : unsigned(op->getOpcode());
  if (opcode != Instruction::Add && opcode != Instruction::Sub && opcode != Instruction::Mul &&
      opcode != Instruction::Shl)
    return false;
  auto [isUnsigned, isSigned] = isOr ? std::make_pair(true, true) : noWrap(op, layout);
  bool isSub = opcode == Instruction::Sub;
  // Which extension the operands take. Full-width arithmetic is exact whatever the flags say.
  if (wide)
    result.extension = Extension::Either;
  else if (extension != Extension::Sign && isUnsigned)
    result.extension = isSub ? Extension::Zero : extension;
  else if (extension == Extension::Sign || extension == Extension::Either) {
    if (!isSigned)
      return false;
    result.extension = Extension::Sign;
  } else {
    return false;
  }
  result.keepsBound = isUnsigned && !isSub && result.extension != Extension::Sign;

  auto constantOf = [&](Value *operand) -> std::optional<int64_t> {
    auto *constant = dyn_cast<ConstantInt>(operand);
    if (!constant)
      return std::nullopt;
    return result.extension == Extension::Sign || wide ? constant->getSExtValue()
                                                       : int64_t(constant->getZExtValue());
  };
  Value *left = op->getOperand(0), *right = op->getOperand(1);
  if (opcode == Instruction::Add || isSub) {
    result.operands[0] = left;
    result.operands[1] = right;
    result.scales[1] = isSub ? -1 : 1;
    return true;
  }
  if (opcode == Instruction::Mul && isa<ConstantInt>(left))
    std::swap(left, right);
  std::optional<int64_t> factor = constantOf(right);
  if (!factor || *factor == 0)
    return false;
  if (opcode == Instruction::Shl) {
    uint64_t amount = cast<ConstantInt>(right)->getLimitedValue();
    if (amount >= value->getType()->getIntegerBitWidth())
      return false;
    factor = int64_t(uint64_t(1) << amount);
  }
  result.operands[0] = left;
  result.scales[0] = *factor;
  return true;
}

/// Starts a new root below an extension (or goes through it without one when it proves too little).
void LinearAnalysis::decomposeExtension(Value *value, Extension outer, int64_t scale,
                                        LinearSum &sum) {
  auto *cast = llvm::cast<CastInst>(value);
  Value *source = cast->getOperand(0);
  bool isZext = isa<ZExtInst>(cast);
  Extension inner = isZext ? Extension::Zero : Extension::Sign;
  // An Either value is not negative, so neither is the source of the sign extension it came from.
  bool nonNegative =
      (isZext && cast->hasNonNeg()) ||
      (!isZext && outer == Extension::Either && !value->getType()->isIntegerTy(64)) ||
      isKnownNonNegative(source, SimplifyQuery(layout));
  if (nonNegative)
    inner = Extension::Either;
  // Sums that are scaled further outside of the extension need not fit its width.
  bool bounded = inner != Extension::Sign && scale == 1;
  decompose(source, inner, scale, bounded ? ++roots : 0, sum);
}

void LinearAnalysis::decompose(Value *value, Extension extension, int64_t scale,
                               unsigned boundedRoot, LinearSum &sum) {
  bool wide = value->getType()->getIntegerBitWidth() == 64;
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    int64_t number = extension == Extension::Sign || wide ? constant->getSExtValue()
                                                          : int64_t(constant->getZExtValue());
    sum.constant = int64_t(uint64_t(sum.constant) + wrappingMul(number, scale));
    return;
  }
  if (++depth < maxDepth) {
    Split parts;
    if (split(value, extension, parts)) {
      unsigned root = parts.keepsBound ? boundedRoot : 0;
      for (auto [operand, factor] : zip(parts.operands, parts.scales))
        if (operand)
          decompose(operand, parts.extension, int64_t(wrappingMul(factor, scale)), root, sum);
      --depth;
      return;
    }
    bool isExtension = isa<ZExtInst>(value) || isa<SExtInst>(value);
    if (isExtension && (wide || isa<ZExtInst>(value) || extension != Extension::Zero)) {
      decomposeExtension(value, extension, scale, sum);
      --depth;
      return;
    }
    if (auto *trunc = dyn_cast<TruncInst>(value)) {
      bool exact = (extension != Extension::Sign && trunc->hasNoUnsignedWrap()) ||
                   (extension != Extension::Zero && trunc->hasNoSignedWrap());
      if (exact && trunc->getSrcTy()->isIntegerTy(64)) {
        decompose(trunc->getOperand(0), Extension::Either, scale, boundedRoot, sum);
        --depth;
        return;
      }
    }
  }
  --depth;
  sum.add({value, extension, scale, boundedRoot});
}

LinearAddress LinearAnalysis::decompose(Value *pointer) {
  LinearAddress address;
  address.base = pointer;
  for (unsigned level = 0; level < maxDepth; ++level) {
    auto *gep = dyn_cast<GEPOperator>(address.base);
    if (!gep || !gep->getType()->isPointerTy())
      break;
    SmallMapVector<Value *, APInt, 4> variables;
    APInt constant(64, 0);
    if (layout.getIndexTypeSizeInBits(gep->getType()) != 64 ||
        !gep->collectOffset(layout, 64, variables, constant))
      break;
    for (auto &[variable, scale] : variables) {
      // An index narrower than 64 bits is sign-extended; a wider one does not occur.
      decompose(variable, Extension::Sign, scale.getSExtValue(), 0, address.offset);
    }
    address.offset.constant = int64_t(uint64_t(address.offset.constant) + constant.getZExtValue());
    address.base = gep->getPointerOperand();
  }
  return address;
}

bool LinearAnalysis::matchInduction(PHINode &phi, BasicBlock *latch, Extension extension,
                                    Induction &induction) const {
  if (phi.getNumIncomingValues() != 2 || phi.getBasicBlockIndex(latch) < 0)
    return false;
  unsigned latchIndex = phi.getBasicBlockIndex(latch);
  induction.next = phi.getIncomingValue(latchIndex);
  induction.start = phi.getIncomingValue(1 - latchIndex);
  Split parts;
  if (!split(induction.next, extension, parts) || parts.scales[0] != 1)
    return false;
  Value *left = parts.operands[0], *right = parts.operands[1];
  if (right == &phi && parts.scales[1] == 1)
    std::swap(left, right);
  auto *step = dyn_cast_or_null<ConstantInt>(right);
  if (left != &phi || !step)
    return false;
  bool isSigned = parts.extension == Extension::Sign || phi.getType()->isIntegerTy(64);
  int64_t amount = isSigned ? step->getSExtValue() : int64_t(step->getZExtValue());
  induction.step = parts.scales[1] < 0 ? -amount : amount;
  induction.extension = parts.extension;
  return true;
}

} // namespace loom::amdgpu
