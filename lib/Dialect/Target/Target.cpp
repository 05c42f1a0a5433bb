//===- Target.cpp - The `target`, `amdgpu`, `spirv` and `x86` dialects ----===//
#include "loom/Dialect/Target/Target.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Signatures.h"
#include "loom/Support/NearMatches.h"

using namespace mlir;

namespace loom {
/// What a key of the braces of a record takes.
struct OverrideKey {
  enum Kind { Words, Unsigned32, NonNegative, String } kind;
  StringRef name;
  SmallVector<StringRef, 0> words; ///< of the kind Words
  bool onlyAMDGPU = false;
};
} // namespace loom

#include "loom/Dialect/Target/amdgpuDialect.cpp.inc"
#include "loom/Dialect/Target/spirvDialect.cpp.inc"
#include "loom/Dialect/Target/targetDialect.cpp.inc"
#include "loom/Dialect/Target/x86Dialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Target/TargetOps.cpp.inc"

namespace loom {

void TargetDialect::initialize() {
  addOperations<TargetSubgroupSizeOp, TargetGenericOp, TargetDeclOp>();
}
void AMDGPUDialect::initialize() { addOperations<AMDGPUTargetOp>(); }
void SPIRVDialect::initialize() { addOperations<SPIRVTargetOp>(); }
void X86Dialect::initialize() { addOperations<X86TargetOp>(); }

void TargetSubgroupSizeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), ConstantIntRanges::fromSigned(APInt(64, 1), APInt(64, 4294967295)));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Rows of the language that name targets; not all of them can be compiled for.
static constexpr llvm::StringLiteral kAMDGPURows[] = {
    "gfx940",     "gfx941",  "gfx942",         "gfx950",        "gfx1100",       "gfx1101",
    "gfx1102",    "gfx1103", "gfx1150",        "gfx1151",       "gfx1152",       "gfx1153",
    "gfx1170",    "gfx1171", "gfx1172",        "gfx1200",       "gfx1201",       "gfx1250",
    "gfx1250-a0", "gfx1251", "gfx9-4-generic", "gfx11-generic", "gfx12-generic", "gfx12-5-generic"};
static constexpr llvm::StringLiteral kX86Rows[] = {"scalar", "simd128",    "avx2",
                                                   "avx512", "packed_dot", "avx512_packed_dot"};
static constexpr llvm::StringLiteral kSPIRVRows[] = {"vulkan1_3"};
static constexpr llvm::StringLiteral kGenericRows[] = {"reference"};

/// The operation that has `row`, for an author who took another one; empty when none has.
static StringRef ownerOfRow(StringRef row) {
  const std::pair<StringRef, ArrayRef<llvm::StringLiteral>> owners[] = {
      {"amdgpu.target", kAMDGPURows},
      {"x86.target", kX86Rows},
      {"spirv.target", kSPIRVRows},
      {"target.generic", kGenericRows}};
  for (auto [owner, rows] : owners)
    if (llvm::is_contained(rows, row))
      return owner;
  return {};
}

static LogicalResult verifyRow(Operation *op, StringRef row, ArrayRef<llvm::StringLiteral> rows) {
  if (llvm::is_contained(rows, row))
    return success();
  // A row is one word of the text up to its first dash.
  InFlightDiagnostic diag =
      emitCoded(atWord(op, row.split('-').first), DiagCode::TargetUnknown, "unknown target row '");
  diag << row << "'";
  std::vector<std::string> known(rows.begin(), rows.end());
  if (StringRef owner = ownerOfRow(row); !owner.empty())
    return diag << "; it is a row of '" << owner << "'";
  std::string near = didYouMean(row, known);
  return diag << (near.empty() ? "; the rows are " + llvm::join(known, ", ") : near);
}

//===----------------------------------------------------------------------===//
// Overrides
//===----------------------------------------------------------------------===//

