//===- VectorAccess.td - Parts of vectors, and their order ----------------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORACCESS_TD
#define LOOM_DIALECT_VECTOR_VECTORACCESS_TD

include "loom/Dialect/Vector/VectorBase.td"

def VectorExtractOp : Vector_Op<"extract", [Pure, DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "one element of a vector, or what lies below its first axes";
  let description = [{
    ```loom
    %row = vector.extract %v[1] : vector<2x4xf32> -> vector<4xf32>
    %x = vector.extract %row[%lane] : vector<4xf32> -> f32
    ```
    An index for every axis gives a scalar; fewer give the vector of the remaining axes.
  }];
  let arguments = (ins Loom_Vector:$vector, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices);
  let results = (outs Vector_ScalarOrVector:$result);
  let assemblyFormat = [{
    $vector `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    custom<TextType>(type($vector)) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorInsertOp : Vector_Op<"insert", [Pure, AllTypesMatch<["vector", "result"]>]> {
  let summary = "a vector with one element, or what lies below its first axes, replaced";
  let description = [{
    ```loom
    %v2 = vector.insert %x into %v[3] : f32, vector<4xf32>
    ```
    The mirror of `vector.extract`: what is inserted has the type that extracting at these indices
    would give.
  }];
  let arguments = (ins Vector_ScalarOrVector:$value, Loom_Vector:$vector, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    $value `into` $vector `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    type($value) `,` custom<TextType>(type($vector))
  }];
  let hasVerifier = 1;
}

def VectorSliceOp : Vector_DimsOp<"slice", [Pure, AttrSizedOperandSegments]> {
  let summary = "a box of a vector";
  let description = [{
    ```loom
    %half = vector.slice %v[0, 4] : vector<2x8xf32> -> vector<2x4xf32>
    ```
    The rank stays. One offset per axis; the box has to lie inside.
  }];
  let arguments = (ins Loom_Vector:$vector, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices, Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    $vector `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    custom<TextType>(type($vector)) `->` custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorConcatOp : Vector_DimsOp<"concat", [Pure, AttrSizedOperandSegments]> {
  let summary = "vectors one behind the other along an axis";
  let description = [{
    ```loom
    %both = vector.concat<0> %lo, %hi : vector<4xi8>, vector<4xi8> -> vector<8xi8>
    ```
    The other axes are equal; the extents along the axis add up.
  }];
  let arguments = (ins I64Attr:$axis, Variadic<Loom_Vector>:$inputs, Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    `` custom<TemplateInteger>($axis) $inputs attr-dict `:` type($inputs) `->`
    custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorTransposeOp : Vector_Op<"transpose", [Pure, DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "a vector with its axes permuted";
  let description = [{
    ```loom
    %t = vector.transpose<[1, 0]> %v : vector<2x4xf32> -> vector<4x2xf32>
    ```
    Axis `i` of the result is axis `p[i]` of the operand, for the permutation `p` in brackets.
  }];
  let arguments = (ins DenseI64ArrayAttr:$permutation, Loom_Vector:$vector);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    `` custom<TemplateIntegers>($permutation) $vector attr-dict `:`
    custom<TextType>(type($vector)) `->` custom<TextType>(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorShuffleOp : Vector_Op<"shuffle", [Pure, AllTypesMatch<["vector", "result"]>]> {
  let summary = "lanes in another order";
  let description = [{
    ```loom
    %r = vector.shuffle<[3, 2, 1, 0]> %v : vector<4xf32>
    ```
    Lane `i` of the result is lane `l[i]` of the operand, for the list `l` in brackets, which has an
    entry for every lane and may repeat lanes. The vector has one axis and its extent is a number.
  }];
  let arguments = (ins DenseI64ArrayAttr:$lanes, Loom_Vector:$vector);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    `` custom<TemplateIntegers>($lanes) $vector attr-dict `:` custom<TextType>(type($vector))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorInterleaveOp : Vector_DimsOp<"interleave", [Pure]> {
  let summary = "two vectors in turn along an axis";
  let description = [{
    ```loom
    %pairs = vector.interleave<0> %even, %odd : vector<4xf32>, vector<4xf32> -> vector<8xf32>
    ```
    Both operands are alike; the axis doubles.
  }];
  let arguments = (ins I64Attr:$axis, Loom_Vector:$even, Loom_Vector:$odd, Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    `` custom<TemplateInteger>($axis) $even `,` $odd attr-dict `:` custom<TextType>(type($even)) `,`
    custom<TextType>(type($odd)) `->` custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
}

def VectorDeinterleaveOp : Vector_DimsOp<"deinterleave", [Pure]> {
  let summary = "every second part of a vector along an axis";
  let description = [{
    ```loom
    %even, %odd = vector.deinterleave<0> %pairs : vector<8xf32> -> vector<4xf32>, vector<4xf32>
    ```
    The extent along the axis is even; that of both results is half of it.
  }];
  let arguments = (ins I64Attr:$axis, Loom_Vector:$vector, Variadic<Index>:$dims);
  let results = (outs Loom_Vector:$even, Loom_Vector:$odd);
  let assemblyFormat = [{
    `` custom<TemplateInteger>($axis) $vector attr-dict `:` custom<TextType>(type($vector)) `->`
    custom<DefinedType>(type($even), $dims) `,` custom<TextType>(type($odd))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // LOOM_DIALECT_VECTOR_VECTORACCESS_TD
