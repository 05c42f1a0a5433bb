//===- X86ObjectTest.cpp - Launch configurations as machine code ----------===//
//
// A launch configuration that is compiled into an object agrees with the interpreter of the checks:
// the same geometry, or the same reason why there is none.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/BuiltinOps.h"

#include "loom/Analysis/Facts.h"
#include "loom/Check/LaunchConfig.h"
#include "loom/IR/Diagnostics.h"
#include "loom/Target/X86/X86Object.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <dlfcn.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace loom;
using runtime::ElementType;
using runtime::Scalar;

namespace {

/// A library in memory that is loaded into this process.
class Library {
public:
  explicit Library(llvm::ArrayRef<char> bytes) {
    int file = ::memfd_create("kernels", MFD_CLOEXEC);
    EXPECT_EQ(::write(file, bytes.data(), bytes.size()), ssize_t(bytes.size()));
    handle = ::dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_TRUE(handle) << ::dlerror();
    ::close(file);
  }
  ~Library() { ::dlclose(handle); }

  void *lookup(const std::string &symbol) { return ::dlsym(handle, symbol.c_str()); }

private:
  void *handle;
};

class X86Object : public testing::Test {
protected:
  X86Object() {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = parseSourceText(text, "t.loom", &context);
    if (!module || mlir::failed(verifyModule(*module)))
      ADD_FAILURE() << messages << text;
    return module;
  }
  mlir::FailureOr<x86::ObjectFile> compile(mlir::ModuleOp module, bool wantsHeader = false,
                                           x86::ObjectForm form = x86::ObjectForm::SharedLibrary) {
    return x86::compileObject(module, *lookupTargetProfile("x86:native"), form, wantsHeader);
  }
  /// The diagnostics of a compilation that fails.
  std::string refusal(const std::string &text, bool wantsHeader = false) {
    auto module = parse(text);
    messages.clear();
    EXPECT_TRUE(mlir::failed(compile(*module, wantsHeader)));
    return messages;
  }

  mlir::MLIRContext context;
  std::string messages;
  llvm::raw_string_ostream os{messages};
  DiagnosticEngineScope diagnostics{&context, os};
};

std::string kernel(const std::string &name, const std::string &parameters, const std::string &body,
                   const std::string &config) {
  return "kernel.def @" + name + "(" + parameters + ") {\n  %one = index.constant 1 : index\n" +
         body + "  kernel.launch.config " + config + " : index\n} launch() {\n  kernel.return\n}\n";
}

//===----------------------------------------------------------------------===//
// Random configurations
//===----------------------------------------------------------------------===//

/// Writes configurations of random operations over %a and %b.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  std::string kernel(const std::string &name) {
    text.clear();
    values = {"%a", "%b", "%one"};
    for (int64_t constant : {0, 2, 3, 64, 255})
      define("index.constant " + std::to_string(constant) + " : index");
    for (unsigned i = 0; i < 12; ++i)
      addOperation();
    std::string counts = pick() + ", " + pick() + ", %one", size = pick();
    return ::kernel(name, "%a: index, %b: index", text,
                    "workgroups(" + counts + ") workgroup_size(" + size + ", %one, %one)");
  }

