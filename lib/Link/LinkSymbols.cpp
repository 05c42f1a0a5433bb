//===- LinkSymbols.cpp - Whether two symbols can be one -------------------===//
#include "LinkSymbols.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Target/Target.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

namespace loom {
using namespace mlir;

bool isDeclaration(Operation *op) { return isa<FuncDeclOp, KernelDeclOp, ConfigDeclOp>(op); }

bool isShareable(Operation *op) { return isa<TemplateDeclOp, AMDGPUTargetOp, X86TargetOp>(op); }

bool isOfDeclaredKind(Operation *declaration, Operation *op) {
  if (declaration->getName() == op->getName())
    return true;
  return (isa<FuncDeclOp>(declaration) && isa<FuncDefOp>(op)) ||
         (isa<KernelDeclOp>(declaration) && isa<KernelDefOp>(op)) ||
         (isa<ConfigDeclOp>(declaration) && isa<ConfigDefOp>(op));
}

static void spellTypes(llvm::raw_ostream &os, ArrayRef<Type> types) {
  os << '(';
  llvm::interleaveComma(types, os, [&](Type type) { os << stringifyType(type); });
  os << ')';
}

/// `[index](index, buffer) -> (f32)`.
static std::string spellSignature(SignatureOpInterface op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (SmallVector<Type> workload = op.getSignatureWorkload(); !workload.empty()) {
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

static LogicalResult disagree(Operation *declaration, Operation *other, const Twine &difference) {
  InFlightDiagnostic diag = emitCoded(declaration, DiagCode::LinkSignature, "@");
  diag << getSymbol(declaration) << " is declared " << difference.str();
  diag.attachNote(other->getLoc())
      << (isDeclaration(other) || isShareable(other) ? "also declared here" : "defined here");
  return diag;
}

/// What a declaration may state beside its types. Absent is no statement, except for `exact`, where
/// both sides have to be the same.
static LogicalResult checkStatements(Operation *declaration, Operation *other, bool exact) {
  struct Statement {
    StringRef attribute, spelled;
  };
  static const Statement statements[] = {{"pure", "pure"},
                                         {"convention", "host or device"},
                                         {"target", "target(...)"},
                                         {"requirements", "requires [...]"},
                                         {"where", "where [...]"},
                                         {"export_name", "export(...)"},
                                         {"linkage", "linkage(...)"},
                                         {"row", "row"},
                                         {"sym_visibility", "public"}};
  for (const Statement &statement : statements) {
    Attribute stated = declaration->getAttr(statement.attribute);
    Attribute actual = other->getAttr(statement.attribute);
    // Visibility belongs to each input; only copies of one symbol have to agree on it.
    if (stated == actual || (!exact && (!stated || statement.attribute == "sym_visibility")))
      continue;
    if (!stated)
      return disagree(declaration, other,
                      "without '" + statement.spelled + "', which it has elsewhere");
    return disagree(declaration, other,
                    "with '" + statement.spelled + "' that is different elsewhere");
  }
  return success();
}

LogicalResult checkAgreement(Operation *declaration, Operation *other) {
  if (!isOfDeclaredKind(declaration, other))
    return disagree(declaration, other,
                    "by '" + getTextName(declaration) + "', but elsewhere it is a '" +
                        getTextName(other) + "'");
  if (isa<ConfigDeclOp>(declaration)) {
    Attribute type = declaration->getAttr("value_type"), wanted = other->getAttr("value_type");
    if (type != wanted)
      return disagree(declaration, other,
                      "as " + stringifyType(cast<TypeAttr>(type).getValue()) +
                          ", but elsewhere it is " +
                          stringifyType(cast<TypeAttr>(wanted).getValue()));
    return success();
  }
  if (auto signature = dyn_cast<SignatureOpInterface>(declaration)) {
    std::string declared = spellSignature(signature);
    std::string wanted = spellSignature(cast<SignatureOpInterface>(other));
    if (declared != wanted)
      return disagree(declaration, other, "as " + declared + ", but elsewhere it is " + wanted);
  }
  return checkStatements(declaration, other, isShareable(declaration));
}

} // namespace loom
