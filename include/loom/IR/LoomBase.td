//===- LoomBase.td - Types, enums and base classes of the Loom dialects ---===//
//
// Inside MLIR every Loom dialect carries the prefix `loom_`, so that upstream dialects of the same
// name can live in one context; the text knows no prefix (docs/internals/front-end.md). Types and
// attributes all belong to the one dialect `loom`, because their bare spelling (`view<4xf32>`)
// does not tell a home.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_LOOMBASE_TD
#define LOOM_IR_LOOMBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialects and operations
//===----------------------------------------------------------------------===//

/// The home of all Loom types and attributes.
def Loom_Dialect : Dialect {
  let name = "loom";
  let cppNamespace = "::loom";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

/// A dialect of the language. `mnemonic` is the word that the text writes before the dot.
class Loom_LanguageDialect<string mnemonic> : Dialect {
  let name = "loom_" # mnemonic;
  let cppNamespace = "::loom";
  let dependentDialects = ["::loom::LoomDialect"];
}

class Loom_Op<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Op<dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Loom_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Loom_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Loom_OffsetType : Loom_Type<"Offset", "offset"> {
  let summary = "an unsigned number of bytes";
  let description = [{
    Byte displacements and sizes. The width is chosen by the target; kernel argument blocks hold 64
    bits. Nothing converts between `index` and `offset` implicitly.
  }];
}

def Loom_BufferType : Loom_Type<"Buffer", "buffer"> {
  let summary = "a reference to untyped byte storage";
}

class Loom_ShapedType<string name, string typeMnemonic>
    : Loom_Type<name, typeMnemonic, [ShapedTypeInterface]> {
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t", "extents; ShapedType::kDynamic for `[%n]`">:$shape,
    "::mlir::Type":$elementType);
  let assemblyFormat = "`<` (`[` $shape^ `]` `,`)? $elementType `>`";
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    /// The same kind of type with another shape or element type.
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const {
      return ::llvm::cast<::mlir::ShapedType>(::mlir::Type(
          get(getContext(), shape ? *shape : getShape(), elementType)));
    }
  }];
}

def Loom_ViewType : Loom_ShapedType<"View", "view"> {
  let summary = "a typed window on a buffer";
  let description = [{
    `view<64x32xf32>` addresses elements of a buffer in row-major order. An extent in brackets,
    `view<[%n]xf32>`, is the `index` value `%n`: the operation that defines the view owns it, and
    every use has to spell the same value.
  }];
}

def Loom_VectorType : Loom_ShapedType<"Vector", "vector"> {
  let summary = "a value of several elements held by one work-item";
  let description = [{
    `vector<4xf32>`. Lanes are in row-major order. The rank is at least one.
  }];
}

def Loom_TensorType : Loom_ShapedType<"Tensor", "tensor"> {
  let summary = "an array of values that a check creates and passes to kernels";
}

def Loom_Offset : Type<CPred<"::llvm::isa<::loom::OffsetType>($_self)">, "offset",
                       "::loom::OffsetType">,
                  BuildableType<"::loom::OffsetType::get($_builder.getContext())">;
def Loom_Buffer : Type<CPred<"::llvm::isa<::loom::BufferType>($_self)">, "a buffer",
                       "::loom::BufferType">,
                  BuildableType<"::loom::BufferType::get($_builder.getContext())">;
def Loom_View : Type<CPred<"::llvm::isa<::loom::ViewType>($_self)">, "a view", "::loom::ViewType">;
def Loom_Vector : Type<CPred<"::llvm::isa<::loom::VectorType>($_self)">, "a vector",
                       "::loom::VectorType">;
def Loom_Tensor : Type<CPred<"::llvm::isa<::loom::TensorType>($_self)">, "a tensor",
                       "::loom::TensorType">;

