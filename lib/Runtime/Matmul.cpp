//===- Matmul.cpp - Products of matrices in a fixed order -----------------===//
//
// Operands are widened once into arrays of the type that the host accumulates in; the innermost
// loop then runs along rows of the result, so that it is vectorized while the order of the sums of
// each element stays. Compiled with -ffp-contract=off: products are rounded before they are added.
//
//===----------------------------------------------------------------------===//
#include "loom/Runtime/Matmul.h"
#include "loom/Runtime/Elements.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace llvm;

namespace loom::runtime {

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

std::optional<NumberFormat> parseNumberFormat(StringRef word) {
  auto of = [](ElementType type, bool isUnsigned = false) {
    return std::optional<NumberFormat>(NumberFormat{type, isUnsigned});
  };
  return StringSwitch<std::optional<NumberFormat>>(word)
      .CaseLower("f8e4m3", of(ElementType::F8E4M3))
      .CaseLower("f8e5m2", of(ElementType::F8E5M2))
      .Case("f16", of(ElementType::F16))
      .Case("bf16", of(ElementType::BF16))
      .Case("f32", of(ElementType::F32))
      .Case("f64", of(ElementType::F64))
      .Case("i8", of(ElementType::I8))
      .Case("u8", of(ElementType::I8, true))
      .Case("i16", of(ElementType::I16))
      .Case("u16", of(ElementType::I16, true))
      .Case("i32", of(ElementType::I32))
      .Case("u32", of(ElementType::I32, true))
      .Case("i64", of(ElementType::I64))
      .Case("u64", of(ElementType::I64, true))
      .Default(std::nullopt);
}

std::string stringifyNumberFormat(const NumberFormat &format) {
  std::string text = StringRef(stringifyElementType(format.type)).lower();
  if (format.isUnsigned)
    text[0] = 'u';
  return text;
}

/// The formats of all parts, complete.
namespace {
struct CompleteFormats {
  NumberFormat lhs, rhs, addend, accumulator, result;
};
} // namespace

static NumberFormat ownFormat(ElementType type) { return {type, type == ElementType::Offset}; }

/// `accumulator` and `result` are known when they have to be.
static CompleteFormats complete(const MatmulFormats &formats, ElementType lhs, ElementType rhs,
                                ElementType addend, ElementType result) {
  CompleteFormats all;
  all.lhs = formats.lhs.value_or(ownFormat(lhs));
  all.rhs = formats.rhs.value_or(ownFormat(rhs));
  all.accumulator = formats.accumulator.value_or(NumberFormat{ElementType::F64, false});
  all.result = formats.result.value_or(ownFormat(result));
  all.addend = ownFormat(addend);
  if (!isFloat(addend) && !isFloat(all.accumulator.type))
    all.addend.isUnsigned = all.accumulator.isUnsigned;
  return all;
}

static Error checkFormat(StringRef part, const NumberFormat &format, ElementType type) {
  bool isSame =
      format.type == type || (!isFloat(type) && elementBits(format.type) == elementBits(type));
  if (isSame)
    return Error::success();
  return createStringError("a tensor of " + stringifyElementType(type) + " does not hold " + part +
                           " = \"" + stringifyNumberFormat(format) + "\"");
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

static Error checkShapes(const MatrixType &lhs, const MatrixType &rhs, const MatrixType &addend,
                         const MatrixType &result, bool isTiled) {
  size_t rank = isTiled ? 4 : 2;
  for (const MatrixType *matrix : {&lhs, &rhs, &addend, &result})
    if (matrix->shape.size() != rank)
      return createStringError("a matrix of the shape " + shapeText(matrix->shape) + " where " +
                               std::to_string(rank) + " extents are expected");
  // Of each pair of extents the first belongs to the tiles, the second to what is in them.
  SmallVector<int64_t, 4> product;
  bool agrees = true;
  for (size_t i = 0; i < rank; i += 2) {
    const int64_t *l = &lhs.shape[i], *r = &rhs.shape[i];
    agrees &= l[1] == r[0];
    product.append({l[0], r[1]});
  }
  if (!agrees)
    return createStringError("the matrices " + shapeText(lhs.shape) + " and " +
                             shapeText(rhs.shape) + " have no product");
  if (ArrayRef(product) != ArrayRef(addend.shape) || ArrayRef(product) != ArrayRef(result.shape))
    return createStringError("the product has the shape " + shapeText(product) + ", the addend " +
                             shapeText(addend.shape) + " and the result " +
                             shapeText(result.shape));
  return Error::success();
}

Error checkMatmul(const MatrixType &lhs, const MatrixType &rhs, const MatrixType &addend,
                  const MatrixType &result, MatmulFormats formats, bool isTiled) {
  if (Error error = checkShapes(lhs, rhs, addend, result, isTiled))
    return error;
  CompleteFormats all = complete(formats, lhs.type, rhs.type, addend.type, result.type);
  bool hasFloats = isFloat(all.lhs.type) && isFloat(all.rhs.type);
  if (!hasFloats && (!formats.accumulator || !formats.result))
    return createStringError("integer inputs need accumulator = \"...\" and result = \"...\"");
  for (auto [part, format, type] :
       {std::tuple("lhs", all.lhs, lhs.type), std::tuple("rhs", all.rhs, rhs.type),
        std::tuple("result", all.result, result.type)})
    if (Error error = checkFormat(part, format, type))
      return error;
  if (isFloat(all.accumulator.type))
    return isFloat(all.result.type)
               ? Error::success()
               : createStringError("a float accumulator has no integer result");
  for (const NumberFormat &format : {all.lhs, all.rhs, all.addend})
    if (isFloat(format.type))
      return createStringError("an integer accumulator takes no floats");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// How sums are formed in one format. `Value` is what the host keeps of a number.
template <typename T> struct HostSums {
  using Value = T;
  static Value fromDouble(double value) { return static_cast<T>(value); }
  static double toDouble(Value value) { return static_cast<double>(value); }
  static Value add(Value sum, Value a, Value b) { return sum + a * b; }
};

template <typename Element> struct NarrowSums {
  using Value = double; // always a number of the format
  static Value round(double value) { return Element::load(Element::store(value)); }
  static Value fromDouble(double value) { return round(value); }
  static double toDouble(Value value) { return value; }
  static Value add(Value sum, Value a, Value b) { return round(sum + round(a * b)); }
};

/// Modulo 2^64, which says everything about narrower sums as well.
struct IntegerSums {
  using Value = uint64_t;
  static Value add(Value sum, Value a, Value b) { return sum + a * b; }
};

} // namespace

/// An integer of `bits` bits as 64 bits, by its sign.
static uint64_t extend(uint64_t value, const NumberFormat &format) {
  unsigned bits = elementBits(format.type);
  if (bits == 64)
    return value;
  value &= (uint64_t(1) << bits) - 1;
  return format.isUnsigned ? value : static_cast<uint64_t>(SignExtend64(value, bits));
}

template <typename Sums>
static std::vector<typename Sums::Value> widen(const Tensor &tensor, const NumberFormat &format) {
  using Value = typename Sums::Value;
  std::vector<Value> values(tensor.elementCount());
  visitElement(format.type, [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    for (auto [stored, value] : zip_equal(tensor.elements<Storage>(), values)) {
      if constexpr (Element::isFloat && std::is_same_v<Sums, IntegerSums>)
        llvm_unreachable("refused by checkMatmul");
      else if constexpr (Element::isFloat)
        value = Sums::fromDouble(Element::load(stored));
      else if constexpr (std::is_same_v<Sums, IntegerSums>)
        value = extend(static_cast<uint64_t>(stored), format);
      else if (format.isUnsigned)
        value = Sums::fromDouble(static_cast<double>(extend(uint64_t(stored), format)));
      else
        value = Sums::fromDouble(static_cast<double>(static_cast<int64_t>(stored)));
    }
  });
  return values;
}

namespace {
/// The extents of a product of tiles; one tile each for plain matrices.
struct Extents4 {
  int64_t mTiles, nTiles, kTiles, m, n, k;
};
} // namespace

static Extents4 extentsOf(const Tensor &lhs, const Tensor &rhs, bool isTiled) {
  ArrayRef<int64_t> l = lhs.shape(), r = rhs.shape();
  if (isTiled)
    return {l[0], r[1], l[1], l[2], r[3], l[3]};
  return {1, 1, 1, l[0], r[1], l[1]};
}

/// Adds the products to `sums`, which hold the addend and become the result, tile after tile.
template <typename Sums, typename Value = typename Sums::Value>
static void addProducts(const std::vector<Value> &lhs, const std::vector<Value> &rhs,
                        std::vector<Value> &sums, const Extents4 &e) {
  for (int64_t mt = 0; mt < e.mTiles; ++mt)
    for (int64_t nt = 0; nt < e.nTiles; ++nt) {
      Value *tile = sums.data() + (mt * e.nTiles + nt) * e.m * e.n;
      for (int64_t kt = 0; kt < e.kTiles; ++kt) {
        const Value *left = lhs.data() + (mt * e.kTiles + kt) * e.m * e.k;
        const Value *right = rhs.data() + (kt * e.nTiles + nt) * e.k * e.n;
        for (int64_t m = 0; m < e.m; ++m)
          for (int64_t k = 0; k < e.k; ++k) {
            Value a = left[m * e.k + k];
            Value *row = tile + m * e.n;
            const Value *column = right + k * e.n;
            for (int64_t n = 0; n < e.n; ++n)
              row[n] = Sums::add(row[n], a, column[n]);
          }
      }
    }
}

template <typename Sums>
static void computeIn(const Tensor &lhs, const Tensor &rhs, const Tensor &addend, Tensor &result,
                      const CompleteFormats &formats, bool isTiled) {
  auto left = widen<Sums>(lhs, formats.lhs), right = widen<Sums>(rhs, formats.rhs);
  auto sums = widen<Sums>(addend, formats.addend);
  addProducts<Sums>(left, right, sums, extentsOf(lhs, rhs, isTiled));
  visitElement(formats.result.type, [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    for (auto [stored, sum] : zip_equal(result.elements<Storage>(), sums)) {
      if constexpr (!std::is_same_v<Sums, IntegerSums>) {
        if constexpr (Element::isFloat)
          stored = Element::store(Sums::toDouble(sum));
      } else {
        uint64_t wrapped = extend(sum, formats.accumulator);
        if constexpr (!Element::isFloat)
          stored = static_cast<Storage>(wrapped);
        else
          stored = Element::store(formats.accumulator.isUnsigned
                                      ? static_cast<double>(wrapped)
                                      : static_cast<double>(static_cast<int64_t>(wrapped)));
      }
    }
  });
}

void computeMatmul(const Tensor &lhs, const Tensor &rhs, const Tensor &addend, Tensor &result,
                   MatmulFormats formats, bool isTiled) {
  CompleteFormats all = complete(formats, lhs.type(), rhs.type(), addend.type(), result.type());
  auto run = [&](auto sums) { computeIn<decltype(sums)>(lhs, rhs, addend, result, all, isTiled); };
  switch (all.accumulator.type) {
  case ElementType::F64:
    return run(HostSums<double>());
  case ElementType::F32:
    return run(HostSums<float>());
  case ElementType::F16:
    return run(NarrowSums<F16Element>());
  case ElementType::BF16:
    return run(NarrowSums<BF16Element>());
  case ElementType::F8E4M3:
    return run(NarrowSums<F8E4M3Element>());
  case ElementType::F8E5M2:
    return run(NarrowSums<F8E5M2Element>());
  default:
    return run(IntegerSums());
  }
}

} // namespace loom::runtime
