//===- Lanewise.td - Functions of numbers, scalar and lane by lane --------===//
//
// `scalar` and `vector` have the same functions of integers and floats: an operation of `vector`
// applies to each lane what the one of `scalar` does to its operands. The families below define
// both; a form says which of the two is meant. What the functions compute, where they have no value
// and what is folded is in Lanewise.h.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_LANEWISE_TD
#define LOOM_IR_LANEWISE_TD

include "loom/IR/LoomBase.td"

def LanewiseOpInterface : OpInterface<"LanewiseOpInterface"> {
  let description = [{
    An operation that computes one function of numbers: once, or for every lane of its vectors.
    Verifies that the shapes of all vectors agree, and that conversions go the way their name says.
  }];
  let cppNamespace = "::loom";
  let methods = [
    InterfaceMethod<"The function.", "::loom::LanewiseFunction", "getLanewiseFunction">,
  ];
  let verify = [{ return ::loom::verifyLanewise($_op); }];
}

/// One of the two forms of every function: the dialect, and the types it works on.
class Lanewise_Form<Dialect formDialect, string formName, bit formIsVector> {
  Dialect dialect = formDialect;
  string name = formName;
  bit isVector = formIsVector;
  Type integer = !if(formIsVector, Loom_IntegerVector, Loom_Integer);
  Type number = !if(formIsVector, Loom_FloatVector, Loom_Float);
  Type truth = !if(formIsVector, Loom_MaskVector, I1);
  // Types of the examples.
  string i8 = !if(formIsVector, "vector<4xi8>", "i8");
  string i32 = !if(formIsVector, "vector<4xi32>", "i32");
  string f16 = !if(formIsVector, "vector<4xf16>", "f16");
  string f32 = !if(formIsVector, "vector<4xf32>", "f32");
  string arrowTruth = !if(formIsVector, " -> vector<4xi1>", "");
}

/// `example` is the statement behind the name of the operation. `speculatable` is false where some
/// operands give no value, so that the operation may not move in front of what guards it.
class Lanewise_Op<Lanewise_Form form, string mnemonic, string what, string notes, string example,
                  list<Trait> traits = [], bit speculatable = 1>
    : Loom_Op<form.dialect, mnemonic, !listconcat(
          !if(speculatable, [AlwaysSpeculatable]<Trait>, []<Trait>),
          [NoMemoryEffect, DeclareOpInterfaceMethods<LanewiseOpInterface>], traits)> {
  let summary = what;
  let description = "```loom\n%result = " # form.name # "." # mnemonic # example # "\n```\n" # notes;
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::loom::LanewiseFunction $cppClass::getLanewiseFunction() {
      return ::loom::LanewiseFunction::}] # mnemonic # [{;
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::loom::foldLanewise(*this, getLanewiseFunction(), adaptor.getOperands());
    }
  }];
}

//===----------------------------------------------------------------------===//
// Shapes of operations
//===----------------------------------------------------------------------===//

