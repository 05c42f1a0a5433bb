#ifndef LOOM_DIALECT_FUNC_FUNCOPS_TD
#define LOOM_DIALECT_FUNC_FUNCOPS_TD

include "loom/IR/LoomBase.td"

def FuncDialect : Loom_LanguageDialect<"func"> {
  let summary = "typed functions";
}

def FuncDefOp : Loom_Op<FuncDialect, "def",
    [Symbol, IsolatedFromAbove, DeclareOpInterfaceMethods<SignatureOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "define a function";
  let description = [{
    ```loom
    func.def pure @affine(%value: f32, %scale: f32, %bias: f32) -> (f32) {
      %scaled = scalar.mulf %value, %scale : f32
      %result = scalar.addf %scaled, %bias : f32
      func.return %result : f32
    }
    ```
    Modifiers in order: `public`, `retain`, `host` or `device`, `pure`, `hot` or `cold`, `inline` or
    `noinline`, `target(@t)`, `export("name")`. The body sees its parameters only. `where [...]`
    after the results states what callers owe.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<StrAttr>:$export_name, TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def FuncDeclOp : Loom_Op<FuncDialect, "decl",
    [Symbol, DeclareOpInterfaceMethods<SignatureOpInterface>]> {
  let summary = "declare a function that another input of the link defines";
  let description = "`func.decl pure @affine(%value: f32, %scale: f32, %bias: f32) -> (f32)`";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<StrAttr>:$export_name, TypeArrayAttr:$arg_types,
                       StrArrayAttr:$arg_names, TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def FuncCallOp : Loom_Op<FuncDialect, "call",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "call one exact function";
  let description = [{
    `%y = func.call pure @affine(%x, %a, %b) : (f32, f32, f32) -> (f32)`. The module defines or
    declares the function; `pure` needs a pure callee.
  }];
  let arguments = (ins UnitAttr:$pure, OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

def FuncReturnOp : Loom_Op<FuncDialect, "return", [Pure, Terminator, ReturnLike,
    HasParent<"::loom::FuncDefOp">]> {
  let summary = "leave a function with its results";
  let description = "`func.return %result : f32`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = [{
    attr-dict ($values^ `:` custom<UseTypes>(type($values), ref($values)))?
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_FUNC_FUNCOPS_TD
