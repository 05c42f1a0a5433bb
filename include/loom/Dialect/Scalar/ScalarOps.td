#ifndef LOOM_DIALECT_SCALAR_SCALAROPS_TD
#define LOOM_DIALECT_SCALAR_SCALAROPS_TD

include "loom/IR/LoomBase.td"

def ScalarDialect : Loom_LanguageDialect<"scalar"> {
  let summary = "arithmetic on integers and floats";
  let description = [{
    Every operation rounds on its own, to nearest even, in its own type. Flags in angle brackets
    after the name are permissions (`scalar.addf<contract>`) or promises (`scalar.addi<nsw>`);
    without them nothing is fused or reordered and integers wrap.
  }];
  let hasConstantMaterializer = 1;
}

class Scalar_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<ScalarDialect, mnemonic, !listconcat([Pure], traits)>;

class Scalar_IntBinaryOp<string mnemonic, list<Trait> traits = []>
    : Scalar_Op<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Loom_Integer:$lhs, Loom_Integer:$rhs,
                       DefaultValuedAttr<Loom_Overflow, "::loom::OverflowFlags::none">:$overflow);
  let results = (outs Loom_Integer:$result);
  let assemblyFormat = "`` custom<Overflow>($overflow) $lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

class Scalar_BitOp<string mnemonic, list<Trait> traits = []>
    : Scalar_Op<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Loom_Integer:$lhs, Loom_Integer:$rhs);
  let results = (outs Loom_Integer:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

// None of the float operations is Commutative: of two NaN operands the first one survives, and MLIR
// would move constants behind other operands.
class Scalar_FloatBinaryOp<string mnemonic, list<Trait> traits = []>
    : Scalar_Op<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Loom_Float:$lhs, Loom_Float:$rhs,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs Loom_Float:$result);
  let assemblyFormat = "`` custom<FastMath>($fastmath) $lhs `,` $rhs attr-dict `:` type($result)";
}

class Scalar_FloatUnaryOp<string mnemonic, list<Trait> traits = []>
    : Scalar_Op<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Loom_Float:$input,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs Loom_Float:$result);
  let assemblyFormat = "`` custom<FastMath>($fastmath) $input attr-dict `:` type($result)";
}

