//===- VectorFragment.td - Matrix fragments, encoding and decoding --------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORFRAGMENT_TD
#define LOOM_DIALECT_VECTOR_VECTORFRAGMENT_TD

include "loom/Dialect/Vector/VectorBase.td"

//===----------------------------------------------------------------------===//
// Matrix fragments
//===----------------------------------------------------------------------===//

def VectorFragmentOp : Vector_Op<"fragment",
    [Pure, AttrSizedOperandSegments, AllTypesMatch<["vector", "result"]>]> {
  let summary = "state that a vector is this work-item's share of a matrix";
  let description = [{
    ```loom
    %a = vector.fragment<lhs> %v shape [16, %k] where [mul(%k, 16)] : vector<16xf16>
    %b = vector.fragment<rhs> %w shape [blocks(2), 16, 16] using {scale = %sc : vector<2xf32>, schema = %s : encoding<schema>} : vector<16xi8>
    ```
    The roles are `lhs` with rows and depth, `rhs` with depth and columns, `init` and `result` with rows
    and columns; `blocks(n)` puts an axis of independent matrices in front. Extents are positive numbers
    or `index` values. The result equals the operand. `using` gives the schema in which the elements are
    encoded, and the auxiliary vectors that decoding them needs. `where` states facts about values.
    Which lane holds which element is the target's.
  }];
  let arguments = (ins Loom_FragmentRole:$role, Loom_PayloadVector:$vector, Variadic<Index>:$shape,
                       DenseI64ArrayAttr:$static_shape, Variadic<AnyType>:$auxiliaries,
                       OptionalAttr<StrArrayAttr>:$auxiliary_keys, Variadic<AnyType>:$facts,
                       OptionalAttr<Loom_PredicateArrayAttr>:$predicates);
  let results = (outs Loom_PayloadVector:$result);
  let assemblyFormat = [{
    `` `<` custom<FragmentRole>($role) `>` $vector `shape` custom<FragmentShape>($shape, $static_shape)
    `` custom<FragmentUsing>($auxiliaries, type($auxiliaries), $auxiliary_keys)
    `` custom<FragmentWhere>($facts, type($facts), $predicates) attr-dict `:`
    custom<TextType>(type($vector))
  }];
  let hasVerifier = 1;
}

