//===- HostArithmetic.cpp - Integers whose mistakes are results -----------===//
#include "HostArithmetic.h"

namespace loom::x86 {

using llvm::Intrinsic::ID;

HostArithmetic::HostArithmetic(llvm::Function &function)
    : target(function), builder(function.getContext()) {
  enter(makeBlock());
}

llvm::BasicBlock *HostArithmetic::makeBlock() {
  return llvm::BasicBlock::Create(target.getContext(), "", &target);
}

void HostArithmetic::require(llvm::Value *condition, LaunchStatus status) {
  // The folder of the builder has decided comparisons of constants already.
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition); known && known->isOne())
    return;
  llvm::BasicBlock *holds = makeBlock(), *fails = makeBlock();
  builder.CreateCondBr(condition, holds, fails);
  enter(fails);
  builder.CreateRet(builder.getInt32(static_cast<uint32_t>(status)));
  enter(holds);
}

llvm::Value *HostArithmetic::checked(ID intrinsic, llvm::Value *a, llvm::Value *b,
                                     LaunchStatus status) {
  llvm::Value *pair = builder.CreateBinaryIntrinsic(intrinsic, a, b);
  require(builder.CreateNot(builder.CreateExtractValue(pair, 1)), status);
  return builder.CreateExtractValue(pair, 0);
}

llvm::Value *HostArithmetic::add(llvm::Value *a, llvm::Value *b) {
  return checked(llvm::Intrinsic::sadd_with_overflow, a, b);
}
llvm::Value *HostArithmetic::subtract(llvm::Value *a, llvm::Value *b) {
  return checked(llvm::Intrinsic::ssub_with_overflow, a, b);
}
llvm::Value *HostArithmetic::multiply(llvm::Value *a, llvm::Value *b, LaunchStatus status) {
  return checked(llvm::Intrinsic::smul_with_overflow, a, b, status);
}

llvm::Value *HostArithmetic::divide(llvm::Value *a, llvm::Value *b, bool wantsRemainder) {
  llvm::Value *zero = llvm::ConstantInt::get(a->getType(), 0);
  llvm::Value *isContract =
      builder.CreateAnd(builder.CreateICmpSGE(a, zero), builder.CreateICmpSGT(b, zero));
  llvm::Value *byOne = builder.CreateICmpEQ(b, llvm::ConstantInt::get(b->getType(), 1));
  require(builder.CreateOr(isContract, byOne));
  return wantsRemainder ? builder.CreateURem(a, b) : builder.CreateUDiv(a, b);
}

void HostArithmetic::requireAmount(llvm::Value *amount) {
  unsigned width = amount->getType()->getIntegerBitWidth();
  // A width of 2^n needs n + 1 bits; every amount of one bit is zero or too large.
  if (width == 1)
    return require(builder.CreateNot(amount));
  require(builder.CreateICmpULT(amount, llvm::ConstantInt::get(amount->getType(), width)));
}

llvm::Value *HostArithmetic::shiftLeft(llvm::Value *value, llvm::Value *amount) {
  requireAmount(amount);
  llvm::Value *result = builder.CreateShl(value, amount);
  require(builder.CreateICmpEQ(builder.CreateAShr(result, amount), value));
  return result;
}

llvm::Value *HostArithmetic::compare(IntPredicate predicate, llvm::Value *a, llvm::Value *b) {
  using llvm::CmpInst;
  static constexpr CmpInst::Predicate predicates[] = {
      CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,  CmpInst::ICMP_SLT, CmpInst::ICMP_SLE,
      CmpInst::ICMP_SGT, CmpInst::ICMP_SGE, CmpInst::ICMP_ULT, CmpInst::ICMP_ULE,
      CmpInst::ICMP_UGT, CmpInst::ICMP_UGE};
  static_assert(static_cast<unsigned>(IntPredicate::uge) + 1 == std::size(predicates));
  return builder.CreateICmp(predicates[static_cast<unsigned>(predicate)], a, b);
}

//===----------------------------------------------------------------------===//
// Functions of fixed-width integers
//===----------------------------------------------------------------------===//

llvm::Value *HostArithmetic::sumOrProduct(LanewiseFunction function, llvm::Value *a, llvm::Value *b,
                                          OverflowFlags flags) {
  static constexpr ID withSign[] = {llvm::Intrinsic::sadd_with_overflow,
                                    llvm::Intrinsic::ssub_with_overflow,
                                    llvm::Intrinsic::smul_with_overflow};
  static constexpr ID withoutSign[] = {llvm::Intrinsic::uadd_with_overflow,
                                       llvm::Intrinsic::usub_with_overflow,
                                       llvm::Intrinsic::umul_with_overflow};
  unsigned row = static_cast<unsigned>(function) - static_cast<unsigned>(LanewiseFunction::addi);
  if (bitEnumContainsAny(flags, OverflowFlags::nsw))
    (void)checked(withSign[row], a, b);
  if (bitEnumContainsAny(flags, OverflowFlags::nuw))
    (void)checked(withoutSign[row], a, b);
  return function == LanewiseFunction::addi   ? builder.CreateAdd(a, b)
         : function == LanewiseFunction::subi ? builder.CreateSub(a, b)
                                              : builder.CreateMul(a, b);
}