private:
  unsigned choose(unsigned count) { return random() % count; }
  std::string pick() { return values[choose(values.size())]; }
  std::string fresh() { return "%v" + std::to_string(next++); }
  void define(const std::string &operation) {
    values.push_back(fresh());
    text += "  " + values.back() + " = " + operation + "\n";
  }
  std::string condition() {
    static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                             "sge", "ult", "ule", "ugt", "uge"};
    std::string name = fresh();
    text += "  " + name + " = index.cmp " + predicates[choose(10)] + ", " + pick() + ", " + pick() +
            " : index\n";
    return name;
  }
  void addBinary() {
    static const char *const names[] = {"add", "sub",  "mul", "div",  "rem",  "min",
                                        "max", "andi", "ori", "xori", "shrui"};
    define(std::string("index.") + names[choose(11)] + " " + pick() + ", " + pick() + " : index");
  }
  /// Through an integer of some width.
  void addScalar() {
    static const char *const types[] = {"i8", "i16", "i32", "i64"};
    static const char *const names[] = {
        "addi",      "subi",      "muli",       "divsi",     "divui",     "remsi",    "remui",
        "ceildivsi", "ceildivui", "floordivsi", "minsi",     "maxsi",     "minui",    "maxui",
        "andi",      "ori",       "xori",       "shli",      "shrsi",     "shrui",    "rotli",
        "rotri",     "addi<nsw>", "subi<nuw>",  "muli<nsw>", "shli<nsw>", "shli<nuw>"};
    std::string type = types[choose(4)], a = fresh(), b = fresh(), c = fresh();
    text += "  " + a + " = index.cast " + pick() + " : index to " + type + "\n";
    text += "  " + b + " = index.cast " + pick() + " : index to " + type + "\n";
    text += "  " + c + " = scalar." + names[choose(27)] + " " + a + ", " + b + " : " + type + "\n";
    define("index.cast " + c + " : " + type + " to index");
  }
  void addUnary() {
    static const char *const names[] = {"negi", "absi", "signi", "ctlzi", "cttzi", "ctpopi"};
    std::string a = fresh(), b = fresh();
    text += "  " + a + " = index.cast " + pick() + " : index to i32\n";
    text += "  " + b + " = scalar." + names[choose(6)] + " " + a + " : i32\n";
    define("index.cast " + b + " : i32 to index");
  }
  void addOffset() {
    std::string a = fresh(), b = fresh();
    text += "  " + a + " = index.cast " + pick() + " : index to offset\n";
    text += "  " + b + " = index.scale " + pick() + ", " + a + " : index, offset -> offset\n";
    define("index.cast " + b + " : offset to index");
  }
  void addChoice() {
    std::string name = fresh(), test = condition();
    // What stands in an arm is seen in the arm only.
    std::vector<std::string> outer = values;
    text += "  " + name + " = scf.if " + test + " -> (index) {\n";
    addBinary();
    text += "  scf.yield " + pick() + " : index\n  } else {\n";
    values = outer;
    addBinary();
    text += "  scf.yield " + pick() + " : index\n  }\n";
    values = outer;
    values.push_back(name);
  }
  void addSwitch() {
    std::string name = fresh();
    std::vector<std::string> outer = values;
    text += "  " + name + " = scf.switch " + pick() + " -> (index) {\n";
    for (const char *arm : {"case 0", "case 3", "default"}) {
      text += std::string("  ") + arm + " {\n";
      addBinary();
      text += "  scf.yield " + pick() + " : index\n  }\n";
      values = outer;
    }
    text += "  }\n";
    values.push_back(name);
  }
  void addOperation() {
    switch (choose(12)) {
    case 0:
      return define("scf.select " + condition() + ", " + pick() + ", " + pick() + " : index");
    case 1:
      return define("scf.lookup " + pick() + " { 1 = (" + pick() + "), 4 = (" + pick() +
                    ") } default(" + pick() + ") : index");
    case 2: {
      std::string input = pick();
      return define("index.assume " + input + " [ge(" + input + ", 0)] : index");
    }
    case 3:
      return addChoice();
    case 4:
      return addSwitch();
    case 5:
      return define("index.madd " + pick() + ", " + pick() + ", " + pick() + " : index");
    case 6:
    case 7:
      return addScalar();
    case 8:
      return addUnary();
    case 9:
      return addOffset();
    default:
      return addBinary();
    }
  }

  std::mt19937 random;
  std::string text;
  std::vector<std::string> values;
  unsigned next = 0;
};

std::string textOf(const std::array<int64_t, 3> &counts, const std::array<int64_t, 3> &size) {
  std::string text;
  for (int64_t extent : counts)
    text += std::to_string(extent) + " ";
  for (int64_t extent : size)
    text += std::to_string(extent) + " ";
  return text;
}

/// What the interpreter says: a geometry, or a kind of issue.
std::string interpret(KernelDefOp kernel, int64_t a, int64_t b, std::string &reason) {
  Scalar workload[] = {*Scalar::fromInteger(ElementType::Index, a),
                       *Scalar::fromInteger(ElementType::Index, b)};
  check::LaunchEvaluation evaluation =
      check::evaluateLaunchConfig(kernel, workload, LaunchLimits());
  if (!evaluation.issue)
    return textOf(evaluation.geometry.workgroups, evaluation.geometry.workgroupSize);
  reason = evaluation.issue->message;
  return evaluation.issue->kind;
}