def VectorFragmentRepackOp : Vector_DimsOp<"fragment.repack", [Pure, AttrSizedOperandSegments]> {
  let summary = "a fragment in another layout of lanes";
  let description = [{
    ```loom
    %b = vector.fragment.repack<lhs> %a shape [16, 16] : vector<8xf32> -> vector<16xf16>
    ```
    The same share of the same matrix, as the target wants it for the role, perhaps with other elements.
  }];
  let arguments = (ins Loom_FragmentRole:$role, Loom_PayloadVector:$vector, Variadic<Index>:$shape,
                       DenseI64ArrayAttr:$static_shape, Variadic<Index>:$dims);
  let results = (outs Loom_PayloadVector:$result);
  let assemblyFormat = [{
    `` `<` custom<FragmentRole>($role) `>` $vector `shape` custom<FragmentShape>($shape, $static_shape)
    attr-dict `:` custom<TextType>(type($vector)) `->` custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
}

def VectorFragmentLoadOp : Vector_DimsOp<"fragment.load", [AttrSizedOperandSegments]> {
  let summary = "read this work-item's share of a matrix";
  let description = [{
    ```loom
    %a = vector.fragment.load<lhs> %m[%row, 0] shape [16, 16] : view<64x64xf16> -> vector<16xf16>
    ```
    The origin has an index for every dimension of the view; the last two are rows and columns of the
    matrix, and with `blocks(n)` the one before them counts matrices. A schema with records of a fixed
    form reads them from a view of `i8` and takes scales from the record itself. Elements that differ
    from those of the view are converted, where the target can. Takes a cache hint.
  }];
  let arguments = (ins Loom_FragmentRole:$role, Arg<Loom_View, "", [MemRead]>:$view,
                       Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices,
                       Variadic<Index>:$shape, DenseI64ArrayAttr:$static_shape,
                       Variadic<AnyType>:$auxiliaries, OptionalAttr<StrArrayAttr>:$auxiliary_keys,
                       OptionalAttr<Loom_CacheScope>:$cache_scope,
                       OptionalAttr<Loom_CacheTemporal>:$cache_temporal, Variadic<Index>:$dims);
  let results = (outs Loom_PayloadVector:$result);
  let assemblyFormat = [{
    `` `<` custom<FragmentRole>($role) `>` $view `[` custom<IndexList>($indices, $static_indices) `]`
    `shape` custom<FragmentShape>($shape, $static_shape)
    `` custom<FragmentUsing>($auxiliaries, type($auxiliaries), $auxiliary_keys) attr-dict `:`
    custom<TextType>(type($view)) `->` custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
}

def VectorFragmentStoreOp : Vector_Op<"fragment.store", [AttrSizedOperandSegments]> {
  let summary = "write this work-item's share of a matrix";
  let description = [{
    ```loom
    vector.fragment.store<result> %d, %m[%row, 0] shape [16, 16] : vector<8xf32>, view<64x64xf32>
    ```
    Places and extents are those of `vector.fragment.load`. Takes a cache hint.
  }];
  let arguments = (ins Loom_FragmentRole:$role, Loom_PayloadVector:$value,
                       Arg<Loom_View, "", [MemWrite]>:$view, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices, Variadic<Index>:$shape,
                       DenseI64ArrayAttr:$static_shape, OptionalAttr<Loom_CacheScope>:$cache_scope,
                       OptionalAttr<Loom_CacheTemporal>:$cache_temporal);
  let assemblyFormat = [{
    `` `<` custom<FragmentRole>($role) `>` $value `,` $view
    `[` custom<IndexList>($indices, $static_indices) `]`
    `shape` custom<FragmentShape>($shape, $static_shape) attr-dict `:`
    custom<TextType>(type($value)) `,` custom<TextType>(type($view))
  }];
  let hasVerifier = 1;
}

def VectorMmaOp : Vector_DimsOfOp<"mma", "Initial", [Pure, AllTypesMatch<["initial", "result"]>]> {
  let summary = "matrix product of fragments, added to a third";
  let description = [{
    ```loom
    %d = vector.mma %a, %b, %c : vector<16xf16>, vector<16xf16>, vector<8xf32>
    ```
    Roles, shapes and encodings of the operands come from the operations that made them fragments and
    are judged when a target is chosen. `vector.mma<saturate>` clamps an integer accumulation instead
    of wrapping.
  }];
  let arguments = (ins UnitAttr:$saturate, Loom_PayloadVector:$lhs, Loom_PayloadVector:$rhs,
                       Loom_PayloadVector:$initial);
  let results = (outs Loom_PayloadVector:$result);
  let assemblyFormat = [{
    `` custom<Saturate>($saturate) $lhs `,` $rhs `,` $initial attr-dict `:`
    custom<TextType>(type($lhs)) `,` custom<TextType>(type($rhs)) `,`
    custom<TextType>(type($initial))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Encoding and decoding
//===----------------------------------------------------------------------===//

def VectorDecodeOp : Vector_DimsOp<"decode", [Pure, AttrSizedOperandSegments]> {
  let summary = "the values that an encoded payload stands for";
  let description = [{
    ```loom
    %x = vector.decode %codes using %schema {scale = %sc : vector<2xf32>} : vector<8xi8>, encoding<schema> -> vector<8xf32>
    ```
    The dictionary holds the auxiliary vectors that the schema asks for. For every lane the payload is
    cast to the type of the result, a zero point is subtracted, a scale multiplied, a minimum or bias
    added, each step rounded in that type.
  }];
  let arguments = (ins Loom_PayloadVector:$payload, Loom_SchemaEncoding:$schema,
                       Variadic<AnyType>:$auxiliaries,
                       OptionalAttr<StrArrayAttr>:$auxiliary_keys, Variadic<Index>:$dims);
  let results = (outs Loom_PayloadVector:$result);
  let assemblyFormat = [{
    $payload `using` $schema `` custom<OperandDict>($auxiliaries, type($auxiliaries), $auxiliary_keys)
    attr-dict `:` custom<TextType>(type($payload)) `,` custom<TextType>(type($schema)) `->`
    custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
}

def VectorEncodeOp : Vector_DimsOp<"encode", [Pure, AttrSizedOperandSegments]> {
  let summary = "the payload that stands for values";
  let description = [{
    ```loom
    %codes = vector.encode %x using %schema {scale = %sc : vector<2xf32>} : vector<8xf32>, encoding<schema> -> vector<8xi8>
    ```
    The steps of `vector.decode` backwards: subtract a minimum or bias, divide by the scale, add a zero
    point, cast to the lanes of the payload.
  }];
  let arguments = (ins Loom_PayloadVector:$vector, Loom_SchemaEncoding:$schema,
                       Variadic<AnyType>:$auxiliaries,
                       OptionalAttr<StrArrayAttr>:$auxiliary_keys, Variadic<Index>:$dims);
  let results = (outs Loom_PayloadVector:$result);
  let assemblyFormat = [{
    $vector `using` $schema `` custom<OperandDict>($auxiliaries, type($auxiliaries), $auxiliary_keys)
    attr-dict `:` custom<TextType>(type($vector)) `,` custom<TextType>(type($schema)) `->`
    custom<DefinedType>(type($result), $dims)
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_VECTOR_VECTORFRAGMENT_TD
