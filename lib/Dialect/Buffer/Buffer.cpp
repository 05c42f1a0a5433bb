//===- Buffer.cpp - The `buffer` dialect ----------------------------------===//
#include "loom/Dialect/Buffer/Buffer.h"

using namespace mlir;
#include "loom/Dialect/Buffer/BufferDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Buffer/BufferOps.cpp.inc"

namespace loom {

void BufferDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Buffer/BufferOps.cpp.inc"
      >();
}

LogicalResult BufferAssumeAlignmentOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                        Adaptor adaptor,
                                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult BufferAssumeNoaliasOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult BufferAssumeAlignmentOp::verify() {
  int64_t bytes = getMinimumAlignment();
  if (bytes > 0 && llvm::isPowerOf2_64(bytes) && bytes <= (int64_t(1) << 32))
    return success();
  return emitCoded(*this, DiagCode::StructureValue, "minimum_alignment is ")
         << bytes << ", but it has to be a power of two from 1 to 4294967296";
}

OperandRange BufferViewOp::getDynamicDims() { return getDims(); }

LogicalResult BufferViewOp::verify() {
  auto view = cast<ViewType>(getType());
  size_t dynamic = llvm::count(view.getShape(), ShapedType::kDynamic);
  if (dynamic == getDims().size())
    return success();
  return emitCoded(*this, DiagCode::StructureVariadic, "")
         << counted(getDims().size(), "extent") << " for " << counted(dynamic, "dynamic dimension");
}

} // namespace loom
