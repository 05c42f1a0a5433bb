//===- FoldFixture.h - Single operations and what they fold to --*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_IR_FOLDFIXTURE_H
#define LOOM_TEST_UNIT_IR_FOLDFIXTURE_H

#include "loom/IR/Lanewise.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace loom::test {

/// Makes operations over block arguments and folds them for given constants.
class FoldFixture {
public:
  FoldFixture() {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  ~FoldFixture() {
    for (mlir::Operation *op : llvm::reverse(operations))
      op->erase();
  }

  mlir::Builder builder() { return mlir::Builder(&context); }
  mlir::Type integer(unsigned width) { return mlir::IntegerType::get(&context, width); }

  /// `name` is that of the text: "scalar.addi".
  mlir::Operation *make(llvm::StringRef name, llvm::ArrayRef<mlir::Type> operands,
                        mlir::Type result, llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    mlir::Location loc = mlir::UnknownLoc::get(&context);
    mlir::OperationState state(loc, ("loom_" + name).str());
    for (mlir::Type type : operands)
      state.addOperands(block.addArgument(type, loc));
    state.addTypes(result);
    state.addAttributes(attributes);
    operations.push_back(mlir::Operation::create(state));
    return operations.back();
  }

  /// The constant that `op` folds to, or null.
  static mlir::Attribute fold(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands) {
    llvm::SmallVector<mlir::OpFoldResult> results;
    if (mlir::failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    return llvm::dyn_cast<mlir::Attribute>(results[0]);
  }

  /// The integer that `op` folds to, by sign.
  static std::optional<int64_t> foldInteger(mlir::Operation *op,
                                            llvm::ArrayRef<mlir::Attribute> operands) {
    auto attr = llvm::dyn_cast_or_null<mlir::IntegerAttr>(fold(op, operands));
    return attr ? std::optional(attr.getValue().getSExtValue()) : std::nullopt;
  }

  /// The bits of the float that `op` folds to.
  static std::optional<uint64_t> foldFloat(mlir::Operation *op,
                                           llvm::ArrayRef<mlir::Attribute> operands) {
    auto attr = llvm::dyn_cast_or_null<mlir::FloatAttr>(fold(op, operands));
    return attr ? std::optional(attr.getValue().bitcastToAPInt().getZExtValue()) : std::nullopt;
  }

  /// The float of `type` with these bits.
  static mlir::Attribute floatOf(mlir::Type type, uint64_t bits) {
    const llvm::fltSemantics &format = llvm::cast<mlir::FloatType>(type).getFloatSemantics();
    return mlir::FloatAttr::get(
        type, llvm::APFloat(format, llvm::APInt(type.getIntOrFloatBitWidth(), bits)));
  }

  mlir::MLIRContext context;

private:
  mlir::Block block;
  std::vector<mlir::Operation *> operations;
};

} // namespace loom::test

#endif // LOOM_TEST_UNIT_IR_FOLDFIXTURE_H
