#ifndef LOOM_DIALECT_CONFIG_CONFIGOPS_TD
#define LOOM_DIALECT_CONFIG_CONFIGOPS_TD

include "loom/IR/LoomBase.td"

def ConfigDialect : Loom_LanguageDialect<"config"> {
  let summary = "values that are chosen for one compilation";
  let description = [{
    A configuration value is a named constant of the module. `config.def` gives it a default, the
    flag `--config=name=value` another value for one compilation, and `config.get` reads it.
  }];
}

def ConfigDefOp : Loom_Op<ConfigDialect, "def", [Symbol]> {
  let summary = "define a configuration value";
  let description = [{
    ```loom
    config.def @read_ahead.depth = 3 : index
    ```
    The name may have dots. The literal has to suit the type: an integer type takes an integer in
    its range, `i1` also `true` and `false`, a float type takes a float literal.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, AnyAttr:$value, TypeAttr:$value_type,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = [{
    $sym_name `=` custom<TypedLiteral>($value, $value_type) attr-dict
  }];
  let hasVerifier = 1;
}

def ConfigDeclOp : Loom_Op<ConfigDialect, "decl", [Symbol]> {
  let summary = "declare a configuration value that the compilation has to supply";
  let description = [{
    ```loom
    config.decl @tile.rows : index
    ```
    Another input of the link defines it, or `--config` does; a declaration that a reachable
    `config.get` reads and nothing defines is an error.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$value_type,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name `:` $value_type attr-dict";
  let hasVerifier = 1;
}

def ConfigGetOp : Loom_Op<ConfigDialect, "get",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "read a configuration value";
  let description = [{
    ```loom
    %depth = config.get @read_ahead.depth : index
    ```
    The type is the declared one. The value becomes a constant when the configuration is bound.
  }];
  let arguments = (ins FlatSymbolRefAttr:$config);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$config attr-dict `:` type($result)";
}

#endif // LOOM_DIALECT_CONFIG_CONFIGOPS_TD
