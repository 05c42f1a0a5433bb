#ifndef LOOM_DIALECT_TEMPLATE_TEMPLATEOPS_TD
#define LOOM_DIALECT_TEMPLATE_TEMPLATEOPS_TD

include "loom/IR/LoomBase.td"

def TemplateDialect : Loom_LanguageDialect<"template"> {
  let summary = "families of implementations, chosen when a program is specialized";
}

class Template_Op<string mnemonic, list<Trait> traits = []>
    : Loom_Op<TemplateDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Families and implementations
//===----------------------------------------------------------------------===//

def TemplateDeclOp : Template_Op<"decl",
    [Symbol, DeclareOpInterfaceMethods<SignatureOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare a family";
  let description = [{
    ```loom
    template.decl pure @guide.sum(%values: view<64x32xf32>, %count: index) -> (f32)
    ```
    The contract that implementations share: parameters, results, and what holds for the whole
    family. Modifiers in order: `public`, `retain`, a calling convention as of `func.def`, `pure`,
    `hot` or `cold`, `target(@t)`, `requires [...]`. `where [...]` after the results states facts
    that every application has to prove. A name in the brackets of a parameter that is no parameter
    is an extent of the header's own, as in `func.def`; implementations may call it differently.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       UnitAttr:$retain, OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<Loom_RequirementArrayAttr>:$requirements,
                       TypeArrayAttr:$arg_types, StrArrayAttr:$arg_names,
                       TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<StrArrayAttr>:$extent_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TemplateDefOp : Template_Op<"def",
    [Symbol, IsolatedFromAbove, DeclareOpInterfaceMethods<SignatureOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "define one implementation of a family";
  let description = [{
    ```loom
    template.decl @guide.sum(%x: f32) -> (f32)

    template.def<@guide.sum> requires [#target.subgroup.size<32>] priority(20) @sum_wave32(%x: f32) -> (f32) {
      template.return %x : f32
    }
    ```
    Eligible for an application when its target fits, its `where` facts are proven at the site and
    its `requires` conditions hold for the target; the highest priority wins, a tie is an error.
    Modifiers are those of the family, with `inline` or `noinline` before `target(@t)` and
    `priority(N)` last. A target that it names describes a class of machines: the record carries no
    override.
  }];
  let arguments = (ins FlatSymbolRefAttr:$family, SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility, UnitAttr:$retain,
                       OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<Loom_RequirementArrayAttr>:$requirements,
                       OptionalAttr<I64Attr>:$priority, TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<StrArrayAttr>:$extent_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TemplateUkernelOp : Template_Op<"ukernel",
    [Symbol, DeclareOpInterfaceMethods<SignatureOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declare an implementation that is provided outside";
  let description = [{
    ```loom
    template.decl @guide.sum(%x: f32) -> (f32)

    template.ukernel<@guide.sum> priority(30) @sum_by_hand(%x: f32) -> (f32)
    ```
    Takes part in the choice like `template.def`, with the same modifiers. There is no body to
    inline, so that an application which chooses it cannot be compiled into a kernel.
  }];
  let arguments = (ins FlatSymbolRefAttr:$family, SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility, UnitAttr:$retain,
                       OptionalAttr<StrAttr>:$convention, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<Loom_InlinePolicy>:$inline_policy,
                       OptionalAttr<FlatSymbolRefAttr>:$target,
                       OptionalAttr<Loom_RequirementArrayAttr>:$requirements,
                       OptionalAttr<I64Attr>:$priority, TypeArrayAttr:$arg_types,
                       StrArrayAttr:$arg_names, TypeArrayAttr:$result_types,
                       OptionalAttr<StrArrayAttr>:$result_names,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<StrArrayAttr>:$extent_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TemplateReturnOp : Template_Op<"return", [Pure, Terminator, ReturnLike,
    HasParent<"::loom::TemplateDefOp">]> {
  let summary = "leave a template with its results";
  let description = [{
    ```loom
    template.return %result : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = [{
    attr-dict ($values^ `:` custom<UseTypes>(type($values), ref($values)))?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

def TemplateApplyOp : Template_Op<"apply",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "request the best implementation of a family";
  let description = [{
    ```loom
    %sum = template.apply<@guide.sum>(%values, %count) pure : (view<64x32xf32>, index) -> (f32)
    ```
    `pure`, and `hot` or `cold`, stand behind the arguments. `pure` needs a pure family.
  }];
  let arguments = (ins FlatSymbolRefAttr:$family, Variadic<AnyType>:$arguments, UnitAttr:$pure,
                       OptionalAttr<StrAttr>:$temperature,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$ties);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

def TemplateCallOp : Template_Op<"call",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<DependentOpInterface>]> {
  let summary = "request one exact implementation";
  let description = [{
    ```loom
    %sum = template.call pure @sum_wave32(%x) : (f32) -> (f32)
    ```
    `pure`, and `hot` or `cold`, stand before the implementation.
  }];
  let arguments = (ins UnitAttr:$pure, OptionalAttr<StrAttr>:$temperature,
                       FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$ties);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

#endif // LOOM_DIALECT_TEMPLATE_TEMPLATEOPS_TD
