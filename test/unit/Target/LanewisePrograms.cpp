//===- LanewisePrograms.cpp - Many operations on many rows ----------------===//
#include "LanewisePrograms.h"
#include "OperationNames.h"
#include "loom/Target/AMDGPU/CodeGen.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using llvm::APFloat;

namespace loom::test {

std::string nameOf(RowForm form) {
  static const char *const names[] = {"uniform", "lanes", "vector, uniform", "vector, lanes"};
  return names[static_cast<int>(form)];
}

llvm::ArrayRef<NumberType> integerTypes() {
  static const NumberType types[] = {{"i1", 1, nullptr},
                                     {"i8", 8, nullptr},
                                     {"i16", 16, nullptr},
                                     {"i32", 32, nullptr},
                                     {"i64", 64, nullptr}};
  return types;
}

llvm::ArrayRef<NumberType> floatTypes() {
  static const NumberType types[] = {
      {"f8E4M3", 8, &APFloat::Float8E4M3FN()}, {"f8E5M2", 8, &APFloat::Float8E5M2()},
      {"f16", 16, &APFloat::IEEEhalf()},       {"bf16", 16, &APFloat::BFloat()},
      {"f32", 32, &APFloat::IEEEsingle()},     {"f64", 64, &APFloat::IEEEdouble()}};
  return types;
}

const NumberType &numberType(llvm::StringRef name) {
  for (llvm::ArrayRef<NumberType> types : {integerTypes(), floatTypes()})
    for (const NumberType &type : types)
      if (name == type.name)
        return type;
  std::abort();
}

std::vector<uint64_t> specialPatterns(const NumberType &type) {
  std::vector<uint64_t> patterns;
  uint64_t all = llvm::maskTrailingOnes<uint64_t>(type.bits);
  if (!type.isFloat()) {
    for (uint64_t value : {uint64_t(0), uint64_t(1), ~uint64_t(0), all >> 1, (all >> 1) + 1,
                           uint64_t(2), ~uint64_t(1), uint64_t(type.bits - 1), uint64_t(type.bits),
                           (all >> 1) + 2, uint64_t(0x5555555555555555), uint64_t(7)})
      if (!llvm::is_contained(patterns, value & all))
        patterns.push_back(value & all);
    return patterns;
  }
  const llvm::fltSemantics &s = *type.semantics;
  auto add = [&](const APFloat &value) {
    patterns.push_back(value.bitcastToAPInt().getZExtValue());
  };
  for (bool negative : {false, true}) {
    for (const APFloat &value :
         {APFloat::getZero(s, negative), APFloat::getLargest(s, negative),
          APFloat::getSmallest(s, negative), APFloat::getSmallestNormalized(s, negative),
          APFloat::getOne(s, negative), APFloat::getQNaN(s, negative)})
      add(value);
    if (APFloat::semanticsHasInf(s))
      add(APFloat::getInf(s, negative));
    for (const char *text : {"0.5", "1.5", "2.5", "3"}) {
      APFloat value(s, text);
      if (negative)
        value.changeSign();
      add(value);
    }
  }
  return patterns;
}

uint64_t randomPattern(const NumberType &type, std::mt19937_64 &generator) {
  uint64_t all = llvm::maskTrailingOnes<uint64_t>(type.bits), bits = generator();
  if (!type.isFloat()) // of any length
    return (bits >> (generator() % type.bits)) & all;
  if (type.bits == 8 || generator() % 2)
    return bits & all;
  // Near one, where sums and products meet.
  uint64_t one = APFloat::getOne(*type.semantics).bitcastToAPInt().getZExtValue();
  unsigned moved = APFloat::semanticsPrecision(*type.semantics) + 2;
  return (one ^ (bits & llvm::maskTrailingOnes<uint64_t>(moved))) ^
         (generator() % 2 << (type.bits - 1));
}

Rows makeRows(const NumberType &type, unsigned arity, size_t count, unsigned seed) {
  std::vector<uint64_t> special = specialPatterns(type);
  size_t combinations = 1;
  for (unsigned i = 0; i < arity; ++i)
    combinations *= special.size();
  Rows rows;
  // Triples of special patterns are too many: a prime distance meets them evenly.
  size_t step = combinations > count / 2 ? 7 : 1;
  for (size_t number = 0; number < combinations && rows.size() < count * 3 / 4; number += step) {
    std::vector<uint64_t> row;
    for (size_t rest = number, i = 0; i < arity; ++i, rest /= special.size())
      row.push_back(special[rest % special.size()]);
    rows.push_back(row);
  }
  std::mt19937_64 generator(seed);
  while (rows.size() < count) {
    std::vector<uint64_t> row;
    for (unsigned i = 0; i < arity; ++i)
      row.push_back(generator() % 8 ? randomPattern(type, generator)
                                    : special[generator() % special.size()]);
    rows.push_back(row);
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

namespace {

/// Writes the kernel of one set of operations.
struct ProgramWriter {
  RowForm form;
  std::string body;

  bool vectors() const { return usesVectors(form); }
  std::string shaped(const std::string &element) const {
    return vectors() ? "vector<2x" + element + ">" : element;
  }
  std::string dialect() const { return vectors() ? "vector." : "scalar."; }
  void line(const std::string &text) { body += "    " + text + "\n"; }

  /// What memory holds for a type.
  static std::string stored(const NumberType &type) { return type.bits == 1 ? "i8" : type.name; }
  void load(const std::string &name, size_t buffer, const NumberType &type) {
    std::string memory = stored(type), view = "view<[%all]x" + memory + ">";
    std::string loaded = type.bits == 1 ? name + "_byte" : name;
    line(loaded + " = " + (vectors() ? "vector" : "view") + ".load %v" + std::to_string(buffer) +
         "[%row] : " + view + " -> " + shaped(memory));
    if (type.bits == 1)
      line(name + " = " + dialect() + "trunci " + loaded + " : " + shaped("i8") + " to " +
           shaped("i1"));
  }
  void store(std::string name, size_t buffer, const NumberType &type) {
    std::string memory = stored(type), view = "view<[%all]x" + memory + ">";
    if (type.bits == 1) {
      line(name + "_byte = " + dialect() + "extui " + name + " : " + shaped("i1") + " to " +
           shaped("i8"));
      name += "_byte";
    }
    line(std::string(vectors() ? "vector" : "view") + ".store " + name + ", %v" +
         std::to_string(buffer) + "[%row] : " + shaped(memory) + ", " + view);
  }
  void operation(const std::string &result, const RowOperation &operation, const NumberType &type) {
    std::string text = operation.text;
    replaceAll(text, "=>", " to " + shaped(operation.result->name));
    replaceAll(text, "->", vectors() ? " -> " + shaped("i1") : "");
    replaceAll(text, "$", shaped(type.name));
    line((operation.defines.empty() ? result : operation.defines) + " = " + dialect() + text);
  }
};

} // namespace

std::string lanewiseProgram(const NumberType &type, llvm::ArrayRef<RowOperation> operations,
                            unsigned arity, RowForm form) {
  ProgramWriter writer{form, ""};
  std::string parameters, views;
  auto view = [&](size_t buffer, const NumberType &element) {
    std::string number = std::to_string(buffer);
    parameters += ", %b" + number + ": buffer";
    views += "  %v" + number + " = buffer.view %b" + number + "[%base] : buffer -> view<[%all]x" +
             ProgramWriter::stored(element) + ">\n";
  };
  static const char *const names[] = {"%x", "%y", "%z"};
  for (unsigned i = 0; i < arity; ++i) {
    view(i, type);
    writer.load(names[i], i, type);
  }
  for (auto [i, operation] : llvm::enumerate(operations)) {
    std::string result = "%r" + std::to_string(i);
    view(arity + i, *operation.result);
    writer.operation(result, operation, type);
    writer.store(result, arity + i, *operation.result);
  }
  bool isUniform = form == RowForm::Uniform || form == RowForm::VectorUniform;
  std::string step = usesVectors(form) ? "2" : "1", size = isUniform ? "1" : "64";
  return R"(
kernel.def export("k") @k(%n: index) {
  %one = index.constant 1 : index
  %size = index.constant )" +
         size + R"( : index
  %pad = index.sub %size, %one : index
  %padded = index.add %n, %pad : index
  %groups = index.div %padded, %size : index
  kernel.launch.config workgroups(%groups, %one, %one) workgroup_size(%size, %one, %one) : index
} launch(%n: index)" +
         parameters + R"() {
  %base = index.constant 0 : offset
  %step = index.constant )" +
         step + R"( : index
  %all = index.mul %n, %step : index
)" + views +
         "  %i = kernel.workitem.dispatch.id<x> : index\n" + R"(
  %inside = index.cmp slt, %i, %n : index
  scf.if %inside {
    %row = index.mul %i, %step : index
)" + writer.body +
         R"(
  }
  kernel.return
}
)";
}

