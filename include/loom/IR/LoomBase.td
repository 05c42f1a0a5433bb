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

/// An operation without a symbol that stands at the top level of a program.
def Loom_TopLevel : NativeOpTrait<"TopLevelTrait"> {
  let cppNamespace = "::loom";
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

/// A type with extents. `extra` are further parameters after shape and element type.
class Loom_ShapedType<string name, string typeMnemonic>
    : Loom_Type<name, typeMnemonic, [ShapedTypeInterface]> {
  code shapedMembers = [{
    bool hasRank() const { return true; }
  }];
}

def Loom_ViewType : Loom_ShapedType<"View", "view"> {
  let summary = "a typed window on a buffer";
  let description = [{
    `view<64x32xf32>` addresses elements of a buffer in row-major order. An extent in brackets,
    `view<[%n]xf32>`, is the `index` value `%n`: the operation that defines the view owns it, and
    every use has to spell the same value. A layout may follow, `view<8x16xf16, %layout>` or
    `view<8x16xf16, #encoding.layout.strided<strides = [1, 8]>>`, and then `align(N)`: what an
    executed access may rely on where that is less than the element's natural alignment.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t", "extents; ShapedType::kDynamic for `[%n]`">:$shape,
    "::mlir::Type":$elementType,
    OptionalParameter<"::mlir::Attribute", "EncodingAttr, DynamicLayoutAttr for `%layout`, or null">:$layout,
    DefaultValuedParameter<"uint64_t", "0", "bytes of `align(N)`; 0 is natural">:$alignment);
  let assemblyFormat = [{
    `<` (`[` $shape^ `]` `,`)? $elementType (`,` `layout` `=` $layout^)? (`,` `align` `=` $alignment^)? `>`
  }];
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
    return $_get($_ctxt, shape, elementType, ::mlir::Attribute(), uint64_t(0));
  }]>];
  let extraClassDeclaration = shapedMembers # [{
    /// The same kind of type with another shape or element type.
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const {
      return ::llvm::cast<::mlir::ShapedType>(::mlir::Type(get(
          getContext(), shape ? *shape : getShape(), elementType, getLayout(), getAlignment())));
    }
  }];
}

def Loom_VectorType : Loom_ShapedType<"Vector", "vector"> {
  let summary = "a value of several elements held by one work-item";
  let description = [{
    `vector<4xf32>`. Lanes are in row-major order. The rank is at least one. An extent may be a value
    until specialization, `vector<[%width]xf32>`, and may be zero.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t", "extents; ShapedType::kDynamic for `[%n]`">:$shape,
    "::mlir::Type":$elementType);
  let assemblyFormat = "`<` (`[` $shape^ `]` `,`)? $elementType `>`";
  let extraClassDeclaration = shapedMembers # [{
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const {
      return ::llvm::cast<::mlir::ShapedType>(::mlir::Type(
          get(getContext(), shape ? *shape : getShape(), elementType)));
    }
    /// The number of lanes, or nothing while an extent is a value.
    std::optional<int64_t> getNumLanes() const {
      int64_t lanes = 1;
      for (int64_t extent : getShape()) {
        if (::mlir::ShapedType::isDynamic(extent))
          return std::nullopt;
        lanes *= extent;
      }
      return lanes;
    }
  }];
}

/// `tensor` and `tile`: values of an array, perhaps encoded.
class Loom_AggregateType<string name, string typeMnemonic> : Loom_ShapedType<name, typeMnemonic> {
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t", "extents; ShapedType::kDynamic for `[%n]`">:$shape,
    "::mlir::Type":$elementType,
    OptionalParameter<"::mlir::Attribute", "EncodingAttr, DynamicLayoutAttr for a value, or null">:$encoding);
  let assemblyFormat = [{
    `<` (`[` $shape^ `]` `,`)? $elementType (`,` `encoding` `=` $encoding^)? `>`
  }];
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
    return $_get($_ctxt, shape, elementType, ::mlir::Attribute());
  }]>];
  let extraClassDeclaration = shapedMembers # [{
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const {
      return ::llvm::cast<::mlir::ShapedType>(::mlir::Type(
          get(getContext(), shape ? *shape : getShape(), elementType, getEncoding())));
    }
  }];
}
def Loom_TensorType : Loom_AggregateType<"Tensor", "tensor"> {
  let summary = "an array of values that a check creates and passes to kernels";
}
def Loom_TileType : Loom_AggregateType<"Tile", "tile"> {
  let summary = "an array of values with value semantics";
}

