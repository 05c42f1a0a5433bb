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
  explicit Machine(llvm::StringRef text, const X86DeviceOptions &options = {}) {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceText(text, "t.loom", &context);
    if (!module || mlir::failed(verifyModule(*module)))
      ADD_FAILURE() << messages;
    device.emplace(*module, *lookupTargetProfile("x86:native"), options);
  }

  std::string launch(llvm::StringRef kernel, Extents workgroups, Extents size,
                     std::vector<Argument> arguments) {
    if (std::optional<Issue> issue = device->prepare(kernel))
      return "prepare: " + issue->message;
    std::optional<Issue> issue = device->launch({kernel, {workgroups, size}, arguments});
    message = issue ? issue->message : "";
    return issue ? issue->kind : "";
  }

  mlir::MLIRContext context;
  std::string message; ///< of the last launch
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

/// The same with as many workgroups in x as the launch says.
std::string gridKernel(llvm::StringRef name, llvm::StringRef parameters, llvm::StringRef body) {
  std::string text = kernel(name, parameters, body, "%groups: index");
  text.replace(text.find("%two, %two, %two"), 16, "%groups, %one, %one");
  return text;
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
  std::string large = kernel("large", "", "");
  large.replace(large.find("constant 1 "), 11, "constant 2000 ");
  Machine machine(large + kernel("works", "%n: index, %out: buffer", kCount));
  std::optional<Issue> issue = machine.device->prepare("large");
  ASSERT_TRUE(issue);
  EXPECT_EQ(issue->category, Issue::Category::CompileRejected);
  EXPECT_EQ(issue->provider, "x86");
  EXPECT_EQ(issue->stage, "compile");
  EXPECT_EQ(issue->diagnostic, "TARGET/002");
  EXPECT_NE(issue->message.find("t.loom:4:3: a workgroup size of 2000 in y"), std::string::npos)
      << issue->message;
  // The message was shown once, and the refusal stays.
  unsigned shown = machine.diagnostics.errorCount();
  EXPECT_EQ(shown, 1u);
  EXPECT_TRUE(machine.device->prepare("large"));
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

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Writes a value that depends on the place in the dispatch, after some work.
const char *const kWork = "  %x = kernel.workitem.dispatch.id<x> : index\n"
                          "  %base = index.constant 0 : offset\n"
                          "  %zero = index.constant 0 : index\n"
                          "  %unit = index.constant 1 : index\n"
                          "  %end = index.constant 2000 : index\n"
                          "  %view = buffer.view %out[%base] : buffer -> view<4096xf32>\n"
                          "  %id = index.cast %x : index to i32\n"
                          "  %start = scalar.sitofp %id : i32 to f32\n"
                          "  %factor = scalar.constant 1.0001 : f32\n"
                          "  %y = scf.for %i = [%zero to %end step %unit](%a = %start : f32) -> "
                          "(f32) {\n"
                          "    %b = scalar.mulf %a, %factor : f32\n"
                          "    %c = scalar.addf %b, %start : f32\n"
                          "    scf.yield %c : f32\n"
                          "  }\n"
                          "  view.store %y, %view[%x] : f32, view<4096xf32>\n";

TEST(X86Device, AnyNumberOfThreadsGivesTheSameBytes) {
  std::string first;
  for (unsigned threads : {1u, 2u, 3u, 16u}) {
    X86DeviceOptions options;
    options.threads = threads;
    Machine machine(gridKernel("work", "%out: buffer", kWork), options);
    Tensor out = llvm::cantFail(Tensor::create(ElementType::F32, {4096}));
    for (unsigned round = 0; round < 3; ++round) {
      generateFill(out, Scalar::fromDouble(ElementType::F32, -1));
      EXPECT_EQ(machine.launch("work", {2048, 1, 1}, {2, 1, 2}, {&out}), "");
      std::string bytes(reinterpret_cast<const char *>(out.data()), out.byteSize());
      if (first.empty())
        first = bytes;
      EXPECT_TRUE(bytes == first) << threads << " threads";
    }
  }
}

/// Sets an environment variable while it lives.
class Environment {
public:
  Environment(const char *name, const char *value) : name(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name); }

private:
  const char *name;
};

