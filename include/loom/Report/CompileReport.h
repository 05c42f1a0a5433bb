//===- CompileReport.h - What one compilation did and cost ------*- C++ -*-===//
//
// The model behind `--compile-report`. Every number is read from what was emitted or from what a
// transformation recorded; a fact that was not established stays empty and is left out of the
// JSON, it is never written as zero.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_REPORT_COMPILEREPORT_H
#define LOOM_REPORT_COMPILEREPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loom::report {

enum class Mode { Summary, Details };

/// Status of the compilation. Codes and names follow the reference's status enum.
struct Status {
  int code = 0;
  std::string name = "OK";
};

/// One operation of a pipelined loop body, in body order.
struct PipelineStage {
  unsigned position = 0;
  std::string op; ///< text name, `view.load`
  bool producer = false;
  unsigned iterationLookahead = 0; ///< queue records for a producer, 0 for a consumer
  bool guarded = false;            ///< one half of a conditional split in two
};

/// What became of one loop that carried a `pipeline` clause.
struct LoopPipeline {
  std::string function;
  unsigned loop = 0; ///< ordinal in the function, inner loops first
  bool pipelined = false;
  unsigned depth = 1;
  unsigned queueRecords = 0;
  unsigned valuesPerRecord = 0;
  unsigned readCount = 0; ///< static load operations in the producer stage
  std::vector<PipelineStage> stages;
};

/// One wait instruction of the final machine code that waits for something that is outstanding.
struct WaitAction {
  std::string function;
  std::string counter; ///< `vmem_load`, `vmem_store`, `lds`, `smem`
  unsigned counterId = 0;
  std::string action = "planned";       ///< `explicit` when the source asked for the wait
  std::string reason;                   ///< `amdgpu.ssa_use`, `amdgpu.program_exit`, ...
  unsigned blockIndex = 0;              ///< machine basic block, in layout order
  unsigned nodeIndex = 0;               ///< instruction in the function, in layout order
  unsigned scheduledOrdinal = 0;        ///< instruction in its block
  std::optional<unsigned> producerNode; ///< the last request that has to complete
  std::string producerOperation;        ///< source operation, empty when unknown
  std::string producerInstruction;      ///< mnemonic in the final code
  std::optional<unsigned> consumerNode;
  std::string consumerOperation;
  std::string consumerInstruction;
  unsigned targetCount = 0;
  /// Requests of this counter issued in the same block before the wait, less those that earlier
  /// waits of the block completed.
  unsigned outstandingBefore = 0;
  unsigned outstandingAfter = 0;
};

/// What the waits of one group add up to. Outstanding counts are those of the block of each wait.
struct WaitSummary {
  uint64_t actionCount = 0;
  uint64_t explicitCount = 0;
  uint64_t plannedCount = 0;
  uint64_t fullDrainCount = 0; ///< waits with a target count of zero
  uint64_t partialWaitCount = 0;
  uint64_t drainedCount = 0; ///< requests that the waits completed
  uint64_t maxDrainedCount = 0;
  uint64_t maxOutstandingBefore = 0;
  uint64_t maxFullDrainOutstandingBefore = 0;
};

/// The waits of one function that share a counter and a reason.
struct WaitGroup {
  std::string function;
  std::string counter;
  unsigned counterId = 0;
  std::string reason;
  WaitSummary summary;
};

/// A register file in the final code of one kernel.
struct RegisterUse {
  std::string registerClass;
  unsigned registerCount = 0;
};

/// Facts of one kernel of the artifact.
struct Entry {
  std::string function;       ///< symbol in the linked module, without `@`
  std::string sourceFunction; ///< symbol in the source, without `@`
  std::string targetExport;   ///< name in the artifact
  std::optional<uint64_t> instructionCount;
  std::optional<uint64_t> codeBytes;
  std::optional<uint64_t> codeStorageBytes; ///< code bytes rounded to the symbol's alignment
  std::optional<RegisterUse> scalar;
  std::optional<RegisterUse> vector;
  std::optional<uint64_t> scalarSpills;
  std::optional<uint64_t> vectorSpills;
  /// Both files together, when only the sum is known (a report that was read back). Whoever knows
  /// scalarSpills and vectorSpills leaves this empty.
  std::optional<uint64_t> spills;
  std::optional<uint64_t> privateBytes; ///< scratch per work-item
  std::optional<uint64_t> localBytes;   ///< LDS per workgroup
  std::optional<uint64_t> kernargBytes;
  std::optional<unsigned> subgroupSize;
  std::optional<unsigned> maxSubgroupsPerSimd;
  std::optional<unsigned> residentSubgroupsPerSimd;
  std::string occupancyLimit; ///< resource that limits occupancy, empty when nothing does
  std::optional<uint64_t> workgroupSize[3];
  std::optional<uint64_t> workgroupCount[3];
};

/// A diagnostic of the compilation, kept for failed compilations.
struct DiagnosticRow {
  std::string severity; ///< `error`, `warning`, `note`
  std::string location; ///< `file:line:col`, empty when there is none
  std::string message;
};

struct CompileReport {
  Mode mode = Mode::Summary;
  Status status;
  std::string artifactKind = "none"; ///< `hal-executable` for a code object
  std::string artifactFormat;        ///< `amdgpu-hsaco`
  std::string module, backend, targetFamily, targetKey;
  std::optional<uint64_t> artifactSize;
  std::vector<std::pair<std::string, std::string>> configBindings;
  std::vector<Entry> entries;
  std::vector<LoopPipeline> loopPipelines;
  /// Whether the waits of the final code were recorded, so that their absence means there are none.
  /// Set by whoever fills `waits`.
  bool waitsRecorded = false;
  std::vector<WaitAction> waits;
  /// What `waits` adds up to, in a summary that was read back; empty while `waits` is there.
  std::vector<WaitGroup> waitReasons;
  std::vector<DiagnosticRow> diagnostics;
  /// Number of diagnostics in a summary that was read back, where the rows are not kept.
  std::optional<uint64_t> diagnosticCount;
};

} // namespace loom::report

#endif // LOOM_REPORT_COMPILEREPORT_H