std::string run(void *function, int64_t a, int64_t b) {
  x86::LaunchRecord launch = {};
  auto config = reinterpret_cast<int (*)(int64_t, int64_t, x86::LaunchRecord *)>(function);
  int status = config(a, b, &launch);
  const char *const kinds[] = {"", "not_computable", "violated_assumption", "invalid_geometry"};
  if (status != 0) {
    EXPECT_EQ(launch.totalWorkgroups, 0) << "written without success";
    return kinds[status];
  }
  EXPECT_EQ(launch.totalWorkgroups,
            launch.workgroupCount[0] * launch.workgroupCount[1] * launch.workgroupCount[2]);
  std::array<int64_t, 3> counts, size;
  std::copy_n(launch.workgroupCount, 3, counts.begin());
  std::copy_n(launch.workgroupSize, 3, size.begin());
  return textOf(counts, size);
}

/// Erases kernels whose launch is known to be invalid: those are not compiled at all.
void eraseInvalid(mlir::ModuleOp module) {
  Facts facts(module);
  std::vector<KernelDefOp> invalid;
  for (auto kernel : module.getOps<KernelDefOp>()) {
    mlir::Operation *config = kernel.getConfig().front().getTerminator();
    for (unsigned i : {0, 1, 3}) {
      int64_t extent = facts.exact(config->getOperand(i)).value_or(1);
      if (extent < 0 || (i == 3 && (extent < 1 || extent > 1024))) {
        invalid.push_back(kernel);
        break;
      }
    }
  }
  for (KernelDefOp kernel : invalid)
    kernel.erase();
}

/// Clusters, and the limits of a target record.
const char *const kLimited = R"(
x86.target<avx2> @few {max_flat_workgroup_size = 64, max_workgroup_count_x = 8, max_flat_grid_size = 300}
x86.target<avx2> @narrow {max_workgroup_size_x = 2, max_grid_size_x = 5}
kernel.def target(@few) @limited(%n: index, %size: index) {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%size, %one, %one) : index
} launch() {
  kernel.return
}
kernel.def target(@narrow) @line(%n: index, %size: index) {
  %one = index.constant 1 : index
  kernel.launch.config workgroups(%n, %one, %one) workgroup_size(%size, %one, %one) : index
} launch() {
  kernel.return
}
kernel.def @clusters(%n: index, %m: index) {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %three = index.constant 3 : index
  kernel.launch.config workgroups(%n, %one, %m) workgroup_size(%one, %one, %one) cluster_size(%two, %one, %three) : index
} launch() {
  kernel.return
}
)";

TEST_F(X86Object, LaunchFunctionsKnowClustersAndTargetRecords) {
  auto module = parse(kLimited);
  ASSERT_TRUE(module);
  mlir::FailureOr<x86::ObjectFile> object = compile(*module);
  ASSERT_TRUE(mlir::succeeded(object)) << messages;
  Library library(object->bytes);
  for (auto kernel : (*module).getOps<KernelDefOp>()) {
    void *function = library.lookup((kernel.getSymName() + "_launch_config").str());
    ASSERT_TRUE(function);
    unsigned launched = 0, refused = 0;
    for (int64_t a = 1; a < 70; ++a)
      for (int64_t b = 1; b < 70; ++b) {
        std::string reason, expected = interpret(kernel, a, b, reason);
        ASSERT_EQ(run(function, a, b), expected)
            << kernel.getSymName().str() << " " << a << " " << b << " " << reason;
        ++(expected == "invalid_geometry" ? refused : launched);
      }
    EXPECT_GT(launched, 5u);
    EXPECT_GT(refused, 100u);
  }
}

