//===- VectorTables.td - Tables, transforms, packed bits ------------------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORTABLES_TD
#define LOOM_DIALECT_VECTOR_VECTORTABLES_TD

include "loom/Dialect/Vector/VectorBase.td"

def VectorTableLookupOp : Vector_DimsOfOp<"table.lookup", "Indices", [Pure]> {
  let summary = "elements of a table by index";
  let description = [{
    ```loom
    %values = vector.table.lookup %table[%codes] : vector<16xf32>, vector<2x8xi8> -> vector<2x8xf32>
    ```
    The table has one axis. The indices are `index` or signed integers and have to lie inside of it;
    where they are literals, that is checked. The result has the shape of the indices.
  }];
  let arguments = (ins Loom_Vector:$table, Loom_IndexOrIntegerVector:$indices);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    $table `[` $indices `]` attr-dict `:` custom<TextType>(type($table)) `,`
    custom<TextType>(type($indices)) `->` custom<TextType>(type($result))
  }];
  let hasVerifier = 1;
}

def VectorTableQuantizeOp : Vector_Op<"table.quantize", [Pure]> {
  let summary = "the number of thresholds below every lane";
  let description = [{
    ```loom
    %codes = vector.table.quantize %x, %thresholds {nan = zero, tie = lower} : vector<8xf32>, vector<15xf32> -> vector<8xi8>
    ```
    The thresholds have one axis, hold no NaN and do not decrease. With `tie = lower` a threshold that
    equals the lane does not count, with `tie = upper` it does. A NaN gives zero, or with `nan = max`
    the number of thresholds, which the type of the codes has to hold as an unsigned number.
  }];
  let arguments = (ins Loom_FloatVector:$input, Loom_FloatVector:$thresholds,
                       Loom_QuantizeNan:$nan, Loom_QuantizeTie:$tie);
  let results = (outs Loom_IndexOrIntegerVector:$result);
  let assemblyFormat = [{
    $input `,` $thresholds attr-dict `:` custom<TextType>(type($input)) `,`
    custom<TextType>(type($thresholds)) `->` custom<TextType>(type($result))
  }];
  let hasVerifier = 1;
}

def VectorTransformOp : Vector_Op<"transform", [Pure]> {
  let summary = "a numeric transform along the last axis";
  let description = [{
    ```loom
    %y = vector.transform %x, %hadamard : vector<8xf32>, encoding<transform> -> vector<8xf32>
    ```
    The transform `#transform.hadamard` is the Walsh-Hadamard transform in natural order: butterflies
    with strides 1, 2, 4 and so on, each rounded in the type of the lanes; `orthonormal` then scales by
    one over the square root of the extent. The last extent is a power of two.
  }];
  let arguments = (ins Loom_FloatVector:$vector, Loom_TransformEncoding:$transform);
  let results = (outs Loom_FloatVector:$result);
  let assemblyFormat = [{
    $vector `,` $transform attr-dict `:` custom<TextType>(type($vector)) `,`
    custom<TextType>(type($transform)) `->` custom<TextType>(type($result))
  }];
  let hasVerifier = 1;
}

class Vector_BitfieldExtractOp<string mnemonic> : Vector_Op<mnemonic, [Pure]> {
  let arguments = (ins Loom_IntegerVector:$input, I64Attr:$offset, I64Attr:$width);
  let results = (outs Loom_IntegerVector:$result);
  let assemblyFormat = [{
    $input attr-dict `:` custom<TextType>(type($input)) `->` custom<TextType>(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def VectorBitfieldExtractUOp : Vector_BitfieldExtractOp<"bitfield.extractu"> {
  let summary = "bits of every lane, zero-extended";
  let description = [{
    ```loom
    %low = vector.bitfield.extractu %bytes {offset = 0, width = 4} : vector<16xi8> -> vector<16xi8>
    ```
    The bits from `offset` on, `width` of them, have to lie inside the lane and fit the lanes of the
    result, which has the same shape.
  }];
}
def VectorBitfieldExtractSOp : Vector_BitfieldExtractOp<"bitfield.extracts"> {
  let summary = "bits of every lane, sign-extended";
  let description = [{
    ```loom
    %high = vector.bitfield.extracts %bytes {offset = 4, width = 4} : vector<16xi8> -> vector<16xi8>
    ```
    As `vector.bitfield.extractu`, but the highest of the bits is the sign.
  }];
}

def VectorBitfieldInsertOp : Vector_Op<"bitfield.insert",
    [Pure, AllTypesMatch<["base", "result"]>]> {
  let summary = "every lane with some bits replaced";
  let description = [{
    ```loom
    %both = vector.bitfield.insert %high into %low {offset = 4, width = 4} : vector<16xi8>, vector<16xi8>
    ```
    The low `width` bits of the first operand replace those from `offset` on. The result has the type
    of the second.
  }];
  let arguments = (ins Loom_IntegerVector:$field, Loom_IntegerVector:$base, I64Attr:$offset,
                       I64Attr:$width);
  let results = (outs Loom_IntegerVector:$result);
  let assemblyFormat = [{
    $field `into` $base attr-dict `:` custom<TextType>(type($field)) `,`
    custom<TextType>(type($base))
  }];
  let hasVerifier = 1;
}

class Vector_BitPackOp<string mnemonic> : Vector_DimsOp<mnemonic, [Pure]> {
  let arguments = (ins I64Attr:$width, Loom_IntegerVector:$input, Variadic<Index>:$dims);
  let results = (outs Loom_IntegerVector:$result);
  let assemblyFormat = [{
    `` custom<TemplateInteger>($width) $input attr-dict `:` custom<TextType>(type($input)) `->`
    custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
}
def VectorBitPackOp : Vector_BitPackOp<"bitpack"> {
  let summary = "the low bits of the lanes as one stream";
  let description = [{
    ```loom
    %packed = vector.bitpack<4> %codes : vector<16xi8> -> vector<2xi32>
    ```
    The low bits of the lanes, lane zero first, form one little-endian stream without gaps that fills
    the lanes of the result. A field may lie across two of them. Both sides have the same number of
    bits.
  }];
}
def VectorBitUnpackUOp : Vector_BitPackOp<"bitunpacku"> {
  let summary = "a stream of bits as lanes, zero-extended";
  let description = [{
    ```loom
    %codes = vector.bitunpacku<4> %packed : vector<2xi32> -> vector<16xi8>
    ```
    Undoes `vector.bitpack`.
  }];
}
def VectorBitUnpackSOp : Vector_BitPackOp<"bitunpacks"> {
  let summary = "a stream of bits as lanes, sign-extended";
  let description = [{
    ```loom
    %codes = vector.bitunpacks<8> %packed : vector<1xi32> -> vector<4xi32>
    ```
    Undoes `vector.bitpack` for signed fields.
  }];
}

#endif // LOOM_DIALECT_VECTOR_VECTORTABLES_TD
