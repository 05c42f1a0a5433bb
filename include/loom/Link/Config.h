//===- Config.h - Values for configuration keys -----------------*- C++ -*-===//
//
// `--config=key=value`, repeated, and `--config-file=path` give values to the configuration keys of
// a program for one compilation. Both make one set, in which no key may occur twice, and a key that
// the program does not declare is an error: a misspelled one must not silently do nothing.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LINK_CONFIG_H
#define LOOM_LINK_CONFIG_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace loom {

struct ConfigBinding {
  std::string key;    ///< with dots, without `@`
  std::string value;  ///< `3`, `-1`, `0x20`, `1.5`, `true`, `inf`, `#encoding.layout.dense`
  std::string origin; ///< for messages: `--config` or the name of a file
};

/// A binding as the compile report names it.
struct EffectiveBinding {
  std::string key, value;
};

/// The bindings of `direct` (each `key=value`) and of the JSON or JSONC documents `files`, in this
/// order. A document is an object whose nested keys are joined with dots and whose values are
/// numbers, booleans and strings with encodings. Errors: a file that cannot be read or parsed, text
/// that is no binding, and a key that occurs twice, with both origins. Several errors come
/// together, one a line.
llvm::Expected<std::vector<ConfigBinding>> collectConfigBindings(llvm::ArrayRef<std::string> direct,
                                                                 llvm::ArrayRef<std::string> files);

/// Gives the keys of `module` their values: `config.def` another literal, `config.decl` becomes
/// `config.def`. Reports every unknown key with near matches and every value that does not suit the
/// type of its key, and then fails without a change. `effective` receives the bindings in the order
/// in which the program declares their keys, values in canonical spelling. A key that only one of
/// `others` has, a module that `module` was linked from, is checked too and makes no difference.
mlir::LogicalResult applyConfig(mlir::ModuleOp module, llvm::ArrayRef<ConfigBinding> bindings,
                                std::vector<EffectiveBinding> *effective = nullptr,
                                llvm::ArrayRef<mlir::ModuleOp> others = {});

/// Reports every key that is declared and has no value [CONFIG/001].
mlir::LogicalResult requireResolvedConfig(mlir::ModuleOp module);

/// The keys of `module` with their types and values, as one line of JSON (`loom.config_schema`).
std::string configSchema(mlir::ModuleOp module);

} // namespace loom

#endif // LOOM_LINK_CONFIG_H
