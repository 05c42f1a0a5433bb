//===- ReadAheadRecord.cpp - The record of loop pipelines -----------------===//
#include "loom/Transforms/LoopPipelines.h"

namespace loom {
using namespace mlir;

void appendLoopPipeline(KernelDefOp kernel, report::LoopPipeline row) {
  Builder b(kernel.getContext());
  auto number = [&](unsigned value) { return b.getI64IntegerAttr(value); };
  SmallVector<Attribute> rows;
  if (ArrayAttr former = kernel.getLoopPipelinesAttr())
    llvm::append_range(rows, former);
  SmallVector<Attribute> stages;
  for (const report::PipelineStage &stage : row.stages)
    stages.push_back(b.getDictionaryAttr({
        b.getNamedAttr("guarded", b.getBoolAttr(stage.guarded)),
        b.getNamedAttr("lookahead", number(stage.iterationLookahead)),
        b.getNamedAttr("op", b.getStringAttr(stage.op)),
        b.getNamedAttr("position", number(stage.position)),
        b.getNamedAttr("stage", b.getStringAttr(stage.producer ? "producer" : "consumer")),
    }));
  rows.push_back(b.getDictionaryAttr({
      b.getNamedAttr("depth", number(row.depth)),
      b.getNamedAttr("loop", number(rows.size())),
      b.getNamedAttr("outcome", b.getStringAttr(row.pipelined ? "pipelined" : "serial")),
      b.getNamedAttr("queue_records", number(row.queueRecords)),
      b.getNamedAttr("read_count", number(row.readCount)),
      b.getNamedAttr("stages", b.getArrayAttr(stages)),
      b.getNamedAttr("values_per_record", number(row.valuesPerRecord)),
  }));
  kernel.setLoopPipelinesAttr(b.getArrayAttr(rows));
}

static unsigned readNumber(DictionaryAttr dict, StringRef key) {
  auto value = dict.getAs<IntegerAttr>(key);
  return value ? static_cast<unsigned>(value.getInt()) : 0;
}

static std::string readString(DictionaryAttr dict, StringRef key) {
  auto value = dict.getAs<StringAttr>(key);
  return value ? value.getValue().str() : std::string();
}

std::vector<report::LoopPipeline> readLoopPipelines(KernelDefOp kernel) {
  std::vector<report::LoopPipeline> rows;
  ArrayAttr record = kernel.getLoopPipelinesAttr();
  if (!record)
    return rows;
  for (auto dict : record.getAsRange<DictionaryAttr>()) {
    report::LoopPipeline &row = rows.emplace_back();
    row.function = kernel.getSymName().str();
    row.loop = readNumber(dict, "loop");
    row.pipelined = readString(dict, "outcome") == "pipelined";
    row.depth = readNumber(dict, "depth");
    row.queueRecords = readNumber(dict, "queue_records");
    row.valuesPerRecord = readNumber(dict, "values_per_record");
    row.readCount = readNumber(dict, "read_count");
    auto stages = dict.getAs<ArrayAttr>("stages");
    if (!stages)
      continue;
    for (auto entry : stages.getAsRange<DictionaryAttr>()) {
      report::PipelineStage &stage = row.stages.emplace_back();
      stage.position = readNumber(entry, "position");
      stage.op = readString(entry, "op");
      stage.producer = readString(entry, "stage") == "producer";
      stage.iterationLookahead = readNumber(entry, "lookahead");
      auto guarded = entry.getAs<BoolAttr>("guarded");
      stage.guarded = guarded && guarded.getValue();
    }
  }
  return rows;
}

} // namespace loom
