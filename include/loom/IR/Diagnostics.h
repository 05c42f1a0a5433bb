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
  LOOM_CODE(ParseUnknownEncoding, "PARSE", 8, "an unknown encoding family or alias")               \
  LOOM_CODE(ParseResultCount, "PARSE", 9, "more or fewer results than names")                      \
  LOOM_CODE(ParseUnknownPredicate, "PARSE", 13, "an unknown predicate")                            \
  LOOM_CODE(ParseUnknownEnum, "PARSE", 17, "an unknown word where one of a list is expected")      \
  LOOM_CODE(ParseUnknownFlag, "PARSE", 18, "an unknown flag in angle brackets")                    \
  LOOM_CODE(ParseStaticEncoding, "PARSE", 28, "a value inside a static encoding")                  \
  LOOM_CODE(ParseRepeatedParameter, "PARSE", 29, "an encoding parameter given twice")              \
  LOOM_CODE(ParseRaggedRow, "PARSE", 30, "a table row with too many or too few values")            \
  LOOM_CODE(ParsePredicateArity, "PARSE", 31, "a predicate with too many or too few arguments")    \
  LOOM_CODE(ParseDescriptor, "PARSE", 34, "an unknown or missing descriptor or immediate")         \
  LOOM_CODE(ParseOperandCount, "PARSE", 10, "a wrong number of operands of an instruction")        \
  LOOM_CODE(ParseUnsupported, "PARSE", 90, "part of the language that this version refuses")       \
  LOOM_CODE(ParseNesting, "PARSE", 91, "regions nested too deeply")                                \
  LOOM_CODE(TypeMismatch, "TYPE", 1, "two types that have to be equal differ")                     \
  LOOM_CODE(TypeElement, "TYPE", 2, "element types that have to be equal differ")                  \
  LOOM_CODE(TypeOperand, "TYPE", 3, "an operand of a type that the operation does not take")       \
  LOOM_CODE(TypeResult, "TYPE", 4, "a result of a type that the operation does not have")          \
  LOOM_CODE(TypeAttribute, "TYPE", 5, "a literal that does not suit its type")                     \
  LOOM_CODE(TypeCode, "TYPE", 11, "a code type that is too small")                                 \
  LOOM_CODE(TypePoison, "TYPE", 12, "poison that reaches an observer")                             \
  LOOM_CODE(TypeArgument, "TYPE", 13, "a block argument of the wrong type")                        \
  LOOM_CODE(StructureOperandCount, "STRUCTURE", 1, "a wrong number of operands")                   \
  LOOM_CODE(StructureResultCount, "STRUCTURE", 2, "a wrong number of results")                     \
  LOOM_CODE(StructureTerminator, "STRUCTURE", 5, "a block without terminator")                     \
  LOOM_CODE(StructureBlocks, "STRUCTURE", 6, "more than one block")                                \
  LOOM_CODE(StructureArgumentCount, "STRUCTURE", 7, "a wrong number of block arguments")           \
  LOOM_CODE(StructureYieldCount, "STRUCTURE", 8, "a wrong number of yielded values")               \
  LOOM_CODE(StructureVariadic, "STRUCTURE", 13, "lists that have to be of one length differ")      \
  LOOM_CODE(StructureValue, "STRUCTURE", 14, "a value outside its domain")                         \
  LOOM_CODE(StructureThresholds, "STRUCTURE", 15, "thresholds that are not ordered")               \
  LOOM_CODE(StructureWrongTerminator, "STRUCTURE", 18, "a terminator of the wrong kind")           \
  LOOM_CODE(StructurePredicate, "STRUCTURE", 21, "a predicate with a wrong number of arguments")   \
  LOOM_CODE(StructureBranchCount, "STRUCTURE", 25, "a wrong number of branch arguments")           \
  LOOM_CODE(StructureBranchType, "STRUCTURE", 26, "a branch argument of the wrong type")           \
  LOOM_CODE(StructurePlacement, "STRUCTURE", 29, "an operation in a place where it may not stand") \
  LOOM_CODE(StructureEntry, "STRUCTURE", 30, "an operation that belongs into the entry block")     \
  LOOM_CODE(StructureBlock, "STRUCTURE", 31,                                                       \
            "an operation that belongs at a particular place of a block")                          \
  LOOM_CODE(StructureOrigin, "STRUCTURE", 32, "a predicate about a value it may not name")         \
  LOOM_CODE(StructurePure, "STRUCTURE", 34, "a pure call of a callee that is not pure")            \
  LOOM_CODE(StructureStep, "STRUCTURE", 35, "a loop step that is not provably positive")           \
  LOOM_CODE(StructureTies, "STRUCTURE", 36, "a tied result where values cannot be tied")           \
  LOOM_CODE(StructureBarrierControl, "STRUCTURE", 38, "a barrier under control that may differ")   \
  LOOM_CODE(StructureConfigEffect, "STRUCTURE", 52, "an effect in a launch configuration")         \
  LOOM_CODE(StructureScheduleScope, "STRUCTURE", 54, "a schedule scope that is not well formed")   \
  LOOM_CODE(StructureWorkgroupStorage, "STRUCTURE", 56, "dynamic workgroup storage out of place")  \
  LOOM_CODE(StructureBarrierPhase, "STRUCTURE", 57, "a split barrier that is not well formed")     \
  LOOM_CODE(DominanceUse, "DOMINANCE", 1, "a use that its definition does not dominate")           \
  LOOM_CODE(DominanceConsumed, "DOMINANCE", 2, "a use of a value that was consumed")               \
  LOOM_CODE(DominanceUseCount, "DOMINANCE", 9,                                                     \
            "a value used more or less often than it has to be")                                   \
  LOOM_CODE(DominanceOrigin, "DOMINANCE", 10, "a value of a wrong origin or user")                 \
  LOOM_CODE(DominancePartial, "DOMINANCE", 11, "a whole use of a partly written register")         \
  LOOM_CODE(ShapeMismatch, "SHAPE", 1, "static extents that disagree")                             \
  LOOM_CODE(ShapeKind, "SHAPE", 2, "shapes that have to be equal differ")                          \
  LOOM_CODE(ShapeBroadcast, "SHAPE", 4, "shapes that do not broadcast")                            \
  LOOM_CODE(SubrangeRank, "SUBRANGE", 1, "a wrong number of indices")                              \
  LOOM_CODE(SubrangeAxis, "SUBRANGE", 2, "an axis that does not exist")                            \
  LOOM_CODE(SubrangeExtents, "SUBRANGE", 3,                                                        \
            "a wrong number of extents, or one that is not positive")                              \
  LOOM_CODE(SubrangeBounds, "SUBRANGE", 4, "a static index outside a static extent")               \
  LOOM_CODE(EncodingAxis, "ENCODING", 1, "an encoding that does not suit its use")                 \
  LOOM_CODE(EncodingTwice, "ENCODING", 6, "a parameter both static and dynamic")                   \
  LOOM_CODE(EncodingMissing, "ENCODING", 7, "a required parameter that is missing")                \
  LOOM_CODE(EncodingUnknown, "ENCODING", 8, "an unknown parameter")                                \
  LOOM_CODE(EncodingParamType, "ENCODING", 9, "a dynamic parameter of the wrong type")             \
  LOOM_CODE(EncodingParamValue, "ENCODING", 10, "a parameter whose value is out of its domain")    \
  LOOM_CODE(EncodingNestedRole, "ENCODING", 11, "a nested encoding of the wrong role")             \
  LOOM_CODE(EncodingRoleMismatch, "ENCODING", 12, "a declared role that is not the family's")      \
  LOOM_CODE(EncodingExclusive, "ENCODING", 14, "parameters that exclude each other")               \
  LOOM_CODE(EncodingAuxUnknown, "ENCODING", 15, "an unknown auxiliary key")                        \
  LOOM_CODE(EncodingAuxMissing, "ENCODING", 16, "an auxiliary key that is missing")                \
  LOOM_CODE(EncodingIsa, "ENCODING", 21, "a test against an encoding of another role")             \
  LOOM_CODE(EncodingEmptyMatch, "ENCODING", 22, "a match without a field")                         \
  LOOM_CODE(SymbolUndefined, "SYMBOL", 2, "a reference to a symbol that does not exist")           \
  LOOM_CODE(SymbolKind, "SYMBOL", 3, "a reference to a symbol of the wrong kind")                  \
  LOOM_CODE(SymbolDuplicate, "SYMBOL", 5, "two definitions of one symbol")                         \
  LOOM_CODE(LinkUnresolved, "LINK", 1, "a declaration that nothing defines")                       \
  LOOM_CODE(LinkSignature, "LINK", 2, "a declaration and a definition that differ")                \
  LOOM_CODE(LinkIndirect, "LINK", 3, "a dependency that no direct library exports")                \
  LOOM_CODE(LinkRoot, "LINK", 4, "a root that the link cannot keep")                               \
  LOOM_CODE(LinkImport, "LINK", 5, "an import that the rest of the link contradicts")              \
  LOOM_CODE(LinkTarget, "LINK", 6, "a family without an implementation for the target profile")    \
  LOOM_CODE(ConfigMissing, "CONFIG", 1, "a configuration value that nothing supplies")             \
  LOOM_CODE(ConfigUnknown, "CONFIG", 2, "a binding of a key that the program does not declare")    \
  LOOM_CODE(ConfigValue, "CONFIG", 3, "a binding whose value does not suit the type")              \
  LOOM_CODE(TargetUnknown, "TARGET", 1, "an unknown target or target row")                         \
  LOOM_CODE(TargetUnsupported, "TARGET", 2, "an operation that the target cannot carry out")       \
  LOOM_CODE(TargetIncompatible, "TARGET", 3, "a target that does not satisfy an authored one")     \
  LOOM_CODE(TargetCallee, "TARGET", 40, "a Low callee for another target")                         \
  LOOM_CODE(TargetResource, "TARGET", 41, "a resource that the ABI does not have")                 \
  LOOM_CODE(TargetUnits, "TARGET", 43, "more registers than can be allocated")                     \
  LOOM_CODE(TargetImmediateMissing, "TARGET", 47, "an immediate that is missing")                  \
  LOOM_CODE(TargetImmediateUnknown, "TARGET", 48,                                                  \
            "an immediate that the instruction does not have")                                     \
  LOOM_CODE(TargetImmediateKind, "TARGET", 49, "an immediate of the wrong kind")                   \
  LOOM_CODE(TargetTied, "TARGET", 57, "a tied result of another type")                             \
  LOOM_CODE(TargetContract, "TARGET", 65, "a target record that does not fit the contract")        \
  LOOM_CODE(TargetOverride, "TARGET", 67,                                                          \
            "a kernel's override on the target of an implementation")                              \
  LOOM_CODE(TargetRequirement, "TARGET", 68, "a malformed target condition")                       \
  LOOM_CODE(AsyncWaitCount, "LOWERING", 22, "a group of transfers not waited for exactly once")    \
  LOOM_CODE(AsyncNewerGroups, "LOWERING", 23, "a wait with a wrong number of newer groups")        \
  LOOM_CODE(AsyncOrder, "LOWERING", 24, "transfers grouped in another order than issued")          \
  LOOM_CODE(AsyncUngrouped, "LOWERING", 25, "a wait between a transfer and its group")             \
  LOOM_CODE(AsyncOverlap, "LOWERING", 26, "pending transfers whose destinations overlap")          \
  LOOM_CODE(AsyncDestination, "LOWERING", 27,                                                      \
            "an access to the destination of a pending transfer")                                  \
  LOOM_CODE(AsyncSource, "LOWERING", 28, "a write to the source of a pending transfer")            \
  LOOM_CODE(AsyncCluster, "LOWERING", 29, "a cluster gather that not all workgroups share alike")  \
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