class Lanewise_IntBinaryOp<Lanewise_Form form, string mnemonic, string what, string notes = "",
                           list<Trait> traits = [], bit speculatable = 1>
    : Lanewise_Op<form, mnemonic, what, notes, " %a, %b : " # form.i32,
                  !listconcat([SameOperandsAndResultType], traits), speculatable> {
  let arguments = (ins form.integer:$lhs, form.integer:$rhs);
  let results = (outs form.integer:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

/// With promises about overflow.
class Lanewise_IntFlagOp<Lanewise_Form form, string mnemonic, string what, string notes = "",
                         list<Trait> traits = [], bit speculatable = 1>
    : Lanewise_Op<form, mnemonic, what, notes, "<nsw> %a, %b : " # form.i32,
                  !listconcat([SameOperandsAndResultType], traits), speculatable> {
  let arguments = (ins form.integer:$lhs, form.integer:$rhs,
                       DefaultValuedAttr<Loom_Overflow, "::loom::OverflowFlags::none">:$overflow);
  let results = (outs form.integer:$result);
  let assemblyFormat = "`` custom<Overflow>($overflow) $lhs `,` $rhs attr-dict `:` type($result)";
}

class Lanewise_IntUnaryOp<Lanewise_Form form, string mnemonic, string what, string notes = "">
    : Lanewise_Op<form, mnemonic, what, notes, " %a : " # form.i32, [SameOperandsAndResultType]> {
  let arguments = (ins form.integer:$input);
  let results = (outs form.integer:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

// None of the float operations is Commutative: of two NaN operands the first one survives, and MLIR
// would move constants behind other operands.
class Lanewise_FloatBinaryOp<Lanewise_Form form, string mnemonic, string what, string notes = "",
                             string operands = "%a, %b">
    : Lanewise_Op<form, mnemonic, what, notes, " " # operands # " : " # form.f32,
                  [SameOperandsAndResultType]> {
  let arguments = (ins form.number:$lhs, form.number:$rhs,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs form.number:$result);
  let assemblyFormat = "`` custom<FastMath>($fastmath) $lhs `,` $rhs attr-dict `:` type($result)";
}

class Lanewise_FloatUnaryOp<Lanewise_Form form, string mnemonic, string what, string notes = "">
    : Lanewise_Op<form, mnemonic, what, notes, " %a : " # form.f32, [SameOperandsAndResultType]> {
  let arguments = (ins form.number:$input,
                       DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
  let results = (outs form.number:$result);
  let assemblyFormat = "`` custom<FastMath>($fastmath) $input attr-dict `:` type($result)";
}

/// A question about one float.
class Lanewise_FloatTestOp<Lanewise_Form form, string mnemonic, string what, string notes = "">
    : Lanewise_Op<form, mnemonic, what, notes, " %a : " # form.f32 # form.arrowTruth> {
  let arguments = (ins form.number:$input);
  let results = (outs form.truth:$result);
  let assemblyFormat =
      "$input attr-dict `:` type($input)" # !if(form.isVector, " `->` type($result)", "");
}

class Lanewise_CastOp<Lanewise_Form form, string mnemonic, Type from, Type to, string what,
                      string types, string notes = "", bit speculatable = 1>
    : Lanewise_Op<form, mnemonic, what, notes, " %a : " # types, [], speculatable> {
  let arguments = (ins from:$input);
  let results = (outs to:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

defvar divisionNotes = "A divisor of zero gives no value.";
defvar signedDivisionNotes =
    "A divisor of zero, and the most negative value divided by -1, give no value.";
defvar promiseNotes = "Wraps, unless a flag promises that it does not.";
defvar countNotes = "Counted in the width of the type.";
defvar shiftNotes = [{The amount has the type of the value and lies between 0 and its width, which
it does not reach; other amounts give no value.}];
defvar rotateNotes = "The amount lies between 0 and the width of the type, which it does not reach.";

multiclass Lanewise_IntegerOps<Lanewise_Form form> {
  def AddIOp : Lanewise_IntFlagOp<form, "addi", "integer sum", promiseNotes, [Commutative]>;
  def SubIOp : Lanewise_IntFlagOp<form, "subi", "integer difference", promiseNotes>;
  def MulIOp : Lanewise_IntFlagOp<form, "muli", "integer product", promiseNotes, [Commutative]>;
  def DivSIOp : Lanewise_IntBinaryOp<form, "divsi", "signed quotient, rounded toward zero",
                                     signedDivisionNotes, [], 0>;
  def DivUIOp : Lanewise_IntBinaryOp<form, "divui", "unsigned quotient, rounded down",
                                     divisionNotes, [], 0>;
  def RemSIOp : Lanewise_IntBinaryOp<form, "remsi", "signed remainder with the sign of the dividend",
                                     signedDivisionNotes, [], 0>;
  def RemUIOp : Lanewise_IntBinaryOp<form, "remui", "unsigned remainder", divisionNotes, [], 0>;
  def CeilDivSIOp : Lanewise_IntBinaryOp<form, "ceildivsi", "signed quotient, rounded up",
                                         signedDivisionNotes, [], 0>;
  def CeilDivUIOp : Lanewise_IntBinaryOp<form, "ceildivui", "unsigned quotient, rounded up",
                                         divisionNotes, [], 0>;
  def FloorDivSIOp : Lanewise_IntBinaryOp<form, "floordivsi", "signed quotient, rounded down",
                                          signedDivisionNotes, [], 0>;
  def NegIOp : Lanewise_IntUnaryOp<form, "negi", "zero minus the operand",
                                   "The most negative value maps to itself.">;
  def AbsIOp : Lanewise_IntUnaryOp<form, "absi", "magnitude of a signed integer",
                                   "The most negative value maps to itself.">;
  def MinSIOp : Lanewise_IntBinaryOp<form, "minsi", "smaller signed integer", "", [Commutative]>;
  def MaxSIOp : Lanewise_IntBinaryOp<form, "maxsi", "larger signed integer", "", [Commutative]>;
  def MinUIOp : Lanewise_IntBinaryOp<form, "minui", "smaller unsigned integer", "", [Commutative]>;
  def MaxUIOp : Lanewise_IntBinaryOp<form, "maxui", "larger unsigned integer", "", [Commutative]>;
  def FmaIOp : Lanewise_Op<form, "fmai", "product plus addend", [{Wraps, unless a flag promises that
the final result does not; the product alone may.}], "<nsw> %a, %b, %c : " # form.i32,
                           [SameOperandsAndResultType]> {
    let arguments = (ins form.integer:$lhs, form.integer:$rhs, form.integer:$addend,
                         DefaultValuedAttr<Loom_Overflow, "::loom::OverflowFlags::none">:$overflow);
    let results = (outs form.integer:$result);
    let assemblyFormat = [{
      `` custom<Overflow>($overflow) $lhs `,` $rhs `,` $addend attr-dict `:` type($result)
    }];
  }
  def SignIOp : Lanewise_IntUnaryOp<form, "signi", "-1, 0 or 1: the sign of a signed integer">;
}

multiclass Lanewise_BitOps<Lanewise_Form form> {
  def AndIOp : Lanewise_IntBinaryOp<form, "andi", "bitwise and", "", [Commutative]>;
  def OrIOp : Lanewise_IntBinaryOp<form, "ori", "bitwise or", "", [Commutative]>;
  def XOrIOp : Lanewise_IntBinaryOp<form, "xori", "bitwise exclusive or", "", [Commutative]>;
  def ShLIOp : Lanewise_IntFlagOp<form, "shli", "shift to the left", shiftNotes, [], 0>;
  def ShRSIOp : Lanewise_IntBinaryOp<form, "shrsi", "shift to the right, by sign", shiftNotes, [], 0>;
  def ShRUIOp : Lanewise_IntBinaryOp<form, "shrui", "shift to the right, by zeros", shiftNotes, [], 0>;
  def RotLIOp : Lanewise_IntBinaryOp<form, "rotli", "rotation to the left", rotateNotes, [], 0>;
  def RotRIOp : Lanewise_IntBinaryOp<form, "rotri", "rotation to the right", rotateNotes, [], 0>;
  def CtLZIOp : Lanewise_IntUnaryOp<form, "ctlzi", "number of leading zero bits", countNotes>;
  def CtTZIOp : Lanewise_IntUnaryOp<form, "cttzi", "number of trailing zero bits", countNotes>;
  def CtPopIOp : Lanewise_IntUnaryOp<form, "ctpopi", "number of one bits">;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

multiclass Lanewise_FloatOps<Lanewise_Form form> {
  def AddFOp : Lanewise_FloatBinaryOp<form, "addf", "float sum">;
  def SubFOp : Lanewise_FloatBinaryOp<form, "subf", "float difference">;
  def MulFOp : Lanewise_FloatBinaryOp<form, "mulf", "float product",
                                      "Fuses with an addition only when both carry `contract`.">;
  def DivFOp : Lanewise_FloatBinaryOp<form, "divf", "float quotient">;
  def RemFOp : Lanewise_FloatBinaryOp<form, "remf", "float remainder with the sign of the dividend",
                                      "Exact, as C's `fmod`.">;
  def NegFOp : Lanewise_FloatUnaryOp<form, "negf", "flip the sign bit">;
  def AbsFOp : Lanewise_FloatUnaryOp<form, "absf", "clear the sign bit">;
  def CopySignFOp : Lanewise_FloatBinaryOp<form, "copysignf",
                                           "magnitude of the first operand, sign of the second">;
  def MinimumFOp : Lanewise_FloatBinaryOp<form, "minimumf", "smaller float; NaN wins, -0 is below +0">;
  def MaximumFOp : Lanewise_FloatBinaryOp<form, "maximumf", "larger float; NaN wins, -0 is below +0">;
  def MinNumFOp : Lanewise_FloatBinaryOp<form, "minnumf", "smaller float; a number beats a NaN">;
  def MaxNumFOp : Lanewise_FloatBinaryOp<form, "maxnumf", "larger float; a number beats a NaN">;
  def FmaFOp : Lanewise_Op<form, "fmaf", "product plus addend with one rounding", "",
                           " %a, %b, %c : " # form.f32, [SameOperandsAndResultType]> {
    let arguments = (ins form.number:$lhs, form.number:$rhs, form.number:$addend,
                         DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
    let results = (outs form.number:$result);
    let assemblyFormat = [{
      `` custom<FastMath>($fastmath) $lhs `,` $rhs `,` $addend attr-dict `:` type($result)
    }];
  }
  def ClampFOp : Lanewise_Op<form, "clampf", "a float kept between two bounds", [{
`ordered` takes the lower bound where the value is less, then the upper bound where that is greater; a
NaN value stays and NaN bounds do nothing. `number` is `minnumf` of `maxnumf` of the value and the
lower bound, and of the upper bound; `ieee` the same with `minimumf` and `maximumf`. Flags follow the
mode: `clampf<number, nnan>`.
}], "<ordered> %a, %low, %high : " # form.f32, [SameOperandsAndResultType]> {
    let arguments = (ins form.number:$value, form.number:$lower, form.number:$upper,
                         Loom_ClampMode:$mode,
                         DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
    let results = (outs form.number:$result);
    let assemblyFormat = [{
      `` custom<ClampKind>($mode, $fastmath) $value `,` $lower `,` $upper attr-dict `:` type($result)
    }];
  }
  def CeilFOp : Lanewise_FloatUnaryOp<form, "ceilf", "integer at or above">;
  def FloorFOp : Lanewise_FloatUnaryOp<form, "floorf", "integer at or below">;
  def TruncFOp : Lanewise_FloatUnaryOp<form, "truncf", "integer toward zero">;
  def RoundFOp : Lanewise_FloatUnaryOp<form, "roundf", "nearest integer, halves away from zero">;
  def RoundEvenFOp : Lanewise_FloatUnaryOp<form, "roundevenf", "nearest integer, halves to even">;
  def SignFOp : Lanewise_FloatUnaryOp<form, "signf", "-1.0, 0.0 or 1.0: the sign; 0.0 for a NaN">;
  def IsNanFOp : Lanewise_FloatTestOp<form, "isnanf", "whether a float is a NaN">;
  def IsInfFOp : Lanewise_FloatTestOp<form, "isinff", "whether a float is an infinity">;
  def IsFiniteFOp : Lanewise_FloatTestOp<form, "isfinitef",
                                         "whether a float is neither a NaN nor an infinity">;
}

multiclass Lanewise_MathOps<Lanewise_Form form> {
  def ExpFOp : Lanewise_FloatUnaryOp<form, "expf", "e to the power of the operand">;
  def Exp2FOp : Lanewise_FloatUnaryOp<form, "exp2f", "2 to the power of the operand">;
  def ExpM1FOp : Lanewise_FloatUnaryOp<form, "expm1f", "e to the power of the operand, minus 1",
                                       "Keeps its accuracy near zero.">;
  def LogFOp : Lanewise_FloatUnaryOp<form, "logf", "natural logarithm">;
  def Log2FOp : Lanewise_FloatUnaryOp<form, "log2f", "logarithm to base 2">;
  def Log10FOp : Lanewise_FloatUnaryOp<form, "log10f", "logarithm to base 10">;
  def Log1PFOp : Lanewise_FloatUnaryOp<form, "log1pf", "natural logarithm of 1 plus the operand",
                                       "Keeps its accuracy near zero.">;
  def SqrtFOp : Lanewise_FloatUnaryOp<form, "sqrtf", "square root">;
  def RsqrtFOp : Lanewise_FloatUnaryOp<form, "rsqrtf", "1 divided by the square root">;
  def CbrtFOp : Lanewise_FloatUnaryOp<form, "cbrtf", "cube root">;
  def PowFOp : Lanewise_FloatBinaryOp<form, "powf", "first operand to the power of the second">;
  def SinFOp : Lanewise_FloatUnaryOp<form, "sinf", "sine of an angle in radians">;
  def CosFOp : Lanewise_FloatUnaryOp<form, "cosf", "cosine of an angle in radians">;
  def TanFOp : Lanewise_FloatUnaryOp<form, "tanf", "tangent of an angle in radians">;
  def AsinFOp : Lanewise_FloatUnaryOp<form, "asinf", "arc sine in radians">;
  def AcosFOp : Lanewise_FloatUnaryOp<form, "acosf", "arc cosine in radians">;
  def AtanFOp : Lanewise_FloatUnaryOp<form, "atanf", "arc tangent in radians">;
  def Atan2FOp : Lanewise_FloatBinaryOp<form, "atan2f", "angle of the point (x, y) in radians",
                                        "The first operand is y, the second is x.", "%y, %x">;
  def SinTurnsFOp : Lanewise_FloatUnaryOp<form, "sinturnsf", "sine of an angle in whole turns",
                                          "Exact at quarter turns; NaN where the angle is not finite.">;
  def CosTurnsFOp : Lanewise_FloatUnaryOp<form, "costurnsf", "cosine of an angle in whole turns",
                                          "Exact at quarter turns; NaN where the angle is not finite.">;
  def SinhFOp : Lanewise_FloatUnaryOp<form, "sinhf", "hyperbolic sine">;
  def CoshFOp : Lanewise_FloatUnaryOp<form, "coshf", "hyperbolic cosine">;
  def TanhFOp : Lanewise_FloatUnaryOp<form, "tanhf", "hyperbolic tangent">;
  def AsinhFOp : Lanewise_FloatUnaryOp<form, "asinhf", "inverse hyperbolic sine">;
  def AcoshFOp : Lanewise_FloatUnaryOp<form, "acoshf", "inverse hyperbolic cosine">;
  def AtanhFOp : Lanewise_FloatUnaryOp<form, "atanhf", "inverse hyperbolic tangent">;
  def ErfFOp : Lanewise_FloatUnaryOp<form, "erff", "error function">;
  def ErfcFOp : Lanewise_FloatUnaryOp<form, "erfcf", "1 minus the error function",
                                      "Keeps its accuracy where the result is small.">;
  def LogisticFOp : Lanewise_FloatUnaryOp<form, "logisticf", "1 / (1 + e^-x)">;
  def SiluFOp : Lanewise_FloatUnaryOp<form, "siluf", "x times the logistic function of x">;
  def SoftplusFOp : Lanewise_FloatUnaryOp<form, "softplusf", "logarithm of 1 plus e to the power of x",
                                          "Computed as max(x, 0) + log1p(exp(-|x|)), which does not overflow.">;
  def GeluFOp : Lanewise_Op<form, "geluf", "Gaussian error linear unit", [{
`erf` is x/2 * (1 + erf(x / sqrt 2)), `tanh` x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))),
`logistic` x times the logistic function of scale * x: `geluf<logistic> %a {scale = 1.702}`. Flags
follow the variant: `geluf<erf, afn>`.
}], "<tanh> %a : " # form.f32, [SameOperandsAndResultType]> {
    let arguments = (ins form.number:$input, Loom_GeluVariant:$variant,
                         DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath,
                         OptionalAttr<F64Attr>:$scale);
    let results = (outs form.number:$result);
    let assemblyFormat = [{
      `` custom<GeluKind>($variant, $fastmath) $input attr-dict `:` type($result)
    }];
  }
}

