#ifndef LOOM_DIALECT_SCALAR_SCALAROPS_TD
#define LOOM_DIALECT_SCALAR_SCALAROPS_TD

include "loom/IR/Lanewise.td"

def ScalarDialect : Loom_LanguageDialect<"scalar"> {
  let summary = "arithmetic on integers and floats";
  let description = [{
    Every operation rounds on its own, to nearest even, in its own type; types narrower than `f32`
    are computed in `f32` and rounded to the type. Flags in angle brackets after the name are
    permissions (`scalar.addf<contract>`) or promises (`scalar.addi<nsw>`); without them nothing is
    fused or reordered and integers wrap. An operation whose operands give no value, such as a
    division by zero, is never folded and never moved in front of what guards it.
  }];
  let hasConstantMaterializer = 1;
}

class Scalar_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<ScalarDialect, mnemonic, !listconcat([Pure], traits)>;

def Scalar_Form : Lanewise_Form<ScalarDialect, "scalar", 0>;
defm Scalar : Lanewise_IntegerOps<Scalar_Form>;
defm Scalar : Lanewise_BitOps<Scalar_Form>;
defm Scalar : Lanewise_FloatOps<Scalar_Form>;
defm Scalar : Lanewise_MathOps<Scalar_Form>;
defm Scalar : Lanewise_CompareOps<Scalar_Form>;
defm Scalar : Lanewise_CastOps<Scalar_Form>;

def ScalarBitcastOp : Lanewise_CastOp<Scalar_Form, "bitcast", Loom_PayloadScalar, Loom_PayloadScalar,
    "the same bits as another type of the same width", "f32 to i32">;

def ScalarConstantOp : Scalar_Op<"constant", [ConstantLike]> {
  let summary = "an exact integer or float";
  let description = [{
    ```loom
    %initial = scalar.constant 0.0 : f32
    %mask = scalar.constant 255 : i32
    %on = scalar.constant true : i1
    ```
    An integer type takes an integer literal that fits, a float type a float literal (`2.0`, not
    `2`), rounded once to nearest even. `index` and `offset` have their own constant.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Loom_PayloadScalar:$result);
  let assemblyFormat = "custom<ScalarLiteral>($value, type($result)) attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ScalarPoisonOp : Scalar_Op<"poison"> {
  let summary = "a value without defined contents";
  let description = [{
    ```loom
    %undefined = scalar.poison : f32
    ```
    Functions of poison are poison. It has to be gone before it could be seen: it may not be stored,
    used by an atomic, or returned.
  }];
  let results = (outs Loom_PayloadScalar:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ScalarAssumeOp : Scalar_Op<"assume", [AttrSizedOperandSegments, InferTypeOpAdaptor]> {
  let summary = "record facts about integers and floats";
  let description = [{
    ```loom
    %small = scalar.assume %count [range(%count, -8, 7), ne(%count, 0)] : i16
    ```
    The results equal the operands and carry the facts. Subjects of the predicates are operands of
    the operation; the other arguments are any visible values or literals. Nothing is checked at run
    time: the author promises that the facts hold.
  }];
  let arguments = (ins Variadic<Loom_PayloadScalar>:$inputs, Variadic<Loom_PayloadScalar>:$others,
                       Loom_PredicateArrayAttr:$predicates);
  let results = (outs Variadic<Loom_PayloadScalar>:$results);
  let assemblyFormat = [{
    $inputs custom<AssumePredicates>(ref($inputs), $others, type($others), $predicates) attr-dict
    `:` type($inputs)
  }];
  let hasVerifier = 1;
}

class Scalar_BitfieldExtractOp<string mnemonic, string what>
    : Scalar_Op<"bitfield." # mnemonic> {
  let summary = what;
  let description = "```loom\n%code = scalar.bitfield." # mnemonic # [{ %word {offset = 4, width = 3} : i32 -> i8
```
Takes `width` bits from bit `offset` on. The field lies inside the operand and fits the result.
}];
  let arguments = (ins Loom_Integer:$input, I64Attr:$offset, I64Attr:$width);
  let results = (outs Loom_Integer:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def ScalarBitfieldExtractUOp
    : Scalar_BitfieldExtractOp<"extractu", "a field of bits, extended by zeros">;
def ScalarBitfieldExtractSOp
    : Scalar_BitfieldExtractOp<"extracts", "a field of bits, extended by its sign">;

#endif // LOOM_DIALECT_SCALAR_SCALAROPS_TD
