//===- LowerVectorMemory.cpp - Masked, gathered and scattered accesses ----===//
//
// An element whose condition is false touches no memory, and its address need not lie in the view.
// When addresses and conditions are the same for all lanes, such an access is one of the scalar
// form. Otherwise each element is an access of all lanes for which its condition holds, or, where
// these are too many, work-items take turns.
//
//===----------------------------------------------------------------------===//
#include "LowerItems.h"
#include "LowerVector.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace mlir;

namespace loom::lowering {

namespace {

/// An access of a vector, with the operands that it has.
struct VectorAccess {
  Value vector;          ///< what is stored, or the result
  Value mask;            ///< null when all elements take part
  Value passthrough;     ///< of elements that are not loaded; null without a mask
  Value offsets;         ///< of a gather or scatter, else null
  bool isPacked = false; ///< elements that take part lie one behind the other

  ArrayRef<int64_t> shape() const { return cast<VectorType>(vector.getType()).getShape(); }
};

} // namespace

/// Accesses of one operation.
class VectorLowering::Transfer {
public:
  Transfer(VectorLowering &vectors, KernelLowering::Access access, VectorAccess operands)
      : vectors(vectors), kernel(vectors.kernel), emitter(vectors.emitter), access(access),
        operands(operands) {
    this->access.mayLieOutside = true;
  }

  void load();
  void store();

private:
  using Address = KernelLowering::Address;
  using FormScope = KernelLowering::FormScope;

  int64_t size() const { return ShapedType::getNumElements(operands.shape()); }
  Type stored() const;
  Value toStored(Value value) const;
  Value fromStored(Value value) const;
  bool isUniform() const;
  bool takesTurns();
  KernelLowering::Elements elements() const;
  bool hasScalarForm(Value value) const { return !value || kernel.hasScalarForm(value); }

  SmallVector<Address> addresses(ArrayRef<Value> conditions);
  Address displaced(Address origin, int64_t element);
  Value pointers(Value mask);
  SmallVector<Value> conditions();

  Value loadUniform();
  void storeUniform();
  Value loadWhere(const Address &address, Value condition);
  void storeWhere(const Address &address, Value value, Value condition);

