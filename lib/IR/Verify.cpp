//===- Verify.cpp - Verification of a whole module ------------------------===//
//
// MLIR's verifier stops at its first error and speaks of operand numbers and traits. Here every
// operation is asked, and what the generated checks say is told in the words of the language.
//
//===----------------------------------------------------------------------===//
#include "loom/IR/Messages.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/SourceInfo.h"
#include "loom/IR/VerifyTypes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"

namespace loom {
using namespace mlir;

/// Reports symbols that are defined twice, each with a note at the first definition.
static unsigned verifySymbolNames(ModuleOp module) {
  unsigned errors = 0;
  llvm::StringMap<Operation *> first;
  for (Operation &op : *module.getBody()) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (!name)
      continue;
    auto [it, inserted] = first.try_emplace(name.getValue(), &op);
    if (inserted)
      continue;
    ++errors;
    InFlightDiagnostic diag = emitCoded(&op, DiagCode::SymbolDuplicate, "redefinition of symbol @");
    diag << name.getValue();
    diag.attachNote(it->second->getLoc()) << "first defined here";
  }
  return errors;
}

/// A module consists of what can have a symbol or asks for a module as parent; nothing else does.
static LogicalResult verifyPlacement(Operation *op) {
  bool topLevel = isa<ModuleOp>(op->getParentOp());
  bool declares =
      llvm::is_contained(op->getName().getAttributeNames(), SymbolTable::getSymbolAttrName()) ||
      op->hasTrait<OpTrait::HasParent<ModuleOp>::Impl>();
  declares |= op->hasTrait<TopLevelTrait>();
  if (topLevel == declares)
    return success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::StructurePlacement, "'");
  diag << getTextName(op);
  if (topLevel)
    return diag << "' cannot stand at the top level of a program; it belongs into a function, a "
                   "template, a kernel or a check case";
  return diag << "' belongs at the top level of a program, not into '"
              << getTextName(op->getParentOp()) << "'";
}

//===----------------------------------------------------------------------===//
// Messages of generated checks
//===----------------------------------------------------------------------===//

/// `#3 must be <constraint>, but got <type>`: number and constraint.
static std::optional<std::pair<unsigned, StringRef>> parseConstraint(StringRef text) {
  unsigned number;
  if (!text.consume_front("#") || text.consumeInteger(10, number) ||
      !text.consume_front(" must be "))
    return std::nullopt;
  text.consume_front("variadic of ");
  return std::pair(number, text.split(", but got ").first);
}

/// Tells `message`, which a generated check or a trait of MLIR gave about `op`.
static void tell(Operation *op, StringRef message) {
  message.consume_front(("'" + op->getName().getStringRef() + "' op ").str());
  StringRef rest = message;
  std::string name = ("'" + getTextName(op) + "'").str();
  if (rest.consume_front("operand ")) {
    auto constraint = parseConstraint(rest);
    if (constraint && constraint->first < op->getNumOperands()) {
      Value value = op->getOperand(constraint->first);
      StringRef valueName = getValueName(value);
      InFlightDiagnostic diag =
          emitCoded(atOperand(op, constraint->first), DiagCode::TypeOperand, "");
      if (valueName.empty())
        diag << "operand " << constraint->first;
      else
        diag << "'%" << valueName << "'";
      diag << " has type " << spellType(value) << ", but " << name << " takes "
           << constraint->second;
      return;
    }
  } else if (rest.consume_front("result ")) {
    auto constraint = parseConstraint(rest);
    if (constraint && constraint->first < op->getNumResults()) {
      emitCoded(op, DiagCode::TypeResult, "the result of ")
          << name << " has type " << spellType(op->getResult(constraint->first))
          << ", but it has to be " << constraint->second;
      return;
    }
  } else if (rest.consume_front("requires attribute '")) {
    emitCoded(op, DiagCode::TypeAttribute, name)
        << " needs {" << rest.take_until([](char c) { return c == '\''; }) << " = ...}";
    return;
  } else if (rest.consume_front("attribute '")) {
    auto [attribute, constraint] = rest.split("' failed to satisfy constraint: ");
    if (!constraint.empty()) {
      emitCoded(atKey(op, attribute), DiagCode::TypeAttribute, "'")
          << attribute << "' of " << name << " has to be " << constraint;
      return;
    }
  } else if (rest.consume_front("expects parent op ")) {
    rest.consume_front("to be one of ");
    emitCoded(op, DiagCode::StructurePlacement, name)
        << " belongs directly into " << rest << ", not into '" << getTextName(op->getParentOp())
        << "'";
    return;
  } else if (rest == "must be the last operation in the parent block") {
    emitCoded(op, DiagCode::StructurePlacement, name)
        << " ends its region; what stands behind it is never reached";
    return;
  }
  op->emitError(message);
}