llvm::Value *HostArithmetic::unary(LanewiseFunction function, llvm::Value *a) {
  llvm::Value *no = builder.getFalse(), *zero = llvm::ConstantInt::get(a->getType(), 0);
  switch (function) {
  case LanewiseFunction::negi:
    return builder.CreateNeg(a);
  case LanewiseFunction::absi:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, no);
  case LanewiseFunction::signi: {
    llvm::Value *isNegative = builder.CreateSExt(builder.CreateICmpSLT(a, zero), a->getType());
    return builder.CreateOr(isNegative,
                            builder.CreateZExt(builder.CreateICmpNE(a, zero), a->getType()));
  }
  case LanewiseFunction::ctlzi:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, no);
  case LanewiseFunction::cttzi:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, a, no);
  case LanewiseFunction::ctpopi:
    return builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
  default:
    return nullptr;
  }
}

llvm::Value *HostArithmetic::quotient(LanewiseFunction function, llvm::Value *a, llvm::Value *b) {
  bool isUnsigned = function == LanewiseFunction::divui || function == LanewiseFunction::remui ||
                    function == LanewiseFunction::ceildivui;
  llvm::Type *type = a->getType();
  llvm::Value *zero = llvm::ConstantInt::get(type, 0);
  require(builder.CreateICmpNE(b, zero));
  if (!isUnsigned) {
    unsigned width = type->getIntegerBitWidth();
    llvm::Value *least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(width));
    llvm::Value *minusOne = llvm::Constant::getAllOnesValue(type);
    require(builder.CreateNot(
        builder.CreateAnd(builder.CreateICmpEQ(a, least), builder.CreateICmpEQ(b, minusOne))));
  }
  llvm::Value *result = isUnsigned ? builder.CreateUDiv(a, b) : builder.CreateSDiv(a, b);
  llvm::Value *rest = isUnsigned ? builder.CreateURem(a, b) : builder.CreateSRem(a, b);
  llvm::Value *isInexact = builder.CreateICmpNE(rest, zero);
  llvm::Value *signsDiffer = builder.CreateICmpSLT(builder.CreateXor(a, b), zero);
  auto step = [&](llvm::Value *when) {
    return builder.CreateZExt(builder.CreateAnd(isInexact, when), type);
  };
  switch (function) {
  case LanewiseFunction::remsi:
  case LanewiseFunction::remui:
    return rest;
  case LanewiseFunction::ceildivui:
    return builder.CreateAdd(result, step(builder.getTrue()));
  case LanewiseFunction::ceildivsi:
    return builder.CreateAdd(result, step(builder.CreateNot(signsDiffer)));
  case LanewiseFunction::floordivsi:
    return builder.CreateSub(result, step(signsDiffer));
  default:
    return result;
  }
}

llvm::Value *HostArithmetic::shift(LanewiseFunction function, llvm::Value *a, llvm::Value *b,
                                   OverflowFlags flags) {
  requireAmount(b);
  llvm::Type *type = a->getType();
  switch (function) {
  case LanewiseFunction::shli: {
    llvm::Value *result = builder.CreateShl(a, b);
    if (bitEnumContainsAny(flags, OverflowFlags::nsw))
      require(builder.CreateICmpEQ(builder.CreateAShr(result, b), a));
    if (bitEnumContainsAny(flags, OverflowFlags::nuw))
      require(builder.CreateICmpEQ(builder.CreateLShr(result, b), a));
    return result;
  }
  case LanewiseFunction::shrsi:
    return builder.CreateAShr(a, b);
  case LanewiseFunction::shrui:
    return builder.CreateLShr(a, b);
  case LanewiseFunction::rotli:
    return builder.CreateIntrinsic(llvm::Intrinsic::fshl, {type}, {a, a, b});
  default:
    return builder.CreateIntrinsic(llvm::Intrinsic::fshr, {type}, {a, a, b});
  }
}

llvm::Value *HostArithmetic::binary(LanewiseFunction function, llvm::Value *a, llvm::Value *b) {
  switch (function) {
  case LanewiseFunction::minsi:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  case LanewiseFunction::maxsi:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
  case LanewiseFunction::minui:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
  case LanewiseFunction::maxui:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b);
  case LanewiseFunction::andi:
    return builder.CreateAnd(a, b);
  case LanewiseFunction::ori:
    return builder.CreateOr(a, b);
  case LanewiseFunction::xori:
    return builder.CreateXor(a, b);
  default:
    return nullptr;
  }
}

llvm::Value *HostArithmetic::function(LanewiseFunction function,
                                      llvm::ArrayRef<llvm::Value *> operands, OverflowFlags flags) {
  switch (function) {
  case LanewiseFunction::addi:
  case LanewiseFunction::subi:
  case LanewiseFunction::muli:
    return sumOrProduct(function, operands[0], operands[1], flags);
  case LanewiseFunction::divsi:
  case LanewiseFunction::divui:
  case LanewiseFunction::remsi:
  case LanewiseFunction::remui:
  case LanewiseFunction::ceildivsi:
  case LanewiseFunction::ceildivui:
  case LanewiseFunction::floordivsi:
    return quotient(function, operands[0], operands[1]);
  case LanewiseFunction::shli:
  case LanewiseFunction::shrsi:
  case LanewiseFunction::shrui:
  case LanewiseFunction::rotli:
  case LanewiseFunction::rotri:
    return shift(function, operands[0], operands[1], flags);
  case LanewiseFunction::fmai: {
    // Whether the exact result fits would need twice the width.
    if (flags != OverflowFlags::none)
      return nullptr;
    return builder.CreateAdd(builder.CreateMul(operands[0], operands[1]), operands[2]);
  }
  default:
    return operands.size() == 1   ? unary(function, operands[0])
           : operands.size() == 2 ? binary(function, operands[0], operands[1])
                                  : nullptr;
  }
}

} // namespace loom::x86
