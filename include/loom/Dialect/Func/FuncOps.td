#ifndef LOOM_DIALECT_FUNC_FUNCOPS_TD
#define LOOM_DIALECT_FUNC_FUNCOPS_TD

include "loom/IR/LoomBase.td"

def FuncDialect : Loom_LanguageDialect<"func"> {
  let summary = "typed functions";
}

class Func_Op<string mnemonic, list<Trait> traits = []> : Loom_Op<FuncDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Definitions and declarations
//===----------------------------------------------------------------------===//

def FuncDefOp : Func_Op<"def",
    [Symbol, IsolatedFromAbove, DeclareOpInterfaceMethods<SignatureOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "define a function";
  let description = [{
    ```loom
    func.def pure @affine(%value: f32, %scale: f32, %bias: f32) -> (f32) {
      %scaled = scalar.mulf %value, %scale : f32
      %result = scalar.addf %scaled, %bias : f32
      func.return %result : f32
    }
    ```
    Modifiers in order: `public`, `retain`, a calling convention (`device`, `initializer`,
    `deinitializer`; `host` is the default and is not written), `pure`, `hot` or `cold`, `inline` or
    `noinline`, `target(@t)`, `abi(kind)` or `abi(kind, {...})`, `export("name")` or
    `export("name", {...})`, `export_metadata({...})`. The kinds of `abi` are `unknown`,
    `object_function`, `hal_kernel`, `shader_entry_point`, `wasm_function`, `command_program`,
    `vm_function`, `array_program`, or a number such as `<17>`. The body sees its parameters only.
    `where [...]` after the results states what callers owe; about named results it states what
    they get.

    ```loom
    func.def @keep(%rows: view<[%count]x4xf32>) -> (view<[%count]x4xf32>) {
      func.return %rows : view<[%count]x4xf32>
    }
    ```
    A name in the brackets of a parameter that is no parameter, such as `%count`, is an `index` of
    the header's own: the extent of what a call passes. The body sees it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<FlatSymbolRefAttr>:$target, OptionalAttr<StrAttr>:$abi,
                       OptionalAttr<DictionaryAttr>:$abi_options,
                       OptionalAttr<StrAttr>:$export_name,
                       OptionalAttr<DictionaryAttr>:$export_options,
                       OptionalAttr<DictionaryAttr>:$export_metadata, TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<StrArrayAttr>:$extent_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def FuncDeclOp : Func_Op<"decl",
    [Symbol, DeclareOpInterfaceMethods<SignatureOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare a function that another input of the link defines";
  let description = [{
    ```loom
    func.decl pure @affine(%value: f32, %scale: f32, %bias: f32) -> (f32)

    func.decl optional import("clock", "now") @clock.now() -> (i64)
    ```
    Modifiers are those of `func.def`, and behind `retain` also `optional`, for an import that may
    be missing when the program is loaded, `import("module")` or `import("module", "name")`, and
    `import_metadata({...})`. The header may name extents of its own as that of `func.def` does.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, UnitAttr:$optional, OptionalAttr<StrAttr>:$import_module,
                       OptionalAttr<StrAttr>:$import_name,
                       OptionalAttr<DictionaryAttr>:$import_metadata,
                       OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<FlatSymbolRefAttr>:$target, OptionalAttr<StrAttr>:$abi,
                       OptionalAttr<DictionaryAttr>:$abi_options,
                       OptionalAttr<StrAttr>:$export_name,
                       OptionalAttr<DictionaryAttr>:$export_options,
                       OptionalAttr<DictionaryAttr>:$export_metadata, TypeArrayAttr:$arg_types,
                       StrArrayAttr:$arg_names, TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<StrArrayAttr>:$extent_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Calls and exits
//===----------------------------------------------------------------------===//

def FuncCallOp : Func_Op<"call",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "call one exact function";
  let description = [{
    ```loom
    %y = func.call pure @affine(%x, %a, %b) : (f32, f32, f32) -> (f32)
    ```
    The module defines or declares the function; `pure` needs a pure callee. `hot` or `cold`, then
    `inline` or `noinline`, may follow `pure`. `%x as T` in the result list of a call ties a result to
    the argument `%x`, which the call consumes: nothing may use `%x` behind it.
  }];
  let arguments = (ins UnitAttr:$pure, OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$ties);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

def FuncReturnOp : Func_Op<"return", [Pure, Terminator, ReturnLike,
    HasParent<"::loom::FuncDefOp">]> {
  let summary = "leave a function with its results";
  let description = [{
    ```loom
    func.return %result : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = [{
    attr-dict ($values^ `:` custom<UseTypes>(type($values), ref($values)))?
  }];
  let hasVerifier = 1;
}

def FuncFailOp : Func_Op<"fail", [Terminator, HasParent<"::loom::FuncDefOp">]> {
  let summary = "end the invocation with an error";
  let description = [{
    ```loom
    func.fail invalid_argument, %message : buffer
    ```
    Ends a function in place of `func.return` and everything that called it. The status is one of
    `cancelled`, `unknown`, `invalid_argument`, `deadline_exceeded`, `not_found`, `already_exists`,
    `permission_denied`, `resource_exhausted`, `failed_precondition`, `aborted`, `out_of_range`,
    `unimplemented`, `internal`, `unavailable`, `data_loss`, `unauthenticated`, `incompatible`.
  }];
  let arguments = (ins StrAttr:$status, Loom_Buffer:$message);
  let assemblyFormat = "custom<Status>($status) `,` $message attr-dict `:` type($message)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Functions as values
//===----------------------------------------------------------------------===//

def FuncNullOp : Func_Op<"null", [Pure]> {
  let summary = "a reference to no function";
  let description = [{
    ```loom
    %none = func.null : func.ref<(f32) -> (f32)>
    ```
  }];
  let results = (outs Loom_FuncRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FuncCompareNullOp : Func_Op<"compare.null", [Pure]> {
  let summary = "whether a reference refers to no function";
  let description = [{
    ```loom
    %missing = func.compare.null %callback : func.ref<(f32) -> (f32)>
    ```
  }];
  let arguments = (ins Loom_FuncRef:$input);
  let results = (outs I1:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def FuncAddressOp : Func_Op<"address", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a reference to a function of the module";
  let description = [{
    ```loom
    %callback = func.address @affine : func.ref<(f32, f32, f32) -> (f32)>
    ```
    The type states the signature of the function.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee);
  let results = (outs Loom_FuncRef:$result);
  let assemblyFormat = "custom<Callee>($callee) attr-dict `:` type($result)";
}

def FuncRefCastOp : Func_Op<"ref.cast", [Pure]> {
  let summary = "use a function where one that may yield is expected";
  let description = [{
    ```loom
    %waiting = func.ref.cast %callback : func.ref<(f32) -> (f32)> to func.ref<yieldable (f32) -> (f32)>
    ```
    The signatures are the same; nothing turns a yieldable reference into another one.
  }];
  let arguments = (ins Loom_FuncRef:$input);
  let results = (outs Loom_FuncRef:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def FuncImportResolvedOp : Func_Op<"import.resolved",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "whether an optional import is there";
  let description = [{
    ```loom
    %there = func.import.resolved @clock.now
    ```
    The symbol is a `func.decl optional`, or after linking a definition.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee);
  let results = (outs I1:$result);
  let assemblyFormat = "custom<Callee>($callee) attr-dict";
}

def FuncCallIndirectOp : Func_Op<"call.indirect"> {
  let summary = "call a function that is a value";
  let description = [{
    ```loom
    %y = func.call.indirect %callback(%x) : (f32) -> (f32)
    ```
  }];
  let arguments = (ins Loom_FuncRef:$callee, Variadic<AnyType>:$arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$ties);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

def FuncLocationOp : Func_Op<"location", [Pure]> {
  let summary = "an encoded place of a source program";
  let description = [{
    ```loom
    %place = func.location [#func.location.file<"scale.cc", range = [4, 2, 4, 17]>, #func.location.field<"bias">] : buffer
    ```
    The list builds one location in post-order, children before parents. Leaves: `unknown`,
    `file<"path">` with an optional `range = [line, column, line, column]`, `opaque<"text">`. Around
    the location in front: `field<"name">`, `tagged<"tag">`. Around the last N: `fused<N>`.
  }];
  let arguments = (ins ArrayAttr:$locations);
  let results = (outs Loom_Buffer:$result);
  let assemblyFormat = "custom<Locations>($locations) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_FUNC_FUNCOPS_TD