class Scalar_CastOp<string mnemonic, Type from, Type to, bit checkWidth = 1>
    : Scalar_Op<mnemonic> {
  let arguments = (ins from:$input);
  let results = (outs to:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = checkWidth;
}

def ScalarConstantOp : Scalar_Op<"constant", [ConstantLike]> {
  let summary = "an exact integer or float";
  let description = [{
    ```loom
    %initial = scalar.constant 0.0 : f32
    %mask = scalar.constant 255 : i32
    %on = scalar.constant true : i1
    ```
    An integer type takes an integer literal that fits, a float type a float literal (`2.0`, not
    `2`). `index` and `offset` have their own constant.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Loom_PayloadScalar:$result);
  let assemblyFormat = "custom<ScalarLiteral>($value, type($result)) attr-dict";
  let hasFolder = 1;
}

def ScalarAddIOp : Scalar_IntBinaryOp<"addi", [Commutative]> {
  let summary = "integer sum";
  let description = "`%s = scalar.addi<nsw> %a, %b : i32`. Wraps unless a flag promises otherwise.";
}
def ScalarSubIOp : Scalar_IntBinaryOp<"subi"> {
  let summary = "integer difference";
  let description = "`%d = scalar.subi %a, %b : i32`. Wraps unless a flag promises otherwise.";
}
def ScalarMulIOp : Scalar_IntBinaryOp<"muli", [Commutative]> {
  let summary = "integer product";
  let description = "`%p = scalar.muli %a, %b : i32`. Wraps unless a flag promises otherwise.";
}
def ScalarAndIOp : Scalar_BitOp<"andi", [Commutative]> {
  let summary = "bitwise and";
  let description = "`%r = scalar.andi %a, %b : i1`";
}
def ScalarOrIOp : Scalar_BitOp<"ori", [Commutative]> {
  let summary = "bitwise or";
  let description = "`%r = scalar.ori %a, %b : i1`";
}
def ScalarXOrIOp : Scalar_BitOp<"xori", [Commutative]> {
  let summary = "bitwise exclusive or";
  let description = "`%r = scalar.xori %a, %b : i32`";
}

def ScalarAddFOp : Scalar_FloatBinaryOp<"addf"> {
  let summary = "float sum";
  let description = "`%next = scalar.addf %sum, %value : f32`";
}
def ScalarSubFOp : Scalar_FloatBinaryOp<"subf"> {
  let summary = "float difference";
  let description = "`%d = scalar.subf %a, %b : f32`";
}
def ScalarMulFOp : Scalar_FloatBinaryOp<"mulf"> {
  let summary = "float product";
  let description = "`%p = scalar.mulf %a, %b : f32`. Fuses with an addition only when both carry `contract`.";
}
def ScalarDivFOp : Scalar_FloatBinaryOp<"divf"> {
  let summary = "float quotient";
  let description = "`%q = scalar.divf %a, %b : f32`";
}
def ScalarMinimumFOp : Scalar_FloatBinaryOp<"minimumf"> {
  let summary = "smaller float; NaN wins, -0 is below +0";
  let description = "`%m = scalar.minimumf %a, %b : f32`";
}
def ScalarMaximumFOp : Scalar_FloatBinaryOp<"maximumf"> {
  let summary = "larger float; NaN wins, -0 is below +0";
  let description = "`%m = scalar.maximumf %a, %b : f32`";
}
def ScalarNegFOp : Scalar_FloatUnaryOp<"negf"> {
  let summary = "flip the sign bit";
  let description = "`%n = scalar.negf %a : f32`";
}
def ScalarAbsFOp : Scalar_FloatUnaryOp<"absf"> {
  let summary = "clear the sign bit";
  let description = "`%n = scalar.absf %a : f32`";
}

def ScalarFmaFOp : Scalar_Op<"fmaf", [SameOperandsAndResultType]> {
  let summary = "product plus addend with one rounding";
  let description = "`%r = scalar.fmaf %a, %x, %y : f32`";
  let arguments = (ins Loom_Float:$lhs, Loom_Float:$rhs, Loom_Float:$addend,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs Loom_Float:$result);
  let assemblyFormat = [{
    `` custom<FastMath>($fastmath) $lhs `,` $rhs `,` $addend attr-dict `:` type($result)
  }];
}

def ScalarCmpIOp : Scalar_Op<"cmpi", [SameTypeOperands]> {
  let summary = "compare integers";
  let description = "`%c = scalar.cmpi ult, %id, %limit : i32`";
  let arguments = (ins Loom_IntPredicate:$predicate, Loom_Integer:$lhs, Loom_Integer:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    custom<IntPredicate>($predicate) `,` $lhs `,` $rhs attr-dict `:` type($lhs)
  }];
  let hasFolder = 1;
}

def ScalarCmpFOp : Scalar_Op<"cmpf", [SameTypeOperands]> {
  let summary = "compare floats";
  let description = [{
    `%c = scalar.cmpf olt, %a, %b : f32`. The `o` predicates are false with a NaN, the `u` ones true.
  }];
  let arguments = (ins Loom_FloatPredicate:$predicate, Loom_Float:$lhs, Loom_Float:$rhs,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    `` custom<FastMath>($fastmath) custom<FloatPredicate>($predicate) `,` $lhs `,` $rhs attr-dict
    `:` type($lhs)
  }];
}

def ScalarSIToFPOp : Scalar_CastOp<"sitofp", Loom_Integer, Loom_Float, 0> {
  let summary = "signed integer to float, to nearest even";
  let description = "`%f = scalar.sitofp %i : i32 to f32`";
}
def ScalarUIToFPOp : Scalar_CastOp<"uitofp", Loom_Integer, Loom_Float, 0> {
  let summary = "unsigned integer to float, to nearest even";
  let description = "`%f = scalar.uitofp %i : i32 to f32`";
}
def ScalarExtFOp : Scalar_CastOp<"extf", Loom_Float, Loom_Float> {
  let summary = "float to a wider float, exact";
  let description = "`%w = scalar.extf %h : f16 to f32`";
}
def ScalarFPTruncOp : Scalar_CastOp<"fptrunc", Loom_Float, Loom_Float> {
  let summary = "float to a narrower float, to nearest even";
  let description = "`%h = scalar.fptrunc %w : f32 to f16`";
}
def ScalarExtSIOp : Scalar_CastOp<"extsi", Loom_Integer, Loom_Integer> {
  let summary = "integer to a wider integer, by sign";
  let description = "`%w = scalar.extsi %b : i8 to i32`";
}
def ScalarExtUIOp : Scalar_CastOp<"extui", Loom_Integer, Loom_Integer> {
  let summary = "integer to a wider integer, by zeros";
  let description = "`%w = scalar.extui %b : i8 to i32`";
}
def ScalarTruncIOp : Scalar_CastOp<"trunci", Loom_Integer, Loom_Integer> {
  let summary = "integer to a narrower integer, low bits";
  let description = "`%b = scalar.trunci %w : i32 to i8`";
}
def ScalarBitcastOp : Scalar_CastOp<"bitcast", Loom_PayloadScalar, Loom_PayloadScalar> {
  let summary = "the same bits as another type of the same width";
  let description = "`%bits = scalar.bitcast %f : f32 to i32`";
}

#endif // LOOM_DIALECT_SCALAR_SCALAROPS_TD
