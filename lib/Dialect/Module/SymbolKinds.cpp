//===- SymbolKinds.cpp - What symbols are to a link -----------------------===//
#include "loom/Dialect/Module/SymbolKinds.h"
#include "loom/IR/Loom.h"

namespace loom {
using namespace mlir;

ArrayRef<SymbolKind> symbolKinds() {
  using Role = SymbolRole;
  constexpr SymbolVisibility kAlways = SymbolVisibility::Always;
  constexpr SymbolVisibility kPublic = SymbolVisibility::Public;
  static const SymbolKind table[] = {
      {"func.def", Role::Definition, "function"},
      {"func.decl", Role::Declaration, "function", kPublic, /*isRequired=*/true},
      {"low.func.def", Role::Definition, "low function"},
      {"low.func.decl", Role::Declaration, "low function", kPublic, /*isRequired=*/true},
      {"kernel.def", Role::Definition, "kernel", kAlways},
      {"kernel.decl", Role::Declaration, "kernel", kAlways, /*isRequired=*/true},
      {"kernel.entry.decl", Role::Declaration, "kernel", kAlways, /*isRequired=*/true,
       /*ignoresWorkload=*/true},
      {"low.kernel.def", Role::Definition, "low kernel", kAlways},
      {"config.def", Role::Definition, "configuration value", kAlways},
      {"config.decl", Role::Declaration, "configuration value", kAlways},
      {"template.decl", Role::Family, "template family"},
      {"template.def", Role::Implementation, "template implementation"},
      {"template.ukernel", Role::Implementation, "template implementation"},
      {"target.decl", Role::Declaration, "target", kAlways},
      {"target.*", Role::Record, "target", kAlways},
      {"amdgpu.*", Role::Record, "target", kAlways},
      {"spirv.*", Role::Record, "target", kAlways},
      {"x86.*", Role::Record, "target", kAlways},
      {"check.benchmark", Role::Benchmark, "benchmark"},
      {"check.*", Role::Test, "test"},
  };
  return table;
}

static const SymbolKind *lookupKind(StringRef name) {
  for (const SymbolKind &kind : symbolKinds()) {
    StringRef pattern = kind.op;
    if (pattern.consume_back("*") ? name.starts_with(pattern) : name == pattern)
      return &kind;
  }
  return nullptr;
}

const SymbolKind *getSymbolKind(Operation *op) {
  static const SymbolKind other{"", SymbolRole::Definition, "symbol"};
  const SymbolKind *kind = lookupKind(getTextName(op));
  bool hasSymbol = op->hasAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  if (kind && kind->role == SymbolRole::Benchmark)
    return kind;
  return !hasSymbol ? nullptr : kind ? kind : &other;
}

bool isVisible(Operation *op) {
  const SymbolKind *kind = getSymbolKind(op);
  if (!kind)
    return false;
  if (kind->visibility == SymbolVisibility::Always)
    return true;
  auto visibility = op->getAttrOfType<StringAttr>(SymbolTable::getVisibilityAttrName());
  return visibility && visibility.getValue() == "public";
}

bool isExternal(Operation *declaration) {
  return llvm::any_of(declaration->getAttrs(), [](NamedAttribute attribute) {
    StringRef name = attribute.getName();
    return name == "optional" || (name.starts_with("import_") && name != "import_metadata");
  });
}

} // namespace loom
