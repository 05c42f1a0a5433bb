//===- CHeader.cpp - Kernels as C sees them -------------------------------===//
#include "CHeader.h"
#include "LaunchFunction.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/SourceInfo.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace loom::x86 {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Words that are no identifiers: keywords of C11 and C++20, macros of compilers, and the types
/// that a header uses.
static bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = {
      "alignas",     "alignof",      "and",       "and_eq",
      "asm",         "auto",         "bitand",    "bitor",
      "bool",        "break",        "case",      "catch",
      "char",        "char8_t",      "char16_t",  "char32_t",
      "class",       "co_await",     "co_return", "co_yield",
      "compl",       "concept",      "const",     "const_cast",
      "consteval",   "constexpr",    "constinit", "continue",
      "decltype",    "default",      "delete",    "do",
      "double",      "dynamic_cast", "else",      "enum",
      "explicit",    "export",       "extern",    "false",
      "float",       "for",          "friend",    "goto",
      "if",          "inline",       "int",       "linux",
      "long",        "mutable",      "namespace", "new",
      "noexcept",    "not",          "not_eq",    "nullptr",
      "operator",    "or",           "or_eq",     "private",
      "protected",   "public",       "register",  "reinterpret_cast",
      "requires",    "restrict",     "return",    "short",
      "signed",      "sizeof",       "static",    "static_assert",
      "static_cast", "struct",       "switch",    "template",
      "this",        "thread_local", "throw",     "true",
      "try",         "typedef",      "typeid",    "typename",
      "typeof",      "union",        "unix",      "unsigned",
      "using",       "virtual",      "void",      "volatile",
      "wchar_t",     "while",        "xor",       "xor_eq",
      "int8_t",      "int16_t",      "int32_t",   "int64_t",
      "uint8_t",     "uint16_t",     "uint64_t"};
  return words.contains(name);
}

/// `name` with `_` for what C does not have in identifiers.
static std::string makeIdentifier(StringRef name) {
  std::string identifier;
  if (name.empty() || llvm::isDigit(name.front()))
    identifier = "_";
  for (char c : name)
    identifier += llvm::isAlnum(c) ? c : '_';
  if (isReserved(identifier))
    identifier += '_';
  return identifier;
}

namespace {
/// Identifiers of one scope.
class Names {
public:
  /// An identifier like `name` such that with each of `suffixes` behind it, it is new here.
  std::string take(StringRef name, ArrayRef<StringRef> suffixes) {
    std::string base = makeIdentifier(name), chosen = base;
    auto isTaken = [&](StringRef suffix) { return used.contains(chosen + suffix.str()); };
    for (unsigned i = 2; llvm::any_of(suffixes, isTaken); ++i)
      chosen = base + "_" + std::to_string(i);
    for (StringRef suffix : suffixes)
      used.insert(chosen + suffix.str());
    return chosen;
  }

private:
  llvm::StringSet<> used;
};

/// How C writes a parameter.
struct CType {
  const char *spelling; ///< up to the name
  const char *note;     ///< what the bits mean where the type does not say it
};
} // namespace

static CType typeOf(Type type) {
  if (isa<BufferType>(type))
    return {"void *", ""};
  if (isa<OffsetType>(type))
    return {"uint64_t ", ""};
  if (type.isF32())
    return {"float ", ""};
  if (type.isF64())
    return {"double ", ""};
  if (type.isInteger(1))
    return {"bool ", ""};
  bool isFloat = isa<FloatType>(type);
  switch (isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth()) {
  case 8:
    return isFloat ? CType{"uint8_t ", ", its bits"} : CType{"int8_t ", ""};
  case 16:
    return isFloat ? CType{"uint16_t ", ", its bits"} : CType{"int16_t ", ""};
  case 32:
    return {"int32_t ", ""};
  default:
    return {"int64_t ", ""};
  }
}

//===----------------------------------------------------------------------===//
// The parts of a header
//===----------------------------------------------------------------------===//

static constexpr const char *kPrologue = R"(#include <stdbool.h>
#include <stdint.h>

