//===- CheckFiles.td - Requirements, files, views and oracles -------------===//
#ifndef LOOM_DIALECT_CHECK_CHECKFILES_TD
#define LOOM_DIALECT_CHECK_CHECKFILES_TD

class Check_ConditionOp<string mnemonic>
    : Check_Op<mnemonic, [ParentOneOf<["::loom::CheckCaseOp", "::loom::CheckScenarioOp"]>]> {
  let hasCustomAssemblyFormat = 1;
}

def CheckRequiresOp : Check_ConditionOp<"requires"> {
  let summary = "skip the case unless a condition of the device holds";
  let description = [{
    ```loom
    check.case public @wide {
      check.requires<target.feature> {feature = "wave64"}
      check.return
    }
    ```
    The name in brackets is the provider that answers; what it understands stands in braces.
    Conditions are evaluated in order; a skipped case has not passed.
  }];
  let arguments = (ins StrAttr:$provider, OptionalAttr<DictionaryAttr>:$options);
}

def CheckSkipIfOp : Check_ConditionOp<"skip_if"> {
  let summary = "skip the case where a condition of the device holds";
  let description = [{
    ```loom
    check.case public @large {
      check.skip_if<device.memory> {max_bytes = 1073741824} reason("needs more than a gibibyte")
      check.return
    }
    ```
  }];
  let arguments = (ins StrAttr:$provider, OptionalAttr<DictionaryAttr>:$options,
                       OptionalAttr<StrAttr>:$reason);
}

def CheckFileReadNpyOp : Check_SourceOp<"file.read.npy",
    [DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "an array from a file of NumPy";
  let description = [{
    ```loom
    check.case public @stored {
      %input = check.file.read.npy path("data/input.npy") : tensor<64x32xf32>
      check.return
    }
    ```
    Shape and element type of the file have to be those of the type.
  }];
  let arguments = (ins StrAttr:$path, Variadic<Loom_Extent>:$dims);
  let results = (outs Loom_Tensor:$result);
  let assemblyFormat = [{
    `path` `(` $path `)` attr-dict `:` custom<DefinedType>(type($result), $dims, type($dims))
  }];
  let hasVerifier = 1;
}

def CheckFileWriteNpyOp : Check_BodyOp<"file.write.npy"> {
  let summary = "write an array to a file of NumPy";
  let description = [{
    ```loom
    check.case public @kept {
      %output = check.generate.fill value(0.0) : tensor<32xf32>
      check.file.write.npy value(%output) path("out/output.npy") : tensor<32xf32>
      check.file.write.npy value(%output) path("out/all.npy") mode(always) : tensor<32xf32>
      check.return
    }
    ```
    After the expectations; `on_failure`, which need not be written, only when one of them failed.
  }];
  let arguments = (ins Loom_Tensor:$value, StrAttr:$path,
                       DefaultValuedAttr<Loom_WriteMode, "::loom::WriteMode::on_failure">:$mode);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CheckTensorViewOp : Check_SourceOp<"tensor.view",
    [DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "another tensor on the storage of one";
  let description = [{
    ```loom
    check.case public @halves {
      %all = check.generate.iota offset(0.0) step(1.0) : tensor<64xf32>
      %upper = check.tensor.view %all offset(32) : tensor<64xf32> -> tensor<4x8xf32>
      check.return
    }
    ```
    Begins at an element of the source; what a kernel writes to one is in the other.
  }];
  let arguments = (ins Loom_Tensor:$source, I64Attr:$offset, Variadic<Loom_Extent>:$dims);
  let results = (outs Loom_Tensor:$result);
  let assemblyFormat = [{
    $source `offset` `(` $offset `)` attr-dict `:` type($source) `->`
    custom<DefinedType>(type($result), $dims, type($dims))
  }];
  let hasVerifier = 1;
}

def CheckOracleCallOp : Check_SourceOp<"oracle.call",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<DependentOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "expected values from a provider of the host";
  let description = [{
    ```loom
    func.decl @matmul(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> (tensor<8x4xf32>)

    check.case public @product {
      %a = check.generate.iota offset(0.0) step(1.0) : tensor<8x16xf32>
      %b = check.generate.fill value(2.0) : tensor<16x4xf32>
      %c = check.generate.fill value(0.0) : tensor<8x4xf32>
      %expected = check.oracle.call<reference.matmul> {accumulator = "f64"} callee(@matmul) inputs(%a, %b, %c) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>)
      check.return
    }
    ```
    The name in brackets is the provider; what it understands stands in braces.
  }];
  let arguments = (ins StrAttr:$provider, OptionalAttr<DictionaryAttr>:$options,
                       FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       Variadic<Loom_Extent>:$dims);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

#endif // LOOM_DIALECT_CHECK_CHECKFILES_TD
