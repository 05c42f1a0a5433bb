//===- VectorMemory.td - Vectors in memory --------------------------------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORMEMORY_TD
#define LOOM_DIALECT_VECTOR_VECTORMEMORY_TD

include "loom/Dialect/Vector/VectorBase.td"

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

// A volatile read has the effects of a write too.
def Vector_AccessEffects : DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;
defvar readEffects = [{
    void $cppClass::getEffects(::loom::MemoryEffectList &effects) {
      ::loom::addReadEffects(effects, getViewMutable(), getIsVolatile());
    }
}];
defvar writeEffects = [{
    void $cppClass::getEffects(::loom::MemoryEffectList &effects) {
      ::loom::addWriteEffects(effects, getViewMutable());
    }
}];

// What follows the operands that have types in the text: the origin, flags and hints. The indices
// come last because MLIR finds the operand that gives a result its type by number.
defvar viewArgument = (ins Loom_View:$view);
defvar accessRest = (ins Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices,
                         UnitAttr:$linear, UnitAttr:$is_volatile,
                         OptionalAttr<Loom_CacheScope>:$cache_scope,
                         OptionalAttr<Loom_CacheTemporal>:$cache_temporal);
defvar accessFlags = "`` custom<Access>($linear, $is_volatile)";
defvar originText = "$view `[` custom<IndexList>($indices, $static_indices) `]`";

def VectorLoadOp : Vector_Op<"load",
    [AttrSizedOperandSegments, Vector_AccessEffects, DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "read consecutive elements of a view";
  let description = [{
    ```loom
    %value = vector.load %values[%row, %lane, 0] : view<64x32x4xf32> -> vector<4xf32>
    %again = vector.load<volatile> %values[%row, %lane, 0] : view<64x32x4xf32> -> vector<4xf32>
    ```
    The axes of the vector are the last axes of the view; the footprint has to lie inside. A volatile
    access takes place, in order with other volatile ones. Takes a cache hint.
  }];
  let arguments = !con(viewArgument, accessRest, (ins Variadic<Index>:$dims));
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = !strconcat(accessFlags, originText, [{
    attr-dict `:` custom<TextType>(type($view)) `->` custom<DefinedType>(type($result), $dims)
  }]);
  let extraClassDefinition = !strconcat(readEffects, [{
    ::mlir::OperandRange $cppClass::getDynamicDims() { return getDims(); }
  }]);
  let hasVerifier = 1;
}

