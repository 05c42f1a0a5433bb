//===- CheckScenario.td - Randomized trials -------------------------------===//
#ifndef LOOM_DIALECT_CHECK_CHECKSCENARIO_TD
#define LOOM_DIALECT_CHECK_CHECKSCENARIO_TD

def CheckScenarioOp : Check_Op<"scenario", [Symbol, IsolatedFromAbove]> {
  let summary = "configurations times randomized trials";
  let description = [{
    ```loom
    func.decl @scale(%x: tensor<64xf32>) -> (tensor<64xf32>)
    func.decl @scale_reference(%x: tensor<64xf32>) -> (tensor<64xf32>)

    check.scenario public @scaling configure[4](%ordinal: index, %entropy: check.entropy) {
      check.trial[8](%trial: index, %noise: check.entropy) {
        %seed = check.entropy.read %noise[%trial] : check.entropy -> i64
        %x = check.generate.random.uniform seed(%seed) range(-1.0 to 1.0) : tensor<64xf32>
        check.compare<@scale, @scale_reference>(%x) : (tensor<64xf32>) -> [actual(%a: tensor<64xf32>), expected(%e: tensor<64xf32>)] {
          check.expect.equal actual(%a) expected(%e) : tensor<64xf32>
        }
      }
      check.return
    }
    ```
    Each configuration runs all trials; there is at least one `check.trial`. Without `configure` there
    is one configuration.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<I64Attr>:$configurations);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CheckTrialOp : Check_Op<"trial",
    [HasParent<"::loom::CheckScenarioOp">, SingleBlock, NoTerminator]> {
  let summary = "one randomized run, several times";
  let description = [{
    ```loom
    func.decl @run(%seed: i64)

    check.scenario public @smoke {
      check.trial[8](%trial: index, %entropy: check.entropy) {
        %seed = check.entropy.read %entropy[%trial] : check.entropy -> i64
        check.invoke<@run>(%seed) : (i64) -> ()
      }
      check.return
    }
    ```
    Ends in `check.compare` or `check.invoke`.
  }];
  let arguments = (ins I64Attr:$trials);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CheckCompareOp : Check_Op<"compare",
    [HasParent<"::loom::CheckTrialOp">, AttrSizedOperandSegments, NoTerminator,
     DeclareOpInterfaceMethods<DependentOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a subject and an oracle and compare their results";
  let description = [{
    ```loom
    func.decl @scale(%x: tensor<64xf32>) -> (tensor<64xf32>)

    check.scenario public @scaling {
      check.trial[8](%trial: index, %entropy: check.entropy) {
        %x = check.generate.fill value(1.0) : tensor<64xf32>
        check.compare<@scale>(%x) : (tensor<64xf32>) -> [actual(%a: tensor<64xf32>), expected(%e: tensor<64xf32>)] {
          check.expect.bitwise actual(%a) expected(%e) : tensor<64xf32>
        }
      }
      check.return
    }
    ```
    Both get copies of the same inputs of their own. Behind the subject may stand an oracle,
    `<@subject, @oracle>`; in brackets workload arguments of a kernel. The region compares each pair
    of results, the actual one first; without results there is `-> ()` and no region.
  }];
  let arguments = (ins FlatSymbolRefAttr:$subject, OptionalAttr<FlatSymbolRefAttr>:$oracle,
                       Variadic<AnyType>:$workload, Variadic<AnyType>:$arguments,
                       Variadic<Loom_Extent>:$dims);
  let regions = (region MaxSizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CheckInvokeOp : Check_Op<"invoke",
    [HasParent<"::loom::CheckTrialOp">, AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<DependentOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a subject on the target";
  let description = [{
    ```loom
    kernel.decl @tick(%n: index) launch(%data: buffer)

    check.scenario public @smoke {
      check.trial[2](%trial: index, %entropy: check.entropy) {
        %data = check.generate.fill value(0) : tensor<8xi32>
        check.invoke<@tick>[%trial](%data) : [index](tensor<8xi32>) -> ()
      }
      check.return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$subject, Variadic<AnyType>:$workload,
                       Variadic<AnyType>:$arguments, Variadic<Loom_Extent>:$dims);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

class Check_EntropyOp<string mnemonic>
    : Check_Op<"entropy." # mnemonic,
        [Pure, ParentOneOf<["::loom::CheckScenarioOp", "::loom::CheckTrialOp"]>]>;
def CheckEntropyForkOp : Check_EntropyOp<"fork"> {
  let summary = "an independent source of random numbers";
  let description = [{
    ```loom
    func.decl @run(%seed: i64)

    check.scenario public @smoke {
      check.trial[2](%trial: index, %entropy: check.entropy) {
        %lengths = check.entropy.fork %entropy name("lengths") : check.entropy
        %seed = check.entropy.read %lengths[%trial] : check.entropy -> i64
        check.invoke<@run>(%seed) : (i64) -> ()
      }
      check.return
    }
    ```
    The same source and name give the same numbers.
  }];
  let arguments = (ins Loom_Entropy:$entropy, StrAttr:$label);
  let results = (outs Loom_Entropy:$result);
  let assemblyFormat = "$entropy `name` `(` $label `)` attr-dict `:` type($result)";
}
def CheckEntropyReadOp : Check_EntropyOp<"read"> {
  let summary = "the random number of a position";
  let description = [{
    ```loom
    func.decl @run(%seed: i64)

    check.scenario public @smoke {
      check.trial[2](%trial: index, %entropy: check.entropy) {
        %seed = check.entropy.read %entropy[%trial] : check.entropy -> i64
        check.invoke<@run>(%seed) : (i64) -> ()
      }
      check.return
    }
    ```
    The same source and position give the same number.
  }];
  let arguments = (ins Loom_Entropy:$entropy, Index:$ordinal);
  let results = (outs I64:$result);
  let assemblyFormat = "$entropy `[` $ordinal `]` attr-dict `:` type($entropy) `->` type($result)";
}

#endif // LOOM_DIALECT_CHECK_CHECKSCENARIO_TD