static ArrayRef<OverrideKey> overrideKeys() {
  using Key = OverrideKey;
  static const std::vector<Key> keys = [] {
    std::vector<Key> table = {
        {Key::Words, "codegen_format", {"unknown", "spirv", "vm", "low_native", "wasm", "llvmir"}},
        {Key::Words,
         "artifact_format",
         {"unknown", "elf", "coff", "macho", "spirv_binary", "vm_bytecode", "vm_binary",
          "wasm_binary", "llvmir_text", "llvmir_bitcode"}},
        {Key::Words,
         "abi",
         {"unknown", "object_function", "hal_kernel", "shader_entry_point", "wasm_function",
          "command_program", "vm_function", "vm_module_function", "array_program"}},
        {Key::Words, "linkage", {"default", "dso_local"}},
        {Key::Words, "sramecc", {"any", "unsupported", "off", "on"}, /*onlyAMDGPU=*/true},
        {Key::Words, "xnack", {"any", "unsupported", "off", "on"}, /*onlyAMDGPU=*/true},
    };
    for (StringRef name : {"default_pointer_bitwidth", "index_bitwidth",
                           "offset_bitwidth",          "subgroup_size",
                           "max_workgroup_size_x",     "max_workgroup_size_y",
                           "max_workgroup_size_z",     "max_flat_workgroup_size",
                           "max_grid_size_x",          "max_grid_size_y",
                           "max_grid_size_z",          "max_workgroup_count_x",
                           "max_workgroup_count_y",    "max_workgroup_count_z",
                           "memory_space_generic",     "memory_space_global",
                           "memory_space_workgroup",   "memory_space_constant",
                           "memory_space_private",     "memory_space_host",
                           "memory_space_descriptor"})
      table.push_back({Key::Unsigned32, name, {}});
    for (StringRef name :
         {"max_workgroup_storage_bytes", "max_flat_grid_size", "contract_feature_bits"})
      table.push_back({Key::NonNegative, name, {}});
    for (StringRef name : {"export_symbol", "contract_set_key"})
      table.push_back({Key::String, name, {}});
    return table;
  }();
  return keys;
}

static const OverrideKey *lookupKey(StringRef name) {
  for (const OverrideKey &key : overrideKeys())
    if (key.name == name)
      return &key;
  return nullptr;
}

static LogicalResult verifyNumber(Operation *op, const OverrideKey &key, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || isa<BoolAttr>(value))
    return emitCoded(atKey(op, key.name), DiagCode::TypeAttribute, "'")
           << key.name << "' takes an integer";
  bool is32 = key.kind == OverrideKey::Unsigned32;
  int64_t limit = is32 ? int64_t(UINT32_MAX) : INT64_MAX;
  if (number.getInt() >= 0 && number.getInt() <= limit)
    return success();
  return emitCoded(atKey(op, key.name), DiagCode::StructureValue, "'")
         << key.name << "' is a number from 0 to " << limit << ", not " << number.getInt();
}

static LogicalResult verifyOverride(Operation *op, StringRef name, Attribute value) {
  const OverrideKey *key = lookupKey(name);
  bool isAMDGPU = isa<AMDGPUTargetOp>(op);
  if (!key || (key->onlyAMDGPU && !isAMDGPU)) {
    std::vector<std::string> known;
    for (const OverrideKey &other : overrideKeys())
      if (isAMDGPU || !other.onlyAMDGPU)
        known.push_back(other.name.str());
    return emitCoded(atKey(op, name), DiagCode::TargetUnknown, "'")
           << getTextName(op) << "' has no override '" << name << "'" << didYouMean(name, known);
  }
  if (key->kind == OverrideKey::Unsigned32 || key->kind == OverrideKey::NonNegative)
    return verifyNumber(op, *key, value);
  auto word = dyn_cast<StringAttr>(value);
  if (!word)
    return emitCoded(atKey(op, name), DiagCode::TypeAttribute, "'")
           << name << "' takes a " << (key->kind == OverrideKey::Words ? "word" : "string");
  if (key->kind == OverrideKey::String || llvm::is_contained(key->words, word.getValue()))
    return success();
  return emitCoded(atKey(op, name), DiagCode::ParseUnknownEnum, "'")
         << name << "' is one of " << llvm::join(key->words, ", ") << ", not '" << word.getValue()
         << "'";
}

static LogicalResult verifyRecord(Operation *op, StringRef row, DictionaryAttr overrides,
                                  ArrayRef<llvm::StringLiteral> rows) {
  if (failed(verifyRow(op, row, rows)))
    return failure();
  for (NamedAttribute entry : overrides ? overrides.getValue() : ArrayRef<NamedAttribute>())
    if (failed(verifyOverride(op, entry.getName().getValue(), entry.getValue())))
      return failure();
  return success();
}

LogicalResult TargetGenericOp::verify() {
  return verifyRecord(*this, getRow(), getOverridesAttr(), kGenericRows);
}
LogicalResult AMDGPUTargetOp::verify() {
  return verifyRecord(*this, getRow(), getOverridesAttr(), kAMDGPURows);
}
LogicalResult SPIRVTargetOp::verify() {
  return verifyRecord(*this, getRow(), getOverridesAttr(), kSPIRVRows);
}
LogicalResult X86TargetOp::verify() {
  return verifyRecord(*this, getRow(), getOverridesAttr(), kX86Rows);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static ParseResult parseRecord(OpAsmParser &parser, OperationState &state) {
  StringAttr row, name;
  NamedAttrList overrides;
  if (parser.parseLess() || parseTargetRow(parser, row) || parser.parseGreater() ||
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes) ||
      text(parser).parseOptionalDict(overrides))
    return failure();
  state.addAttribute("row", row);
  if (!overrides.empty())
    state.addAttribute("overrides", overrides.getDictionary(parser.getContext()));
  return success();
}

