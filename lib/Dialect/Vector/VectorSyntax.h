//===- VectorSyntax.h - Directives of the formats of `vector` ---*- C++ -*-===//
//
// Pairs of parseX and printX behind `custom<X>(...)`, as in AsmSupport.h.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_DIALECT_VECTOR_VECTORSYNTAX_H
#define LOOM_LIB_DIALECT_VECTOR_VECTORSYNTAX_H

#include "loom/IR/AsmSupport.h"

namespace loom {

/// `vector<4xf32>` of a result made of scalars: `laneType` becomes its element type.
ParseResult parseLanesOf(OpAsmParser &parser, mlir::Type &laneType, mlir::Type &resultType,
                         llvm::SmallVectorImpl<UnresolvedOperand> &dims);
void printLanesOf(OpAsmPrinter &printer, mlir::Operation *, mlir::Type laneType,
                  mlir::Type resultType, mlir::OperandRange dims);
/// The same for a list of scalars; the extents are numbers.
ParseResult parseElementsOf(OpAsmParser &parser, llvm::ArrayRef<UnresolvedOperand> elements,
                            llvm::SmallVectorImpl<mlir::Type> &types, mlir::Type &resultType);
void printElementsOf(OpAsmPrinter &printer, mlir::Operation *, mlir::OperandRange elements,
                     mlir::TypeRange types, mlir::Type resultType);

/// `<3>` and `<[1, 0]>`.
ParseResult parseTemplateInteger(OpAsmParser &parser, mlir::IntegerAttr &value);
void printTemplateInteger(OpAsmPrinter &printer, mlir::Operation *, mlir::IntegerAttr value);
ParseResult parseTemplateIntegers(OpAsmParser &parser, mlir::DenseI64ArrayAttr &values);
void printTemplateIntegers(OpAsmPrinter &printer, mlir::Operation *,
                           mlir::DenseI64ArrayAttr values);
/// `[0, 2]`.
ParseResult parseIntegerList(OpAsmParser &parser, mlir::DenseI64ArrayAttr &values);
void printIntegerList(OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr values);

/// `[16, %k]` or `[blocks(%b), 16, %k]`: numbers and `index` values, three with blocks. A value is
/// marked in `staticShape` by ShapedType::kDynamic.
ParseResult parseFragmentShape(OpAsmParser &parser, llvm::SmallVectorImpl<UnresolvedOperand> &shape,
                               mlir::DenseI64ArrayAttr &staticShape);
void printFragmentShape(OpAsmPrinter &printer, mlir::Operation *, mlir::OperandRange shape,
                        mlir::DenseI64ArrayAttr staticShape);
/// ` using {key = %value : type}`, left out when empty.
ParseResult parseFragmentUsing(OpAsmParser &parser,
                               llvm::SmallVectorImpl<UnresolvedOperand> &auxiliaries,
                               llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &keys);
void printFragmentUsing(OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange auxiliaries,
                        mlir::TypeRange types, mlir::ArrayAttr keys);
/// ` where [range(%k, 16, 64)]`, left out when empty. The values are `facts`, each once.
ParseResult parseFragmentWhere(OpAsmParser &parser, llvm::SmallVectorImpl<UnresolvedOperand> &facts,
                               llvm::SmallVectorImpl<mlir::Type> &types,
                               mlir::ArrayAttr &predicates);
void printFragmentWhere(OpAsmPrinter &printer, mlir::Operation *, mlir::OperandRange facts,
                        mlir::TypeRange types, mlir::ArrayAttr predicates);
/// `<saturate>`, left out when not set.
ParseResult parseSaturate(OpAsmParser &parser, mlir::UnitAttr &saturate);
void printSaturate(OpAsmPrinter &printer, mlir::Operation *, mlir::UnitAttr saturate);

} // namespace loom

#endif // LOOM_LIB_DIALECT_VECTOR_VECTORSYNTAX_H
