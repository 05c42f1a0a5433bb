#ifndef LOOM_DIALECT_MODULE_MODULEOPS_TD
#define LOOM_DIALECT_MODULE_MODULEOPS_TD

include "loom/IR/LoomBase.td"

def ModuleDialect : Loom_LanguageDialect<"module"> {
  let summary = "what a program says about itself as an input of a link";
}

def ModuleImportOp : Loom_Op<ModuleDialect, "import",
    [HasParent<"::mlir::ModuleOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "name the source that may satisfy declarations";
  let description = [{
    ```loom
    module.import "affine.loom" [@affine, @inverse]
    ```
    The link may satisfy the listed declarations of functions and kernels from a source with this key
    only; for a tool the key of a source is its path as the command line spells it. A declaration that
    several imports list may come from any of their sources, one that no import lists from any source
    of the link. An import opens no file and needs nothing to be there: a declaration that nothing
    uses stays unused. When the link satisfies what it lists, it vanishes; in a link that keeps unresolved
    declarations the import stays for those.
  }];
  let arguments = (ins StrAttr:$key, FlatSymbolRefArrayAttr:$symbols);
  let hasCustomAssemblyFormat = 1;
}

#endif // LOOM_DIALECT_MODULE_MODULEOPS_TD
