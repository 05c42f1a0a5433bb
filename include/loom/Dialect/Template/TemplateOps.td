#ifndef LOOM_DIALECT_TEMPLATE_TEMPLATEOPS_TD
#define LOOM_DIALECT_TEMPLATE_TEMPLATEOPS_TD

include "loom/IR/LoomBase.td"

def TemplateDialect : Loom_LanguageDialect<"template"> {
  let summary = "families of implementations, chosen when a program is specialized";
}

def TemplateDeclOp : Loom_Op<TemplateDialect, "decl",
    [Symbol, DeclareOpInterfaceMethods<SignatureOpInterface>]> {
  let hasVerifier = 1;
  let summary = "declare a family";
  let description = "`template.decl @guide.sum(%values: view<64x32xf32>, %count: index) -> (f32)`";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<Loom_RequirementArrayAttr>:$requirements,
                       TypeArrayAttr:$arg_types, StrArrayAttr:$arg_names,
                       TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
}

def TemplateDefOp : Loom_Op<TemplateDialect, "def",
    [Symbol, IsolatedFromAbove, DeclareOpInterfaceMethods<SignatureOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "define one implementation of a family";
  let description = [{
    ```loom
    template.def<@guide.sum> requires [#target.subgroup.size<32>] priority(20) @sum_wave32(%x: f32) -> (f32) {
      template.return %x : f32
    }
    ```
    Eligible for an application when its target fits, its `where` facts are proven at the site and
    its `requires` conditions hold for the target; the highest priority wins, a tie is an error.
  }];
  let arguments = (ins FlatSymbolRefAttr:$family, SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility, UnitAttr:$retain,
                       OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<Loom_RequirementArrayAttr>:$requirements,
                       OptionalAttr<I64Attr>:$priority, TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TemplateApplyOp : Loom_Op<TemplateDialect, "apply",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "request the best implementation of a family";
  let description = "`%sum = template.apply<@guide.sum>(%values, %count) : (view<64x32xf32>, index) -> (f32)`";
  let arguments = (ins FlatSymbolRefAttr:$family, Variadic<AnyType>:$arguments, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

def TemplateCallOp : Loom_Op<TemplateDialect, "call",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "request one exact implementation";
  let description = "`%sum = template.call @sum_wave32(%x) : (f32) -> (f32)`";
  let arguments = (ins UnitAttr:$pure, OptionalAttr<StrAttr>:$temperature,
                       FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

def TemplateReturnOp : Loom_Op<TemplateDialect, "return", [Pure, Terminator, ReturnLike,
    HasParent<"::loom::TemplateDefOp">]> {
  let summary = "leave a template with its results";
  let description = "`template.return %result : f32`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = [{
    attr-dict ($values^ `:` custom<UseTypes>(type($values), ref($values)))?
  }];
  let hasVerifier = 1;
}

#endif // LOOM_DIALECT_TEMPLATE_TEMPLATEOPS_TD