/// `index` or `offset`.
def Loom_Address : AnyTypeOf<[Index, Loom_Offset], "index or offset">;
/// i1, i8, i16, i32, i64.
def Loom_Integer : Type<CPred<"::loom::isIntegerScalar($_self)">, "i1, i8, i16, i32 or i64">;
/// f16, bf16, f32, f64 (8-bit floats are storage formats of the encoding dialect).
def Loom_Float : Type<CPred<"::loom::isFloatScalar($_self)">, "f16, bf16, f32 or f64">;
/// A scalar that arithmetic and memory work on.
def Loom_PayloadScalar : Type<CPred<"::loom::isPayloadScalar($_self)">,
                              "an integer or a float">;
def Loom_FloatVector : Type<
    And<[CPred<"::llvm::isa<::loom::VectorType>($_self)">,
         CPred<"::loom::isFloatScalar(::llvm::cast<::loom::VectorType>($_self).getElementType())">]>,
    "a vector of floats", "::loom::VectorType">;
def Loom_IntegerVector : Type<
    And<[CPred<"::llvm::isa<::loom::VectorType>($_self)">,
         CPred<"::loom::isIntegerScalar(::llvm::cast<::loom::VectorType>($_self).getElementType())">]>,
    "a vector of integers", "::loom::VectorType">;

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Loom_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::loom";
}

// Cases are numbered as in the reference: the numbers are part of the bytecode format.
class Loom_Cases<list<string> names> {
  list<I32EnumAttrCase> cases = !foreach(i, !range(!size(names)),
                                         I32EnumAttrCase<names[i], i>);
}

def Loom_IntPredicate : Loom_Enum<"IntPredicate", "integer comparison", Loom_Cases<[
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]>.cases>;
def Loom_FloatPredicate : Loom_Enum<"FloatPredicate", "float comparison", Loom_Cases<[
    "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno"]>.cases>;
def Loom_CombiningKind : Loom_Enum<"CombiningKind", "how a reduction combines two values",
    Loom_Cases<["addi", "addf", "muli", "mulf", "minsi", "maxsi", "minui", "maxui", "andi", "ori",
                "xori", "minimumf", "maximumf", "minnumf", "maxnumf"]>.cases>;
def Loom_Dimension : Loom_Enum<"Dimension", "axis of a launch",
    Loom_Cases<["x", "y", "z"]>.cases>;
def Loom_UnrollSchedule : Loom_Enum<"UnrollSchedule", "order of unrolled copies",
    Loom_Cases<["linear", "interleaved", "recurrence"]>.cases>;
def Loom_BarrierSpace : Loom_Enum<"BarrierSpace", "memory that a barrier orders", [
    I32EnumAttrCase<"global", 1>, I32EnumAttrCase<"workgroup", 2>]>;
def Loom_SyncScope : Loom_Enum<"SyncScope", "participants of a synchronization", [
    I32EnumAttrCase<"subgroup", 1>, I32EnumAttrCase<"workgroup", 2>]>;
def Loom_Ordering : Loom_Enum<"Ordering", "memory ordering",
    Loom_Cases<["relaxed", "acquire", "release", "acq_rel", "seq_cst"]>.cases>;
def Loom_InlinePolicy : Loom_Enum<"InlinePolicy", "what happens to a call", [
    I32EnumAttrCase<"Inline", 1, "inline">, I32EnumAttrCase<"NoInline", 2, "noinline">]>;
def Loom_PredicateKind : Loom_Enum<"PredicateKind", "fact about values", Loom_Cases<[
    "eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge", "mul", "pow2", "range",
    "not_nan", "not_inf", "finite"]>.cases>;
def Loom_SequenceKind : Loom_Enum<"SequenceKind", "how a parameter range advances",
    Loom_Cases<["linear", "po2"]>.cases>;