#ifndef LOOM_X86_LAUNCH
#define LOOM_X86_LAUNCH
#ifdef __cplusplus
#define LOOM_SLOT alignas(8)
#define LOOM_CHECK_SIZE static_assert
#else
#define LOOM_SLOT _Alignas(8)
#define LOOM_CHECK_SIZE _Static_assert
#endif

/* How a kernel is launched. Workgroups are numbered from 0, x running fastest. */
typedef struct loom_launch {
  int64_t workgroup_count[3]; /* x, y, z */
  int64_t workgroup_size[3];  /* work-items in x, y, z */
  int64_t total_workgroups;   /* the product of workgroup_count */
  int64_t subgroup_size;
  int64_t workgroup_storage_bytes; /* of one workgroup, on the stack of the thread that runs it */
} loom_launch;

/* What a launch configuration function returns; it fills in the launch only for LOOM_LAUNCH_OK. */
enum {
  LOOM_LAUNCH_OK = 0,
  LOOM_LAUNCH_NOT_COMPUTABLE = 1,      /* an overflow, a division by zero, ... */
  LOOM_LAUNCH_VIOLATED_ASSUMPTION = 2, /* the workload is not what the kernel assumes */
  LOOM_LAUNCH_INVALID_GEOMETRY = 3     /* more than can be launched, less than nothing, or parts of
                                          clusters */
};
#endif /* LOOM_X86_LAUNCH */

#ifdef __cplusplus
extern "C" {
#endif
)";

static constexpr const char *kEpilogue = R"(
#ifdef __cplusplus
}
#endif
)";

namespace {

/// Writes what belongs to one kernel.
class KernelWriter {
public:
  KernelWriter(KernelDefOp kernel, const LoweredKernel &info, StringRef name, llvm::raw_ostream &os)
      : kernel(kernel), info(info), name(name), os(os) {}

  void write();

private:
  void writeSignature();
  void writeExtents(StringRef what, ArrayRef<std::optional<int64_t>> extents);
  void writeArguments();
  void writeLaunchFunction();
  void writeEntry();
  /// Makes `name` C's word for `symbol` where the two differ.
  void writeLabel(StringRef identifier, StringRef symbol) {
    if (identifier != symbol)
      os << " __asm__(\"" << symbol << "\")";
  }

  KernelDefOp kernel;
  const LoweredKernel &info;
  StringRef name;
  llvm::raw_ostream &os;
};

} // namespace

/// The author's name of a parameter, or its position.
static std::string parameterName(BlockArgument argument) {
  StringRef name = getValueName(argument);
  return name.empty() ? "argument_" + std::to_string(argument.getArgNumber()) : name.str();
}

/// Names from bytecode may hold anything.
static std::string forComment(StringRef name) {
  std::string text = name.str();
  llvm::replace(text, '*', '_');
  llvm::replace(text, '\n', '_');
  return text;
}

static void writeParameters(llvm::raw_ostream &os, Block &block) {
  llvm::interleaveComma(block.getArguments(), os, [&](BlockArgument argument) {
    os << '%' << forComment(parameterName(argument)) << ": " << stringifyType(argument.getType());
  });
}

void KernelWriter::writeSignature() {
  os << "/* kernel.def @" << forComment(kernel.getSymName()) << '(';
  writeParameters(os, kernel.getConfig().front());
  os << ") launch(";
  writeParameters(os, kernel.getBody().front());
  os << ") */\n";
}

void KernelWriter::writeExtents(StringRef what, ArrayRef<std::optional<int64_t>> extents) {
  static constexpr const char *axes[] = {"X", "Y", "Z"};
  for (auto [axis, extent] : llvm::zip(axes, extents))
    if (extent)
      os << "#define " << name << '_' << what << '_' << axis << " INT64_C(" << *extent << ")\n";
}