def Loom_PoolType : Loom_Type<"Pool", "pool"> {
  let summary = "a handle of a pool of blocks of one size";
  let description = "`pool<4096>` or `pool<[%bytes]>`";
  let parameters = (ins "int64_t":$blockSize);
  let assemblyFormat = "`<` $blockSize `>`";
}

def Loom_EncodingType : Loom_Type<"Encoding", "encoding"> {
  let summary = "encoding information as a value";
  let description = [{
    `encoding<layout>`, `encoding<schema>`, `encoding<storage>`, `encoding<transform>`, or `encoding`
    without a fixed role.
  }];
  let parameters = (ins DefaultValuedParameter<"uint32_t", "0", "EncodingRole">:$roleCode);
  let assemblyFormat = "(`<` $roleCode^ `>`)?";
  let extraClassDeclaration = [{
    EncodingRole getRole() const;
  }];
}

def Loom_AsyncTokenType : Loom_Type<"AsyncToken", "async_token"> {
  let summary = "one asynchronous transfer: `kernel.async.token`";
}
def Loom_AsyncGroupType : Loom_Type<"AsyncGroup", "async_group"> {
  let summary = "asynchronous transfers that are waited for together: `kernel.async.group`";
}
def Loom_TensorLdsDescriptorType : Loom_Type<"TensorLdsDescriptor", "tensor_lds_descriptor"> {
  let summary = "an AMDGPU tensor descriptor: `kernel.tensor.lds.descriptor`";
}
def Loom_BarrierPhaseType : Loom_Type<"BarrierPhase", "barrier_phase"> {
  let summary = "an arrival at a split barrier: `kernel.barrier.phase`";
}
def Loom_EntropyType : Loom_Type<"Entropy", "entropy"> {
  let summary = "a source of reproducible random numbers: `check.entropy`";
}

def Loom_FuncRefType : Loom_Type<"FuncRef", "func_ref"> {
  let summary = "a function as a value";
  let description = "`func.ref<(f32) -> (f32)>`, `func.ref<yieldable (i32) -> ()>`";
  let parameters = (ins "bool":$yieldable, "::mlir::FunctionType":$signature);
  let assemblyFormat = "`<` $yieldable `,` $signature `>`";
}

def Loom_RegisterType : Loom_Type<"Register", "reg"> {
  let summary = "registers of a target";
  let description = [{
    `reg<amdgpu.vgpr>` is one 32-bit vector register, `reg<amdgpu.sgpr x2>` two scalar ones,
    `reg<spirv.id : f32>` a typed identifier.
  }];
  let parameters = (ins "::mlir::StringAttr":$registerClass, "uint32_t":$units,
                        OptionalParameter<"::mlir::Type">:$valueType);
  let assemblyFormat = "`<` $registerClass `,` $units (`,` $valueType^)? `>`";
  let extraClassDeclaration = [{
    /// `amdgpu.vgpr`.
    ::llvm::StringRef getClassKey() const { return getRegisterClass().getValue(); }
  }];
}
def Loom_StorageType : Loom_Type<"Storage", "low_storage"> {
  let summary = "memory that a Low function reserves: `low.storage<scratch>`";
  let parameters = (ins "uint32_t":$spaceCode);
  let assemblyFormat = "`<` $spaceCode `>`";
  let extraClassDeclaration = [{
    StorageSpace getSpace() const;
  }];
}