def VectorStoreOp : Vector_Op<"store", [Vector_AccessEffects]> {
  let summary = "write consecutive elements of a view";
  let description = [{
    ```loom
    vector.store %value, %values[%row, %lane, 0] : vector<4xf32>, view<64x32x4xf32>
    ```
  }];
  let arguments = !con((ins Loom_Vector:$value), viewArgument, accessRest);
  let assemblyFormat = !strconcat(accessFlags, "$value `,`", originText, [{
    attr-dict `:` custom<TextType>(type($value)) `,` custom<TextType>(type($view))
  }]);
  let extraClassDefinition = writeEffects;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

class Vector_MaskedLoadOp<string mnemonic>
    : Vector_Op<mnemonic, [Vector_AccessEffects, AllTypesMatch<["passthrough", "result"]>]> {
  let arguments = !con(viewArgument, (ins Loom_MaskVector:$mask, Loom_Vector:$passthrough),
                       accessRest);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = !strconcat(accessFlags, originText, [{
    `,` $mask `,` $passthrough attr-dict `:` custom<TextType>(type($view)) `,`
    custom<TextType>(type($mask)) `,` custom<TextType>(type($passthrough))
  }]);
  let extraClassDefinition = readEffects;
  let hasVerifier = 1;
}
def VectorLoadMaskOp : Vector_MaskedLoadOp<"load.mask"> {
  let summary = "read elements of a view where a mask is true";
  let description = [{
    ```loom
    %x = vector.load.mask %xs[%i], %m, %zero : view<[%n]xf32>, vector<4xi1>, vector<4xf32>
    ```
    A lane whose mask is false accesses nothing and takes its lane of the last operand.
  }];
}
def VectorLoadExpandOp : Vector_MaskedLoadOp<"load.expand"> {
  let summary = "read consecutive elements into the lanes where a mask is true";
  let description = [{
    ```loom
    %x = vector.load.expand %xs[%i], %m, %zero : view<[%n]xf32>, vector<4xi1>, vector<4xf32>
    ```
    The first lane whose mask is true reads the element at the origin, the next one the element behind
    it, and so on; the others take their lane of the last operand. The vector has one axis.
  }];
}

class Vector_MaskedStoreOp<string mnemonic> : Vector_Op<mnemonic, [Vector_AccessEffects]> {
  let arguments = !con((ins Loom_Vector:$value), viewArgument, (ins Loom_MaskVector:$mask),
                       accessRest);
  let assemblyFormat = !strconcat(accessFlags, "$value `,`", originText, [{
    `,` $mask attr-dict `:` custom<TextType>(type($value)) `,` custom<TextType>(type($view)) `,`
    custom<TextType>(type($mask))
  }]);
  let extraClassDefinition = writeEffects;
  let hasVerifier = 1;
}
def VectorStoreMaskOp : Vector_MaskedStoreOp<"store.mask"> {
  let summary = "write elements of a view where a mask is true";
  let description = [{
    ```loom
    vector.store.mask %y, %ys[%i], %m : vector<4xf32>, view<[%n]xf32>, vector<4xi1>
    ```
    Memory of a lane whose mask is false stays as it is.
  }];
}
def VectorStoreCompressOp : Vector_MaskedStoreOp<"store.compress"> {
  let summary = "write the lanes where a mask is true one behind the other";
  let description = [{
    ```loom
    vector.store.compress %y, %ys[%i], %m : vector<4xf32>, view<[%n]xf32>, vector<4xi1>
    ```
    The first lane whose mask is true goes to the origin, the next one behind it, and so on. The vector
    has one axis.
  }];
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

defvar offsetsText = "`` `[` $offsets `]`";

def VectorGatherOp : Vector_DimsOfOp<"gather", "Offsets", [Vector_AccessEffects]> {
  let summary = "read elements of a view, each at its own offset";
  let description = [{
    ```loom
    %x = vector.gather %table[%row, 0][%columns] : view<8x64xf32>, vector<4xi32> -> vector<4xf32>
    ```
    Each lane reads the element at the origin with its offset, a signed number of elements, added to
    the last index. The result has the shape of the offsets.
  }];
  let arguments = !con(viewArgument, (ins Loom_IndexOrIntegerVector:$offsets), accessRest);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = !strconcat(accessFlags, originText, offsetsText, [{
    attr-dict `:` custom<TextType>(type($view)) `,` custom<TextType>(type($offsets)) `->`
    custom<TextType>(type($result))
  }]);
  let extraClassDefinition = !strconcat(readEffects, [{
    ::llvm::SmallVector<::mlir::Value> $cppClass::getDimsOf(::mlir::Value) {
      return ::loom::getDynamicDims(getOffsets());
    }
  }]);
  let hasVerifier = 1;
}

def VectorGatherMaskOp : Vector_Op<"gather.mask",
    [Vector_AccessEffects, AllTypesMatch<["passthrough", "result"]>]> {
  let summary = "read elements of a view, each at its own offset, where a mask is true";
  let description = [{
    ```loom
    %x = vector.gather.mask %table[%row, 0][%columns], %m, %zero : view<8x64xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
    ```
    As `vector.gather`. A lane whose mask is false accesses nothing and takes its lane of the last
    operand.
  }];
  let arguments = !con(viewArgument, (ins Loom_IndexOrIntegerVector:$offsets, Loom_MaskVector:$mask,
                                         Loom_Vector:$passthrough), accessRest);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = !strconcat(accessFlags, originText, offsetsText, [{
    `,` $mask `,` $passthrough attr-dict `:` custom<TextType>(type($view)) `,`
    custom<TextType>(type($offsets)) `,` custom<TextType>(type($mask)) `,`
    custom<TextType>(type($passthrough))
  }]);
  let extraClassDefinition = readEffects;
  let hasVerifier = 1;
}

def VectorScatterOp : Vector_Op<"scatter", [Vector_AccessEffects]> {
  let summary = "write elements of a view, each at its own offset";
  let description = [{
    ```loom
    vector.scatter %x, %table[%row, 0][%columns] : vector<4xf32>, view<8x64xf32>, vector<4xi32>
    ```
    Places are those of `vector.gather`. No two lanes may write the same element.
  }];
  let arguments = !con((ins Loom_Vector:$value), viewArgument,
                       (ins Loom_IndexOrIntegerVector:$offsets), accessRest);
  let assemblyFormat = !strconcat(accessFlags, "$value `,`", originText, offsetsText, [{
    attr-dict `:` custom<TextType>(type($value)) `,` custom<TextType>(type($view)) `,`
    custom<TextType>(type($offsets))
  }]);
  let extraClassDefinition = writeEffects;
  let hasVerifier = 1;
}

def VectorScatterMaskOp : Vector_Op<"scatter.mask", [Vector_AccessEffects]> {
  let summary = "write elements of a view, each at its own offset, where a mask is true";
  let description = [{
    ```loom
    vector.scatter.mask %x, %table[%row, 0][%columns], %m : vector<4xf32>, view<8x64xf32>, vector<4xi32>, vector<4xi1>
    ```
    No two lanes whose mask is true may write the same element.
  }];
  let arguments = !con((ins Loom_Vector:$value), viewArgument,
                       (ins Loom_IndexOrIntegerVector:$offsets, Loom_MaskVector:$mask),
                       accessRest);
  let assemblyFormat = !strconcat(accessFlags, "$value `,`", originText, offsetsText, [{
    `,` $mask attr-dict `:` custom<TextType>(type($value)) `,` custom<TextType>(type($view)) `,`
    custom<TextType>(type($offsets)) `,` custom<TextType>(type($mask))
  }]);
  let extraClassDefinition = writeEffects;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

defvar atomicView = (ins Arg<Loom_View, "", [MemRead, MemWrite]>:$view);
defvar atomicRest = (ins Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices,
                         OptionalAttr<Loom_CacheScope>:$cache_scope,
                         OptionalAttr<Loom_CacheTemporal>:$cache_temporal);
defvar atomicOrder = (ins Loom_Ordering:$ordering, Loom_SyncScope:$scope);
defvar atomicKind = (ins Loom_AtomicKind:$kind, UnitAttr:$noftz);
defvar atomicText = !strconcat("`` custom<AtomicUpdate>($kind, $noftz) $value `,`", originText, offsetsText);

def VectorAtomicReduceOp : Vector_Op<"atomic.reduce"> {
  let summary = "combine elements of a view with lanes, atomically";
  let description = [{
    ```loom
    vector.atomic.reduce<addf, noftz> %x, %sums[0][%bins] {ordering = relaxed, scope = device} : vector<4xf32>, view<64xf32>, vector<4xi32>
    ```
    One atomic operation per lane, at the places of `vector.gather`; lanes with the same place take
    turns in no particular order. The vector as a whole is not atomic. Nothing is given back, so that
    exchanges are refused. With `noftz` the sum of floats keeps subnormal numbers.
  }];
  let arguments = !con(atomicKind, (ins Loom_Vector:$value), atomicView,
                       (ins Loom_IndexOrIntegerVector:$offsets), atomicOrder, atomicRest);
  let assemblyFormat = !strconcat(atomicText, [{
    attr-dict `:` custom<TextType>(type($value)) `,` custom<TextType>(type($view)) `,`
    custom<TextType>(type($offsets))
  }]);
  let hasVerifier = 1;
}

def VectorAtomicReduceMaskOp : Vector_Op<"atomic.reduce.mask"> {
  let summary = "combine elements of a view with lanes, atomically, where a mask is true";
  let description = [{
    ```loom
    vector.atomic.reduce.mask<addi> %x, %sums[0][%bins], %m {ordering = relaxed, scope = device} : vector<4xi32>, view<64xi32>, vector<4xi32>, vector<4xi1>
    ```
    As `vector.atomic.reduce`, for the lanes whose mask is true.
  }];
  let arguments = !con(atomicKind, (ins Loom_Vector:$value), atomicView,
                       (ins Loom_IndexOrIntegerVector:$offsets, Loom_MaskVector:$mask), atomicOrder,
                       atomicRest);
  let assemblyFormat = !strconcat(atomicText, [{
    `,` $mask attr-dict `:` custom<TextType>(type($value)) `,` custom<TextType>(type($view)) `,`
    custom<TextType>(type($offsets)) `,` custom<TextType>(type($mask))
  }]);
  let hasVerifier = 1;
}

def VectorAtomicRmwOp : Vector_Op<"atomic.rmw", [AllTypesMatch<["value", "result"]>]> {
  let summary = "combine elements of a view with lanes, atomically, and give back what was there";
  let description = [{
    ```loom
    %old = vector.atomic.rmw<maxsi> %x, %tops[0][%bins] {ordering = acq_rel, scope = workgroup} : vector<4xi32>, view<64xi32>, vector<4xi32>
    ```
    As `vector.atomic.reduce`; the result holds the elements before, bit by bit.
  }];
  let arguments = !con(atomicKind, (ins Loom_Vector:$value), atomicView,
                       (ins Loom_IndexOrIntegerVector:$offsets), atomicOrder, atomicRest);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = !strconcat(atomicText, [{
    attr-dict `:` custom<TextType>(type($value)) `,` custom<TextType>(type($view)) `,`
    custom<TextType>(type($offsets))
  }]);
  let hasVerifier = 1;
}

def VectorAtomicRmwMaskOp : Vector_Op<"atomic.rmw.mask",
    [AllTypesMatch<["value", "passthrough", "result"]>]> {
  let summary = "the same where a mask is true";
  let description = [{
    ```loom
    %old = vector.atomic.rmw.mask<xchgi> %x, %slots[0][%bins], %m, %zero {ordering = relaxed, scope = device} : vector<4xi32>, view<64xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32>
    ```
    As `vector.atomic.rmw`. A lane whose mask is false accesses nothing and gives back its lane of the
    last operand.
  }];
  let arguments = !con(atomicKind, (ins Loom_Vector:$value), atomicView,
                       (ins Loom_IndexOrIntegerVector:$offsets, Loom_MaskVector:$mask,
                            Loom_Vector:$passthrough), atomicOrder, atomicRest);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = !strconcat(atomicText, [{
    `,` $mask `,` $passthrough attr-dict `:` custom<TextType>(type($value)) `,`
    custom<TextType>(type($view)) `,` custom<TextType>(type($offsets)) `,`
    custom<TextType>(type($mask)) `,` custom<TextType>(type($passthrough))
  }]);
  let hasVerifier = 1;
}

def VectorAtomicCmpxchgOp : Vector_Op<"atomic.cmpxchg",
    [AllTypesMatch<["expected", "replacement"]>]> {
  let summary = "replace elements of a view that hold expected bits, atomically";
  let description = [{
    ```loom
    %old = vector.atomic.cmpxchg %want, %new, %slots[0][%bins] {failure_ordering = relaxed, scope = device, success_ordering = acquire} : vector<4xi32>, view<64xi32>, vector<4xi32> -> vector<4xi32>
    ```
    Per lane; bits are compared. The result holds the elements before: where they equal the expected
    ones, the exchange took place.
  }];
  let arguments = !con((ins Loom_BytePatternVector:$expected, Loom_BytePatternVector:$replacement),
                       atomicView, (ins Loom_IndexOrIntegerVector:$offsets,
                                         Loom_Ordering:$success_ordering,
                                         Loom_Ordering:$failure_ordering, Loom_SyncScope:$scope),
                       atomicRest);
  let results = (outs Loom_BytePatternVector:$result);
  let assemblyFormat = !strconcat("$expected `,` $replacement `,`", originText, offsetsText, [{
    attr-dict `:` custom<TextType>(type($expected)) `,` custom<TextType>(type($view)) `,`
    custom<TextType>(type($offsets)) `->` custom<TextType>(type($result))
  }]);
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_VECTOR_VECTORMEMORY_TD
