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
    config.def @weights.layout = #encoding.layout.dense : encoding<layout>
    ```
    The name may have dots. The literal has to suit the type: an integer type takes an integer in
    its range, `i1` also `true` and `false`, a float type takes a float literal, an encoding a static
    encoding of its role.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, AnyAttr:$value, TypeAttr:$value_type,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ConfigDeclOp : Loom_Op<ConfigDialect, "decl", [Symbol]> {
  let summary = "declare a configuration value that the compilation has to supply";
  let description = [{
    ```loom
    config.decl @tile.rows : index
    config.decl @tile.columns : %n: index where [range(%n, 1, 256), mul(%n, 8)]
    ```
    Another input of the link defines it, or `--config` does; a declaration that a reachable
    `config.get` reads and nothing defines is an error. Integers, `index` and `offset` may have
    predicates: a value that breaks one is an error. They compare with literals only.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$value_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<StrArrayAttr>:$arg_names,
                       OptionalAttr<Loom_PredicateArrayAttr>:$where);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ConfigGetOp : Loom_Op<ConfigDialect, "get",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "read a configuration value";
  let description = [{
    ```loom
    config.def @read_ahead.depth = 3 : index

    func.def @depth() -> (index) {
      %depth = config.get @read_ahead.depth : index
      func.return %depth : index
    }
    ```
    The type is the declared one. The value becomes a constant when the configuration is bound.
  }];
  let arguments = (ins FlatSymbolRefAttr:$config);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$config attr-dict `:` type($result)";
}

#endif // LOOM_DIALECT_CONFIG_CONFIGOPS_TD
