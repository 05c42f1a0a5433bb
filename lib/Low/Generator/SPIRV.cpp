//===- SPIRV.cpp - The descriptor set of SPIR-V ---------------------------===//
//
// Written by hand after the SPIR-V specification, section 3.49 "Instructions": SPIR-V has no
// register files, and its instructions take the type from their operands. A name is the
// instruction, then what tells its operands: a storage class, and the value type unless it is i32.
//
//===----------------------------------------------------------------------===//
#include "Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace loom::lowgen {

namespace {

// Order of kSPIRVClasses in Descriptors.cpp.
enum SPIRVClass { Id, Offset64, PtrFunction, PtrStorageBuffer, FirstPtrWorkgroup };

using T = LowValueType;

constexpr T kIntegers[] = {T::I32, T::I64};
constexpr T kFloats[] = {T::F16, T::F32, T::F64};
constexpr T kScalars[] = {T::I8, T::I16, T::I32, T::I64, T::F16, T::F32};

class SPIRVBuilder {
public:
  Table build();

private:
  static Operand value(T type) {
    Operand operand;
    operand.classes = 1 << Id;
    operand.valueType = type;
    return operand;
  }
  static Operand pointer(unsigned regClass) {
    Operand operand;
    operand.classes = 1 << regClass;
    return operand;
  }
  static std::string suffix(T type) {
    return type == T::I32 ? "" : "." + stringifyLowValueType(type).str();
  }
  Entry &add(const std::string &name, std::vector<Operand> results, std::vector<Operand> operands,
             unsigned effects = 0) {
    Entry &entry = table.entries[name];
    entry.name = name;
    entry.opcode = StringRef(name).split('.').first.str();
    entry.results = std::move(results);
    entry.operands = std::move(operands);
    for (auto [i, operand] : enumerate(entry.operands))
      operand.slot = i;
    for (Operand &result : entry.results)
      result.slot = 0;
    entry.effects = effects;
    return entry;
  }
  void addImmediate(Entry &entry, const char *name, bool isFloat = false) {
    Immediate immediate;
    immediate.name = name;
    immediate.required = true;
    immediate.isFloat = isFloat;
    immediate.slot = entry.immediates.size();
    immediate.min = INT64_MIN;
    immediate.max = INT64_MAX;
    entry.immediates.push_back(immediate);
  }

  void addArithmetic();
  void addComparisons();
  void addConversions();
  void addConstants();
  void addMemory();

  Table table;
};

} // namespace