void KernelWriter::writeArguments() {
  if (info.arguments.empty())
    return;
  os << "typedef struct " << name << "_arguments {\n";
  Names fields;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    CType type = typeOf(argument.getType());
    os << "  LOOM_SLOT " << type.spelling << fields.take(parameterName(argument), {""}) << "; /* "
       << stringifyType(argument.getType()) << type.note << " */\n";
  }
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (info.hasLengths && isa<BufferType>(argument.getType()))
      os << "  LOOM_SLOT uint64_t " << fields.take(parameterName(argument) + "_bytes", {""})
         << "; /* the length of this buffer */\n";
  os << "} " << name << "_arguments;\n"
     << "LOOM_CHECK_SIZE(sizeof(" << name
     << "_arguments) == " << 8 * (info.arguments.size() + info.lengthCount())
     << ", \"one slot of 8 bytes for each parameter\");\n";
}

void KernelWriter::writeLaunchFunction() {
  std::string function = launchFunctionName(name);
  os << "int " << function << '(';
  Names parameters;
  std::string launch = parameters.take("launch", {""});
  for (BlockArgument argument : kernel.getConfig().getArguments()) {
    os << typeOf(argument.getType()).spelling << parameters.take(parameterName(argument), {""})
       << ", ";
  }
  os << "loom_launch *" << launch << ')';
  writeLabel(function, launchFunctionName(info.symbol));
  os << ";\n";
}

void KernelWriter::writeEntry() {
  os << "/* Runs the workgroups from first_workgroup to end_workgroup - 1 of a launch. */\n"
     << "void " << name << "(const ";
  if (info.arguments.empty())
    os << "void";
  else
    os << name << "_arguments";
  os << " *arguments, int64_t first_workgroup, int64_t end_workgroup,\n"
     << "    const int64_t workgroup_count[3], const int64_t workgroup_size[3])";
  writeLabel(name, info.symbol);
  os << ";\n";
}

void KernelWriter::write() {
  os << "\n#ifndef LOOM_KERNEL_" << name << "\n#define LOOM_KERNEL_" << name << '\n';
  writeSignature();
  writeExtents("WORKGROUP_COUNT", info.workgroupCount);
  writeExtents("WORKGROUP_SIZE", info.workgroupSize);
  if (info.clusterSize)
    writeExtents("CLUSTER_SIZE", llvm::to_vector_of<std::optional<int64_t>>(*info.clusterSize));
  writeArguments();
  writeLaunchFunction();
  writeEntry();
  os << "#endif /* LOOM_KERNEL_" << name << " */\n";
}

FailureOr<std::string> writeCHeader(ArrayRef<KernelDefOp> kernels, ArrayRef<LoweredKernel> infos,
                                    const TargetProfile &profile) {
  static constexpr StringRef suffixes[] = {"",
                                           "_arguments",
                                           "_launch_config",
                                           "_WORKGROUP_COUNT_X",
                                           "_WORKGROUP_COUNT_Y",
                                           "_WORKGROUP_COUNT_Z",
                                           "_WORKGROUP_SIZE_X",
                                           "_WORKGROUP_SIZE_Y",
                                           "_WORKGROUP_SIZE_Z",
                                           "_CLUSTER_SIZE_X",
                                           "_CLUSTER_SIZE_Y",
                                           "_CLUSTER_SIZE_Z"};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "/* Kernels for " << stringifyFamily(profile.family) << ':' << profile.key
     << ". Made by loom-compile. */\n"
     << kPrologue;
  bool ok = true;
  Names names;
  names.take("loom_launch", {""});
  for (auto [kernel, info] : llvm::zip_equal(kernels, infos)) {
    // Assemblers read these as numbers and immediates.
    if (llvm::isDigit(info.symbol.front()) || info.symbol.front() == '$') {
      ok = false;
      emitCoded(kernel, DiagCode::TargetUnsupported, "C cannot refer to the exported name ")
          << info.symbol << ", which begins with '" << info.symbol.substr(0, 1)
          << "'; export(\"...\") gives another one";
      continue;
    }
    KernelWriter(kernel, info, names.take(info.symbol, suffixes), os).write();
  }
  os << kEpilogue;
  if (!ok)
    return failure();
  return text;
}

} // namespace loom::x86
