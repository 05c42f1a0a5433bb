#ifndef LOOM_DIALECT_ENCODING_ENCODINGOPS_TD
#define LOOM_DIALECT_ENCODING_ENCODINGOPS_TD

include "loom/IR/LoomBase.td"

def EncodingDialect : Loom_LanguageDialect<"encoding"> {
  let summary = "layouts, schemas and storage of encoded values";
}

def EncodingAliasOp : Loom_Op<EncodingDialect, "alias", [Loom_TopLevel, DeclareOpInterfaceMethods<StatementWordOpInterface>]> {
  let summary = "a short name of an encoding, `#name = #family<...>`";
  let description = [{
    ```loom
    #column_major = #encoding.layout.strided<strides = [1, 8]>
    ```
    Stands at the top level of a program and names the encoding for the types and operations below.
    Where an encoding equals one with an alias, the alias is written.
  }];
  let arguments = (ins StrAttr:$name, Loom_EncodingAttr:$encoding);
  let hasCustomAssemblyFormat = 1;
}

#endif // LOOM_DIALECT_ENCODING_ENCODINGOPS_TD
