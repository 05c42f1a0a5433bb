//===- VectorConstruct.td - Vectors made of scalars and literals ----------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORCONSTRUCT_TD
#define LOOM_DIALECT_VECTOR_VECTORCONSTRUCT_TD

include "loom/Dialect/Vector/VectorBase.td"

def VectorConstantOp : Vector_Op<"constant", [Pure, ConstantLike]> {
  let summary = "a vector whose lanes all hold one literal";
  let description = [{
    ```loom
    %zero = vector.constant 0.0 : vector<4xf32>
    %wide = vector.constant 0 : vector<[%width]xi32>
    ```
    Lanes of floats take a float literal, lanes of integers and of `index` an integer literal.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Vector_LiteralVector:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

// The same statement with extents that are values. It depends on them, so it is no constant that
// may be moved or shared. No text spells the name.
def VectorDynamicConstantOp : Vector_DimsOp<"constant-dims",
    [Pure, DeclareOpInterfaceMethods<StatementWordOpInterface>]> {
  let summary = "`vector.constant` of a vector with extents that are values";
  let description = [{
    ```loom
    %zero = vector.constant 0.0 : vector<[%width]xf32>
    ```
    The name is one of the compiler's own: the text says `vector.constant`.
  }];
  let arguments = (ins TypedAttrInterface:$value, Variadic<Index>:$dims);
  let results = (outs Vector_LiteralVector:$result);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def VectorPoisonOp : Vector_DimsOp<"poison", [Pure]> {
  let summary = "a vector without defined contents";
  let description = [{
    ```loom
    %any = vector.poison : vector<4xf32>
    ```
    What pure operations make of it is undefined as well. It must not reach a store, an atomic, a
    return or the boundary of a kernel. A vector without lanes is never poison.
  }];
  let arguments = (ins Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = "attr-dict `:` custom<DefinedType>(type($result), $dims)";
  let hasVerifier = 1;
}

def VectorEmptyOp : Vector_DimsOp<"empty", [Pure]> {
  let summary = "a vector without lanes";
  let description = [{
    ```loom
    %none = vector.empty : vector<0xf32>
    ```
    One extent at least is zero, or a value that is the constant zero.
  }];
  let arguments = (ins Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = "attr-dict `:` custom<DefinedType>(type($result), $dims)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def VectorSplatOp : Vector_DimsOp<"splat", [Pure]> {
  let summary = "a vector whose lanes all hold one scalar";
  let description = [{
    ```loom
    %a4 = vector.splat %alpha : vector<4xf32>
    ```
    The scalar has the type of the lanes.
  }];
  let arguments = (ins Vector_Scalar:$input, Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<LanesOf>(type($input), type($result), $dims)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorIotaOp : Vector_DimsOp<"iota", [Pure, AllTypesMatch<["base", "step"]>]> {
  let summary = "lanes that count";
  let description = [{
    ```loom
    %lanes = vector.iota %base step %one : vector<8xindex>
    ```
    Lane `i` is the base plus `i` steps. Both are scalars of the type of the lanes: `index` or an
    integer of at least 8 bits.
  }];
  let arguments = (ins Loom_IndexOrInteger:$base, Loom_IndexOrInteger:$step, Variadic<Index>:$dims);
  let results = (outs Loom_IndexOrIntegerVector:$result);
  let assemblyFormat = [{
    $base `step` $step attr-dict `:` custom<LanesOf>(type($base), type($result), $dims)
  }];
  let hasVerifier = 1;
}

def VectorMaskRangeOp : Vector_DimsOp<"mask.range",
    [Pure, AllTypesMatch<["lower", "upper", "step"]>]> {
  let summary = "a mask of the lanes that are inside a range";
  let description = [{
    ```loom
    %mask = vector.mask.range [%i to %count step %one] : index -> vector<4xi1>
    ```
    Lane `i` is true when the lower bound plus `i` steps is below the upper bound, in signed
    arithmetic. The step may be negative.
  }];
  let arguments = (ins Loom_IndexOrInteger:$lower, Loom_IndexOrInteger:$upper,
                       Loom_IndexOrInteger:$step, Variadic<Index>:$dims);
  let results = (outs Loom_MaskVector:$result);
  let assemblyFormat = [{
    ` ` `[` $lower `to` $upper `step` $step `]` attr-dict `:` type($lower) `->`
    custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorBroadcastOp : Vector_DimsOp<"broadcast", [Pure]> {
  let summary = "repeat a vector along axes";
  let description = [{
    ```loom
    %rows = vector.broadcast %row : vector<4xf32> -> vector<8x4xf32>
    ```
    The axes of the operand are the last ones of the result. An extent of the operand is one, or
    equals that of the result.
  }];
  let arguments = (ins Loom_Vector:$vector, Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    $vector attr-dict `:` custom<TextType>(type($vector)) `->`
    custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorFromElementsOp : Vector_Op<"from_elements", [Pure]> {
  let summary = "a vector of scalars";
  let description = [{
    ```loom
    %pair = vector.from_elements %a, %b : vector<2xf32>
    ```
    As many scalars as lanes, in row-major order. The extents are numbers.
  }];
  let arguments = (ins Variadic<Vector_Scalar>:$elements);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    $elements attr-dict `:` custom<ElementsOf>(ref($elements), type($elements), type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // LOOM_DIALECT_VECTOR_VECTORCONSTRUCT_TD