TEST(X86Device, TheEnvironmentSaysHowManyThreads) {
  std::string text = gridKernel("work", "%out: buffer", kWork);
  Tensor out = llvm::cantFail(Tensor::create(ElementType::F32, {4096}));
  for (const char *number : {"1", "3", "1024", ""}) {
    Environment environment("LOOM_X86_THREADS", number);
    EXPECT_EQ(Machine(text).launch("work", {2, 1, 1}, {2, 1, 2}, {&out}), "");
  }
  for (const char *number : {"0", "1025", "-1", "two", "2 ", "99999999999999999999"}) {
    Environment environment("LOOM_X86_THREADS", number);
    EXPECT_EQ(Machine(text).launch("work", {2, 1, 1}, {2, 1, 2}, {&out}),
              std::string("prepare: LOOM_X86_THREADS is '") + number +
                  "'; it has to be a number from 1 to 1024");
    // An option does not ask.
    X86DeviceOptions options;
    options.threads = 2;
    EXPECT_EQ(Machine(text, options).launch("work", {2, 1, 1}, {2, 1, 2}, {&out}), "");
  }
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

std::string accessAt(bool isWrite) {
  return std::string("  %base = index.constant 0 : offset\n"
                     "  %zero = index.constant 0 : index\n"
                     "  %in = buffer.view %data[%base] : buffer -> view<1000xi8>\n"
                     "  %out = buffer.view %result[%base] : buffer -> view<1000xi8>\n"
                     "  %value = view.load %in[") +
         (isWrite ? "%zero" : "%at") + "] : view<1000xi8> -> i8\n  view.store %value, %out[" +
         (isWrite ? "%at" : "%zero") + "] : i8, view<1000xi8>\n";
}

TEST(X86Device, AccessesPastAGuardedTensorAreReported) {
  const char *parameters = "%at: index, %data: buffer, %result: buffer";
  Machine machine(kernel("reads", parameters, accessAt(false)) +
                  kernel("writes", parameters, accessAt(true)));
  Tensor data = llvm::cantFail(Tensor::guarded(ElementType::I8, {50}));
  Tensor result = llvm::cantFail(Tensor::guarded(ElementType::I8, {40}));
  generateFill(data, *Scalar::fromInteger(ElementType::I8, 7));
  auto launch = [&](llvm::StringRef name, int64_t at) {
    return machine.launch(name, {2, 2, 2}, {2, 1, 2}, {index(at), &data, &result});
  };
  EXPECT_EQ(launch("reads", 49), "");
  EXPECT_EQ(launch("reads", 50), "memory_fault");
  EXPECT_EQ(machine.message.find("t.loom:10:12: @reads reads from memory that is not there in "
                                 "'view.load': address 0x"),
            0u)
      << machine.message;
  EXPECT_NE(machine.message.find(", at byte 50 of the 50 bytes of %data"), std::string::npos)
      << machine.message;
  // The device goes on.
  EXPECT_EQ(launch("writes", 39), "");
  EXPECT_EQ(result.get(39).bits(), 7u);
  EXPECT_EQ(launch("writes", 40), "memory_fault");
  EXPECT_NE(machine.message.find("@writes writes to memory that is not there in 'view.store'"),
            std::string::npos)
      << machine.message;
  EXPECT_NE(machine.message.find(", at byte 40 of the 40 bytes of %result"), std::string::npos)
      << machine.message;
  EXPECT_EQ(launch("reads", 0), "");
}

TEST(X86Device, TheFirstFaultIsReportedOnAnyNumberOfThreads) {
  // Workgroup g reads element 4000 + g, after some work.
  std::string body = std::string(kWork) +
                     "  %shift = index.constant 8000 : index\n"
                     "  %g = kernel.workgroup.id<x> : index\n"
                     "  %at = index.add %g, %shift : index\n"
                     "  %bytes = buffer.view %data[%base] : buffer -> view<100000xi8>\n"
                     "  %value = view.load %bytes[%at] : view<100000xi8> -> i8\n"
                     "  %last = buffer.view %result[%base] : buffer -> view<1xi8>\n"
                     "  view.store %value, %last[%zero] : i8, view<1xi8>\n";
  for (unsigned threads : {1u, 2u, 7u}) {
    X86DeviceOptions options;
    options.threads = threads;
    Machine machine(gridKernel("k", "%out: buffer, %data: buffer, %result: buffer", body), options);
    Tensor out = llvm::cantFail(Tensor::create(ElementType::F32, {4096}));
    Tensor data = llvm::cantFail(Tensor::guarded(ElementType::I8, {8900}));
    Tensor result = llvm::cantFail(Tensor::create(ElementType::I8, {1}));
    EXPECT_EQ(machine.launch("k", {2048, 1, 1}, {2, 1, 2}, {&out, &data, &result}), "memory_fault");
    EXPECT_NE(machine.message.find(", at byte 8900 of the 8900 bytes of %data"), std::string::npos)
        << threads << " threads: " << machine.message;
  }
}

} // namespace
