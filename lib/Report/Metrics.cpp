//===- Metrics.cpp - The numbers that show prints -------------------------===//
#include "Metrics.h"

namespace loom::report {

std::vector<Metric> artifactMetrics(const Entry &entry) {
  std::optional<uint64_t> unknown;
  return {{"instructions", "instruction_count", entry.instructionCount},
          {"body instructions", "body_instruction_count", unknown},
          {"entry-envelope instructions", "entry_instruction_count", unknown},
          {"native coissued instructions", "coissued_instruction_count", unknown},
          {"coissued semantic components", "coissued_component_count", unknown},
          {"code bytes", "code_byte_count", entry.codeBytes, Unit::Bytes},
          {"code storage bytes", "code_storage_byte_count", entry.codeStorageBytes, Unit::Bytes},
          {"local memory", "local_memory_bytes", entry.localBytes, Unit::Bytes},
          {"private memory", "private_memory_bytes", entry.privateBytes, Unit::Bytes},
          {"scalar ALU instructions", "scalar_alu_count", unknown},
          {"unclassified instructions", "unknown_count", unknown},
          {"vector ALU instructions", "vector_alu_count", unknown},
          {"matrix instructions", "matrix_count", unknown},
          {"MFMA instructions", "mfma_count", unknown},
          {"SMFMAC instructions", "smfmac_count", unknown},
          {"WMMA instructions", "wmma_count", unknown},
          {"SWMMAC instructions", "swmmac_count", unknown},
          {"dot instructions", "dot_count", unknown},
          {"global loads", "global_load_count", unknown},
          {"global stores", "global_store_count", unknown},
          {"buffer loads", "buffer_load_count", unknown},
          {"buffer stores", "buffer_store_count", unknown},
          {"local-memory instructions", "local_memory_count", unknown},
          {"conversion instructions", "conversion_count", unknown},
          {"register moves", "register_move_count", unknown},
          {"barriers", "execution_barrier_count", unknown},
          {"branches", "branch_count", unknown}};
}

static std::optional<uint64_t> registerCount(const std::optional<RegisterUse> &use) {
  return use ? std::optional<uint64_t>(use->registerCount) : std::nullopt;
}

std::vector<Metric> resourceMetrics(const Entry &entry) {
  return {{"final scalar registers", "final_scalar_register_count", registerCount(entry.scalar)},
          {"final vector registers", "final_vector_register_count", registerCount(entry.vector)},
          {"planned spills", "allocation_spill_count", spillCount(entry)},
          {"resident subgroups per SIMD", "resident_subgroups_per_simd",
           entry.residentSubgroupsPerSimd},
          {"maximum subgroups per SIMD", "max_subgroups_per_simd", entry.maxSubgroupsPerSimd},
          {"modeled occupancy", "occupancy_percent", occupancyPercent(entry), Unit::Percent}};
}

std::vector<Metric> waitMetrics(const WaitSummary &summary) {
  return {{"wait actions", "wait_action_count", summary.actionCount},
          {"explicit wait actions", "wait_explicit_action_count", summary.explicitCount},
          {"target-planned wait actions", "wait_planned_action_count", summary.plannedCount},
          {"full drains", "wait_full_drain_count", summary.fullDrainCount},
          {"partial waits", "wait_partial_wait_count", summary.partialWaitCount},
          {"packets drained", "wait_drained_count", summary.drainedCount},
          {"maximum packets drained", "wait_max_drained_count", summary.maxDrainedCount},
          {"maximum outstanding before a wait", "wait_max_outstanding_before",
           summary.maxOutstandingBefore},
          {"maximum outstanding before a full drain", "wait_max_full_drain_outstanding_before",
           summary.maxFullDrainOutstandingBefore}};
}

std::string numberText(uint64_t value, Unit unit) {
  std::string text = std::to_string(value);
  for (size_t end = text.size(); end > 3; end -= 3)
    text.insert(end - 3, ",");
  if (unit == Unit::Bytes)
    text += " B";
  if (unit == Unit::Percent)
    text += "%";
  return text;
}

} // namespace loom::report
