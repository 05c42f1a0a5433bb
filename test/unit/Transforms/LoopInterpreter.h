//===- LoopInterpreter.h - Runs kernel bodies for tests ---------*- C++ -*-===//
//
// Carries out the body of a kernel for one work-item, operation by operation, as the language
// defines it. It knows what the tests of the loop policies need: index and f32 arithmetic, loops,
// conditionals, and f32 accesses to buffers. Everything that has no value is an error: an access
// outside its buffer, index arithmetic that leaves 64 bits, an operation that is not known.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_TEST_UNIT_TRANSFORMS_LOOPINTERPRETER_H
#define LOOM_TEST_UNIT_TRANSFORMS_LOOPINTERPRETER_H

#include "loom/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/DenseMap.h"
#include <string>
#include <vector>

namespace loom::test {

class LoopInterpreter {
public:
  /// One launch parameter: an `index`, or the number of a buffer.
  using Argument = int64_t;

  std::vector<std::vector<float>> buffers;
  int64_t workitem = 0;

  /// Runs the body. Returns false when there was an error, described in `error`.
  bool run(KernelDefOp kernel, std::vector<Argument> arguments);

  std::string error;
  /// Elements read, in order: buffer and position.
  std::vector<std::pair<int64_t, int64_t>> reads;
  /// Text names of the operations carried out, when `traced`.
  std::vector<std::string> trace;
  bool traced = false;

private:
  struct Cell {
    int64_t number = 0; ///< integers; the buffer of a buffer or view
    int64_t base = 0;   ///< first element of a view
    std::vector<float> lanes;
  };
  std::vector<Cell> runBlock(mlir::Block &block);
  void runFor(mlir::Operation *op);
  void runIf(mlir::Operation *op);
  bool runIndex(mlir::Operation *op);
  bool runFloat(mlir::Operation *op);
  bool runMemory(mlir::Operation *op);
  void runOp(mlir::Operation *op);
  template <typename Access> int64_t elementOf(Access op, size_t count);

  int64_t number(mlir::Value value) { return values[value].number; }
  float lane(mlir::Value value) { return values[value].lanes.at(0); }
  void set(mlir::Value value, int64_t result) { values[value].number = result; }
  void set(mlir::Value value, float result) { values[value].lanes = {result}; }
  void fail(mlir::Operation *op, const std::string &why);

  llvm::DenseMap<mlir::Value, Cell> values;
};

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TRANSFORMS_LOOPINTERPRETER_H