def Loom_CooperativeMatrixType : Loom_Type<"CooperativeMatrix", "cooperative_matrix"> {
  let summary = "a SPIR-V cooperative matrix";
  let description = "`spirv.cooperative_matrix<16x16xf16, subgroup, matrix_a>`";
  let parameters = (ins "uint32_t":$rows, "uint32_t":$columns, "uint32_t":$componentCode,
                        "uint32_t":$scopeCode, "uint32_t":$useCode);
  let assemblyFormat = [{
    `<` $rows `,` $columns `,` $componentCode `,` $scopeCode `,` $useCode `>`
  }];
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

class Loom_TypeOf<string cppName, string words>
    : Type<CPred<"::llvm::isa<::loom::" # cppName # ">($_self)">, words, "::loom::" # cppName>;
def Loom_Tile : Loom_TypeOf<"TileType", "a tile">;
def Loom_Encoding : Loom_TypeOf<"EncodingType", "an encoding">;
class Loom_EncodingOf<string role>
    : Type<And<[CPred<"::llvm::isa<::loom::EncodingType>($_self)">,
                CPred<"::llvm::cast<::loom::EncodingType>($_self).getRole() == ::loom::EncodingRole::" # role>]>,
           "encoding<" # role # ">", "::loom::EncodingType">;
def Loom_LayoutEncoding : Loom_EncodingOf<"layout">;
def Loom_SchemaEncoding : Loom_EncodingOf<"schema">;
def Loom_TransformEncoding : Loom_EncodingOf<"transform">;
def Loom_AsyncToken : Loom_TypeOf<"AsyncTokenType", "kernel.async.token">,
    BuildableType<"::loom::AsyncTokenType::get($_builder.getContext())">;
def Loom_AsyncGroup : Loom_TypeOf<"AsyncGroupType", "kernel.async.group">,
    BuildableType<"::loom::AsyncGroupType::get($_builder.getContext())">;
def Loom_BarrierPhase : Loom_TypeOf<"BarrierPhaseType", "kernel.barrier.phase">,
    BuildableType<"::loom::BarrierPhaseType::get($_builder.getContext())">;
def Loom_Entropy : Loom_TypeOf<"EntropyType", "check.entropy">,
    BuildableType<"::loom::EntropyType::get($_builder.getContext())">;
def Loom_FuncRef : Loom_TypeOf<"FuncRefType", "a function reference">;
def Loom_Register : Loom_TypeOf<"RegisterType", "a register">;
def Loom_Storage : Loom_TypeOf<"StorageType", "low.storage">;
/// What fills the slots of a dependent type: extents, then a layout or encoding.
def Loom_Extent : AnyTypeOf<[Index, Loom_Encoding], "an index, or an encoding for a layout">;

/// `index` or `offset`.
def Loom_Address : AnyTypeOf<[Index, Loom_Offset], "index or offset">;
/// i1, i8, i16, i32, i64.
def Loom_Integer : Type<CPred<"::loom::isIntegerScalar($_self)">, "i1, i8, i16, i32 or i64">;
/// f8E4M3, f8E5M2, f16, bf16, f32, f64. f8E4M3 is the finite variant: 448 is the largest number,
/// there is no infinity.
def Loom_Float : Type<CPred<"::loom::isFloatScalar($_self)">, "a float: f8E4M3, f8E5M2, f16, bf16, f32 or f64">;
/// i8, i16, i32, i64 and all floats: what buffers and atomics move bit by bit.
def Loom_BytePattern : Type<CPred<"::loom::isBytePatternScalar($_self)">,
                            "an integer of 8, 16, 32 or 64 bits or a float">;
/// index, i8, i16, i32, i64.
def Loom_IndexOrInteger : Type<CPred<"::loom::isIndexOrNonI1Integer($_self)">,
                               "index or an integer of at least 8 bits">;
/// A scalar that arithmetic and memory work on.
def Loom_PayloadScalar : Type<CPred<"::loom::isPayloadScalar($_self)">,
                              "an integer or a float">;
class Loom_VectorOf<string predicate, string words>
    : Type<And<[CPred<"::llvm::isa<::loom::VectorType>($_self)">,
                CPred<"::loom::" # predicate # "(::llvm::cast<::loom::VectorType>($_self).getElementType())">]>,
           words, "::loom::VectorType">;
def Loom_MaskVector : Type<
    And<[CPred<"::llvm::isa<::loom::VectorType>($_self)">,
         CPred<"::llvm::cast<::loom::VectorType>($_self).getElementType().isInteger(1)">]>,
    "a vector of i1", "::loom::VectorType">;
def Loom_BytePatternVector : Loom_VectorOf<"isBytePatternScalar", "a vector of integers of at least 8 bits or floats">;
def Loom_IndexOrIntegerVector : Loom_VectorOf<"isIndexOrNonI1Integer", "a vector of index or of integers of at least 8 bits">;
def Loom_PayloadVector : Loom_VectorOf<"isPayloadScalar", "a vector of integers or floats">;
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

// Cases are numbered as in the reference: the numbers are part of the bytecode format. Words that
// C++ keeps for itself have an underscore behind them there.
class Loom_Case<string word, int number>
    : I32EnumAttrCase<!if(!or(!eq(word, "xor"), !eq(word, "private"), !eq(word, "default")),
                          word # "_", word), number, word>;
class Loom_Cases<list<string> names, int first = 0> {
  list<I32EnumAttrCase> cases = !foreach(i, !range(!size(names)), Loom_Case<names[i], !add(first, i)>);
}
class Loom_WordEnum<string name, string summary, list<string> words, int first = 0>
    : Loom_Enum<name, summary, Loom_Cases<words, first>.cases>;

def Loom_IntPredicate : Loom_WordEnum<"IntPredicate", "integer comparison", [
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]>;
def Loom_FloatPredicate : Loom_WordEnum<"FloatPredicate", "float comparison", [
    "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno"]>;
def Loom_CombiningKind : Loom_WordEnum<"CombiningKind", "how a reduction combines two values", [
    "addi", "addf", "muli", "mulf", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori",
    "minimumf", "maximumf", "minnumf", "maxnumf"]>;
def Loom_AtomicKind : Loom_WordEnum<"AtomicKind", "what an atomic operation does", [
    "xchgi", "xchgf", "addi", "addf", "subi", "andi", "ori", "xori", "minsi", "maxsi", "minui",
    "maxui", "minimumf", "maximumf", "minnumf", "maxnumf"]>;
def Loom_ClampMode : Loom_WordEnum<"ClampMode", "how a clamp treats NaN",
    ["ordered", "number", "ieee"]>;
def Loom_GeluVariant : Loom_WordEnum<"GeluVariant", "formula of the Gelu activation",
    ["erf", "tanh", "logistic"]>;
def Loom_Dimension : Loom_WordEnum<"Dimension", "axis of a launch", ["x", "y", "z"]>;
def Loom_UnrollSchedule : Loom_WordEnum<"UnrollSchedule", "order of unrolled copies",
    ["linear", "interleaved", "recurrence"]>;
def Loom_MemorySpace : Loom_WordEnum<"MemorySpace", "where memory is", [
    "unknown", "global", "workgroup", "private", "constant", "host", "descriptor", "generic"]>;
def Loom_SyncScope : Loom_WordEnum<"SyncScope", "participants of a synchronization",
    ["thread", "subgroup", "workgroup", "device", "system"]>;
def Loom_Ordering : Loom_WordEnum<"Ordering", "memory ordering",
    ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]>;
def Loom_CacheScope : Loom_WordEnum<"CacheScope", "how far a cache hint reaches",
    ["cu", "se", "device", "system"]>;
def Loom_CacheTemporal : Loom_WordEnum<"CacheTemporal", "how a cache keeps a line", [
    "regular", "non_temporal", "high_temporal", "last_use", "writeback", "non_temporal_regular",
    "regular_non_temporal", "non_temporal_high_temporal", "non_temporal_writeback", "bypass"]>;
def Loom_PrefetchIntent : Loom_WordEnum<"PrefetchIntent", "what a prefetch prepares",
    ["read", "write"]>;
def Loom_PrefetchLocality : Loom_WordEnum<"PrefetchLocality", "cache level of a prefetch",
    ["none", "l1", "l2", "l3"]>;
def Loom_AccessKind : Loom_WordEnum<"AccessKind", "what an access does",
    ["read", "write", "read_write"]>;
def Loom_ShuffleMode : Loom_WordEnum<"ShuffleMode", "how a shuffle finds its source lane",
    ["xor", "up", "down", "index"]>;
def Loom_ScanMode : Loom_WordEnum<"ScanMode", "whether a scan includes its own value",
    ["inclusive", "exclusive"]>;
def Loom_ScanDirection : Loom_WordEnum<"ScanDirection", "where a scan begins",
    ["forward", "reverse"]>;
def Loom_AsyncDirection : Loom_WordEnum<"AsyncDirection", "where an asynchronous copy goes",
    ["global_to_workgroup", "workgroup_to_global"]>;
def Loom_Dot4IKind : Loom_WordEnum<"Dot4IKind", "signs of a dot product of bytes",
    ["s8s8", "u8s8", "s8u8", "u8u8"]>;
def Loom_Dot8I4Kind : Loom_WordEnum<"Dot8I4Kind", "signs of a dot product of nibbles",
    ["s4s4", "u4s4", "s4u4", "u4u4"]>;
def Loom_Dot4F8Kind : Loom_WordEnum<"Dot4F8Kind", "formats of a dot product of 8-bit floats",
    ["fp8bf8", "bf8fp8", "fp8fp8", "bf8bf8"]>;
def Loom_FragmentRole : Loom_WordEnum<"FragmentRole", "role of a matrix fragment",
    ["lhs", "rhs", "init", "result"]>;
def Loom_QuantizeNan : Loom_WordEnum<"QuantizeNan", "code of NaN", ["zero", "max"]>;
def Loom_QuantizeTie : Loom_WordEnum<"QuantizeTie", "side of a value that equals a threshold",
    ["lower", "upper"]>;
def Loom_EncodingRole : Loom_WordEnum<"EncodingRole", "role of an encoding",
    ["any", "layout", "schema", "storage", "transform"]>;
def Loom_StorageSpace : Loom_WordEnum<"StorageSpace", "where a Low function reserves memory",
    ["stack", "scratch", "private", "workgroup"]>;
def Loom_MatrixComponent : Loom_WordEnum<"MatrixComponent", "component of a cooperative matrix", [
    "f16", "f32", "f64", "bf16", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"]>;
def Loom_MatrixScope : Loom_WordEnum<"MatrixScope", "scope of a cooperative matrix", [
    "cross_device", "device", "workgroup", "subgroup", "invocation", "queue_family",
    "shader_call"]>;
def Loom_MatrixUse : Loom_WordEnum<"MatrixUse", "use of a cooperative matrix",
    ["matrix_a", "matrix_b", "matrix_accumulator"]>;
def Loom_InlinePolicy : Loom_Enum<"InlinePolicy", "what happens to a call", [
    I32EnumAttrCase<"Inline", 1, "inline">, I32EnumAttrCase<"NoInline", 2, "noinline">]>;
def Loom_PredicateKind : Loom_WordEnum<"PredicateKind", "fact about values", [
    "eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge", "mul", "pow2", "range",
    "not_nan", "not_inf", "finite"]>;
def Loom_SequenceKind : Loom_WordEnum<"SequenceKind", "how a parameter range advances",
    ["linear", "po2"]>;
def Loom_NanPolicy : Loom_WordEnum<"NanPolicy", "whether two NaNs are close",
    ["same", "different"]>;
def Loom_WriteMode : Loom_WordEnum<"WriteMode", "when a check writes a file",
    ["on_failure", "always"]>;

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

def Loom_EncodingAttr : Loom_Attr<"Encoding", "encoding"> {
  let summary = "a static encoding such as `#encoding.layout.strided<strides = [16, 1]>`";
  let parameters = (ins "::mlir::StringAttr":$family, "::mlir::DictionaryAttr":$params);
  let assemblyFormat = "`<` $family `,` $params `>`";
}
def Loom_DynamicLayoutAttr : Loom_Attr<"DynamicLayout", "dynamic_layout"> {
  let summary = "in a type: the layout or encoding is a value";
}

def Loom_SourceLocAttr : AttrDef<Loom_Dialect, "SourceLoc", [NativeAttrTrait<"IsLocation">],
                                 "::mlir::LocationAttr"> {
  let mnemonic = "source";
  let summary = "a place in a program, with what the author wrote there besides the program";
  let description = [{
    One attribute for place, name and comments, since every operation has its own: see
    include/loom/IR/SourceInfo.h. `name` is the one of the only result or of a block argument.
  }];
  let parameters = (ins "::mlir::StringAttr":$file, "uint32_t":$line, "uint32_t":$column,
                        OptionalParameter<"::mlir::StringAttr">:$name,
                        OptionalParameter<"::mlir::DictionaryAttr">:$extra);
  let assemblyFormat = [{
    `<` $file `,` $line `,` $column (`,` `name` `=` $name^)? (`,` `extra` `=` $extra^)? `>`
  }];
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

def DimsOpInterface : OpInterface<"DimsOpInterface"> {
  let description = [{
    An operation whose one result has a dependent type that the operation itself fills: it owns one
    operand per slot, extents first, then a layout. `loom::getDynamicDims` finds them for any value.
  }];
  let cppNamespace = "::loom";
  let methods = [
    InterfaceMethod<"The values of the slots of the result type.",
                    "::mlir::OperandRange", "getDynamicDims">,
  ];
}

def DependentOpInterface : OpInterface<"DependentOpInterface"> {
  let description = [{
    An operation with results or region arguments whose dependent types are filled by other values:
    calls, loops, functions.
  }];
  let cppNamespace = "::loom";
  let methods = [
    InterfaceMethod<"The values of the slots of the type of `value`, a result of this operation or "
                    "an argument of one of its regions.",
                    "::llvm::SmallVector<::mlir::Value>", "getDimsOf", (ins "::mlir::Value":$value)>,
  ];
}

def StatementWordOpInterface : OpInterface<"StatementWordOpInterface"> {
  let description = "An operation that the text may write with another word than its name.";
  let cppNamespace = "::loom";
  let methods = [
    InterfaceMethod<"The word, or an empty string for the operation's own name.",
                    "std::string", "getStatementWord">,
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
