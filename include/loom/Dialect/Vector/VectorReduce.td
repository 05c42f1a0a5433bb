//===- VectorReduce.td - Dot products and reductions ----------------------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORREDUCE_TD
#define LOOM_DIALECT_VECTOR_VECTORREDUCE_TD

include "loom/Dialect/Vector/VectorBase.td"

def VectorDotFOp : Vector_Op<"dotf", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "dot product of float vectors";
  let description = [{
    ```loom
    %next = vector.dotf %a, %b, %sum : vector<4xf32>, vector<4xf32>, f32
    ```
    A chain of fused multiply-adds that begins with the last operand and takes the lanes in order;
    `reassoc` permits another order.
  }];
  let arguments = (ins Loom_FloatVector:$lhs, Loom_FloatVector:$rhs, Loom_Float:$acc,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs Loom_Float:$result);
  let assemblyFormat = [{
    `` custom<FastMath>($fastmath) $lhs `,` $rhs `,` $acc attr-dict `:`
    custom<TextType>(type($lhs)) `,` custom<TextType>(type($rhs)) `,` type($acc)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

/// Groups of lanes along the last axis are multiplied and added to one lane of `acc`.
class Vector_GroupDotOp<string mnemonic, Type acc>
    : Vector_Op<mnemonic, [Pure, AllTypesMatch<["acc", "result"]>]> {
  let results = (outs acc:$result);
  let hasVerifier = 1;
}

def VectorDot2FOp : Vector_GroupDotOp<"dot2f", Vector_F32Vector> {
  let summary = "dot products of pairs of f16 or bf16";
  let description = [{
    ```loom
    %next = vector.dot2f %a, %b, %sums : vector<8xf16>, vector<8xf16>, vector<4xf32>
    ```
    Two lanes along the last axis go into one lane of the sums: a fused multiply-add in f32 for the
    first of them, then one for the second. The last extent of the sums is half of the operands'.
  }];
  let arguments = (ins Vector_HalfVector:$lhs, Vector_HalfVector:$rhs, Vector_F32Vector:$acc);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc attr-dict `:` custom<TextType>(type($lhs)) `,`
    custom<TextType>(type($rhs)) `,` custom<TextType>(type($acc))
  }];
}

def VectorDot4IOp : Vector_GroupDotOp<"dot4i", Vector_I32Vector> {
  let summary = "dot products of four bytes";
  let description = [{
    ```loom
    %next = vector.dot4i<u8s8> %a, %b, %sums : vector<16xi8>, vector<16xi8>, vector<4xi32>
    ```
    Four lanes along the last axis go into one lane of the sums, which wraps. The word says for each
    side whether its bytes are signed (`s8`) or unsigned (`u8`).
  }];
  let arguments = (ins Loom_Dot4IKind:$kind, Vector_I8Vector:$lhs, Vector_I8Vector:$rhs,
                       Vector_I32Vector:$acc);
  let assemblyFormat = [{
    `` `<` custom<Dot4IKind>($kind) `>` $lhs `,` $rhs `,` $acc attr-dict `:`
    custom<TextType>(type($lhs)) `,` custom<TextType>(type($rhs)) `,` custom<TextType>(type($acc))
  }];
}

def VectorDot8I4Op : Vector_Op<"dot8i4", [Pure, SameOperandsAndResultType]> {
  let summary = "dot products of eight nibbles";
  let description = [{
    ```loom
    %next = vector.dot8i4<s4s4> %a, %b, %sums : vector<4xi32>
    ```
    Every i32 lane of the first two operands holds eight nibbles, the lowest bits first. Their products
    are added to the lane of the sums, which wraps. The word says for each side whether its nibbles are
    signed.
  }];
  let arguments = (ins Loom_Dot8I4Kind:$kind, Vector_I32Vector:$lhs, Vector_I32Vector:$rhs,
                       Vector_I32Vector:$acc);
  let results = (outs Vector_I32Vector:$result);
  let assemblyFormat = [{
    `` `<` custom<Dot8I4Kind>($kind) `>` $lhs `,` $rhs `,` $acc attr-dict `:`
    custom<TextType>(type($result))
  }];
  let hasVerifier = 1;
}

def VectorDot4F8Op : Vector_Op<"dot4f8",
    [Pure, AllTypesMatch<["lhs", "rhs"]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "dot products of four 8-bit floats";
  let description = [{
    ```loom
    %next = vector.dot4f8<fp8bf8> %a, %b, %sums : vector<4xi32>, vector<4xf32>
    ```
    Every i32 lane of the first two operands holds four 8-bit floats, the lowest byte first: f8E4M3
    for `fp8`, f8E5M2 for `bf8`. A chain of fused multiply-adds in f32, byte by byte, that begins with
    the lane of the sums. All operands have one shape.
  }];
  let arguments = (ins Loom_Dot4F8Kind:$kind, Vector_I32Vector:$lhs, Vector_I32Vector:$rhs,
                       Vector_F32Vector:$acc);
  let results = (outs Vector_F32Vector:$result);
  let assemblyFormat = [{
    `` `<` custom<Dot4F8Kind>($kind) `>` $lhs `,` $rhs `,` $acc attr-dict `:`
    custom<TextType>(type($lhs)) `,` custom<TextType>(type($acc))
  }];
  let hasVerifier = 1;
}

def VectorReduceOp : Vector_Op<"reduce", [Pure]> {
  let summary = "combine the lanes of a vector with an initial value";
  let description = [{
    ```loom
    %next = vector.reduce<addf> %value, %sum : vector<4xf32>, f32
    ```
    Lanes are combined in ascending order, beginning with the initial value, unless `reassoc`
    permits a tree: `vector.reduce<addf, reassoc> ...`. Without lanes the initial value is the result.
  }];
  let arguments = (ins Loom_CombiningKind:$kind, Loom_Vector:$vector, Loom_PayloadScalar:$initial,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs Loom_PayloadScalar:$result);
  let assemblyFormat = [{
    `` custom<ReduceKind>($kind, $fastmath) $vector `,` $initial attr-dict `:` custom<TextType>(type($vector)) `,`
    custom<SameAsResult>(type($initial), type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorReduceAxesOp : Vector_Op<"reduce.axes",
    [Pure, AllTypesMatch<["initial", "result"]>]> {
  let summary = "combine the lanes of a vector along axes";
  let description = [{
    ```loom
    %sums = vector.reduce.axes<addf> %tile, %zeros axes [1] : vector<8x4xf32>, vector<8xf32>
    %sum = vector.reduce.axes<addf> %tile, %zero axes [0, 1] : vector<8x4xf32>, f32
    ```
    The axes ascend. The initial value has the shape of the others, or is a scalar when there are
    none. The order of combination is that of `vector.reduce`.
  }];
  let arguments = (ins Loom_CombiningKind:$kind, Loom_Vector:$vector,
                       AnyTypeOf<[Loom_PayloadScalar, Loom_PayloadVector],
                                 "an integer, a float or a vector of these">:$initial,
                       DenseI64ArrayAttr:$axes,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `` custom<ReduceKind>($kind, $fastmath) $vector `,` $initial `axes` custom<IntegerList>($axes)
    attr-dict `:` custom<TextType>(type($vector)) `,` type($initial)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // LOOM_DIALECT_VECTOR_VECTORREDUCE_TD
