//===- LowerVectorBits.cpp - Fields and streams of bits -------------------===//
#include "LowerVector.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;

namespace loom::lowering {

static unsigned bitsOf(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

/// The low `bits` bits, or the value extended to as many.
Value VectorLowering::resize(Value value, unsigned bits, bool isSigned) {
  unsigned before = bitsOf(value);
  if (bits == before)
    return value;
  if (bits < before)
    return emitter.truncate(value, emitter.integer(bits));
  return isSigned ? emitter.cast(CastOp::SExt, value, emitter.integer(bits))
                  : emitter.zeroExtend(value, emitter.integer(bits));
}

Value VectorLowering::shifted(IntegerOp op, Value value, int64_t amount) {
  return amount ? emitter.binary(op, value, emitter.constant(value.getType(), amount)) : value;
}

/// The low `bits` bits of each element.
Value VectorLowering::masked(Value value, int64_t bits) {
  if (bits >= static_cast<int64_t>(bitsOf(value)))
    return value;
  int64_t mask = static_cast<int64_t>((uint64_t(1) << bits) - 1);
  return emitter.binary(IntegerOp::And, value, emitter.constant(value.getType(), mask));
}

/// The field of `width` bits from `offset` on, zero- or sign-extended in the element.
Value VectorLowering::field(Value value, int64_t offset, int64_t width, bool isSigned) {
  int64_t above = bitsOf(value) - offset - width;
  if (!isSigned)
    return masked(shifted(IntegerOp::LShr, value, offset), width);
  return shifted(IntegerOp::AShr, shifted(IntegerOp::Shl, value, above), above + offset);
}

void VectorLowering::lowerBitfieldInsert(VectorBitfieldInsertOp op) {
  Value base = kernel.get(op.getBase());
  unsigned bits = bitsOf(base);
  int64_t offset = op.getOffset(), width = op.getWidth();
  Value added = masked(resize(kernel.get(op.getField()), bits), width);
  uint64_t ones = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  Value others = emitter.constant(base.getType(), static_cast<int64_t>(~(ones << offset)));
  define(op, emitter.binary(IntegerOp::Or, emitter.binary(IntegerOp::And, base, others),
                            shifted(IntegerOp::Shl, added, offset)));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// Cuts the stream of bits that the low `width` bits of the elements form, without gaps, into
/// elements of `resultWidth` bits in integers of `resultBits` bits, zero-extended.
///
/// Borders of both kinds meet every lcm(width, resultWidth) bits. What stands in one place of these
/// periods is treated alike, as a vector with an element per period.
Value VectorLowering::stream(Value fields, unsigned width, unsigned resultBits,
                             unsigned resultWidth) {
  // Whole elements on both sides: the same bits.
  if (!kernel.inLanes && width == bitsOf(fields) && resultWidth == resultBits) {
    int64_t size = count(fields) * width / resultWidth;
    return emitter.reinterpret(fields, vectorOf(size, emitter.integer(resultBits)));
  }
  int64_t period = std::lcm<int64_t>(width, resultWidth);
  int64_t sources = period / width, results = period / resultWidth;
  int64_t periods = count(fields) / sources;
  SmallVector<Value> parts(sources);
  auto partAt = [&](int64_t place) {
    if (!parts[place]) {
      SmallVector<int64_t> order;
      for (int64_t number = 0; number < periods; ++number)
        order.push_back(number * sources + place);
      parts[place] = take(fields, order);
    }
    return parts[place];
  };
  SmallVector<Value> words;
  for (int64_t place = 0; place < results; ++place) {
    int64_t begin = place * resultWidth, end = begin + resultWidth;
    Value word;
    for (int64_t source = begin / width; source * width < end; ++source) {
      int64_t low = std::max<int64_t>(begin, source * width);
      int64_t high = std::min<int64_t>(end, (source + 1) * width);
      Value bits = shifted(IntegerOp::LShr, partAt(source), low - source * width);
      bits = shifted(IntegerOp::Shl, masked(resize(bits, resultBits), high - low), low - begin);
      word = word ? emitter.binary(IntegerOp::Or, word, bits) : bits;
    }
    words.push_back(word);
  }
  SmallVector<int64_t> order;
  for (int64_t number = 0; number < periods; ++number)
    for (int64_t place = 0; place < results; ++place)
      order.push_back(place * periods + number);
  return take(kernel.concatenate(words), order);
}

bool VectorLowering::lowerBits(Operation *op) {
  auto extract = [&](auto o, bool isSigned) {
    Value part = field(kernel.get(o.getInput()), o.getOffset(), o.getWidth(), isSigned);
    unsigned bits = cast<VectorType>(o.getType()).getElementTypeBitWidth();
    define(o, resize(part, bits, isSigned));
    return true;
  };
  auto unpack = [&](auto o, bool isSigned) {
    unsigned width = o.getWidth(), bits = cast<VectorType>(o.getType()).getElementTypeBitWidth();
    Value words = kernel.get(o.getInput());
    Value fields = stream(words, bitsOf(words), bits, width);
    define(o, isSigned ? field(fields, 0, width, /*isSigned=*/true) : fields);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VectorBitfieldExtractUOp o) { return extract(o, false); })
      .Case([&](VectorBitfieldExtractSOp o) { return extract(o, true); })
      .Case([&](VectorBitfieldInsertOp o) { return lowerBitfieldInsert(o), true; })
      .Case([&](VectorBitPackOp o) {
        unsigned bits = cast<VectorType>(o.getType()).getElementTypeBitWidth();
        return define(o, stream(kernel.get(o.getInput()), o.getWidth(), bits, bits)), true;
      })
      .Case([&](VectorBitUnpackUOp o) { return unpack(o, false); })
      .Case([&](VectorBitUnpackSOp o) { return unpack(o, true); })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
