//===- LoweringPrograms.h - Small programs, lowered and run -----*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_TARGET_LOWERINGPROGRAMS_H
#define LOOM_TEST_UNIT_TARGET_LOWERINGPROGRAMS_H

#include "loom/IR/Diagnostics.h"
#include "loom/Target/X86/X86Device.h"
#include "gtest/gtest.h"
#include <cstring>

namespace loom::test {

/// The slots of a kernel's argument block.
class Arguments {
public:
  template <typename T> Arguments &add(T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    // What a slot holds behind its value is nobody's business.
    uint64_t slot = 0xa5a5a5a5a5a5a5a5;
    std::memcpy(&slot, &value, sizeof(T));
    slots.push_back(slot);
    return *this;
  }
  template <typename T> Arguments &add(std::vector<T> &buffer) { return add(buffer.data()); }
  const void *data() const { return slots.data(); }

private:
  std::vector<uint64_t> slots;
};

/// Reads programs that are already in the form that the lowering takes.
class LoweringTest : public ::testing::Test {
protected:
  LoweringTest();

  /// The verified module of `text`; an error fails the test.
  mlir::ModuleOp parse(const std::string &text);
  /// What was reported since the last call.
  std::string takeErrors();

  static const TargetProfile &x86();
  static const TargetProfile &amdgpu();

  /// Compiles for x86; an error fails the test.
  x86::CompiledKernels compile(const std::string &text);
  /// The text of the LLVM IR for AMDGPU or x86; an error fails the test and gives "".
  std::string lowerToText(const std::string &text, const TargetProfile &profile);

  mlir::MLIRContext context;
  std::string errors;
  llvm::raw_string_ostream errorStream;
  std::unique_ptr<DiagnosticEngineScope> diagnostics;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

/// Launches the kernel `symbol` over `groups` workgroups in x.
void launch(const x86::CompiledKernels &kernels, const std::string &symbol, int64_t groups,
            const Arguments &arguments);

/// A kernel @k over `%n` work-items, `%i` being the number of each, with buffers `%b0`, `%b1`, ...
/// seen as views `%v0`, `%v1`, ... of `n` elements of the types `elements`. `body` runs for every
/// `%i` below `%n`. A workgroup has `size` work-items.
std::string elementwise(const std::vector<std::string> &elements, const std::string &body,
                        int64_t size = 64);

} // namespace loom::test

#endif // LOOM_TEST_UNIT_TARGET_LOWERINGPROGRAMS_H
