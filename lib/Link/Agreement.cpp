//===- Agreement.cpp - Whether two symbols can be one ---------------------===//
#include "SymbolIndex.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/Signatures.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace loom {
using namespace mlir;

static void spellTypes(llvm::raw_ostream &os, ArrayRef<Type> types) {
  os << '(';
  llvm::interleaveComma(types, os, [&](Type type) { os << stringifyType(type); });
  os << ')';
}

/// `[index](index, buffer) -> (f32)`.
static std::string spellSignature(SignatureOpInterface op, bool withWorkload) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (SmallVector<Type> workload = op.getSignatureWorkload(); withWorkload && !workload.empty()) {
    os << '[';
    llvm::interleaveComma(workload, os, [&](Type type) { os << stringifyType(type); });
    os << ']';
  }
  spellTypes(os, op.getSignatureInputs());
  if (SmallVector<Type> results = op.getSignatureResults(); !results.empty()) {
    os << " -> ";
    spellTypes(os, results);
  }
  return text;
}

static bool isCopy(Operation *op) {
  SymbolRole role = getSymbolKind(op)->role;
  return role == SymbolRole::Family || role == SymbolRole::Record;
}

static LogicalResult disagree(Operation *declaration, Operation *other, const Twine &difference) {
  InFlightDiagnostic diag = emitCoded(declaration, DiagCode::LinkSignature, "@");
  diag << getSymbol(declaration) << " is declared " << difference.str();
  bool declares = isCopy(other) || getSymbolKind(other)->role == SymbolRole::Declaration;
  diag.attachNote(other->getLoc()) << (declares ? "also declared here" : "defined here");
  return diag;
}

/// What each module may say in its own way, and what the signature says already.
static bool isOwnStatement(StringRef attribute) {
  static constexpr StringRef own[] = {
      "sym_name",     "sym_visibility", "retain",         "temperature",     "inline_policy",
      "arg_names",    "arg_types",      "workload_names", "workload_types",  "result_names",
      "result_types", "value_type",     "optional",       "export_metadata", "extent_names"};
  return llvm::is_contained(own, attribute) || attribute.starts_with("import_");
}

/// A clause as the text spells it; most are called as their attribute.
static std::string spellStatement(StringRef attribute) {
  return llvm::StringSwitch<std::string>(attribute)
      .Case("convention", "host or device")
      .Case("target", "target(...)")
      .Case("descriptor_set", "target<...>")
      .Case("requirements", "requires [...]")
      .Case("where", "where [...]")
      .Cases({"abi", "abi_options"}, "abi(...)")
      .Cases({"export_name", "export_options"}, "export(...)")
      .Case("linkage", "linkage(...)")
      .Case("overrides", "{...}")
      .Default(attribute.str());
}

/// Compares what a declaration states beside its types. What it leaves out it does not state, but
/// copies of one symbol have to say the same.
static LogicalResult checkStatements(Operation *declaration, Operation *other) {
  llvm::SetVector<StringAttr> attributes;
  for (NamedAttribute attribute : declaration->getAttrs())
    attributes.insert(attribute.getName());
  if (isCopy(declaration))
    for (NamedAttribute attribute : other->getAttrs())
      attributes.insert(attribute.getName());
  ArrayRef<StringAttr> known = other->getName().getAttributeNames();
  for (StringAttr name : attributes) {
    Attribute stated = declaration->getAttr(name);
    if (isOwnStatement(name) || !llvm::is_contained(known, name) || stated == other->getAttr(name))
      continue;
    std::string spelled = spellStatement(name);
    return stated
               ? disagree(declaration, other, "with '" + spelled + "' that is different elsewhere")
               : disagree(declaration, other, "without '" + spelled + "', which it has elsewhere");
  }
  return success();
}

LogicalResult checkAgreement(Operation *declaration, Operation *other) {
  const SymbolKind *kind = getSymbolKind(declaration), *otherKind = getSymbolKind(other);
  bool sameKind = isCopy(declaration) ? declaration->getName() == other->getName()
                                      : kind->entity == otherKind->entity;
  if (!sameKind)
    return disagree(declaration, other,
                    "by '" + getTextName(declaration) + "', but elsewhere it is a '" +
                        getTextName(other) + "'");
  auto type = declaration->getAttrOfType<TypeAttr>("value_type");
  auto wanted = other->getAttrOfType<TypeAttr>("value_type");
  if (type != wanted && type && wanted)
    return disagree(declaration, other,
                    "as " + stringifyType(type.getValue()) + ", but elsewhere it is " +
                        stringifyType(wanted.getValue()));
  if (auto decl = dyn_cast<ConfigDeclOp>(declaration))
    if (auto def = dyn_cast<ConfigDefOp>(other))
      if (auto literal = dyn_cast<TypedAttr>(def.getValue()))
        if (std::optional<std::string> broken = findBrokenPredicate(decl, literal))
          return disagree(declaration, other,
                          "with " + *broken + ", which its value elsewhere does not satisfy");
  auto signature = dyn_cast<SignatureOpInterface>(declaration);
  auto otherSignature = dyn_cast<SignatureOpInterface>(other);
  if (signature && otherSignature) {
    bool withWorkload = !kind->ignoresWorkload && !otherKind->ignoresWorkload;
    std::string declared = spellSignature(signature, withWorkload);
    std::string actual = spellSignature(otherSignature, withWorkload);
    if (declared != actual)
      return disagree(declaration, other, "as " + declared + ", but elsewhere it is " + actual);
  }
  return checkStatements(declaration, other);
}

bool isSameRecord(Operation *first, Operation *second) {
  auto contents = [](Operation *op) {
    NamedAttrList attributes(op->getAttrDictionary());
    attributes.erase(SymbolTable::getVisibilityAttrName());
    return attributes.getDictionary(op->getContext());
  };
  return first->getName() == second->getName() && contents(first) == contents(second);
}

std::optional<std::string> ruledOut(Operation *implementation, Operation *record,
                                    const TargetProfile &profile) {
  std::string actual = (stringifyFamily(profile.family) + ":" + profile.key).str();
  if (record) {
    const TargetProfile *required = profileOfRecord(record);
    if (!required || !satisfiesTarget(profile, *required))
      return "it is for " + spellRecord(record) + ", which " + actual + " does not satisfy";
  }
  auto requirements = implementation->getAttrOfType<ArrayAttr>("requirements");
  for (Attribute condition : requirements ? requirements.getValue() : ArrayRef<Attribute>())
    if (auto size = dyn_cast<SubgroupSizeAttr>(condition);
        size && size.getSize() != profile.subgroupSize)
      return "it requires a subgroup of " + std::to_string(size.getSize()) + ", but " + actual +
             " has " + std::to_string(profile.subgroupSize);
  return std::nullopt;
}

} // namespace loom