/// Words stand without quotes.
static void printRecord(OpAsmPrinter &printer, StringRef row, StringRef name,
                        DictionaryAttr overrides) {
  printer << '<' << row << "> ";
  printer.printSymbolName(name);
  if (!overrides || overrides.empty())
    return;
  printer << " {";
  llvm::interleaveComma(overrides, printer, [&](NamedAttribute entry) {
    StringRef spelled = entry.getName().getValue();
    const OverrideKey *key = lookupKey(spelled);
    auto word = dyn_cast<StringAttr>(entry.getValue());
    printer << spelled << " = ";
    if (word && key && llvm::is_contained(key->words, word.getValue()))
      printer << word.getValue();
    else
      printer.printAttribute(entry.getValue());
  });
  printer << '}';
}

#define LOOM_RECORD(Op)                                                                            \
  ParseResult Op::parse(OpAsmParser &parser, OperationState &state) {                              \
    return parseRecord(parser, state);                                                             \
  }                                                                                                \
  void Op::print(OpAsmPrinter &printer) {                                                          \
    printRecord(printer, getRow(), getSymName(), getOverridesAttr());                              \
  }
LOOM_RECORD(TargetGenericOp)
LOOM_RECORD(AMDGPUTargetOp)
LOOM_RECORD(SPIRVTargetOp)
LOOM_RECORD(X86TargetOp)
#undef LOOM_RECORD

//===----------------------------------------------------------------------===//
// Records and profiles
//===----------------------------------------------------------------------===//

bool isTargetRecord(Operation *op) {
  return isa<AMDGPUTargetOp, SPIRVTargetOp, X86TargetOp, TargetGenericOp, TargetDeclOp>(op);
}

std::string spellRecord(Operation *record) {
  if (auto amdgpu = dyn_cast<AMDGPUTargetOp>(record))
    return ("amdgpu:" + amdgpu.getRow()).str();
  if (auto x86 = dyn_cast<X86TargetOp>(record))
    return ("x86:" + x86.getRow()).str();
  if (auto spirv = dyn_cast<SPIRVTargetOp>(record))
    return ("spirv:" + spirv.getRow()).str();
  if (auto generic = dyn_cast<TargetGenericOp>(record))
    return ("generic:" + generic.getRow()).str();
  return getTextName(record).str();
}

Operation *lookupRecord(Operation *op, FlatSymbolRefAttr name) {
  return name ? lookupSymbol(op, name) : nullptr;
}

const TargetProfile *profileOfRecord(Operation *record) {
  return isa<AMDGPUTargetOp, X86TargetOp>(record) ? lookupTargetProfile(spellRecord(record))
                                                  : nullptr;
}

/// The profile of the processor of `profile` with subgroups of `size` work-items.
static const TargetProfile *withSubgroupSize(const TargetProfile &profile, int64_t size) {
  for (const TargetProfile &other : targetProfiles(profile.family))
    if (StringRef(other.cpu) == profile.cpu && other.subgroupSize == size)
      return &other;
  return nullptr;
}

const TargetProfile *profileForRecord(Operation *record, const TargetProfile &module) {
  const TargetProfile *required = profileOfRecord(record);
  if (!required)
    return nullptr;
  DictionaryAttr overrides = overridesOfRecord(record);
  auto size = overrides ? dyn_cast_or_null<IntegerAttr>(overrides.get("subgroup_size")) : nullptr;
  const TargetProfile *asked = size ? withSubgroupSize(*required, size.getInt()) : required;
  auto isModule = [&](const TargetProfile &profile) {
    return profile.family == module.family && StringRef(profile.key) == module.key;
  };
  bool isSatisfied = asked && (satisfiesTarget(module, *required) || isModule(*asked));
  if (!isSatisfied)
    return nullptr;
  // On other machines the size belongs to the hardware.
  return asked->family == TargetFamily::X86 && size ? asked : &module;
}

DictionaryAttr overridesOfRecord(Operation *record) {
  return isTargetRecord(record) ? record->getAttrOfType<DictionaryAttr>("overrides")
                                : DictionaryAttr();
}

std::optional<int64_t> subgroupSizeOfRecord(Operation *record) {
  if (DictionaryAttr overrides = overridesOfRecord(record))
    if (auto size = dyn_cast_or_null<IntegerAttr>(overrides.get("subgroup_size")))
      return size.getInt();
  const TargetProfile *profile = profileOfRecord(record);
  return profile ? std::optional<int64_t>(profile->subgroupSize) : std::nullopt;
}

} // namespace loom