// Fast-math flags and integer overflow flags are bit sets, written `<a|b>` after the op name.
def Loom_FastMath : I32BitEnumAttr<"FastMathFlags", "permissions for float arithmetic", [
    I32BitEnumAttrCaseNone<"none">,
    I32BitEnumAttrCaseBit<"reassoc", 0>, I32BitEnumAttrCaseBit<"nnan", 1>,
    I32BitEnumAttrCaseBit<"ninf", 2>, I32BitEnumAttrCaseBit<"nsz", 3>,
    I32BitEnumAttrCaseBit<"arcp", 4>, I32BitEnumAttrCaseBit<"contract", 5>,
    I32BitEnumAttrCaseBit<"afn", 6>,
    I32BitEnumAttrCaseGroup<"fast", [
        I32BitEnumAttrCaseBit<"reassoc", 0>, I32BitEnumAttrCaseBit<"nnan", 1>,
        I32BitEnumAttrCaseBit<"ninf", 2>, I32BitEnumAttrCaseBit<"nsz", 3>,
        I32BitEnumAttrCaseBit<"arcp", 4>, I32BitEnumAttrCaseBit<"contract", 5>,
        I32BitEnumAttrCaseBit<"afn", 6>]>]> {
  let separator = "|";
  let cppNamespace = "::loom";
}
def Loom_Overflow : I32BitEnumAttr<"OverflowFlags", "promises about integer arithmetic", [
    I32BitEnumAttrCaseNone<"none">, I32BitEnumAttrCaseBit<"nsw", 0>,
    I32BitEnumAttrCaseBit<"nuw", 1>]> {
  let separator = "|";
  let cppNamespace = "::loom";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Loom_Attr<string name, string attrMnemonic> : AttrDef<Loom_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Loom_PredicateAttr : Loom_Attr<"Predicate", "predicate"> {
  let summary = "one fact of a `where` clause or an assume operation";
  let description = [{
    `range(%n, 0, 64)`. Each argument is a literal, or the position of a value among the operands
    (assume) or arguments (`where`) of the operation: bit `i` of `valueMask` says that argument `i`
    is such a position.
  }];
  let parameters = (ins "uint32_t":$kindCode, "uint32_t":$valueMask,
                        OptionalArrayRefParameter<"int64_t">:$args);
  let assemblyFormat = "`<` $kindCode `,` $valueMask (`,` $args^)? `>`";
  let extraClassDeclaration = [{
    PredicateKind getKind() const { return static_cast<PredicateKind>(getKindCode()); }
    bool isValue(unsigned arg) const { return getValueMask() >> arg & 1; }
  }];
}
def Loom_PredicateArrayAttr : TypedArrayAttrBase<Loom_PredicateAttr, "list of predicates">;

def Loom_SubgroupSizeAttr : Loom_Attr<"SubgroupSize", "subgroup_size"> {
  let summary = "target condition `#target.subgroup.size<N>`";
  let parameters = (ins "uint64_t":$size);
  let assemblyFormat = "`<` $size `>`";
}
/// Conditions of a `requires [...]` clause.
def Loom_RequirementArrayAttr : TypedArrayAttrBase<Loom_SubgroupSizeAttr,
                                                   "list of target conditions">;

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

def DimsOpInterface : OpInterface<"DimsOpInterface"> {
  let description = [{
    An operation whose result type may have dynamic extents. It owns one `index` operand per
    dynamic extent, in order; `loom::getDynamicDims` finds them for any value.
  }];
  let cppNamespace = "::loom";
  let methods = [
    InterfaceMethod<"The values of the dynamic extents of the result type.",
                    "::mlir::OperandRange", "getDynamicDims">,
  ];
}

def SignatureOpInterface : OpInterface<"SignatureOpInterface"> {
  let description = [{
    A symbol with a parameter list: functions, templates and kernels, defined or declared.
  }];
  let cppNamespace = "::loom";
  let methods = [
    InterfaceMethod<"Types of the parameters (launch parameters of a kernel).",
                    "::llvm::SmallVector<::mlir::Type>", "getSignatureInputs">,
    InterfaceMethod<"Types of the results.", "::llvm::SmallVector<::mlir::Type>",
                    "getSignatureResults">,
    InterfaceMethod<"Types of the workload parameters of a kernel; empty for others.",
                    "::llvm::SmallVector<::mlir::Type>", "getSignatureWorkload", (ins), [{}],
                    [{ return {}; }]>,
    InterfaceMethod<"True when the symbol has no body.", "bool", "isSignatureDeclaration">,
  ];
}

#endif // LOOM_IR_LOOMBASE_TD
