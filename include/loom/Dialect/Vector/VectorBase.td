//===- VectorBase.td - What all operations of `vector` share --------------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORBASE_TD
#define LOOM_DIALECT_VECTOR_VECTORBASE_TD

include "loom/IR/LoomBase.td"

def VectorDialect : Loom_LanguageDialect<"vector"> {
  let summary = "values of several elements held by one work-item";
  let hasConstantMaterializer = 1;
}

class Vector_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<VectorDialect, mnemonic, traits>;

/// An operation that owns the extents of its result: its last operands are `dims`.
class Vector_DimsOp<string mnemonic, list<Trait> traits = []>
    : Vector_Op<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<DimsOpInterface>])> {
  let extraClassDefinition = [{
    ::mlir::OperandRange $cppClass::getDynamicDims() { return getDims(); }
  }];
}

/// The extents of the result are those of the operand `source`, which is not the first that has its
/// type or shape.
class Vector_DimsOfOp<string mnemonic, string source, list<Trait> traits = []>
    : Vector_Op<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<DependentOpInterface>])> {
  let extraClassDefinition = [{
    ::llvm::SmallVector<::mlir::Value> $cppClass::getDimsOf(::mlir::Value) {
      return ::loom::getDynamicDims(get}] # source # [{());
    }
  }];
}

def Vector_Scalar : AnyTypeOf<[Loom_PayloadScalar, Loom_Address], "a scalar">;
def Vector_ScalarOrVector : AnyTypeOf<[Vector_Scalar, Loom_Vector], "a scalar or a vector">;
/// Lanes that have literals.
def Vector_LiteralVector : Type<
    And<[CPred<"::llvm::isa<::loom::VectorType>($_self)">,
         CPred<"!::llvm::isa<::loom::OffsetType>(::llvm::cast<::loom::VectorType>($_self).getElementType())">]>,
    "a vector of integers, floats or index", "::loom::VectorType">;
class Vector_VectorOfElement<string predicate, string words>
    : Type<And<[CPred<"::llvm::isa<::loom::VectorType>($_self)">,
                CPred<"::llvm::cast<::loom::VectorType>($_self).getElementType()." # predicate>]>,
           words, "::loom::VectorType">;
def Vector_I8Vector : Vector_VectorOfElement<"isInteger(8)", "a vector of i8">;
def Vector_I32Vector : Vector_VectorOfElement<"isInteger(32)", "a vector of i32">;
def Vector_F32Vector : Vector_VectorOfElement<"isF32()", "a vector of f32">;
def Vector_HalfVector : Type<
    And<[CPred<"::llvm::isa<::loom::VectorType>($_self)">,
         Or<[CPred<"::llvm::cast<::loom::VectorType>($_self).getElementType().isF16()">,
             CPred<"::llvm::cast<::loom::VectorType>($_self).getElementType().isBF16()">]>]>,
    "a vector of f16 or bf16", "::loom::VectorType">;

#endif // LOOM_DIALECT_VECTOR_VECTORBASE_TD
