//===- VectorLanewise.td - Operations that work lane by lane --------------===//
#ifndef LOOM_DIALECT_VECTOR_VECTORLANEWISE_TD
#define LOOM_DIALECT_VECTOR_VECTORLANEWISE_TD

include "loom/Dialect/Vector/VectorBase.td"
include "loom/IR/Lanewise.td"

def Vector_Form : Lanewise_Form<VectorDialect, "vector", 1>;
defm Vector : Lanewise_IntegerOps<Vector_Form>;
defm Vector : Lanewise_BitOps<Vector_Form>;
defm Vector : Lanewise_FloatOps<Vector_Form>;
defm Vector : Lanewise_MathOps<Vector_Form>;
defm Vector : Lanewise_CompareOps<Vector_Form>;
defm Vector : Lanewise_CastOps<Vector_Form>;

def VectorSelectOp : Vector_Op<"select", [Pure, AllTypesMatch<["true_value", "false_value", "result"]>,
    TypesMatchWith<"the mask has the shape of the vectors", "result", "mask",
                   "::loom::getMaskType($_self)">]> {
  let summary = "choose between two vectors lane by lane";
  let description = [{
    ```loom
    %result = vector.select %mask, %a, %b : vector<4xf32>
    ```
    Where the mask, a vector of `i1` in the same shape, is true the lane of the first vector, else
    that of the second. The elements are of any type.
  }];
  let arguments = (ins Loom_MaskVector:$mask, Loom_Vector:$true_value, Loom_Vector:$false_value);
  let results = (outs Loom_Vector:$result);
  let assemblyFormat = "$mask `,` $true_value `,` $false_value attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def VectorBitcastOp : Vector_Op<"bitcast", [Pure, DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "the same bits as a vector of another type";
  let description = [{
    ```loom
    %result = vector.bitcast %a : vector<4xf32> to vector<8xi16>
    ```
    The lanes follow each other in one stream of bits, the lowest bit of a lane first. Shape and
    element width may both change; the number of bits may not, which of extents that are values
    means that both types have the same ones.
  }];
  let arguments = (ins Loom_PayloadVector:$input, Variadic<Index>:$dims);
  let results = (outs Loom_PayloadVector:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` custom<DefinedType>(type($result), $dims)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_VECTOR_VECTORLANEWISE_TD