//===----------------------------------------------------------------------===//
// Comparisons and conversions
//===----------------------------------------------------------------------===//

multiclass Lanewise_CompareOps<Lanewise_Form form> {
  def CmpIOp : Lanewise_Op<form, "cmpi", "compare integers", [{
Predicates: `eq ne slt sle sgt sge ult ule ugt uge`.
}], " ult, %a, %b : " # form.i32 # form.arrowTruth, [SameTypeOperands]> {
    let arguments = (ins Loom_IntPredicate:$predicate, form.integer:$lhs, form.integer:$rhs);
    let results = (outs form.truth:$result);
    let assemblyFormat = "custom<IntPredicate>($predicate) `,` $lhs `,` $rhs attr-dict "
        "`:` type($lhs)" # !if(form.isVector, " `->` type($result)", "");
  }
  def CmpFOp : Lanewise_Op<form, "cmpf", "compare floats", [{
Predicates: `oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno`. The `o` predicates are false
with a NaN, the `u` ones true. Flags stand behind the name: `cmpf<nnan> olt, ...`.
}], " olt, %a, %b : " # form.f32 # form.arrowTruth, [SameTypeOperands]> {
    let arguments = (ins Loom_FloatPredicate:$predicate, form.number:$lhs, form.number:$rhs,
                         DefaultValuedAttr<Loom_FastMath, "::loom::FastMathFlags::none">:$fastmath);
    let results = (outs form.truth:$result);
    let assemblyFormat = "`` custom<FastMath>($fastmath) custom<FloatPredicate>($predicate) `,` "
        "$lhs `,` $rhs attr-dict `:` type($lhs)" # !if(form.isVector, " `->` type($result)", "");
  }
}

