//===- X86DeviceTest.cpp - Kernels of a module in this process ------------===//
#include "mlir/IR/BuiltinOps.h"

#include "loom/IR/Diagnostics.h"
#include "loom/Runtime/Generate.h"
#include "loom/Runtime/X86Device.h"
#include "loom/Text/Text.h"
#include "gtest/gtest.h"

using namespace loom;
using namespace loom::runtime;

namespace {

/// A program and a device for it.
class Machine {
public:
  explicit Machine(llvm::StringRef text) {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceText(text, "t.loom", &context);
    if (!module || mlir::failed(verifyModule(*module)))
      ADD_FAILURE() << messages;
    device.emplace(*module, *lookupTargetProfile("x86:native"));
  }

  std::string launch(llvm::StringRef kernel, Extents workgroups, Extents size,
                     std::vector<Argument> arguments) {
    if (std::optional<Issue> issue = device->prepare(kernel))
      return "prepare: " + issue->message;
    std::optional<Issue> issue = device->launch({kernel, {workgroups, size}, arguments});
    return issue ? issue->kind : "";
  }

  mlir::MLIRContext context;
  std::string messages;
  llvm::raw_string_ostream os{messages};
  DiagnosticEngineScope diagnostics{&context, os};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<X86Device> device;
};

std::string kernel(llvm::StringRef name, llvm::StringRef parameters, llvm::StringRef body,
                   llvm::StringRef workload = "") {
  return ("kernel.def export(\"exported_" + name + "\") @" + name + "(" + workload +
          ") {\n  %one = index.constant 1 : index\n  %two = index.constant 2 : index\n"
          "  kernel.launch.config workgroups(%two, %two, %two) workgroup_size(%two, %one, %two) : "
          "index\n} launch(" +
          parameters + ") {\n" + body + "  kernel.return\n}\n")
      .str();
}

Scalar index(int64_t value) { return *Scalar::fromInteger(ElementType::Index, value); }

TEST(X86Device, RunsEveryWorkitemOfEveryWorkgroup) {
  // Each work-item writes its position in the dispatch to its own element.
  Machine machine(kernel("mark", "%marks: buffer",
                         "  %x = kernel.workitem.dispatch.id<x> : index\n"
                         "  %y = kernel.workitem.dispatch.id<y> : index\n"
                         "  %z = kernel.workitem.dispatch.id<z> : index\n"
                         "  %base = index.constant 0 : offset\n"
                         "  %four = index.constant 4 : index\n"
                         "  %eight = index.constant 8 : index\n"
                         "  %view = buffer.view %marks[%base] : buffer -> view<4x2x4xi64>\n"
                         "  %yx = index.madd %y, %four, %x : index\n"
                         "  %flat = index.madd %z, %eight, %yx : index\n"
                         "  %value = index.cast %flat : index to i64\n"
                         "  view.store %value, %view[%z, %y, %x] : i64, view<4x2x4xi64>\n"));
  Tensor marks = llvm::cantFail(Tensor::guarded(ElementType::I64, {4, 2, 4}));
  generateFill(marks, *Scalar::fromInteger(ElementType::I64, -1));
  EXPECT_EQ(machine.launch("mark", {2, 2, 2}, {2, 1, 2}, {&marks}), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(marks.get(i).toInteger(), static_cast<int64_t>(i));
}

TEST(X86Device, PassesScalarsOfEveryType) {
  struct Row {
    const char *type;
    Scalar value;
  };
  const Row rows[] = {{"i8", *Scalar::fromInteger(ElementType::I8, -100)},
                      {"i16", *Scalar::fromInteger(ElementType::I16, -30000)},
                      {"i32", *Scalar::fromInteger(ElementType::I32, -2000000000)},
                      {"i64", *Scalar::fromInteger(ElementType::I64, INT64_MIN + 5)},
                      {"f16", Scalar::fromDouble(ElementType::F16, -0.1)},
                      {"bf16", Scalar::fromDouble(ElementType::BF16, 3.7)},
                      {"f32", Scalar::fromDouble(ElementType::F32, -1e-42)},
                      {"f64", Scalar::fromDouble(ElementType::F64, 0.1)}};
  for (const Row &row : rows) {
    std::string view = std::string("view<2x") + row.type + ">";
    Machine machine(kernel("put", std::string("%value: ") + row.type + ", %out: buffer",
                           "  %zero = index.constant 0 : index\n"
                           "  %base = index.constant 0 : offset\n"
                           "  %view = buffer.view %out[%base] : buffer -> " +
                               view + "\n  view.store %value, %view[%zero] : " + row.type + ", " +
                               view + "\n"));
    Tensor out = llvm::cantFail(Tensor::create(row.value.type(), {2}));
    EXPECT_EQ(machine.launch("put", {2, 2, 2}, {2, 1, 2}, {row.value, &out}), "") << row.type;
    EXPECT_EQ(out.get(0).bits(), row.value.bits()) << row.type;
    EXPECT_EQ(out.get(1).bits(), 0u) << row.type;
  }
}

const char *const kCount = "  %zero = index.constant 0 : index\n"
                           "  %base = index.constant 0 : offset\n"
                           "  %view = buffer.view %out[%base] : buffer -> view<1xi64>\n"
                           "  %value = index.cast %n : index to i64\n"
                           "  view.store %value, %view[%zero] : i64, view<1xi64>\n";

TEST(X86Device, ARefusedKernelDoesNotKeepTheOthers) {
  std::string text =
      kernel("waits", "", "  kernel.barrier<workgroup> scope(workgroup) ordering(acq_rel)\n") +
      kernel("works", "%n: index, %out: buffer", kCount);
  Machine machine(text);
  std::optional<Issue> issue = machine.device->prepare("waits");
  ASSERT_TRUE(issue);
  EXPECT_EQ(issue->category, Issue::Category::CompileRejected);
  EXPECT_EQ(issue->provider, "x86");
  EXPECT_EQ(issue->stage, "compile");
  EXPECT_NE(issue->message.find("t.loom:6:3: 'kernel.barrier'"), std::string::npos)
      << issue->message;
  // The message was shown once, and the refusal stays.
  unsigned shown = machine.diagnostics.errorCount();
  EXPECT_EQ(shown, 1u);
  EXPECT_TRUE(machine.device->prepare("waits"));
  EXPECT_EQ(machine.diagnostics.errorCount(), shown);

  Tensor out = llvm::cantFail(Tensor::create(ElementType::I64, {1}));
  EXPECT_EQ(machine.launch("works", {2, 2, 2}, {2, 1, 2}, {index(int64_t(1) << 40), &out}), "");
  EXPECT_EQ(out.get(0).toInteger(), int64_t(1) << 40);
}

TEST(X86Device, LeavesTheModuleAloneAndShowsTheSpecializedKernel) {
  Machine machine(
      "config.def @width = 7 : index\n" +
      kernel("k", "%out: buffer", std::string("  %n = config.get @width : index\n") + kCount));
  std::string before = printSourceText(*machine.module);
  EXPECT_FALSE(machine.device->specialized("k"));
  EXPECT_FALSE(machine.device->prepare("k"));
  EXPECT_EQ(printSourceText(*machine.module), before);
  KernelDefOp specialized = machine.device->specialized("k");
  ASSERT_TRUE(specialized);
  EXPECT_EQ(printSourceText(specialized).find("config.get"), std::string::npos);
}

TEST(X86Device, RefusesGridsThatCannotBeCounted) {
  Machine machine(kernel("k", "", ""));
  int64_t most = 4294967295;
  EXPECT_EQ(machine.launch("k", {most, most, most}, {2, 1, 2}, {}), "too_many_workgroups");
  EXPECT_EQ(machine.device->limits().flatWorkgroupSize, 1024);
}

TEST(X86DeviceDeathTest, AccessesPastAGuardedTensorFault) {
  Machine machine(kernel("k", "%at: index, %out: buffer",
                         "  %base = index.constant 0 : offset\n"
                         "  %view = buffer.view %out[%base] : buffer -> view<100xi8>\n"
                         "  %value = scalar.constant 1 : i8\n"
                         "  view.store %value, %view[%at] : i8, view<100xi8>\n"));
  Tensor out = llvm::cantFail(Tensor::guarded(ElementType::I8, {50}));
  EXPECT_EQ(machine.launch("k", {2, 2, 2}, {2, 1, 2}, {index(49), &out}), "");
  EXPECT_EQ(out.get(49).bits(), 1u);
  EXPECT_DEATH(machine.launch("k", {2, 2, 2}, {2, 1, 2}, {index(50), &out}), "");
}

} // namespace
