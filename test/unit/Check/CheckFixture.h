//===- CheckFixture.h - Programs and a device for tests ---------*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_CHECK_CHECKFIXTURE_H
#define LOOM_TEST_UNIT_CHECK_CHECKFIXTURE_H

#include "mlir/IR/BuiltinOps.h"

#include "loom/Check/Execute.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Text/Text.h"
#include "gtest/gtest.h"
#include <functional>
#include <map>
#include <utility>

namespace loom::check {

/// A verified program from text whose file is called "t.loom".
class Program {
public:
  explicit Program(llvm::StringRef text) {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string messages;
    llvm::raw_string_ostream os(messages);
    DiagnosticEngineScope diagnostics(&context, os);
    module = parseSourceText(text, "t.loom", &context);
    if (!module || mlir::failed(verifyModule(*module)))
      ADD_FAILURE() << messages;
  }

  mlir::ModuleOp operator*() { return *module; }

  TestPlan plan(PlanOptions options = {}) { return llvm::cantFail(planCases(*module, options)); }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Runs kernels that are written in C++, and remembers the launches.
class FakeDevice : public runtime::Device {
public:
  using Kernel = std::function<void(const runtime::Launch &)>;
  struct Record {
    std::string kernel;
    runtime::LaunchGeometry geometry;
  };

  llvm::StringRef name() const override { return "fake"; }
  std::optional<runtime::Issue> launch(const runtime::Launch &launch) override {
    launches.push_back({launch.kernel.str(), launch.geometry});
    auto kernel = kernels.find(launch.kernel.str());
    if (kernel == kernels.end()) {
      runtime::Issue issue;
      issue.category = runtime::Issue::Category::CompileRejected;
      issue.provider = "fake";
      issue.stage = "compile";
      issue.kind = "unknown_kernel";
      issue.message = "no @" + launch.kernel.str();
      return issue;
    }
    kernel->second(launch);
    return std::nullopt;
  }
  runtime::EventLog takeEvents() override { return std::exchange(log, {}); }

  std::map<std::string, Kernel> kernels;
  std::vector<Record> launches;
  runtime::EventLog log; ///< what the device has to tell
};

inline const runtime::Scalar &scalarArgument(const runtime::Launch &launch, unsigned i) {
  return std::get<runtime::Scalar>(launch.arguments[i]);
}
inline runtime::Tensor &tensorArgument(const runtime::Launch &launch, unsigned i) {
  return *std::get<runtime::Tensor *>(launch.arguments[i]);
}

/// Sums of the first rows of a rows x columns f32 tensor in order: (count, input, output).
inline void sumRows(const runtime::Launch &launch) {
  runtime::Tensor &input = tensorArgument(launch, 1), &output = tensorArgument(launch, 2);
  for (uint64_t lane = 0; lane < output.elementCount(); ++lane) {
    float sum = 0;
    for (int64_t row = 0; row < scalarArgument(launch, 0).toInteger(); ++row)
      sum += static_cast<float>(input.get(row * output.elementCount() + lane).toDouble());
    output.set(lane, runtime::Scalar::fromDouble(runtime::ElementType::F32, sum));
  }
}

} // namespace loom::check

#endif // LOOM_TEST_UNIT_CHECK_CHECKFIXTURE_H
