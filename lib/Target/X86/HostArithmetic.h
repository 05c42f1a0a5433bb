//===- HostArithmetic.h - Integers whose mistakes are results ---*- C++ -*-===//
//
// Writes the instructions of a function that returns an `i32` status. An operation that has no
// result for its operands makes the function return instead.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_X86_HOSTARITHMETIC_H
#define LOOM_LIB_TARGET_X86_HOSTARITHMETIC_H

#include "loom/IR/Lanewise.h"
#include "loom/Target/X86/X86Object.h"
#include "llvm/IR/IRBuilder.h"

namespace loom::x86 {

class HostArithmetic {
public:
  /// Instructions go to the entry block of `function`, which has no blocks yet.
  explicit HostArithmetic(llvm::Function &function);

  llvm::IRBuilder<> &ir() { return builder; }
  llvm::Value *number(int64_t value) { return builder.getInt64(value); }

  // Blocks.
  llvm::BasicBlock *makeBlock();
  void enter(llvm::BasicBlock *block) { builder.SetInsertPoint(block); }
  /// Goes on where `condition` holds and returns `status` where it does not.
  void require(llvm::Value *condition, LaunchStatus status = LaunchStatus::NotComputable);

  // Signed operations that require a result that fits.
  llvm::Value *add(llvm::Value *a, llvm::Value *b);
  llvm::Value *subtract(llvm::Value *a, llvm::Value *b);
  llvm::Value *multiply(llvm::Value *a, llvm::Value *b,
                        LaunchStatus status = LaunchStatus::NotComputable);
  /// Quotient or remainder of a dividend that is not negative and a positive divisor. One divides
  /// every number.
  llvm::Value *divide(llvm::Value *a, llvm::Value *b, bool wantsRemainder);
  /// `value << amount` without loss.
  llvm::Value *shiftLeft(llvm::Value *value, llvm::Value *amount);
  /// Requires an amount from 0 to the width less one.
  void requireAmount(llvm::Value *amount);
  void requireNonNegative(llvm::Value *value) {
    require(builder.CreateICmpSGE(value, llvm::ConstantInt::get(value->getType(), 0)));
  }

  llvm::Value *compare(IntPredicate predicate, llvm::Value *a, llvm::Value *b);
  /// The value of an integer function (evaluateInteger has the reference); null when this is not
  /// one or cannot be computed here.
  llvm::Value *function(LanewiseFunction function, llvm::ArrayRef<llvm::Value *> operands,
                        OverflowFlags flags);

private:
  llvm::Value *checked(llvm::Intrinsic::ID intrinsic, llvm::Value *a, llvm::Value *b,
                       LaunchStatus status = LaunchStatus::NotComputable);
  llvm::Value *sumOrProduct(LanewiseFunction function, llvm::Value *a, llvm::Value *b,
                            OverflowFlags flags);
  llvm::Value *unary(LanewiseFunction function, llvm::Value *a);
  llvm::Value *binary(LanewiseFunction function, llvm::Value *a, llvm::Value *b);
  llvm::Value *quotient(LanewiseFunction function, llvm::Value *a, llvm::Value *b);
  llvm::Value *shift(LanewiseFunction function, llvm::Value *a, llvm::Value *b,
                     OverflowFlags flags);

  llvm::Function &target;
  llvm::IRBuilder<> builder;
};

} // namespace loom::x86

#endif // LOOM_LIB_TARGET_X86_HOSTARITHMETIC_H
