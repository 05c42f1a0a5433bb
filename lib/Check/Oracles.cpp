//===- Oracles.cpp - Expected values from the host ------------------------===//
#include "Oracles.h"
#include "Values.h"
#include "loom/Runtime/Elements.h"
#include "loom/Runtime/Matmul.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"

namespace loom::check {
using namespace mlir;

using runtime::ElementType;
using runtime::MatmulFormats;
using runtime::MatrixType;
using runtime::Scalar;
using runtime::Tensor;

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// Reads `{accumulator = "f64"}`. The error names the key.
static llvm::Expected<MatmulFormats> formatsOf(CheckOracleCallOp op) {
  MatmulFormats formats;
  DictionaryAttr options = op.getOptionsAttr();
  if (!options)
    return formats;
  static const std::vector<std::string> keys = {"lhs", "rhs", "accumulator", "result"};
  std::optional<runtime::NumberFormat> *places[] = {&formats.lhs, &formats.rhs,
                                                    &formats.accumulator, &formats.result};
  for (NamedAttribute entry : options) {
    std::string key = entry.getName().str();
    auto known = llvm::find(keys, key);
    if (known == keys.end())
      return llvm::createStringError("'" + op.getProvider() + "' has no option '" + key + "'" +
                                     didYouMean(key, keys));
    auto word = dyn_cast<StringAttr>(entry.getValue());
    std::optional<runtime::NumberFormat> format =
        word ? runtime::parseNumberFormat(word.getValue()) : std::nullopt;
    if (!format)
      return llvm::createStringError("'" + key +
                                     "' is one of f8e4m3, f8e5m2, f16, bf16, f32, f64, "
                                     "i8, u8, i16, u16, i32, u32, i64 and u64");
    *places[known - keys.begin()] = *format;
  }
  return formats;
}

/// Shapes with dynamic extents are checked when they are known.
static bool hasDynamicExtents(ValueRange values) {
  return llvm::any_of(values, [](Value value) {
    return llvm::is_contained(cast<TensorType>(value.getType()).getShape(), ShapedType::kDynamic);
  });
}

static MatrixType matrixType(Value value) {
  return {*elementTypeOf(value.getType()),
          SmallVector<int64_t, 4>(cast<TensorType>(value.getType()).getShape())};
}

static bool isTiled(CheckOracleCallOp op) { return op.getProvider() == "reference.tiled_matmul"; }

static std::optional<std::string> refuseMatmul(CheckOracleCallOp op) {
  auto isMatrix = [](Value value) {
    return isa<TensorType>(value.getType()) && elementTypeOf(value.getType());
  };
  if (op.getInputs().size() != 3 || op.getResults().size() != 1 ||
      !llvm::all_of(op.getInputs(), isMatrix) || !llvm::all_of(op.getResults(), isMatrix))
    return ("'" + op.getProvider() +
            "' takes two factors and an addend and has one result, all of "
            "them tensors")
        .str();
  llvm::Expected<MatmulFormats> formats = formatsOf(op);
  if (!formats)
    return llvm::toString(formats.takeError());
  SmallVector<MatrixType, 4> matrices;
  for (Value value : llvm::concat<Value>(llvm::to_vector(op.getInputs()),
                                         llvm::to_vector<1>(ValueRange(op.getResults()))))
    matrices.push_back(matrixType(value));
  if (hasDynamicExtents(op.getInputs()) || hasDynamicExtents(op.getResults())) {
    // Ranks and formats are known all the same.
    for (MatrixType &matrix : matrices)
      matrix.shape.assign(matrix.shape.size(), 1);
  }
  if (llvm::Error error =
          checkMatmul(matrices[0], matrices[1], matrices[2], matrices[3], *formats, isTiled(op)))
    return llvm::toString(std::move(error));
  return std::nullopt;
}

static llvm::Error callMatmul(CheckOracleCallOp op, Slots &slots) {
  llvm::Expected<MatmulFormats> formats = formatsOf(op);
  if (!formats)
    return formats.takeError();
  Tensor &lhs = *slots.tensor(op.getInputs()[0]), &rhs = *slots.tensor(op.getInputs()[1]),
         &addend = *slots.tensor(op.getInputs()[2]), &result = *slots.tensor(op.getResults()[0]);
  auto typeOf = [](const Tensor &tensor) {
    return MatrixType{tensor.type(), SmallVector<int64_t, 4>(tensor.shape())};
  };
  if (llvm::Error error = checkMatmul(typeOf(lhs), typeOf(rhs), typeOf(addend), typeOf(result),
                                      *formats, isTiled(op)))
    return error;
  computeMatmul(lhs, rhs, addend, result, *formats, isTiled(op));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions of scalars
//===----------------------------------------------------------------------===//

/// The element types of values, one word each, for messages and comparison.
static std::string typesText(TypeRange types) {
  std::string text;
  for (Type type : types) {
    std::optional<ElementType> element = elementTypeOf(type);
    text += (text.empty() ? "" : ", ") +
            (element ? runtime::stringifyElementType(*element).str() : stringifyType(type));
  }
  return "(" + text + ")";
}

static std::optional<std::string> refuseScalar(CheckOracleCallOp op, HostFunctions &functions) {
  if (op.getOptionsAttr() && !op.getOptionsAttr().empty())
    return std::string("'reference.scalar' has no options");
  if (std::optional<std::string> reason = functions.refuse(op.getCallee()))
    return reason;
  auto callee = cast<SignatureOpInterface>(lookupSymbol(op, op.getCalleeAttr()));
  SmallVector<Type> inputs = callee.getSignatureInputs(), results = callee.getSignatureResults();
  std::string passed =
      typesText(op.getInputs().getTypes()) + " -> " + typesText(op.getResultTypes());
  std::string taken = typesText(inputs) + " -> " + typesText(results);
  if (passed != taken)
    return ("@" + op.getCallee() + " maps " + taken + ", not " + passed).str();
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  bool hasTensors = llvm::any_of(op.getInputs().getTypes(), isTensor);
  for (Type type : op.getResultTypes())
    if (isTensor(type) != hasTensors)
      return std::string("a function of scalars has tensors of results exactly when an input is a "
                         "tensor");
  return std::nullopt;
}

/// Reads or writes one element as bits, without asking for its type each time.
static uint64_t loadBits(const uint8_t *data, unsigned size, uint64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, data + i * size, size);
  return bits;
}
static void storeBits(uint8_t *data, unsigned size, uint64_t i, uint64_t bits) {
  std::memcpy(data + i * size, &bits, size);
}

/// The shape that all tensors have; nothing when there is none.
static llvm::Expected<std::optional<uint64_t>> commonCount(CheckOracleCallOp op, Slots &slots) {
  Tensor *first = nullptr;
  for (Value value : llvm::concat<Value>(llvm::to_vector(op.getInputs()),
                                         llvm::to_vector<1>(ValueRange(op.getResults()))))
    if (Tensor *tensor = slots.tensor(value)) {
      if (first && first->shape() != tensor->shape())
        return llvm::createStringError("the tensors of a function of scalars have one shape");
      first = tensor;
    }
  return first ? std::optional(first->elementCount()) : std::nullopt;
}

static llvm::Error callScalar(CheckOracleCallOp op, Slots &slots, HostFunctions &functions) {
  llvm::Expected<std::optional<uint64_t>> count = commonCount(op, slots);
  if (!count)
    return count.takeError();
  SmallVector<uint64_t> arguments(op.getInputs().size()), results;
  SmallVector<std::pair<unsigned, const Tensor *>> varying;
  for (auto [i, value] : llvm::enumerate(op.getInputs())) {
    if (Tensor *tensor = slots.tensor(value))
      varying.push_back({unsigned(i), tensor});
    else
      arguments[i] = slots.scalar(value).bits();
  }
  for (uint64_t flat = 0, e = count->value_or(1); flat < e; ++flat) {
    for (auto [i, tensor] : varying)
      arguments[i] = loadBits(tensor->data(), runtime::elementBytes(tensor->type()), flat);
    if (llvm::Error error = functions.call(op.getCallee(), arguments, results))
      return error;
    for (auto [value, bits] : llvm::zip_equal(op.getResults(), results)) {
      if (Tensor *tensor = slots.tensor(value))
        storeBits(tensor->data(), runtime::elementBytes(tensor->type()), flat, bits);
      else
        slots[value] = Scalar::fromBits(*elementTypeOf(value.getType()), bits);
    }
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// By provider
//===----------------------------------------------------------------------===//

std::optional<std::string> refuseOracle(CheckOracleCallOp op, HostFunctions &functions) {
  static const std::vector<std::string> providers = {"reference.matmul", "reference.tiled_matmul",
                                                     "reference.scalar"};
  StringRef provider = op.getProvider();
  if (provider == "reference.scalar")
    return refuseScalar(op, functions);
  if (llvm::is_contained(providers, provider))
    return refuseMatmul(op);
  std::string near = didYouMean(provider, providers);
  return ("there is no oracle '" + provider + "'" +
          (near.empty() ? "; there are " + llvm::join(providers, ", ") : near))
      .str();
}

llvm::Error callOracle(CheckOracleCallOp op, Slots &slots, HostFunctions &functions) {
  return op.getProvider() == "reference.scalar" ? callScalar(op, slots, functions)
                                                : callMatmul(op, slots);
}

} // namespace loom::check
