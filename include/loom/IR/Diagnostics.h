//===- Diagnostics.h - Diagnostic codes and how they are shown --*- C++ -*-===//
//
// Every rule of the language has a stable code, printed in brackets after the message:
// `error: ... [STRUCTURE/014]`. The table below is the one place where codes are defined;
// docs/reference/diagnostics.md is generated from it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_DIAGNOSTICS_H
#define LOOM_IR_DIAGNOSTICS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>
#include <vector>

namespace loom {

// LOOM_CODE(enumerator, domain, number, meaning). Numbers up to those of the reference are shared
// with it; ours follow where it has none.
#define LOOM_DIAGNOSTIC_CODES(LOOM_CODE)                                                           \
  LOOM_CODE(ParseUndefinedValue, "PARSE", 1, "a value that is not defined here")                   \
  LOOM_CODE(ParseUnknownOp, "PARSE", 2, "an operation the language does not have")                 \
  LOOM_CODE(ParseExpectedToken, "PARSE", 3, "the text does not follow the grammar")                \
  LOOM_CODE(ParseUnknownType, "PARSE", 4, "a type the language does not have")                     \
  LOOM_CODE(ParseRedefinition, "PARSE", 5, "a name defined twice")                                 \
  LOOM_CODE(ParseResultCount, "PARSE", 9, "more or fewer results than names")                      \
  LOOM_CODE(ParseUnknownPredicate, "PARSE", 13, "an unknown predicate")                            \
  LOOM_CODE(ParseUnknownEnum, "PARSE", 17, "an unknown word where one of a list is expected")      \
  LOOM_CODE(ParseUnknownFlag, "PARSE", 18, "an unknown flag in angle brackets")                    \
  LOOM_CODE(ParsePredicateArity, "PARSE", 31, "a predicate with too many or too few arguments")    \
  LOOM_CODE(ParseUnsupported, "PARSE", 90, "part of the language that this version refuses")       \
  LOOM_CODE(ParseNesting, "PARSE", 91, "regions nested too deeply")                                \
  LOOM_CODE(TypeMismatch, "TYPE", 1, "two types that have to be equal differ")                     \
  LOOM_CODE(TypeOperand, "TYPE", 3, "an operand of a type that the operation does not take")       \
  LOOM_CODE(TypeResult, "TYPE", 4, "a result of a type that the operation does not have")          \
  LOOM_CODE(TypeAttribute, "TYPE", 5, "a literal that does not suit its type")                     \
  LOOM_CODE(StructureOperandCount, "STRUCTURE", 1, "a wrong number of operands")                   \
  LOOM_CODE(StructureResultCount, "STRUCTURE", 2, "a wrong number of results")                     \
  LOOM_CODE(StructureTerminator, "STRUCTURE", 5, "a block without terminator")                     \
  LOOM_CODE(StructureYieldCount, "STRUCTURE", 8, "a wrong number of yielded values")               \
  LOOM_CODE(StructureVariadic, "STRUCTURE", 13, "lists that have to be of one length differ")      \
  LOOM_CODE(StructureValue, "STRUCTURE", 14, "a value outside its domain")                         \
  LOOM_CODE(StructureWrongTerminator, "STRUCTURE", 18, "a terminator of the wrong kind")           \
  LOOM_CODE(StructurePredicate, "STRUCTURE", 21, "a predicate with a wrong number of arguments")   \
  LOOM_CODE(StructurePlacement, "STRUCTURE", 29, "an operation in a place where it may not stand") \
  LOOM_CODE(StructureOrigin, "STRUCTURE", 32, "a predicate about a value it may not name")         \
  LOOM_CODE(StructurePure, "STRUCTURE", 34, "a pure call of a callee that is not pure")            \
  LOOM_CODE(StructureStep, "STRUCTURE", 35, "a loop step that is not provably positive")           \
  LOOM_CODE(StructureBarrierControl, "STRUCTURE", 38, "a barrier under control that may differ")   \
  LOOM_CODE(StructureConfigEffect, "STRUCTURE", 52, "an effect in a launch configuration")         \
  LOOM_CODE(ShapeMismatch, "SHAPE", 1, "static extents that disagree")                             \
  LOOM_CODE(SubrangeRank, "SUBRANGE", 1, "a wrong number of indices")                              \
  LOOM_CODE(SubrangeBounds, "SUBRANGE", 4, "a static index outside a static extent")               \
  LOOM_CODE(SymbolUndefined, "SYMBOL", 2, "a reference to a symbol that does not exist")           \
  LOOM_CODE(SymbolKind, "SYMBOL", 3, "a reference to a symbol of the wrong kind")                  \
  LOOM_CODE(SymbolDuplicate, "SYMBOL", 5, "two definitions of one symbol")                         \
  LOOM_CODE(LinkUnresolved, "LINK", 1, "a declaration that nothing defines")                       \
  LOOM_CODE(LinkSignature, "LINK", 2, "a declaration and a definition that differ")                \
  LOOM_CODE(ConfigMissing, "CONFIG", 1, "a configuration value that nothing supplies")             \
  LOOM_CODE(ConfigUnknown, "CONFIG", 2, "a binding of a key that the program does not declare")    \
  LOOM_CODE(ConfigValue, "CONFIG", 3, "a binding whose value does not suit the type")              \
  LOOM_CODE(TargetUnknown, "TARGET", 1, "an unknown target or target row")                         \
  LOOM_CODE(TargetUnsupported, "TARGET", 2, "an operation that the target cannot carry out")       \
  LOOM_CODE(TargetIncompatible, "TARGET", 3, "a target that does not satisfy an authored one")     \
  LOOM_CODE(TargetRequirement, "TARGET", 68, "a malformed target condition")                       \
  LOOM_CODE(LoweringTemplate, "LOWERING", 45, "no implementation of a template can be chosen")     \
  LOOM_CODE(LoweringUnknownFact, "LOWERING", 48, "a required condition stayed unknown")            \
  LOOM_CODE(LoweringCallCycle, "LOWERING", 60, "calls that would be inlined without end")          \
  LOOM_CODE(PolicyDepth, "POLICY", 1, "a pipeline depth that is not an exact positive number")     \
  LOOM_CODE(PolicyFactor, "POLICY", 2, "an unroll factor that is not an exact number")             \
  LOOM_CODE(PolicyBody, "POLICY", 3, "an operation that stands in the way of read-ahead")          \
  LOOM_CODE(PolicyDependence, "POLICY", 4, "a read that depends on carried values")                \
  LOOM_CODE(PolicyTripCount, "POLICY", 5, "a full unroll of a loop whose trip count is unknown")   \
  LOOM_CODE(PolicyNothingToRead, "POLICY", 6, "read-ahead in a loop that reads nothing")           \
  LOOM_CODE(PolicyStep, "POLICY", 7, "read-ahead or unrolling with an unknown step")               \
  LOOM_CODE(PolicyLimit, "POLICY", 8, "a request that exceeds what can be materialized")           \
  LOOM_CODE(BytecodeFormat, "BYTECODE", 1, "bytes that are not a Loom module of this version")

enum class DiagCode {
#define LOOM_CODE(name, domain, number, meaning) name,
  LOOM_DIAGNOSTIC_CODES(LOOM_CODE)
#undef LOOM_CODE
};

struct DiagCodeInfo {
  llvm::StringRef name, domain;
  unsigned number;
  llvm::StringRef meaning;
};
llvm::ArrayRef<DiagCodeInfo> diagnosticCodes();
/// "STRUCTURE/014".
std::string stringifyCode(DiagCode code);

/// An error at `op` (or `loc`) that ends in the code, whatever is streamed into it in between:
/// the code is appended when the message is shown or compared.
mlir::InFlightDiagnostic emitCoded(mlir::Operation *op, DiagCode code,
                                   const llvm::Twine &message = {});
mlir::InFlightDiagnostic emitCoded(mlir::Location loc, DiagCode code,
                                   const llvm::Twine &message = {});

/// Marks a diagnostic that only follows from one already reported: it is not shown.
void suppress(mlir::InFlightDiagnostic &diag);

/// One diagnostic as a tool shows it.
struct ShownDiagnostic {
  mlir::DiagnosticSeverity severity;
  std::string file; ///< empty when the place is unknown
  unsigned line = 0, column = 0;
  std::string message; ///< with code, without internal prefixes
  std::vector<ShownDiagnostic> notes;
};

/// Collects what MLIR and Loom report on a context and shows it as
/// `file:line:col: error: message [CODE]` with the source line and a caret, in order of emission.
/// Sources are registered with addSource; a place in an unregistered file is shown without a line.
class DiagnosticEngineScope {
public:
  DiagnosticEngineScope(mlir::MLIRContext *context, llvm::raw_ostream &os);
  ~DiagnosticEngineScope();
  DiagnosticEngineScope(const DiagnosticEngineScope &) = delete;

  /// Remembers the text of a file, for carets. The text is copied.
  void addSource(llvm::StringRef file, llvm::StringRef text);
  /// Errors shown so far.
  unsigned errorCount() const;
  const std::vector<ShownDiagnostic> &diagnostics() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Verifies every operation of `module` and reports all violations (at most `limit`), not only the
/// first one as mlir::verify does.
mlir::LogicalResult verifyModule(mlir::ModuleOp module, unsigned limit = 20);

} // namespace loom

#endif // LOOM_IR_DIAGNOSTICS_H