void SPIRVBuilder::addArithmetic() {
  for (T type : kIntegers) {
    for (const char *op : {"OpIAdd", "OpISub", "OpIMul", "OpSDiv", "OpUDiv", "OpSRem", "OpSMod",
                           "OpUMod", "OpShiftLeftLogical", "OpShiftRightLogical",
                           "OpShiftRightArithmetic", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"})
      add(op + suffix(type), {value(type)}, {value(type), value(type)});
    for (const char *op : {"OpSNegate", "OpNot", "OpBitReverse", "OpBitCount"})
      add(op + suffix(type), {value(type)}, {value(type)});
  }
  for (T type : kFloats) {
    for (const char *op : {"OpFAdd", "OpFSub", "OpFMul", "OpFDiv", "OpFRem", "OpFMod"})
      add(op + suffix(type), {value(type)}, {value(type), value(type)});
    add("OpFNegate" + suffix(type), {value(type)}, {value(type)});
    // Instructions of the extended set GLSL.std.450.
    add("OpExtInst.Fma" + suffix(type), {value(type)}, {value(type), value(type), value(type)});
    for (const char *op : {"FMin", "FMax", "Pow"})
      add("OpExtInst." + std::string(op) + suffix(type), {value(type)}, {value(type), value(type)});
    for (const char *op : {"FAbs", "Floor", "Ceil", "Sqrt", "InverseSqrt", "Exp2", "Log2", "Tanh"})
      add("OpExtInst." + std::string(op) + suffix(type), {value(type)}, {value(type)});
  }
  for (const char *op : {"OpLogicalAnd", "OpLogicalOr", "OpLogicalEqual", "OpLogicalNotEqual"})
    add(op, {value(T::I1)}, {value(T::I1), value(T::I1)});
  add("OpLogicalNot", {value(T::I1)}, {value(T::I1)});
  for (T type : {T::I1, T::I8, T::I16, T::I32, T::I64, T::F16, T::F32, T::F64})
    add("OpSelect" + suffix(type), {value(type)}, {value(T::I1), value(type), value(type)});
}

void SPIRVBuilder::addComparisons() {
  for (T type : kIntegers)
    for (const char *op : {"OpIEqual", "OpINotEqual", "OpSLessThan", "OpSLessThanEqual",
                           "OpSGreaterThan", "OpSGreaterThanEqual", "OpULessThan",
                           "OpULessThanEqual", "OpUGreaterThan", "OpUGreaterThanEqual"})
      add(op + suffix(type), {value(T::I1)}, {value(type), value(type)});
  for (T type : kFloats) {
    for (const char *order : {"OpFOrd", "OpFUnord"})
      for (const char *op :
           {"Equal", "NotEqual", "LessThan", "LessThanEqual", "GreaterThan", "GreaterThanEqual"})
        add(std::string(order) + op + suffix(type), {value(T::I1)}, {value(type), value(type)});
    for (const char *op : {"OpIsNan", "OpIsInf"})
      add(op + suffix(type), {value(T::I1)}, {value(type)});
  }
}

void SPIRVBuilder::addConversions() {
  auto convert = [&](const char *op, T from, T to) {
    add(op + ("." + stringifyLowValueType(from) + "." + stringifyLowValueType(to)).str(),
        {value(to)}, {value(from)});
  };
  for (T integer : kIntegers)
    for (T real : kFloats) {
      convert("OpConvertSToF", integer, real);
      convert("OpConvertUToF", integer, real);
      convert("OpConvertFToS", real, integer);
      convert("OpConvertFToU", real, integer);
    }
  for (T from : kFloats)
    for (T to : kFloats)
      if (from != to)
        convert("OpFConvert", from, to);
  for (T from : {T::I8, T::I16, T::I32, T::I64})
    for (T to : {T::I8, T::I16, T::I32, T::I64})
      if (from != to) {
        convert("OpSConvert", from, to);
        convert("OpUConvert", from, to);
      }
  for (auto [from, to] :
       {std::pair(T::I32, T::F32), std::pair(T::F32, T::I32), std::pair(T::I64, T::F64),
        std::pair(T::F64, T::I64), std::pair(T::I16, T::F16), std::pair(T::F16, T::I16)})
    convert("OpBitcast", from, to);
  add("OpUConvert.i32.offset64", {pointer(Offset64)}, {value(T::I32)});
}

void SPIRVBuilder::addConstants() {
  for (T type : {T::I8, T::I16, T::I32, T::I64, T::F16, T::F32, T::F64})
    addImmediate(add("OpConstant" + suffix(type), {value(type)}, {}), "value",
                 type >= T::F16 && type != T::None);
  addImmediate(add("OpConstant.offset64", {pointer(Offset64)}, {}), "value");
  add("OpConstantTrue", {value(T::I1)}, {});
  add("OpConstantFalse", {value(T::I1)}, {});
  for (const char *builtin :
       {"GlobalInvocationId", "LocalInvocationId", "WorkgroupId", "NumWorkgroups", "WorkgroupSize"})
    for (const char *dimension : {".x", ".y", ".z"})
      add("OpLoadBuiltin." + std::string(builtin) + dimension, {value(T::I32)}, {});
  for (const char *builtin : {"SubgroupSize", "SubgroupLocalInvocationId", "SubgroupId",
                              "NumSubgroups", "LocalInvocationIndex"})
    add("OpLoadBuiltin." + std::string(builtin), {value(T::I32)}, {});
}

void SPIRVBuilder::addMemory() {
  unsigned loads = DescriptorEffect::Loads, stores = DescriptorEffect::Stores;
  struct Space {
    const char *name;
    SPIRVClass regClass;
  };
  for (Space space : {Space{"", PtrStorageBuffer}, Space{".function", PtrFunction}})
    for (T type : kScalars) {
      std::string tail = space.name + suffix(type);
      add("OpLoad" + tail, {value(type)}, {pointer(space.regClass)}, loads);
      add("OpStore" + tail, {}, {pointer(space.regClass), value(type)}, stores);
    }
  add("OpAccessChain", {pointer(PtrStorageBuffer)}, {pointer(PtrStorageBuffer), value(T::I32)});
  add("OpAccessChain.offset64", {pointer(PtrStorageBuffer)},
      {pointer(PtrStorageBuffer), pointer(Offset64)});
  for (auto [i, type] : enumerate(kScalars)) {
    unsigned element = FirstPtrWorkgroup + 2 * i, array = element + 1;
    std::string tail = ".workgroup." + stringifyLowValueType(type).str();
    add("OpLoad" + tail, {value(type)}, {pointer(element)}, loads);
    add("OpStore" + tail, {}, {pointer(element), value(type)}, stores);
    add("OpAccessChain" + tail, {pointer(element)}, {pointer(array), value(T::I32)});
  }
  unsigned synchronizes = DescriptorEffect::SideEffects | loads | stores;
  Entry &barrier = add("OpControlBarrier", {}, {}, synchronizes | DescriptorEffect::Convergent);
  for (const char *name : {"execution", "memory", "semantics"})
    addImmediate(barrier, name);
  Entry &fence = add("OpMemoryBarrier", {}, {}, synchronizes);
  for (const char *name : {"memory", "semantics"})
    addImmediate(fence, name);
}

Table SPIRVBuilder::build() {
  table.key = "spirv.logical.core";
  table.family = DescriptorFamily::SPIRV;
  table.classes = "kSPIRVClasses";
  addArithmetic();
  addComparisons();
  addConversions();
  addConstants();
  addMemory();
  return std::move(table);
}

std::vector<Table> makeSPIRVTables() { return {SPIRVBuilder().build()}; }

} // namespace loom::lowgen