  VectorLowering &vectors;
  KernelLowering &kernel;
  Emitter &emitter;
  KernelLowering::Access access;
  VectorAccess operands;
};

//===----------------------------------------------------------------------===//
// Elements in memory
//===----------------------------------------------------------------------===//

/// A flag takes a byte that is 0 or 1.
Type VectorLowering::Transfer::stored() const {
  Type element = access.element();
  return element.isInteger(1) ? emitter.integer(8) : kernel.scalarType(element);
}

Value VectorLowering::Transfer::toStored(Value value) const {
  return access.element().isInteger(1) ? emitter.zeroExtend(value, emitter.integer(8)) : value;
}

Value VectorLowering::Transfer::fromStored(Value value) const {
  if (!access.element().isInteger(1))
    return value;
  return emitter.compare(IntPredicate::ne, value, emitter.constant(value.getType(), 0));
}

/// Whether all lanes access the same places under the same conditions.
bool VectorLowering::Transfer::isUniform() const {
  return kernel.addressOf(access.view).isUniform() && kernel.elementStride(access) == 0 &&
         kernel.hasUniformGaps(access) && hasScalarForm(operands.mask) &&
         hasScalarForm(operands.offsets);
}

/// Of an access that is not the same for all lanes.
bool VectorLowering::Transfer::takesTurns() {
  bool isMasked = operands.mask || kernel.mask;
  int64_t each = operands.offsets || operands.isPacked ? kernel.laneCount()
                                                       : kernel.piecesPerElement(access, isMasked);
  return kernel.takesTurns(size() * each, isMasked);
}

KernelLowering::Elements VectorLowering::Transfer::elements() const {
  KernelLowering::Elements elements(kernel, access, operands.shape());
  if (operands.mask)
    elements.where(operands.mask);
  if (operands.offsets)
    elements.displaceBy(operands.offsets);
  if (operands.isPacked)
    elements.pack();
  return elements;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The address `element` places behind the one that `offset` adds to the origin.
KernelLowering::Address VectorLowering::Transfer::displaced(Address origin, int64_t element) {
  KernelLowering::Linear linear;
  linear.inLanes = !kernel.hasScalarForm(operands.offsets) || !kernel.hasUniformGaps(access);
  FormScope form(kernel, linear.inLanes);
  Value offset = vectors.element(vectors.operand(operands.offsets), element);
  unsigned bits = getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth();
  linear.value =
      kernel.acrossGaps(access, {vectors.resize(offset, std::max(bits, 32u), /*isSigned=*/true),
                                 Interval::ofBits(bits)});
  return kernel.moved(origin, linear, access.elementBytes());
}

/// The address of each element. Where elements are packed it depends on the conditions of those
/// before.
SmallVector<KernelLowering::Address>
VectorLowering::Transfer::addresses(ArrayRef<Value> conditions) {
  SmallVector<Address> list;
  if (operands.offsets) {
    Address origin = kernel.elementAddress(access, kernel.linearIndex(access));
    for (int64_t i = 0; i < size(); ++i)
      list.push_back(displaced(origin, i));
    return list;
  }
  if (operands.isPacked) {
    FormScope form(kernel, true);
    Address origin = kernel.elementAddress(access, kernel.linearIndex(access));
    Value number = emitter.constant(kernel.spread(emitter.integer(32)), 0);
    for (auto [i, condition] : llvm::enumerate(conditions)) {
      KernelLowering::Linear linear;
      linear.inLanes = true;
      linear.value = kernel.acrossGaps(access, {number, {0, static_cast<int64_t>(i)}});
      list.push_back(i ? kernel.moved(origin, linear, access.elementBytes()) : origin);
      number = emitter.binary(IntegerOp::Add, number,
                              emitter.zeroExtend(condition, emitter.integer(32)));
    }
    return list;
  }
  kernel.forEachRun(access, operands.shape(),
                    [&](KernelLowering::Linear linear, int64_t, int64_t count) {
                      Address first = kernel.elementAddress(access, linear);
                      for (int64_t i = 0; i < count; ++i)
                        list.push_back(kernel.movedBy(first, i * access.elementBytes()));
                    });
  return list;
}

/// For each element whether it takes part, in the lane form; null without a mask.
SmallVector<Value> VectorLowering::Transfer::conditions() {
  if (!operands.mask)
    return SmallVector<Value>(size());
  FormScope form(kernel, true);
  return kernel.elements(operands.mask);
}

//===----------------------------------------------------------------------===//
// The same for all lanes
//===----------------------------------------------------------------------===//

/// The addresses of elements that do not lie side by side as one vector. Where elements are packed,
/// `mask` says how many lie in front of each.
Value VectorLowering::Transfer::pointers(Value mask) {
  Address origin = kernel.elementAddress(access, kernel.linearIndex(access));
  Type wide = emitter.integer(64);
  Value numbers;
  if (operands.isPacked) {
    SmallVector<Value> list;
    Value number = emitter.constant(wide, 0);
    for (int64_t i = 0; i < size(); ++i) {
      list.push_back(number);
      Value flag = emitter.zeroExtend(vectors.element(mask, i), wide);
      number = emitter.binary(IntegerOp::Add, number, flag);
    }
    numbers = kernel.fromElements(list, operands.vector.getType());
  } else {
    numbers = vectors.resize(vectors.operand(operands.offsets), 64, /*isSigned=*/true);
  }
  RangedValue bytes = kernel.ranges.constant(access.elementBytes());
  Value factor = kernel.ranges.convert(kernel.acrossGaps(access, bytes), 64);
  Value distances =
      emitter.binary(IntegerOp::Mul, numbers, emitter.splat(factor, numbers.getType()));
  return emitter.addBytes(origin.base, distances, /*inObject=*/false);
}

Value VectorLowering::Transfer::loadUniform() {
  Type type = emitter.vector(size(), stored());
  Value mask = operands.mask ? kernel.get(operands.mask) : Value();
  Value otherwise = operands.passthrough ? toStored(vectors.operand(operands.passthrough))
                                         : emitter.undefined(type);
  unsigned alignment = access.alignment();
  if ((operands.offsets && mask) || (operands.isPacked && access.gap()))
    return fromStored(emitter.gather(pointers(mask), mask, otherwise, alignment));
  if (operands.offsets) {
    SmallVector<Value> parts;
    for (const Address &address : addresses({}))
      parts.push_back(emitter.load(stored(), address.base, alignment));
    return fromStored(kernel.fromElements(parts, operands.vector.getType()));
  }
  if (operands.isPacked) {
    Address origin = kernel.elementAddress(access, kernel.linearIndex(access));
    return fromStored(emitter.expandLoad(origin.base, mask, otherwise, alignment));
  }
  SmallVector<Value> parts;
  kernel.forEachRun(access, operands.shape(),
                    [&](KernelLowering::Linear linear, int64_t first, int64_t count) {
                      SmallVector<int64_t> run(count);
                      std::iota(run.begin(), run.end(), first);
                      Address address = kernel.elementAddress(access, linear);
                      parts.push_back(emitter.maskedLoad(address.base, vectors.take(mask, run),
                                                         vectors.take(otherwise, run), alignment));
                    });
  return fromStored(kernel.concatenate(parts));
}

void VectorLowering::Transfer::storeUniform() {
  Value value = toStored(kernel.lastStored(operands.vector));
  FormScope form(kernel, false);
  Value mask = operands.mask ? kernel.get(operands.mask) : Value();
  unsigned alignment = access.alignment();
  if ((operands.offsets && mask) || (operands.isPacked && access.gap()))
    return emitter.scatter(value, pointers(mask), mask, alignment);
  if (operands.offsets) {
    for (auto [i, address] : llvm::enumerate(addresses({})))
      emitter.store(vectors.element(value, i), address.base, alignment);
    return;
  }
  if (operands.isPacked) {
    Address origin = kernel.elementAddress(access, kernel.linearIndex(access));
    return emitter.compressStore(value, origin.base, mask, alignment);
  }
  kernel.forEachRun(access, operands.shape(),
                    [&](KernelLowering::Linear linear, int64_t first, int64_t count) {
                      SmallVector<int64_t> run(count);
                      std::iota(run.begin(), run.end(), first);
                      Address address = kernel.elementAddress(access, linear);
                      emitter.maskedStore(vectors.take(value, run), address.base,
                                          vectors.take(mask, run), alignment);
                    });
}

//===----------------------------------------------------------------------===//
// Lane by lane
//===----------------------------------------------------------------------===//

/// One element for each lane where `condition` holds; null for all lanes.
Value VectorLowering::Transfer::loadWhere(const Address &address, Value condition) {
  Type type = kernel.spread(stored());
  if (!address.isUniform()) {
    llvm::SaveAndRestore<Value> narrowed(kernel.mask, condition);
    return kernel.loadLanes(address, stored(), access.alignment());
  }
  if (!condition)
    return emitter.splat(emitter.load(stored(), address.base, access.alignment()), type);
  // One access for all of them.
  Type one = emitter.vector(1, stored());
  Value some = emitter.splat(kernel.any(condition), emitter.vector(1, kernel.flagType()));
  Value loaded = emitter.maskedLoad(address.base, some, emitter.undefined(one), access.alignment());
  return emitter.shuffle(loaded, loaded, SmallVector<int32_t>(kernel.laneCount(), 0));
}

/// Where lanes meet in one place, the last one's value stays.
void VectorLowering::Transfer::storeWhere(const Address &address, Value value, Value condition) {
  if (!address.isUniform()) {
    llvm::SaveAndRestore<Value> narrowed(kernel.mask, condition);
    return kernel.storeLanes(address, value, access.alignment());
  }
  Value last = emitter.extract(value, kernel.lastActive(condition));
  if (!condition)
    return emitter.store(last, address.base, access.alignment());
  Value some = emitter.splat(kernel.any(condition), emitter.vector(1, kernel.flagType()));
  emitter.maskedStore(emitter.splat(last, emitter.vector(1, stored())), address.base, some,
                      access.alignment());
}

void VectorLowering::Transfer::load() {
  Value result = operands.vector;
  if (isUniform() && hasScalarForm(operands.passthrough)) {
    FormScope form(kernel, false);
    return kernel.defineLoaded(result, {loadUniform()}, /*partsAreLanes=*/false);
  }
  if (takesTurns())
    return elements().load(result, operands.passthrough);
  FormScope form(kernel, true);
  SmallVector<Value> flags = conditions(), parts;
  SmallVector<Address> places = addresses(flags);
  Value otherwise = operands.passthrough ? vectors.operand(operands.passthrough) : Value();
  for (int64_t i = 0; i < size(); ++i) {
    Value takesPart = flags[i] ? kernel.both(kernel.mask, flags[i]) : kernel.mask;
    Value part = fromStored(loadWhere(places[i], takesPart));
    parts.push_back(otherwise ? emitter.select(takesPart, part, vectors.element(otherwise, i))
                              : part);
  }
  kernel.defineLoaded(result, {kernel.concatenate(parts)}, /*partsAreLanes=*/true);
}

void VectorLowering::Transfer::store() {
  if (isUniform())
    return storeUniform();
  if (takesTurns())
    return elements().store(operands.vector);
  FormScope form(kernel, true);
  SmallVector<Value> flags = conditions();
  SmallVector<Address> places = addresses(flags);
  Value value = toStored(vectors.operand(operands.vector));
  for (int64_t i = 0; i < size(); ++i) {
    Value takesPart = flags[i] ? kernel.both(kernel.mask, flags[i]) : kernel.mask;
    storeWhere(places[i], vectors.element(value, i), takesPart);
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool VectorLowering::lowerMemory(Operation *op) {
  auto run = [&](auto o, VectorAccess operands) {
    KernelLowering::Access access = {o.getView(), o.getIndices(), o.getStaticIndices(),
                                     o.getLinear()};
    Transfer transfer(*this, access, operands);
    o->getNumResults() ? transfer.load() : transfer.store();
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VectorLoadMaskOp o) {
        return run(o, {o.getResult(), o.getMask(), o.getPassthrough(), {}});
      })
      .Case([&](VectorLoadExpandOp o) {
        return run(o, {o.getResult(), o.getMask(), o.getPassthrough(), {}, /*isPacked=*/true});
      })
      .Case([&](VectorStoreMaskOp o) { return run(o, {o.getValue(), o.getMask(), {}, {}}); })
      .Case([&](VectorStoreCompressOp o) {
        return run(o, {o.getValue(), o.getMask(), {}, {}, /*isPacked=*/true});
      })
      .Case([&](VectorGatherOp o) { return run(o, {o.getResult(), {}, {}, o.getOffsets()}); })
      .Case([&](VectorGatherMaskOp o) {
        return run(o, {o.getResult(), o.getMask(), o.getPassthrough(), o.getOffsets()});
      })
      .Case([&](VectorScatterOp o) { return run(o, {o.getValue(), {}, {}, o.getOffsets()}); })
      .Case([&](VectorScatterMaskOp o) {
        return run(o, {o.getValue(), o.getMask(), {}, o.getOffsets()});
      })
      .Default([](Operation *) { return false; });
}

bool KernelLowering::lowerVectorMemory(Operation *op) {
  return VectorLowering(*this).lowerMemory(op);
}

} // namespace loom::lowering
