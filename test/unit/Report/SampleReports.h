//===- SampleReports.h - Reports to test with -------------------*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_REPORT_SAMPLEREPORTS_H
#define LOOM_TEST_UNIT_REPORT_SAMPLEREPORTS_H

#include "loom/Report/CompileReport.h"

namespace loom::report {

inline Entry sampleEntry(const std::string &name) {
  Entry entry;
  entry.function = name;
  entry.sourceFunction = name;
  entry.targetExport = name;
  entry.instructionCount = 70;
  entry.codeBytes = 1376;
  entry.codeStorageBytes = 1536;
  entry.scalar = RegisterUse{"SGPR", 10};
  entry.vector = RegisterUse{"VGPR", 7};
  entry.scalarSpills = 0;
  entry.vectorSpills = 0;
  entry.privateBytes = 0;
  entry.localBytes = 0;
  entry.kernargBytes = 24;
  entry.subgroupSize = 32;
  entry.maxSubgroupsPerSimd = 16;
  entry.residentSubgroupsPerSimd = 16;
  entry.workgroupSize[0] = 48;
  entry.workgroupSize[1] = entry.workgroupSize[2] = 1;
  entry.workgroupCount[0] = 1;
  entry.workgroupCount[1] = entry.workgroupCount[2] = 1;
  return entry;
}

inline WaitAction sampleWait(unsigned target, unsigned before) {
  WaitAction wait;
  wait.function = "sum_rows";
  wait.counter = "vmem_load";
  wait.counterId = 1;
  wait.reason = "amdgpu.ssa_use";
  wait.blockIndex = 4;
  wait.nodeIndex = 30 + before;
  wait.scheduledOrdinal = before;
  wait.producerNode = 20;
  wait.producerOperation = "view.load";
  wait.producerInstruction = "global_load_b32";
  wait.consumerOperation = "scalar.addf";
  wait.consumerInstruction = "v_add_f32_e32";
  wait.targetCount = target;
  wait.outstandingBefore = before;
  wait.outstandingAfter = target < before ? target : before;
  return wait;
}

/// The row sum at depth three: one entry, one pipelined loop of four stages, three waits.
inline CompileReport sampleReport(Mode mode) {
  CompileReport report;
  report.mode = mode;
  report.artifactKind = "hal-executable";
  report.artifactFormat = "amdgpu-hsaco";
  report.module = "linked";
  report.backend = "amdgpu";
  report.targetFamily = "amdgpu";
  report.targetKey = "gfx1151";
  report.artifactSize = 5000;
  report.configBindings = {{"read_ahead.depth", "3"}, {"read_ahead.unroll", "4"}};
  report.entries = {sampleEntry("sum_rows")};
  report.loopPipelines = {{"sum_rows",
                           0,
                           true,
                           3,
                           2,
                           1,
                           1,
                           {{0, "index.constant", true, 2, false},
                            {1, "index.madd", true, 2, false},
                            {2, "view.load", true, 2, false},
                            {3, "scalar.addf", false, 0, false}}}};
  WaitAction exit = sampleWait(0, 2);
  exit.reason = "amdgpu.program_exit";
  exit.consumerOperation = exit.consumerInstruction = "";
  report.waits = {sampleWait(3, 4), sampleWait(2, 3), exit};
  report.waitsRecorded = true;
  return report;
}

} // namespace loom::report

#endif // LOOM_TEST_UNIT_REPORT_SAMPLEREPORTS_H
