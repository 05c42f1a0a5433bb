//===- LowerEmitter.h - Writing LLVM-dialect operations ---------*- C++ -*-===//
//
// The walk over Loom IR writes through this class. It is the only place that knows the LLVM
// dialect, whose headers are large, and the only one that would differ for another output.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWEREMITTER_H
#define LOOM_LIB_TARGET_COMMON_LOWEREMITTER_H

#include "loom/IR/Loom.h"

namespace loom::lowering {

/// Promises of an integer operation.
struct NoWrap {
  bool isSigned = false, isUnsigned = false;
};

enum class IntegerOp { Add, Sub, Mul, UDiv, URem, And, Or, Xor, Shl, LShr };
enum class FloatOp { Add, Sub, Mul, Div };
enum class CastOp { SExt, FPTrunc, FPExt, SIToFP, UIToFP, Bitcast };

class Emitter {
public:
  /// Functions are added to `module`. Loads the LLVM dialect.
  explicit Emitter(mlir::ModuleOp module);

  // Types.
  mlir::Type integer(unsigned bits) { return builder.getIntegerType(bits); }
  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type f64() { return builder.getF64Type(); }
  mlir::Type pointer(unsigned addressSpace);
  mlir::Type vector(int64_t lanes, mlir::Type element);

  // Functions. Instructions go to the function that was begun last.
  struct FunctionInfo {
    llvm::StringRef name;
    llvm::ArrayRef<mlir::Type> parameters;
    bool isInternal = false;
    bool hasLocations = false; ///< carries a subprogram, which debug locations need
  };
  /// Begins a function without result and enters its entry block. Returns its parameters.
  llvm::SmallVector<mlir::Value> beginFunction(const FunctionInfo &info);
  void emitReturn();
  void callFunction(llvm::StringRef name, mlir::ValueRange arguments);

  /// Instructions from here on have debug line `line`, or none for 0.
  void setLine(unsigned line);

  // Blocks. A block belongs to the function from the moment it is entered, so that blocks stand in
  // the order in which they are filled.
  mlir::Block *makeBlock(mlir::TypeRange arguments = {});
  void enter(mlir::Block *block);
  void branch(mlir::Block *to, mlir::ValueRange arguments = {});
  void branchIf(mlir::Value condition, mlir::Block *thenBlock, mlir::ValueRange thenArguments,
                mlir::Block *elseBlock, mlir::ValueRange elseArguments);

  // Constants.
  /// An integer, or a vector of equal integers.
  mlir::Value constant(mlir::Type type, int64_t value);
  /// A scalar, or with `lanes` a vector of equal elements.
  mlir::Value constant(mlir::TypedAttr value, int64_t lanes = 0);
  mlir::Value undefined(mlir::Type type);

  // Integers.
  mlir::Value binary(IntegerOp op, mlir::Value lhs, mlir::Value rhs, NoWrap noWrap = {});
  mlir::Value compare(IntPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value truncate(mlir::Value value, mlir::Type type, NoWrap noWrap = {});
  mlir::Value zeroExtend(mlir::Value value, mlir::Type type, bool nonNegative = false);

  // Floats.
  mlir::Value binary(FloatOp op, mlir::Value lhs, mlir::Value rhs, FastMathFlags flags);
  mlir::Value negate(mlir::Value value, FastMathFlags flags);
  mlir::Value compare(FloatPredicate predicate, mlir::Value lhs, mlir::Value rhs,
                      FastMathFlags flags = FastMathFlags::none);

  mlir::Value cast(CastOp op, mlir::Value value, mlir::Type type);
  mlir::Value select(mlir::Value condition, mlir::Value trueValue, mlir::Value falseValue);
  /// An intrinsic by its full name without the suffix of overloaded types.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments,
                        FastMathFlags flags = FastMathFlags::none);

  // Vectors.
  mlir::Value extract(mlir::Value vector, mlir::Value lane);
  mlir::Value insert(mlir::Value vector, mlir::Value element, mlir::Value lane);
  mlir::Value splat(mlir::Value element, mlir::Type vectorType);

  // Memory.
  /// The address `bytes` (i64, signed) behind `pointer`, inside the same object.
  mlir::Value addBytes(mlir::Value pointer, mlir::Value bytes);
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment);
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment);

private:
  mlir::OpBuilder builder;
  mlir::ModuleOp module;
  mlir::Location loc;
  mlir::Region *body = nullptr;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWEREMITTER_H