/// Runs `verify` and tells what it reports without a code.
static LogicalResult verifyTold(Operation *op, llvm::function_ref<LogicalResult()> verify) {
  std::vector<std::string> uncoded;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() != DiagnosticSeverity::Error || !diag.getMetadata().empty())
        return failure();
      uncoded.push_back(diag.str());
      return success();
    });
    result = verify();
  }
  for (StringRef message : uncoded)
    tell(op, message);
  return result;
}

bool isAboutTypes(DiagCode code) {
  return llvm::is_contained({DiagCode::TypeMismatch, DiagCode::TypeElement, DiagCode::TypeOperand,
                             DiagCode::TypeResult, DiagCode::ShapeMismatch, DiagCode::ShapeKind,
                             DiagCode::ShapeBroadcast},
                            code);
}

/// Whether the rules of `op` ask for nothing but its values and attributes.
static bool standsAlone(Operation *op) {
  static constexpr llvm::StringLiteral dialects[] = {"scalar", "index", "vector", "view", "buffer"};
  return op->getNumRegions() == 0 && op->getNumSuccessors() == 0 &&
         llvm::is_contained(dialects, getTextName(op).split('.').first);
}

LogicalResult verifyTypes(Operation *op) {
  if (!standsAlone(op))
    return success();
  bool isTold = false;
  ScopedDiagnosticHandler others(op->getContext(), [&](Diagnostic &diag) {
    bool isMeant = llvm::any_of(diag.getMetadata(), [](DiagnosticArgument &argument) {
      return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Unsigned &&
             isAboutTypes(static_cast<DiagCode>(argument.getAsUnsigned()));
    });
    isTold |= isMeant;
    return failure(isMeant); // which the handlers around this one show
  });
  (void)verifyTold(op, [&] { return op->getName().verifyInvariants(op); });
  return failure(isTold);
}

/// Reports uses that their definitions do not dominate, which only bodies of several blocks can
/// have, and whatever else MLIR asks of a module.
static LogicalResult verifyDominance(ModuleOp module) {
  DominanceInfo dominance(module);
  bool ok = true;
  module->walk([&](Operation *op) {
    Region *region = op->getParentRegion();
    if (!region || region->hasOneBlock())
      return;
    for (Value operand : op->getOperands()) {
      if (dominance.properlyDominates(operand, op) ||
          !dominance.isReachableFromEntry(op->getBlock()))
        continue;
      InFlightDiagnostic diag = emitCoded(op, DiagCode::DominanceUse, "'%");
      diag << getValueName(operand) << "' is not defined on every path to this use";
      diag.attachNote(operand.getLoc()) << "'%" << getValueName(operand) << "' is defined here";
      ok = false;
      break;
    }
  });
  return success(ok && succeeded(mlir::verify(module)));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Whether `module` has nothing to report: what MLIR verifies, and what it does not know. Telling
/// what is wrong takes longer, and is done only where something is.
static bool verifiesQuietly(ModuleOp module) {
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
  if (failed(mlir::verify(module)))
    return false;
  return !module
              ->walk([&](Operation *op) {
                if (op == module)
                  return WalkResult::advance();
                auto signature = dyn_cast<SignatureOpInterface>(op);
                bool ok = succeeded(verifyPlacement(op)) &&
                          (!signature || succeeded(verifyWhere(signature)));
                return ok ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

LogicalResult verifyModule(ModuleOp module, unsigned limit) {
  PendingDimsScope dims; // extents are asked for often
  if (verifiesQuietly(module))
    return success();
  unsigned errors = verifySymbolNames(module);
  if (errors)
    return failure();
  SymbolTableCollection tables;
  llvm::SmallPtrSet<Operation *, 8> refused;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A wrong terminator is reported with the operation around it.
    if (op == module ||
        (op->hasTrait<OpTrait::IsTerminator>() && refused.contains(op->getParentOp())))
      return WalkResult::advance();
    bool placed = succeeded(verifyPlacement(op));
    bool ok = placed && succeeded(verifyTold(op, [&] {
                return failure(failed(op->getName().verifyInvariants(op)) ||
                               failed(op->getName().verifyRegionInvariants(op)));
              }));
    if (auto user = dyn_cast<SymbolUserOpInterface>(op); ok && user)
      ok = succeeded(user.verifySymbolUses(tables));
    if (auto signature = dyn_cast<SignatureOpInterface>(op); ok && signature)
      ok = succeeded(verifyWhere(signature));
    if (!ok) {
      ++errors;
      refused.insert(op);
    }
    if (errors >= limit)
      return WalkResult::interrupt();
    // What is inside an operation in the wrong place only follows from that.
    return placed ? WalkResult::advance() : WalkResult::skip();
  });
  if (errors)
    return failure();
  return verifyDominance(module);
}

} // namespace loom
