//===- LowerEmitter.h - Writing LLVM-dialect operations ---------*- C++ -*-===//
//
// The walk over Loom IR writes through this class. It is the only place that knows the LLVM
// dialect, whose headers are large, and the only one that would differ for another output.
//
// Operations are the same on scalars and on vectors of any number of elements. Where one operand is
// a vector and another a scalar, the scalar stands for a vector of equal elements; a conversion to
// a scalar type converts each element of a vector.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWEREMITTER_H
#define LOOM_LIB_TARGET_COMMON_LOWEREMITTER_H

#include "loom/IR/Loom.h"
#include <utility>

namespace loom::lowering {

/// Promises of an integer operation.
struct NoWrap {
  bool isSigned = false, isUnsigned = false;
};

enum class IntegerOp { Add, Sub, Mul, SDiv, UDiv, SRem, URem, And, Or, Xor, Shl, LShr, AShr };
enum class FloatOp { Add, Sub, Mul, Div, Rem };
enum class CastOp {
  SExt,
  FPTrunc,
  FPExt,
  SIToFP,
  UIToFP,
  FPToSI,
  FPToUI,
  Bitcast,
  IntToPtr,
  PtrToInt
};

/// What an atomic operation does with the integer in memory and its operand.
enum class AtomicOp { Exchange, Add, Sub, And, Or, Xor, MinS, MaxS, MinU, MaxU };

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
  /// `element` in the shape of `like`: a vector of as many elements, or itself.
  mlir::Type shaped(mlir::Type element, mlir::Type like);

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
  /// Calls a function of that name outside of the module, which is declared when it is not yet.
  mlir::Value callExternal(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);
  /// Calls a function without result by its address.
  void callPointer(mlir::Value function, mlir::ValueRange arguments);
  /// Storage of `bytes` in the frame of the function that was begun last. It lives until the
  /// function returns, wherever this is called.
  /// `room`, a multiple of the alignment, is reserved in front of it and behind it as well.
  mlir::Value frameStorage(int64_t bytes, unsigned alignment, int64_t room = 0);

  /// Instructions from here on have debug line `line`, or none for 0.
  void setLine(unsigned line);

  // Blocks. A block belongs to the function from the moment it is entered, so that blocks stand in
  // the order in which they are filled.
  mlir::Block *makeBlock(mlir::TypeRange arguments = {});
  void enter(mlir::Block *block);
  void branch(mlir::Block *to, mlir::ValueRange arguments = {});
  void branchIf(mlir::Value condition, mlir::Block *thenBlock, mlir::ValueRange thenArguments,
                mlir::Block *elseBlock, mlir::ValueRange elseArguments);

  /// Ends the body of a loop that is written to be small: it goes on at `loop` or leaves for
  /// `exit`, and LLVM makes no copies of it.
  void loopIf(mlir::Value condition, mlir::Block *loop, mlir::ValueRange again, mlir::Block *exit);
  /// Emits `body` for the numbers (i64) from 0 to `count` - 1, of which there may be none.
  void repeat(mlir::Value count, llvm::function_ref<void(mlir::Value number)> body);
  /// Emits `body` for when `condition` holds.
  void when(mlir::Value condition, llvm::function_ref<void()> body);

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
  /// The bits of a whole value as a value of another type of the same size.
  mlir::Value reinterpret(mlir::Value value, mlir::Type type);
  /// Some value where `value` is poison, the same for all uses.
  mlir::Value freeze(mlir::Value value);
  mlir::Value select(mlir::Value condition, mlir::Value trueValue, mlir::Value falseValue);
  /// An intrinsic by its full name without the suffix of overloaded types.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments,
                        FastMathFlags flags = FastMathFlags::none);

  // Vectors.
  mlir::Value extract(mlir::Value vector, mlir::Value lane);
  mlir::Value insert(mlir::Value vector, mlir::Value element, mlir::Value lane);
  mlir::Value splat(mlir::Value element, mlir::Type vectorType);
  /// Elements of the two vectors of one type, numbered one after the other; -1 is any element.
  mlir::Value shuffle(mlir::Value first, mlir::Value second, llvm::ArrayRef<int32_t> elements);
  /// 0, 1, 2, … of an integer type.
  mlir::Value iota(int64_t lanes, mlir::Type element);

  /// The sum or product of all elements and `initial`, in any order.
  mlir::Value reduce(FloatOp op, mlir::Value initial, mlir::Value vector, FastMathFlags flags);

  // Memory.
  /// The address `bytes` (signed) behind `pointer`; for a vector of byte counts a vector of
  /// addresses. `inObject` promises that it lies inside of the object that `pointer` points to.
  mlir::Value addBytes(mlir::Value pointer, mlir::Value bytes, bool inObject = true);
  /// Whether `pointer` is computed from frameStorage() by addBytes() alone.
  static bool isInFrame(mlir::Value pointer);
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment,
                   bool isVolatile = false);
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment, bool isVolatile = false);
  /// Consecutive elements where `mask` is set; other elements of the result are `otherwise`.
  mlir::Value maskedLoad(mlir::Value pointer, mlir::Value mask, mlir::Value otherwise,
                         unsigned alignment);
  void maskedStore(mlir::Value value, mlir::Value pointer, mlir::Value mask, unsigned alignment);
  /// The same where nobody else reaches the elements that are not stored.
  void blendStore(mlir::Value value, mlir::Value pointer, mlir::Value mask, unsigned alignment);
  /// The same of elements that lie one behind the other in memory: the first where `mask` is set at
  /// the address, the next one behind it.
  mlir::Value expandLoad(mlir::Value pointer, mlir::Value mask, mlir::Value otherwise,
                         unsigned alignment);
  void compressStore(mlir::Value value, mlir::Value pointer, mlir::Value mask, unsigned alignment);
  /// One element from each address of a vector of addresses.
  mlir::Value gather(mlir::Value pointers, mlir::Value mask, mlir::Value otherwise,
                     unsigned alignment);
  /// In ascending order, so that the last of equal addresses stays.
  void scatter(mlir::Value value, mlir::Value pointers, mlir::Value mask, unsigned alignment);
  /// Sequentially consistent. The value before.
  mlir::Value atomic(AtomicOp op, mlir::Value pointer, mlir::Value value, unsigned alignment);
  /// The value before, and whether it was replaced.
  std::pair<mlir::Value, mlir::Value> compareExchange(mlir::Value pointer, mlir::Value expected,
                                                      mlir::Value replacement, unsigned alignment);
  mlir::Value atomicLoad(mlir::Type type, mlir::Value pointer, unsigned alignment);
  void atomicStore(mlir::Value value, mlir::Value pointer, unsigned alignment);
  void fence();
  /// Copies bytes between ranges that do not overlap; none for a length of zero.
  void copyBytes(mlir::Value target, mlir::Value source, mlir::Value length);
  /// Sets bytes to the i8 `byte`.
  void setBytes(mlir::Value target, mlir::Value byte, mlir::Value length);
  /// Ends the process; what follows is not reached.
  void trap();

private:
  /// Makes scalars among `operands` vectors when one of them is a vector.
  void match(llvm::ArrayRef<mlir::Value *> operands);

  mlir::OpBuilder builder;
  mlir::ModuleOp module;
  mlir::Location loc;
  mlir::Region *body = nullptr;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWEREMITTER_H