multiclass Lanewise_CastOps<Lanewise_Form form> {
  def SIToFPOp : Lanewise_CastOp<form, "sitofp", form.integer, form.number,
      "signed integer to float, to nearest even", form.i32 # " to " # form.f32>;
  def UIToFPOp : Lanewise_CastOp<form, "uitofp", form.integer, form.number,
      "unsigned integer to float, to nearest even", form.i32 # " to " # form.f32>;
  def FPToSIOp : Lanewise_CastOp<form, "fptosi", form.number, form.integer,
      "float to signed integer, toward zero", form.f32 # " to " # form.i32,
      "A NaN, and a result outside the type, have no value.", 0>;
  def FPToUIOp : Lanewise_CastOp<form, "fptoui", form.number, form.integer,
      "float to unsigned integer, toward zero", form.f32 # " to " # form.i32,
      "A NaN, and a result outside the type, have no value.", 0>;
  def ExtFOp : Lanewise_CastOp<form, "extf", form.number, form.number,
      "float to a wider float, exact", form.f16 # " to " # form.f32>;
  def FPTruncOp : Lanewise_CastOp<form, "fptrunc", form.number, form.number,
      "float to a narrower float, to nearest even", form.f32 # " to " # form.f16,
      "Overflow gives an infinity; f8E4M3 has none and gives 448 or -448.">;
  def ExtSIOp : Lanewise_CastOp<form, "extsi", form.integer, form.integer,
      "integer to a wider integer, by sign", form.i8 # " to " # form.i32>;
  def ExtUIOp : Lanewise_CastOp<form, "extui", form.integer, form.integer,
      "integer to a wider integer, by zeros", form.i8 # " to " # form.i32>;
  def TruncIOp : Lanewise_CastOp<form, "trunci", form.integer, form.integer,
      "integer to a narrower integer, low bits", form.i32 # " to " # form.i8>;
}

#endif // LOOM_IR_LANEWISE_TD
