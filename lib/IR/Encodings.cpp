//===- Encodings.cpp - Families of static encodings -----------------------===//
#include "EncodingFamilies.h"
#include "loom/Support/NearMatches.h"

namespace loom {
using namespace mlir;
using llvm::StringLiteral;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kFormats[] = {"none",       "f64",
                                             "f32",        "tf32",
                                             "f16",        "bf16",
                                             "i32",        "u32",
                                             "i16",        "u16",
                                             "i8",         "u8",
                                             "i6",         "u6",
                                             "i5",         "u5",
                                             "i4",         "u4",
                                             "i3",         "u3",
                                             "i2",         "u2",
                                             "i1",         "u1",
                                             "f8e4m3",     "f8e5m2",
                                             "f8e4m3fn",   "f8e4m3fnuz",
                                             "f8e5m2fnuz", "e8m0",
                                             "bf8",        "f6e3m2",
                                             "f6e2m3",     "bf6",
                                             "f4e2m1",     "ternary",
                                             "sign_bit",   "codebook_index",
                                             "quant_i8",   "quant_i6",
                                             "quant_i4",   "bfp16ebs8"};
/// Those from `ternary` on have no family of their own.
static constexpr size_t kFormatsWithFamily = 35;
static_assert(std::size(kFormats) == kFormatsWithFamily + 7);

static constexpr StringLiteral kPackings[] = {"dense_lanes",           "little_endian_nibbles",
                                              "big_endian_nibbles",    "bitfield_stream",
                                              "bitplane_stream",       "multi_stream",
                                              "base_n_packed",         "codebook_indices",
                                              "target_fragment",       "interleaved_scale_payload",
                                              "separate_scale_payload"};
static constexpr StringLiteral kTopologies[] = {"none",
                                                "tensor_global",
                                                "row",
                                                "column",
                                                "channel",
                                                "group_1d",
                                                "block_1d",
                                                "block_2d",
                                                "subblock_in_superblock",
                                                "hierarchical",
                                                "per_token",
                                                "per_head",
                                                "per_page",
                                                "runtime_amax_derived"};
static constexpr StringLiteral kAffine[] = {"none",
                                            "scale_only",
                                            "scale_plus_min",
                                            "scale_plus_zero_point",
                                            "scale_plus_bias",
                                            "super_scale_times_subscale",
                                            "sum_correction"};
static constexpr StringLiteral kRounding[] = {"none",
                                              "nearest_even",
                                              "nearest_away",
                                              "toward_zero",
                                              "down",
                                              "up",
                                              "stochastic",
                                              "satfinite",
                                              "overflow_to_inf",
                                              "overflow_to_nan",
                                              "flush_subnormal",
                                              "preserve_subnormal",
                                              "relu_clamp",
                                              "finite_only",
                                              "finite_flush_subnormal"};
static constexpr StringLiteral kCodebook[] = {"none",
                                              "static_builtin_table",
                                              "static_symbol_table",
                                              "global_data_table",
                                              "dynamic_table_operand",
                                              "per_superblock_table"};
static constexpr StringLiteral kSparsity[] = {
    "none", "mask", "n_m_structured", "block_sparse", "bsr",
    "csr",  "coo",  "page_table",     "moe_routing",  "outlier_side_stream"};
static constexpr StringLiteral kNormalization[] = {"none", "orthonormal"};
static constexpr StringLiteral kAuxiliaryKeys[] = {
    "scale",    "secondary_scale", "scale2",     "scale3",     "scale4",    "scale5",
    "scale6",   "scale7",          "zero_point", "minimum",    "bias",      "sum_correction",
    "codebook", "sparsity",        "metadata",   "indices",    "offsets",   "mask",
    "signs",    "residual",        "amax",       "thresholds", "centroids", "outliers"};

ArrayRef<StringLiteral> numericFormats() { return kFormats; }
ArrayRef<StringLiteral> payloadPackings() { return kPackings; }
ArrayRef<StringLiteral> affinePolicies() { return kAffine; }
ArrayRef<StringLiteral> roundingPolicies() { return kRounding; }
ArrayRef<StringLiteral> auxiliaryKeys() { return kAuxiliaryKeys; }
bool isAuxiliaryKey(StringRef key) { return llvm::is_contained(kAuxiliaryKeys, key); }

std::string listWords(ArrayRef<StringLiteral> words) { return llvm::join(words, ", "); }

//===----------------------------------------------------------------------===//
// Parameters and families
//===----------------------------------------------------------------------===//

namespace {

enum class ValueKind { Word, Words, Integer, Shape, Strides, Flag, Nested };

struct Parameter {
  StringLiteral name;
  ValueKind kind;
  ArrayRef<StringLiteral> words = {};
  int64_t low = 0, high = 0;             ///< of an integer
  EncodingRole role = EncodingRole::any; ///< of a nested encoding
};

struct Family {
  StringLiteral name;
  EncodingRole role;
  ArrayRef<Parameter> params;
};

} // namespace

/// Largest count of elements, registers and groups.
static constexpr int64_t kMaxCount = 65535;

static const Parameter kStridedParams[] = {{"strides", ValueKind::Strides}};
static const Parameter kStorageParams[] = {
    {"layout", ValueKind::Nested, {}, 0, 0, EncodingRole::layout},
    {"schema", ValueKind::Nested, {}, 0, 0, EncodingRole::schema}};
static const Parameter kHadamardParams[] = {{"normalization", ValueKind::Word, kNormalization}};
static const Parameter kSchemaParams[] = {
    {"element_format", ValueKind::Word, ArrayRef(kFormats).drop_front()},
    {"payload_elements", ValueKind::Integer, {}, 1, kMaxCount},
    {"payload_packing", ValueKind::Word, kPackings},
    {"payload_registers", ValueKind::Integer, {}, 0, kMaxCount},
    {"affine", ValueKind::Word, kAffine},
    {"rounding", ValueKind::Words, kRounding},
    {"codebook", ValueKind::Word, kCodebook},
    {"sparsity", ValueKind::Word, kSparsity},
    {"scale_format", ValueKind::Word, kFormats},
    {"secondary_scale_format", ValueKind::Word, kFormats},
    {"scale_topology", ValueKind::Word, kTopologies},
    {"scale_operands", ValueKind::Integer, {}, 0, kMaxScales},
    {"scale_group_elements", ValueKind::Integer, {}, 1, kMaxCount},
    {"scale_group_shape", ValueKind::Shape},
    {"sparsity_group_elements", ValueKind::Integer, {}, 1, kMaxCount},
    {"sparsity_group_nonzero_elements", ValueKind::Integer, {}, 1, kMaxCount},
    {"zero_scale_fallback", ValueKind::Flag}};

static const Family kFamilies[] = {
    {"encoding.layout.dense", EncodingRole::layout, {}},
    {"encoding.layout.strided", EncodingRole::layout, kStridedParams},
    {"encoding.storage", EncodingRole::storage, kStorageParams},
    {"transform.hadamard", EncodingRole::transform, kHadamardParams},
    {"encoding.operand", EncodingRole::schema, kSchemaParams}};

static constexpr StringLiteral kScaleKey[] = {"scale"};
static constexpr StringLiteral kTwoScales[] = {"scale", "secondary_scale"};
static constexpr StringLiteral kTwoScalesAndMinimum[] = {"scale", "secondary_scale", "minimum"};
static constexpr StringLiteral kScaleAndSum[] = {"scale", "sum_correction"};
static const RecordFamily kRecords[] = {{{"ggml.q4_0", 32, 18, 2},
                                         "quant_i4",
                                         "little_endian_nibbles",
                                         "f16",
                                         "none",
                                         "block_1d",
                                         32,
                                         "scale_only",
                                         1,
                                         kScaleKey},
                                        {{"ggml.q8_0", 32, 34, 2},
                                         "quant_i8",
                                         "dense_lanes",
                                         "f16",
                                         "none",
                                         "block_1d",
                                         32,
                                         "scale_only",
                                         1,
                                         kScaleKey},
                                        {{"ggml.q4_k", 256, 144, 2},
                                         "u4",
                                         "multi_stream",
                                         "f16",
                                         "u6",
                                         "hierarchical",
                                         32,
                                         "scale_plus_min",
                                         2,
                                         kTwoScalesAndMinimum},
                                        {{"ggml.q5_k", 256, 176, 2},
                                         "u5",
                                         "multi_stream",
                                         "f16",
                                         "u6",
                                         "hierarchical",
                                         32,
                                         "scale_plus_min",
                                         2,
                                         kTwoScalesAndMinimum},
                                        {{"ggml.q6_k", 256, 210, 2},
                                         "quant_i6",
                                         "multi_stream",
                                         "f16",
                                         "i8",
                                         "hierarchical",
                                         16,
                                         "super_scale_times_subscale",
                                         2,
                                         kTwoScales},
                                        {{"ggml.q8_1_x4", 128, 144, 16},
                                         "quant_i8",
                                         "separate_scale_payload",
                                         "f16",
                                         "none",
                                         "block_1d",
                                         32,
                                         "sum_correction",
                                         1,
                                         kScaleAndSum}};

StringRef getShortFormat(StringRef family) {
  if (!family.consume_front("encoding."))
    return {};
  auto formats = ArrayRef(kFormats).take_front(kFormatsWithFamily).drop_front();
  return llvm::is_contained(formats, family) ? family : StringRef();
}

const RecordFamily *findRecord(StringRef family) {
  auto it =
      llvm::find_if(kRecords, [&](const RecordFamily &r) { return r.record.family == family; });
  return it == std::end(kRecords) ? nullptr : it;
}

/// Role and parameters of `name`; nothing when there is no such family.
static std::optional<Family> findFamily(StringRef name) {
  for (const Family &family : kFamilies)
    if (family.name == name)
      return family;
  if (findRecord(name))
    return Family{"", EncodingRole::schema, {}};
  // Of a short name the format is fixed.
  if (!getShortFormat(name).empty())
    return Family{"", EncodingRole::schema, ArrayRef(kSchemaParams).drop_front()};
  return std::nullopt;
}

static std::vector<std::string> familyNames() {
  std::vector<std::string> names;
  for (const Family &family : kFamilies)
    names.push_back("#" + family.name.str());
  for (StringRef format : ArrayRef(kFormats).take_front(kFormatsWithFamily).drop_front())
    names.push_back("#encoding." + format.str());
  for (const RecordFamily &record : kRecords)
    names.push_back("#" + record.record.family.str());
  return names;
}

EncodingRole getEncodingRole(EncodingAttr encoding) {
  std::optional<Family> family = findFamily(encoding.getFamily().getValue());
  return family ? family->role : EncodingRole::any;
}

ArrayRef<std::pair<StringLiteral, EncodingRole>> getValueParameters(EncodingAttr encoding) {
  static constexpr std::pair<StringLiteral, EncodingRole> storage[] = {
      {"layout", EncodingRole::layout}, {"schema", EncodingRole::schema}};
  if (encoding.getFamily() == "encoding.storage")
    return storage;
  return {};
}

//===----------------------------------------------------------------------===//
// Checks of single parameters
//===----------------------------------------------------------------------===//

using Problem = std::optional<EncodingProblem>;

static Problem problem(DiagCode code, StringRef param, const Twine &message) {
  return EncodingProblem{code, message.str(), param};
}

std::optional<int64_t> asInteger(Attribute value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(value);
  if (!integer || isa<BoolAttr>(value) || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

StringRef asWord(Attribute value, StringRef otherwise) {
  auto word = dyn_cast_or_null<StringAttr>(value);
  return word ? word.getValue() : otherwise;
}

static Problem checkWord(const Parameter &param, StringRef word) {
  if (llvm::is_contained(param.words, word))
    return std::nullopt;
  return problem(DiagCode::EncodingParamValue, param.name,
                 "'" + param.name + "' is one of " + listWords(param.words) +
                     (word.empty() ? Twine() : ", not '" + word + "'"));
}

/// `nearest_even|finite_only`
static Problem checkWords(const Parameter &param, StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, '|');
  for (auto [i, word] : llvm::enumerate(words)) {
    if (Problem wrong = checkWord(param, word))
      return wrong;
    if (word == "none" && words.size() > 1)
      return problem(DiagCode::EncodingExclusive, param.name,
                     "'none' excludes other words of '" + param.name + "'");
    if (llvm::is_contained(ArrayRef(words).take_front(i), word))
      return problem(DiagCode::EncodingParamValue, param.name,
                     "'" + word + "' is given twice in '" + param.name + "'");
  }
  return std::nullopt;
}

static Problem checkShape(const Parameter &param, ArrayRef<int64_t> shape) {
  int64_t product = 1;
  bool fits = !shape.empty() && shape.size() <= 4;
  for (int64_t extent : shape) {
    fits &= extent >= 1 && extent <= kMaxCount;
    product = fits ? product * extent : kMaxCount + 1;
    fits &= product <= kMaxCount;
  }
  if (fits)
    return std::nullopt;
  return problem(DiagCode::EncodingParamValue, param.name,
                 "'" + param.name +
                     "' is a list of one to four positive extents with a product of at most 65535");
}

static Problem checkValue(const Parameter &param, Attribute value) {
  auto expected = [&](const Twine &what) {
    return problem(DiagCode::EncodingParamValue, param.name, "'" + param.name + "' is " + what);
  };
  switch (param.kind) {
  case ValueKind::Word:
    return checkWord(param, asWord(value, ""));
  case ValueKind::Words:
    return checkWords(param, asWord(value, ""));
  case ValueKind::Integer: {
    std::optional<int64_t> number = asInteger(value);
    if (number && *number >= param.low && *number <= param.high)
      return std::nullopt;
    return expected("an integer from " + Twine(param.low) + " to " + Twine(param.high));
  }
  case ValueKind::Shape: {
    auto list = dyn_cast<DenseI64ArrayAttr>(value);
    return checkShape(param, list ? list.asArrayRef() : ArrayRef<int64_t>());
  }
  case ValueKind::Strides: {
    auto list = dyn_cast<DenseI64ArrayAttr>(value);
    if (list && llvm::all_of(list.asArrayRef(), [](int64_t stride) { return stride >= 0; }))
      return std::nullopt;
    return expected("a list of strides that are not negative");
  }
  case ValueKind::Flag:
    return isa<BoolAttr>(value) ? std::nullopt : expected("true or false");
  case ValueKind::Nested:
    break;
  }
  auto nested = dyn_cast<EncodingAttr>(value);
  if (!nested)
    return expected("an encoding such as #encoding.layout.dense");
  if (Problem inside = checkCompleteEncoding(nested)) {
    inside->param = param.name;
    return inside;
  }
  if (getEncodingRole(nested) == param.role)
    return std::nullopt;
  return problem(DiagCode::EncodingNestedRole, param.name,
                 "'" + param.name + "' needs an encoding<" + stringifyEncodingRole(param.role) +
                     ">, but '#" + nested.getFamily().getValue() + "' is an encoding<" +
                     stringifyEncodingRole(getEncodingRole(nested)) + ">");
}

//===----------------------------------------------------------------------===//
// Checks of schemas
//===----------------------------------------------------------------------===//

/// What the parameters about scale groups say of each other.
static Problem checkScaleGroups(DictionaryAttr params) {
  StringRef topology = asWord(params.get("scale_topology"));
  auto shape = dyn_cast_or_null<DenseI64ArrayAttr>(params.get("scale_group_shape"));
  bool hasElements = params.contains("scale_group_elements");
  if (hasElements && shape)
    return problem(DiagCode::EncodingExclusive, "scale_group_shape",
                   "'scale_group_elements' and 'scale_group_shape' exclude each other");
  if (!shape)
    return std::nullopt;
  bool flat = topology == "group_1d" || topology == "block_1d";
  if ((flat && shape.size() != 1) || (topology == "block_2d" && shape.size() != 2))
    return problem(DiagCode::EncodingParamValue, "scale_group_shape",
                   "scale_topology = " + topology + " needs a 'scale_group_shape' of " +
                       (flat ? "one extent" : "two extents"));
  return std::nullopt;
}

static Problem checkSparsity(DictionaryAttr params) {
  StringRef sparsity = asWord(params.get("sparsity"));
  for (StringRef name : {"sparsity_group_elements", "sparsity_group_nonzero_elements"})
    if (params.contains(name) && sparsity != "n_m_structured")
      return problem(DiagCode::EncodingExclusive, name,
                     "'" + name + "' belongs to sparsity = n_m_structured, not to " + sparsity);
  std::optional<int64_t> all = asInteger(params.get("sparsity_group_elements"));
  std::optional<int64_t> kept = asInteger(params.get("sparsity_group_nonzero_elements"));
  if (all && kept && *kept >= *all)
    return problem(DiagCode::EncodingParamValue, "sparsity_group_nonzero_elements",
                   "'sparsity_group_nonzero_elements' has to be less than "
                   "'sparsity_group_elements'");
  return std::nullopt;
}

static Problem missing(StringRef name, const Twine &owner) {
  return problem(DiagCode::EncodingMissing, "", owner + " needs the parameter '" + name + "'");
}

/// Required parameters of a schema, generic or by its short name.
static Problem checkCompleteSchema(EncodingAttr encoding) {
  DictionaryAttr params = encoding.getParams();
  bool generic = encoding.getFamily() == "encoding.operand";
  std::string owner = ("'#" + encoding.getFamily().getValue() + "'").str();
  if (generic)
    for (StringRef name : {"element_format", "payload_elements"})
      if (!params.contains(name))
        return missing(name, owner);
  StringRef packing =
      asWord(params.get("payload_packing"), generic ? "target_fragment" : "dense_lanes");
  if (packing == "target_fragment" && asInteger(params.get("payload_registers")).value_or(0) == 0)
    return missing("payload_registers", "payload_packing = target_fragment");
  StringRef topology = asWord(params.get("scale_topology"));
  bool scaled = topology != "none";
  bool grouped = params.contains("scale_group_elements") || params.contains("scale_group_shape");
  std::optional<int64_t> operands = asInteger(params.get("scale_operands"));
  if (!scaled && (grouped || operands.value_or(0) > 0))
    return missing("scale_topology", grouped ? "a scale group" : "a schema with scale operands");
  if (scaled && !operands)
    return missing("scale_operands", "scale_topology = " + topology);
  if (topology == "block_2d" && !params.contains("scale_group_shape"))
    return missing("scale_group_shape", "scale_topology = block_2d");
  if (scaled && !grouped) // what shares a scale has a size, whatever it is
    return missing("scale_group_elements", "scale_topology = " + topology);
  if (asWord(params.get("sparsity")) == "n_m_structured")
    for (StringRef name : {"sparsity_group_elements", "sparsity_group_nonzero_elements"})
      if (!params.contains(name))
        return missing(name, "sparsity = n_m_structured");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Checks of encodings
//===----------------------------------------------------------------------===//

Problem checkEncoding(EncodingAttr encoding) {
  StringRef name = encoding.getFamily().getValue();
  std::optional<Family> family = findFamily(name);
  if (!family)
    return problem(DiagCode::ParseUnknownEncoding, "",
                   "unknown encoding family '#" + name + "'" +
                       didYouMean("#" + name.str(), familyNames()));
  for (NamedAttribute entry : encoding.getParams()) {
    StringRef key = entry.getName().getValue();
    auto param = llvm::find_if(family->params, [&](const Parameter &p) { return p.name == key; });
    if (param == family->params.end()) {
      if (family->params.empty())
        return problem(DiagCode::EncodingUnknown, key, "'#" + name + "' takes no parameters");
      std::vector<std::string> known;
      for (const Parameter &p : family->params)
        known.push_back(p.name.str());
      std::string near = didYouMean(key, known);
      return problem(DiagCode::EncodingUnknown, key,
                     "'#" + name + "' has no parameter '" + key + "'" +
                         (near.empty() ? "; there are " + llvm::join(known, ", ") : near));
    }
    if (Problem wrong = checkValue(*param, entry.getValue()))
      return wrong;
  }
  if (family->role != EncodingRole::schema)
    return std::nullopt;
  if (Problem wrong = checkScaleGroups(encoding.getParams()))
    return wrong;
  return checkSparsity(encoding.getParams());
}

Problem checkCompleteEncoding(EncodingAttr encoding, ArrayRef<StringRef> dynamic) {
  if (Problem wrong = checkEncoding(encoding))
    return wrong;
  StringRef name = encoding.getFamily().getValue();
  if (findRecord(name))
    return std::nullopt;
  if (getEncodingRole(encoding) == EncodingRole::schema)
    return checkCompleteSchema(encoding);
  ArrayRef<Parameter> params = findFamily(name)->params;
  for (const Parameter &param : params)
    if (!encoding.getParams().contains(param.name) && !llvm::is_contained(dynamic, param.name))
      return missing(param.name, "'#" + name + "'");
  return std::nullopt;
}

Problem checkTypeEncoding(Type type) {
  auto encoding = dyn_cast_or_null<EncodingAttr>(getTypeLayout(type));
  if (!encoding)
    return std::nullopt;
  if (Problem wrong = checkCompleteEncoding(encoding))
    return wrong;
  EncodingRole role = getEncodingRole(encoding);
  bool isView = isa<ViewType>(type);
  if (role == EncodingRole::transform || (isView && role == EncodingRole::schema))
    return problem(DiagCode::EncodingAxis, "",
                   "'#" + encoding.getFamily().getValue() + "' is an encoding<" +
                       stringifyEncodingRole(role) + ">, which " +
                       (isView ? "a view" : "this type") + " cannot have; it takes a layout, " +
                       (isView ? "or a storage" : "a schema or a storage") + " encoding");
  std::optional<ArrayRef<int64_t>> strides = getStaticStrides(encoding);
  size_t rank = cast<ShapedType>(type).getShape().size();
  if (!strides || strides->size() == rank)
    return std::nullopt;
  return problem(DiagCode::ShapeMismatch, "",
                 "a layout of " + counted(strides->size(), "stride") + " for a type of " +
                     counted(rank, "dimension"));
}

} // namespace loom