TEST_F(X86Object, LaunchConfigurationsAgreeWithTheInterpreter) {
  Generator generator(1);
  std::string text;
  constexpr unsigned kKernels = 150;
  for (unsigned i = 0; i < kKernels; ++i)
    text += generator.kernel("k" + std::to_string(i));
  auto module = parse(text);
  ASSERT_TRUE(module);
  eraseInvalid(*module);
  mlir::FailureOr<x86::ObjectFile> object = compile(*module);
  ASSERT_TRUE(mlir::succeeded(object)) << messages;
  Library library(object->bytes);

  const int64_t numbers[] = {0,  1,    2,    3,     5,          64,         255,       256,
                             -1, 1000, 1024, 65537, 2147483647, 4294967295, INT64_MAX, INT64_MIN};
  unsigned compared = 0, succeeded = 0;
  for (auto kernel : (*module).getOps<KernelDefOp>()) {
    void *function = library.lookup((kernel.getSymName() + "_launch_config").str());
    ASSERT_TRUE(function);
    for (int64_t a : numbers)
      for (int64_t b : numbers) {
        std::string reason, expected = interpret(kernel, a, b, reason);
        std::string actual = run(function, a, b);
        // The interpreter does not know the width of an index, and refuses launches of nothing.
        if (expected == "not_computable" && reason.find("'index.") != std::string::npos &&
            (reason.find("cmp'") != std::string::npos ||
             reason.find("shrui'") != std::string::npos))
          continue;
        if (expected == "invalid_geometry" && actual.find("0 ") != std::string::npos)
          continue;
        ++compared;
        succeeded += llvm::isDigit(expected.front());
        ASSERT_EQ(actual, expected) << "for " << a << ", " << b << " " << reason << "\n"
                                    << printSourceText(kernel);
      }
  }
  // The comparison is about something.
  EXPECT_GT(compared, 20000u);
  EXPECT_GT(succeeded, 1000u);
}

TEST_F(X86Object, IndicesHave64Bits) {
  std::string text = kernel("bits", "%a: index, %b: index",
                            "  %t = index.constant 32 : index\n"
                            "  %c = index.shrui %a, %t : index\n"
                            "  %l = index.ctlzi %b : index\n"
                            "  %r = index.rotli %c, %t : index\n"
                            "  %s = index.shrui %r, %t : index\n"
                            "  %u = index.cmp ult, %a, %b : index\n"
                            "  %w = scf.select %u, %one, %t : index\n",
                            "workgroups(%c, %l, %s) workgroup_size(%w, %one, %one)");
  auto module = parse(text);
  auto object = compile(*module);
  ASSERT_TRUE(mlir::succeeded(object)) << messages;
  Library library(object->bytes);
  void *function = library.lookup("bits_launch_config");
  EXPECT_EQ(run(function, int64_t(5) << 32, -1), "5 0 5 1 1 1 ");
  EXPECT_EQ(run(function, int64_t(6) << 32, 1), "6 63 6 32 1 1 ");
}

TEST_F(X86Object, WorkloadsOfEveryType) {
  std::string text = kernel(
      "k", "%on: i1, %a: i8, %b: i16, %c: i32, %d: i64, %o: offset, %h: f16, %f: f32, %g: f64",
      "  %n0 = index.cast %on : i1 to index\n  %n1 = index.cast %a : i8 to index\n"
      "  %n2 = index.cast %b : i16 to index\n  %n3 = index.cast %c : i32 to index\n"
      "  %n4 = index.cast %d : i64 to index\n  %n5 = index.cast %o : offset to index\n"
      "  %s0 = index.add %n0, %n1 : index\n  %s1 = index.add %n2, %n3 : index\n"
      "  %s2 = index.add %n4, %n5 : index\n",
      "workgroups(%s0, %s1, %s2) workgroup_size(%one, %one, %one)");
  auto module = parse(text);
  auto object = compile(*module, /*wantsHeader=*/true);
  ASSERT_TRUE(mlir::succeeded(object)) << messages;
  EXPECT_NE(object->header.find("int k_launch_config(bool on, int8_t a, int16_t b, int32_t c, "
                                "int64_t d, uint64_t o, uint16_t h, float f, double g, "
                                "loom_launch *launch);"),
            std::string::npos)
      << object->header;
  Library library(object->bytes);
  auto config =
      reinterpret_cast<int (*)(bool, int8_t, int16_t, int32_t, int64_t, uint64_t, uint16_t, float,
                               double, x86::LaunchRecord *)>(library.lookup("k_launch_config"));
  x86::LaunchRecord launch = {};
  EXPECT_EQ(config(true, -1, -200, 70000, -5000000000, 5000000009u, 1, 2.0f, 3.0, &launch), 0);
  EXPECT_EQ(launch.workgroupCount[0], 0);
  EXPECT_EQ(launch.workgroupCount[1], 69800);
  EXPECT_EQ(launch.workgroupCount[2], 9);
  EXPECT_EQ(launch.totalWorkgroups, 0);
  EXPECT_EQ(launch.subgroupSize, 16);
  EXPECT_EQ(launch.workgroupStorageBytes, 0);
  // An offset above the largest index has none.
  EXPECT_EQ(config(true, 0, 0, 1, 0, uint64_t(1) << 63, 1, 2.0f, 3.0, &launch), 1);
}

