//===- CheckExpect.td - What has to come out ------------------------------===//
#ifndef LOOM_DIALECT_CHECK_CHECKEXPECT_TD
#define LOOM_DIALECT_CHECK_CHECKEXPECT_TD

class Check_ExpectationOp<string mnemonic, list<Trait> traits = []>
    : Check_Op<mnemonic,
        !listconcat([ParentOneOf<["::loom::CheckCaseOp", "::loom::CheckCompareOp"]>], traits)>;

class Check_ExpectOp<string mnemonic>
    : Check_ExpectationOp<"expect." # mnemonic, [AllTypesMatch<["actual", "expected"]>]> {
  let arguments = (ins AnyType:$actual, AnyType:$expected);
  let assemblyFormat = [{
    `actual` `(` $actual `)` `expected` `(` $expected `)` attr-dict `:`
    custom<UseType>(type($actual), ref($actual))
  }];
}
def CheckExpectEqualOp : Check_ExpectOp<"equal"> {
  let summary = "equal by value";
  let description = [{
    ```loom
    check.case public @same {
      %a = check.generate.fill value(1.0) : tensor<32xf32>
      %b = check.generate.fill value(1.0) : tensor<32xf32>
      check.expect.equal actual(%a) expected(%b) : tensor<32xf32>
      check.return
    }
    ```
    -0 equals +0, NaN equals nothing.
  }];
}
def CheckExpectBitwiseOp : Check_ExpectOp<"bitwise"> {
  let summary = "equal bits";
  let description = [{
    ```loom
    check.case public @same {
      %a = check.generate.fill value(1.0) : tensor<32xf32>
      %b = check.generate.fill value(1.0) : tensor<32xf32>
      check.expect.bitwise actual(%a) expected(%b) : tensor<32xf32>
      check.return
    }
    ```
  }];
}

def CheckExpectCloseOp : Check_ExpectationOp<"expect.close",
    [AllTypesMatch<["actual", "expected"]>]> {
  let summary = "equal up to a tolerance";
  let description = [{
    ```loom
    check.case public @near {
      %a = check.generate.fill value(1.0) : tensor<32xf32>
      %b = check.generate.fill value(1.0) : tensor<32xf32>
      check.expect.close actual(%a) expected(%b) atol(0.00001) rtol(0.0001) nan(different) : tensor<32xf32>
      check.return
    }
    ```
    `|actual - expected| <= atol + rtol * |expected|`, in f64. Two NaNs are close with `nan(same)`
    only; equal infinities are not close.
  }];
  let arguments = (ins AnyType:$actual, AnyType:$expected, AnyAttr:$atol, AnyAttr:$rtol,
                       Loom_NanPolicy:$nan);
  let assemblyFormat = [{
    `actual` `(` $actual `)` `expected` `(` $expected `)` `atol` `(` custom<Literal>($atol) `)`
    `rtol` `(` custom<Literal>($rtol) `)` `nan` `(` custom<NanPolicy>($nan) `)` attr-dict `:`
    custom<UseType>(type($actual), ref($actual))
  }];
  let hasVerifier = 1;
}

def CheckExpectShapeOp : Check_ExpectationOp<"expect.shape"> {
  let summary = "a shape";
  let description = [{
    ```loom
    check.case public @shaped {
      %m = check.param.choice values([8, 64]) name("rows") : index
      %a = check.generate.fill value(1.0) : tensor<[%m]x16xf32>
      check.expect.shape value(%a) shape([%m, 16]) : tensor<[%m]x16xf32>
      check.return
    }
    ```
    One extent per dimension: a number or an index.
  }];
  let arguments = (ins Loom_Tensor:$value, Variadic<Index>:$extents,
                       DenseI64ArrayAttr:$static_extents);
  let assemblyFormat = [{
    `value` `(` $value `)` `shape` `(` `[` custom<IndexList>($extents, $static_extents) `]` `)`
    attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def CheckExpectOp : Check_BodyOp<"expect", [AllTypesMatch<["actual", "expected"]>]> {
  let summary = "what a provider of the host compares";
  let description = [{
    ```loom
    check.case public @custom {
      %a = check.generate.fill value(1.0) : tensor<32xf32>
      %b = check.generate.fill value(1.0) : tensor<32xf32>
      check.expect<reference.ulp> actual(%a) expected(%b) {max_ulp = 2} : tensor<32xf32>
      check.return
    }
    ```
  }];
  let arguments = (ins StrAttr:$provider, AnyType:$actual, AnyType:$expected,
                       OptionalAttr<DictionaryAttr>:$options);
  let hasCustomAssemblyFormat = 1;
}

def CheckExpectEventOp : Check_ExpectationOp<"expect.event"> {
  let summary = "something that the device reports";
  let description = [{
    ```loom
    check.case public @reported {
      check.expect.event<device> {asan = {access = write, access_length = 4}, count = 1, type = asan_report}
      check.return
    }
    ```
    An event matches when everything in braces does. Exactly `count` events have to match, 1 when it
    is left out.

    - `type`: none, driver_failure, asan_report, ubsan_report, tsan_report, printf, host_call;
      `severity`: trace, info, warning, error, fatal.
    - Strings or numbers: `driver`, `device`, `physical_device`, `queue`, `export`, `site_id`,
      `source_file`, `function`, `operation`.
    - `asan = {...}` with `access` (read, write, atomic, unknown), `access_length`, `shadow_value`,
      `site_id`.
    - `ubsan = {...}` with `check` (integer_overflow, divide_by_zero, alignment, float_nan_contract,
      unreachable, unknown), `operand0`, `operand1`, `site_id`.
    - `tsan = {...}` with `check` (data_race, unknown), `memory` (global, workgroup, private,
      unknown), `current_access` and `prior_access` (read, write, read_write, atomic, unknown),
      `access_length`, `current_site_id`, `prior_site_id`, `current_atomic`, `prior_atomic`,
      `current_workitem_linear`, `prior_workitem_linear`.
  }];
  let arguments = (ins StrAttr:$provider, DictionaryAttr:$pattern);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_CHECK_CHECKEXPECT_TD