std::vector<std::vector<uint64_t>> LanewiseTest::run(const NumberType &type,
                                                     llvm::ArrayRef<RowOperation> operations,
                                                     const Rows &rows, RowForm form) {
  unsigned arity = rows[0].size();
  x86::CompiledKernels kernels = compile(lanewiseProgram(type, operations, arity, form));
  std::vector<std::vector<char>> buffers;
  for (unsigned i = 0; i < arity; ++i) {
    std::vector<char> &buffer = buffers.emplace_back(rows.size() * type.storedBytes());
    for (auto [row, values] : llvm::enumerate(rows))
      std::memcpy(&buffer[row * type.storedBytes()], &values[i], type.storedBytes());
  }
  for (const RowOperation &operation : operations)
    buffers.emplace_back(rows.size() * operation.result->storedBytes(), char(0xcc));
  bool isUniform = form == RowForm::Uniform || form == RowForm::VectorUniform;
  int64_t items = rows.size() / (usesVectors(form) ? 2 : 1);
  Arguments arguments;
  arguments.add(items);
  for (std::vector<char> &buffer : buffers)
    arguments.add(buffer.data());
  launch(kernels, "k", isUniform ? items : (items + 63) / 64, arguments);
  std::vector<std::vector<uint64_t>> results;
  for (auto [i, operation] : llvm::enumerate(operations)) {
    std::vector<uint64_t> &column = results.emplace_back(rows.size());
    unsigned bytes = operation.result->storedBytes();
    for (size_t row = 0; row < rows.size(); ++row)
      std::memcpy(&column[row], &buffers[arity + i][row * bytes], bytes);
  }
  return results;
}

std::vector<std::string> LanewiseTest::compileForAMDGPU(const NumberType &type,
                                                        llvm::ArrayRef<RowOperation> operations,
                                                        unsigned arity, RowForm form) {
  std::vector<std::string> called;
  mlir::ModuleOp module = parse(lanewiseProgram(type, operations, arity, form));
  if (!module)
    return called;
  llvm::LLVMContext llvmContext;
  LoweringOptions options;
  options.verifyIntermediate = true;
  mlir::FailureOr<LoweredModule> lowered = lowerForAMDGPU(module, amdgpu(), llvmContext, options);
  if (failed(lowered)) {
    ADD_FAILURE() << takeErrors();
    return called;
  }
  for (const llvm::Function &function : *lowered->module)
    if (function.isDeclaration() && !function.isIntrinsic())
      called.push_back(function.getName().str());
  llvm::Expected<amdgpu::CodeGenResult> compiled = amdgpu::compileModule(
      *lowered->module, amdgpu(), amdgpu::OutputKind::CodeObject, operationNames(*lowered));
  if (!compiled)
    ADD_FAILURE() << llvm::toString(compiled.takeError());
  return called;
}

} // namespace loom::test