TEST_F(X86Object, WorkgroupStorageIsThatOfTheKernel) {
  std::string text = kernel("k", "", "",
                            "workgroups(%one, %one, %one) workgroup_size(%one, %one, "
                            "%one)");
  text.replace(text.find("  kernel.return"), 0,
               "  %n = index.constant 100 : offset\n"
               "  %a = buffer.alloca<workgroup> align(16) %n : buffer\n"
               "  %b = buffer.alloca<workgroup> align(64) %n : buffer\n"
               "  %c = buffer.alloca<private> align(64) %n : buffer\n");
  auto module = parse(text);
  auto object = compile(*module);
  ASSERT_TRUE(mlir::succeeded(object)) << messages;
  EXPECT_EQ(object->fixedStorageBytes, std::vector<int64_t>{112 + 128});
  Library library(object->bytes);
  auto config = reinterpret_cast<int (*)(x86::LaunchRecord *)>(library.lookup("k_launch_config"));
  x86::LaunchRecord launch = {};
  EXPECT_EQ(config(&launch), 0);
  EXPECT_EQ(launch.workgroupStorageBytes, 112 + 128);
}

TEST_F(X86Object, RefusesByName) {
  std::string one = "workgroups(%one, %one, %one) workgroup_size(%one, %one, %one)";
  EXPECT_NE(refusal(kernel("k", "%x: f32",
                           "  %y = scalar.addf %x, %x : f32\n"
                           "  %i = scalar.fptosi %y : f32 to i32\n",
                           one))
                .find("t.loom:3:8: error: 'scalar.addf' cannot be computed in the launch "
                      "configuration of an x86 object [TARGET/002]"),
            std::string::npos)
      << messages;
  EXPECT_NE(messages.find("t.loom:4:8: error: 'scalar.fptosi' cannot"), std::string::npos);
  EXPECT_NE(refusal(kernel("k", "%x: buffer", "", one)).find("a workload parameter of type buffer"),
            std::string::npos)
      << messages;
  EXPECT_NE(refusal(kernel("memcpy", "", "", one)).find("a function of the C library"),
            std::string::npos)
      << messages;
  EXPECT_NE(refusal(kernel("k", "", "", one) + kernel("k_launch_config", "", "", one))
                .find("is exported as k_launch_config, which is the name of another kernel"),
            std::string::npos)
      << messages;
  std::string digits = kernel("k", "", "", one);
  digits.insert(digits.find("@k"), "export(\"0k\") ");
  EXPECT_NE(refusal(digits, /*wantsHeader=*/true)
                .find("C cannot refer to the exported name 0k, which begins with '0'"),
            std::string::npos)
      << messages;
  auto module = parse(digits);
  auto object = compile(*module);
  ASSERT_TRUE(mlir::succeeded(object));
  EXPECT_TRUE(Library(object->bytes).lookup("0k"));
}

TEST_F(X86Object, NamesOfTheHeaderAreDistinct) {
  std::string one = "workgroups(%one, %one, %one) workgroup_size(%one, %one, %one)", text;
  for (const char *name : {"a.b", "a$b", "a_b", "a_b_arguments", "int", "loom_launch"})
    text += kernel(std::string("k") + std::to_string(text.size()), "", "", one)
                .insert(11, std::string("export(\"") + name + "\") ");
  auto module = parse(text);
  auto object = compile(*module, /*wantsHeader=*/true, x86::ObjectForm::Relocatable);
  ASSERT_TRUE(mlir::succeeded(object)) << messages;
  for (const char *part :
       {"int a_b_launch_config(loom_launch *launch) __asm__(\"a.b_launch_config\");",
        "void a_b(const void *arguments", "__asm__(\"a.b\");", "void a_b_2(", "__asm__(\"a$b\");",
        "void a_b_3(", "__asm__(\"a_b\");", "void int_(", "__asm__(\"int\");",
        "void loom_launch_2(", "#define a_b_3_WORKGROUP_SIZE_Z INT64_C(1)"})
    EXPECT_NE(object->header.find(part), std::string::npos) << part << "\n" << object->header;
}

} // namespace
