#ifndef LOOM_DIALECT_VECTOR_VECTOROPS_TD
#define LOOM_DIALECT_VECTOR_VECTOROPS_TD

include "loom/IR/LoomBase.td"

def VectorDialect : Loom_LanguageDialect<"vector"> {
  let summary = "values of several elements held by one work-item";
  let hasConstantMaterializer = 1;
}

class Vector_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<VectorDialect, mnemonic, traits>;

class Vector_FloatBinaryOp<string mnemonic>
    : Vector_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Loom_FloatVector:$lhs, Loom_FloatVector:$rhs,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs Loom_FloatVector:$result);
  let assemblyFormat = "`` custom<FastMath>($fastmath) $lhs `,` $rhs attr-dict `:` custom<TextType>(type($result))";
}

def VectorConstantOp : Vector_Op<"constant", [Pure, ConstantLike]> {
  let summary = "a vector whose lanes all hold one literal";
  let description = "`%zero = vector.constant 0.0 : vector<4xf32>`";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = "custom<SplatLiteral>($value, type($result)) attr-dict";
  let hasFolder = 1;
}

def VectorSplatOp : Vector_Op<"splat", [Pure]> {
  let summary = "a vector whose lanes all hold one scalar";
  let description = "`%a4 = vector.splat %alpha : vector<4xf32>`";
  let arguments = (ins Loom_PayloadScalar:$input);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = "custom<SplatOperand>($input, type($input), type($result)) attr-dict";
  let hasVerifier = 1;
}

def VectorExtractOp : Vector_Op<"extract", [Pure]> {
  let summary = "one element of a vector";
  let description = "`%x = vector.extract %v[2] : vector<4xf32> -> f32`";
  let arguments = (ins Loom_Vector:$vector, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices);
  let results = (outs Loom_PayloadScalar:$result);
  let assemblyFormat = [{
    $vector `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    custom<TextType>(type($vector)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def VectorAddFOp : Vector_FloatBinaryOp<"addf"> {
  let summary = "lane by lane float sum";
  let description = "`%s = vector.addf %a, %b : vector<4xf32>`";
}
def VectorSubFOp : Vector_FloatBinaryOp<"subf"> {
  let summary = "lane by lane float difference";
  let description = "`%s = vector.subf %a, %b : vector<4xf32>`";
}
def VectorMulFOp : Vector_FloatBinaryOp<"mulf"> {
  let summary = "lane by lane float product";
  let description = "`%s = vector.mulf %a, %b : vector<4xf32>`";
}

def VectorReduceOp : Vector_Op<"reduce", [Pure]> {
  let summary = "combine the lanes of a vector with an initial value";
  let description = [{
    ```loom
    %next = vector.reduce<addf> %value, %sum : vector<4xf32>, f32
    ```
    Lanes are combined in ascending order, beginning with the initial value, unless `reassoc`
    permits a tree: `vector.reduce<addf, reassoc> ...`.
  }];
  let arguments = (ins Loom_CombiningKind:$kind, Loom_Vector:$vector, Loom_PayloadScalar:$initial,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs Loom_PayloadScalar:$result);
  let assemblyFormat = [{
    `` custom<ReduceKind>($kind, $fastmath) $vector `,` $initial attr-dict `:` custom<TextType>(type($vector)) `,`
    custom<SameAsResult>(type($initial), type($result))
  }];
  let hasVerifier = 1;
}

def VectorLoadOp : Vector_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "read consecutive elements of a view";
  let description = [{
    ```loom
    %value = vector.load %values[%row, %lane, 0] : view<64x32x4xf32> -> vector<4xf32>
    ```
    The axes of the vector are the last axes of the view; the footprint has to lie inside.
  }];
  let arguments = (ins Arg<Loom_View, "", [MemRead]>:$view, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$static_indices, UnitAttr:$linear, UnitAttr:$is_volatile);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = [{
    `` custom<Access>($linear, $is_volatile) $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    custom<UseType>(type($view), ref($view)) `->` custom<TextType>(type($result))
  }];
  let hasVerifier = 1;
}

def VectorStoreOp : Vector_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "write consecutive elements of a view";
  let description = [{
    ```loom
    vector.store %value, %values[%row, %lane, 0] : vector<4xf32>, view<64x32x4xf32>
    ```
  }];
  let arguments = (ins Loom_Vector:$value, Arg<Loom_View, "", [MemWrite]>:$view,
                       Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices,
                       UnitAttr:$linear, UnitAttr:$is_volatile);
  let assemblyFormat = [{
    `` custom<Access>($linear, $is_volatile) $value `,` $view `[` custom<IndexList>($indices, $static_indices) `]` attr-dict `:`
    custom<TextType>(type($value)) `,` custom<UseType>(type($view), ref($view))
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_VECTOR_VECTOROPS_TD
