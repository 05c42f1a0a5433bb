#ifndef LOOM_DIALECT_CHECK_CHECKOPS_TD
#define LOOM_DIALECT_CHECK_CHECKOPS_TD

include "loom/IR/LoomBase.td"

def CheckDialect : Loom_LanguageDialect<"check"> {
  let summary = "programs that run kernels and say what has to come out";
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Loom_Op<CheckDialect, mnemonic, traits>;

/// Lives directly in a `check.case`.
class Check_BodyOp<string mnemonic, list<Trait> traits = []>
    : Check_Op<mnemonic, !listconcat([HasParent<"::loom::CheckCaseOp">], traits)>;

/// Makes a value in a case, a scenario or a trial.
class Check_SourceOp<string mnemonic, list<Trait> traits = []>
    : Check_Op<mnemonic,
        !listconcat([ParentOneOf<["::loom::CheckCaseOp", "::loom::CheckScenarioOp",
                                  "::loom::CheckTrialOp"]>], traits)>;

def CheckCaseOp : Check_Op<"case", [Symbol, IsolatedFromAbove]> {
  let summary = "a checked program";
  let description = [{
    ```loom
    kernel.decl @fill(%count: index) launch(%count: index, %output: buffer)

    check.case public @fill_full {
      %count = check.literal value(64) : index
      %output = check.generate.fill value(-1.0) : tensor<64xf32>
      %expected = check.generate.fill value(2.0) : tensor<64xf32>
      kernel.launch @fill[%count](%count, %output) : [index](index, tensor<64xf32>)
      check.expect.equal actual(%output) expected(%expected) : tensor<64xf32>
      check.return
    }
    ```
    Parameters multiply a case into samples. For each sample values are made, launches run in
    order, then all expectations are evaluated.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def CheckReturnOp : Check_Op<"return",
    [Terminator, ParentOneOf<["::loom::CheckCaseOp", "::loom::CheckScenarioOp"]>]> {
  let summary = "end of a case or a scenario";
  let description = "`check.return`";
  let assemblyFormat = "attr-dict";
}

def CheckBenchmarkOp : Check_Op<"benchmark", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "name a case for measuring";
  let description = [{
    ```loom
    check.case public @sum_rows {
      %rows = check.param.choice values([8, 64]) name("rows") : index
      check.return
    }
    check.benchmark<@sum_rows> @sum_rows_8 {rows = 8}
    ```
    The name is optional. In braces stand values of named parameters of the case.
  }];
  let arguments = (ins FlatSymbolRefAttr:$subject, OptionalAttr<StrAttr>:$sym_name,
                       OptionalAttr<DictionaryAttr>:$assignments);
  let hasCustomAssemblyFormat = 1;
}

def CheckLiteralOp : Check_SourceOp<"literal", [Pure]> {
  let summary = "one scalar";
  let description = [{
    ```loom
    check.case public @literals {
      %count = check.literal value(5) : index
      check.return
    }
    ```
  }];
  let arguments = (ins AnyAttr:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`value` `(` custom<Literal>($value) `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class Check_GeneratorOp<string mnemonic> : Check_SourceOp<"generate." # mnemonic,
    [DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let results = (outs Loom_Tensor:$result);
  let hasVerifier = 1;
}

def CheckIotaOp : Check_GeneratorOp<"iota"> {
  let summary = "offset + (i mod period) * step";
  let description = [{
    ```loom
    check.case public @ramps {
      %input = check.generate.iota offset(1.0) step(1.0) : tensor<64x32xf32>
      %repeated = check.generate.iota offset(0) step(2) period(8) : tensor<64xi32>
      check.return
    }
    ```
    `i` counts elements in flat order. Without `period` nothing wraps.
  }];
  let arguments = (ins AnyAttr:$offset, AnyAttr:$step, OptionalAttr<I64Attr>:$period,
                       Variadic<Index>:$dims);
  let assemblyFormat = [{
    `offset` `(` custom<Literal>($offset) `)` `step` `(` custom<Literal>($step) `)`
    (`period` `(` $period^ `)`)? attr-dict `:` custom<DefinedType>(type($result), $dims)
  }];
}

def CheckFillOp : Check_GeneratorOp<"fill"> {
  let summary = "one value everywhere";
  let description = [{
    ```loom
    check.case public @filled {
      %output = check.generate.fill value(-1.0) : tensor<32xf32>
      check.return
    }
    ```
  }];
  let arguments = (ins AnyAttr:$value, Variadic<Index>:$dims);
  let assemblyFormat = [{
    `value` `(` custom<Literal>($value) `)` attr-dict `:` custom<DefinedType>(type($result), $dims)
  }];
}

def CheckRandomUniformOp : Check_GeneratorOp<"random.uniform"> {
  let summary = "reproducible random values";
  let description = [{
    ```loom
    check.case public @random {
      %s = check.param.seed base(11) count(3) : i64
      %x = check.generate.random.uniform seed(%s) range(-2.0 to 2.0) : tensor<64xf32>
      check.return
    }
    ```
    One draw of xoroshiro128** per element in flat order. Integers take both ends: `low + draw mod (high - low +
    1)`. Floats take the half-open range: `low + (draw >> 11) / 2^53 * (high - low)` in f64, then
    rounded to the element type. The state is the first two outputs of splitmix64 that starts at the
    seed, sign-extended to 64 bits, so that equal seeds give equal data in every implementation.
  }];
  let arguments = (ins AnyTypeOf<[Loom_Integer, Index]>:$seed, AnyAttr:$low, AnyAttr:$high,
                       Variadic<Index>:$dims);
  let assemblyFormat = [{
    `seed` `(` custom<SeedOperand>($seed, type($seed)) `)`
    `range` `(` custom<Literal>($low) `to` custom<Literal>($high) `)` attr-dict `:`
    custom<DefinedType>(type($result), $dims)
  }];
}

class Check_ParamOp<string mnemonic> : Check_BodyOp<"param." # mnemonic, [Pure]> {
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

def CheckParamRangeOp : Check_ParamOp<"range"> {
  let summary = "a parameter that takes the values of a range";
  let description = [{
    ```loom
    check.case public @ranges {
      %n = check.param.range linear bounds(0 to 64) step(1) name("rows") : index
      %w = check.param.range po2 bounds(1 to 64) : index
      check.return
    }
    ```
    Both ends belong to the range. The step of integers is 1 when it is left out. `po2` begins at the
    least power of two in the range and doubles.
  }];
  let arguments = (ins Loom_SequenceKind:$sequence, AnyAttr:$low, AnyAttr:$high,
                       OptionalAttr<AnyAttr>:$step, OptionalAttr<StrAttr>:$parameter);
  let assemblyFormat = [{
    custom<SequenceKind>($sequence) `bounds` `(` custom<Literal>($low) `to` custom<Literal>($high) `)`
    (`step` `(` custom<Literal>($step)^ `)`)? (`name` `(` $parameter^ `)`)? attr-dict `:`
    type($result)
  }];
}

def CheckParamChoiceOp : Check_ParamOp<"choice"> {
  let summary = "a parameter that takes listed values";
  let description = [{
    ```loom
    check.case public @choices {
      %n = check.param.choice values([0, 1, 63]) name("rows") : index
      check.return
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$values, OptionalAttr<StrAttr>:$parameter);
  let assemblyFormat = [{
    `values` `(` $values `)` (`name` `(` $parameter^ `)`)? attr-dict `:` type($result)
  }];
}

def CheckParamSeedOp : Check_ParamOp<"seed"> {
  let summary = "a parameter that takes consecutive seeds";
  let description = [{
    ```loom
    check.case public @seeds {
      %s = check.param.seed base(11) count(3) : i64
      check.return
    }
    ```
  }];
  let arguments = (ins I64Attr:$base, I64Attr:$count, OptionalAttr<StrAttr>:$parameter);
  let assemblyFormat = [{
    `base` `(` $base `)` `count` `(` $count `)` (`name` `(` $parameter^ `)`)? attr-dict `:`
    type($result)
  }];
}

include "loom/Dialect/Check/CheckFiles.td"
include "loom/Dialect/Check/CheckExpect.td"
include "loom/Dialect/Check/CheckScenario.td"

#endif // LOOM_DIALECT_CHECK_CHECKOPS_TD
