//===- LowerCollectives.cpp - What work-items do together -----------------===//
#include "LowerCollectives.h"
#include "LowerFission.h"
#include "LowerVector.h"

using namespace mlir;

namespace loom::lowering {

bool isCollectiveSupported(Operation *op, const LoweringTarget &target) {
  return target.hasLanes() &&
         isa<KernelBarrierOp, KernelBarrierArriveOp, KernelBarrierWaitOp, KernelSubgroupShuffleOp,
             KernelSubgroupBroadcastOp, KernelSubgroupBroadcastFirstOp, KernelSubgroupReduceOp,
             KernelSubgroupScanOp, KernelSubgroupVoteAnyOp, KernelSubgroupVoteAllOp,
             KernelSubgroupBallotOp, KernelSubgroupActiveMaskOp, KernelSubgroupMatchAnyOp,
             KernelSubgroupMatchAllOp, KernelWorkgroupReduceOp, KernelWorkgroupScanOp,
             KernelWorkgroupVoteAnyOp, KernelWorkgroupVoteAllOp, KernelWorkgroupVoteCountOp>(op);
}

static Type scalarOfValue(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

TypedAttr identityOf(CombiningKind kind, Type element) {
  if (isa<IndexType>(element))
    element = IntegerType::get(element.getContext(), 64);
  if (auto type = dyn_cast<IntegerType>(element)) {
    unsigned bits = type.getWidth();
    auto number = [&](const APInt &value) { return IntegerAttr::get(type, value); };
    switch (kind) {
    case CombiningKind::muli:
      return number(APInt(bits, 1));
    case CombiningKind::andi:
    case CombiningKind::minui:
      return number(APInt::getAllOnes(bits));
    case CombiningKind::minsi:
      return number(APInt::getSignedMaxValue(bits));
    case CombiningKind::maxsi:
      return number(APInt::getSignedMinValue(bits));
    default:
      return number(APInt::getZero(bits));
    }
  }
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  // Formats without infinity: their largest number does the same.
  auto infinity = [&](bool isNegative) {
    return APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics, isNegative)
                                               : APFloat::getLargest(semantics, isNegative);
  };
  auto number = [&](const APFloat &value) { return FloatAttr::get(element, value); };
  switch (kind) {
  case CombiningKind::mulf:
    return number(APFloat::getOne(semantics));
  case CombiningKind::minimumf:
    return number(infinity(false));
  case CombiningKind::maximumf:
    return number(infinity(true));
  case CombiningKind::minnumf:
  case CombiningKind::maxnumf:
    return number(APFloat::getNaN(semantics));
  default:
    return number(APFloat::getZero(semantics, /*Negative=*/true));
  }
}

//===----------------------------------------------------------------------===//
// Over the lanes of a subgroup. Values are in the lane form, of one element.
//===----------------------------------------------------------------------===//

Value KernelLowering::withIdentity(CombiningKind kind, Value lanes, Type element) {
  if (!mask)
    return lanes;
  return emitter.select(mask, lanes, identity(kind, element));
}

/// The lanes that `from` names, for each lane.
Value KernelLowering::pick(Value lanes, llvm::function_ref<int64_t(int64_t lane)> from) {
  SmallVector<int32_t> order;
  int64_t count = cast<mlir::VectorType>(lanes.getType()).getNumElements();
  for (int64_t lane = 0; lane < count; ++lane)
    order.push_back(from(lane));
  return emitter.shuffle(lanes, lanes, order);
}

Value KernelLowering::reduceLanes(CombiningKind kind, Value lanes, Type element) {
  lanes = withIdentity(kind, lanes, element);
  for (int64_t count = laneCount(); count > 1; count /= 2) {
    SmallVector<int32_t> even, odd;
    for (int64_t lane = 0; lane < count; lane += 2) {
      even.push_back(lane);
      odd.push_back(lane + 1);
    }
    lanes = combine(kind, emitter.shuffle(lanes, lanes, even), emitter.shuffle(lanes, lanes, odd),
                    FastMathFlags::none, element);
  }
  return elementOf(lanes, 0);
}

Value KernelLowering::elementOf(Value vector, int64_t number) {
  if (!isa<mlir::VectorType>(vector.getType()))
    return vector;
  return emitter.extract(vector, emitter.constant(emitter.integer(32), number));
}

Value KernelLowering::reduceClusters(CombiningKind kind, Value lanes, Type element, int64_t size,
                                     int64_t stride) {
  lanes = withIdentity(kind, lanes, element);
  for (int64_t bit = stride; bit < size * stride; bit *= 2)
    lanes = combine(kind, pick(lanes, [&](int64_t lane) { return lane & ~bit; }),
                    pick(lanes, [&](int64_t lane) { return lane | bit; }), FastMathFlags::none,
                    element);
  return lanes;
}

Value KernelLowering::scanLanes(CombiningKind kind, Value lanes, Type element, bool isReverse,
                                bool isExclusive, int64_t size, int64_t stride) {
  lanes = withIdentity(kind, lanes, element);
  Value identities = emitter.splat(identity(kind, element), lanes.getType());
  // The lane `distance` places before in its cluster; lanes before the first have the identity.
  auto moved = [&](Value value, int64_t distance) {
    SmallVector<int32_t> order;
    for (int64_t lane = 0; lane < laneCount(); ++lane) {
      int64_t place = lane / stride % size, from = isReverse ? place + distance : place - distance;
      bool isInside = from >= 0 && from < size;
      order.push_back(isInside ? lane + (from - place) * stride : laneCount() + lane);
    }
    return emitter.shuffle(value, identities, order);
  };
  for (int64_t distance = 1; distance < size; distance *= 2) {
    Value before = moved(lanes, distance);
    lanes = isReverse ? combine(kind, lanes, before, FastMathFlags::none, element)
                      : combine(kind, before, lanes, FastMathFlags::none, element);
  }
  return isExclusive ? moved(lanes, 1) : lanes;
}

/// For each lane the value of the lane whose number (i32) `from` holds, modulo the number of lanes.
Value KernelLowering::permute(Value lanes, Value from) {
  auto type = cast<mlir::VectorType>(lanes.getType());
  Type element = type.getElementType();
  bool isFlag = element.isInteger(1);
  if (isFlag) {
    element = emitter.integer(8);
    lanes = emitter.zeroExtend(lanes, element);
  }
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value storage = emitter.frameStorage(bytes * laneCount(), 64);
  emitter.store(emitter.freeze(lanes), storage, 64);
  Type narrow = emitter.integer(32), wide = emitter.integer(64);
  from = emitter.binary(IntegerOp::And, emitter.freeze(from),
                        emitter.constant(narrow, laneCount() - 1));
  Value distances =
      emitter.binary(IntegerOp::Mul, emitter.zeroExtend(from, wide), emitter.constant(wide, bytes));
  Value result = emitter.undefined(spread(element));
  for (int64_t lane = 0; lane < laneCount(); ++lane) {
    Value number = emitter.constant(narrow, lane);
    Value place = emitter.addBytes(storage, emitter.extract(distances, number));
    result = emitter.insert(result, emitter.load(element, place, bytes), number);
  }
  return isFlag ? emitter.truncate(result, emitter.integer(1)) : result;
}

//===----------------------------------------------------------------------===//
// Collectives of a subgroup
//===----------------------------------------------------------------------===//

/// Applies `each` to every element of a value, one element per lane.
void KernelLowering::lowerLaneByLane(Value result, Value value,
                                     llvm::function_ref<Value(Value lanes)> each) {
  SmallVector<Value> parts;
  bool isScalar = hasScalarForm(result);
  {
    FormScope form(*this, true);
    for (Value part : wideElements(value))
      parts.push_back(each(part));
  }
  // A result in the scalar form came as one scalar per element.
  FormScope form(*this, !isScalar);
  if (isScalar)
    for (Value &part : parts)
      part =
          isa<mlir::VectorType>(part.getType()) ? emitter.extract(part, firstActive(mask)) : part;
  define(result, fromElements(parts, result.getType()));
}

void KernelLowering::lowerShuffle(KernelSubgroupShuffleOp op) {
  FormScope form(*this, true);
  Type narrow = emitter.integer(32);
  Value lane = emitter.iota(laneCount(), narrow);
  Value offset = emitter.freeze(lanesOf(op.getOffset()));
  Value width = emitter.intrinsic(
      "llvm.umax", narrow,
      {emitter.freeze(lanesOf(op.getWidth())), emitter.constant(spread(narrow), 1)});
  Value place = emitter.binary(IntegerOp::URem, lane, width);
  Value base = emitter.binary(IntegerOp::Sub, lane, place);
  Value from;
  switch (op.getMode()) {
  case ShuffleMode::xor_:
    from = emitter.binary(IntegerOp::Xor, lane, offset);
    break;
  case ShuffleMode::up:
    from = emitter.binary(IntegerOp::Sub, lane, offset);
    break;
  case ShuffleMode::down:
    from = emitter.binary(IntegerOp::Add, lane, offset);
    break;
  case ShuffleMode::index:
    from = emitter.binary(IntegerOp::Add, base, offset);
    break;
  }
  Value inside =
      emitter.compare(IntPredicate::ult, emitter.binary(IntegerOp::Sub, from, base), width);
  Value exists =
      emitter.compare(IntPredicate::ult, from, emitter.constant(spread(narrow), laneCount()));
  lowerLaneByLane(op.getResult(), op.getValue(), [&](Value part) { return permute(part, from); });
  defineInForm(op.getValid(), emitter.binary(IntegerOp::And, inside, exists));
}

/// Defines a result by a value in the lane form.
void KernelLowering::defineInForm(Value result, Value lanes) {
  values[result] = {Value(), lanes, 0};
  if (hasScalarForm(result))
    values[result] = {scalarOf(result), Value(), 0};
}

void KernelLowering::defineScalar(Value result, Value scalar) {
  bool isScalar = hasScalarForm(result);
  FormScope form(*this, !isScalar);
  define(result, scalar);
}

/// The bits of a mask as an integer of the type of `result`.
void KernelLowering::defineBits(Value result, Value bits) {
  unsigned have = laneCount(), want = result.getType().getIntOrFloatBitWidth();
  if (have < want)
    bits = emitter.zeroExtend(bits, result.getType());
  else if (have > want)
    bits = emitter.truncate(bits, result.getType());
  if (isa<mlir::VectorType>(bits.getType()))
    return defineInForm(result, bits);
  defineScalar(result, bits);
}

/// A value whose bits are equal when the values are.
static Value comparable(Emitter &emitter, Value lanes) {
  auto type = cast<mlir::VectorType>(lanes.getType());
  if (type.getElementType().isInteger())
    return lanes;
  return emitter.cast(CastOp::Bitcast, lanes,
                      emitter.integer(type.getElementType().getIntOrFloatBitWidth()));
}

void KernelLowering::lowerMatchAny(KernelSubgroupMatchAnyOp op) {
  Value key = comparable(emitter, lanesOf(op.getValue()));
  Type bitsType = emitter.integer(laneCount());
  SmallVector<Value> bits = forEachLane({spread(bitsType)}, [&](Value lane) {
    Value same = emitter.compare(IntPredicate::eq, key, emitter.extract(key, lane));
    return SmallVector<Value>{bitsOf(both(mask, same))};
  });
  defineBits(op.getMask(), bits[0]);
}

void KernelLowering::lowerMatchAll(KernelSubgroupMatchAllOp op) {
  Value key = comparable(emitter, lanesOf(op.getValue()));
  Value first = emitter.extract(key, firstActive(mask));
  Value differs = any(both(mask, emitter.compare(IntPredicate::ne, key, first)));
  Value agrees = emitter.binary(IntegerOp::Xor, differs, emitter.constant(flagType(), 1));
  Value none = emitter.constant(emitter.integer(laneCount()), 0);
  defineBits(op.getMask(), emitter.select(agrees, bitsOf(mask), none));
  defineScalar(op.getAgree(), agrees);
}

bool KernelLowering::lowerCollective(Operation *op) {
  // Work-items of a workgroup that is one lane wide still are a subgroup.
  auto clusters = [&](auto o) {
    return std::pair<int64_t, int64_t>(o.getClusterSize().value_or(laneCount()),
                                       o.getClusterStride().value_or(1));
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      // The lanes of a subgroup run in step; a barrier of the workgroup is where it was cut.
      .Case<KernelBarrierOp, KernelBarrierArriveOp, KernelBarrierWaitOp>([&](auto) { return true; })
      .Case([&](KernelSubgroupShuffleOp o) {
        lowerShuffle(o);
        return true;
      })
      .Case([&](KernelSubgroupBroadcastOp o) {
        FormScope form(*this, true);
        Value from = lanesOf(o.getLane());
        lowerLaneByLane(o.getResult(), o.getValue(), [&](Value part) {
          if (!hasScalarForm(o.getLane()))
            return permute(part, from);
          Value lane = emitter.binary(IntegerOp::And, scalarOf(o.getLane()),
                                      emitter.constant(emitter.integer(32), laneCount() - 1));
          return emitter.extract(emitter.freeze(part), lane);
        });
        return true;
      })
      .Case([&](KernelSubgroupBroadcastFirstOp o) {
        lowerLaneByLane(o.getResult(), o.getValue(),
                        [&](Value part) { return emitter.extract(part, firstActive(mask)); });
        return true;
      })
      .Case([&](KernelSubgroupReduceOp o) {
        Type element = scalarOfValue(o.getType());
        auto [size, stride] = clusters(o);
        lowerLaneByLane(o.getResult(), o.getValue(), [&, size = size, stride = stride](Value part) {
          return size == laneCount() ? reduceLanes(o.getKind(), part, element)
                                     : reduceClusters(o.getKind(), part, element, size, stride);
        });
        return true;
      })
      .Case([&](KernelSubgroupScanOp o) {
        Type element = scalarOfValue(o.getType());
        auto [size, stride] = clusters(o);
        lowerLaneByLane(o.getResult(), o.getValue(), [&, size = size, stride = stride](Value part) {
          return scanLanes(o.getKind(), part, element, o.getDirection() == ScanDirection::reverse,
                           o.getMode() == ScanMode::exclusive, size, stride);
        });
        return true;
      })
      .Case([&](KernelSubgroupVoteAnyOp o) {
        defineScalar(o.getResult(), any(both(mask, lanesOf(o.getValue()))));
        return true;
      })
      .Case([&](KernelSubgroupVoteAllOp o) {
        Value missing = any(both(mask, negated(lanesOf(o.getValue()))));
        defineScalar(o.getResult(),
                     emitter.binary(IntegerOp::Xor, missing, emitter.constant(flagType(), 1)));
        return true;
      })
      .Case([&](KernelSubgroupBallotOp o) {
        defineBits(o.getMask(), bitsOf(both(mask, lanesOf(o.getValue()))));
        return true;
      })
      .Case([&](KernelSubgroupActiveMaskOp o) {
        defineBits(o.getMask(), bitsOf(mask));
        return true;
      })
      .Case([&](KernelSubgroupMatchAnyOp o) {
        lowerMatchAny(o);
        return true;
      })
      .Case([&](KernelSubgroupMatchAllOp o) {
        lowerMatchAll(o);
        return true;
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Collectives of a workgroup
//===----------------------------------------------------------------------===//

namespace {

/// A number that the segments of a collective add to.
struct Sum {
  Value storage;
  Type type;
  unsigned alignment;
};

} // namespace

static Sum makeSum(Emitter &emitter, Value first) {
  Type type = first.getType();
  unsigned bytes = llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  Sum sum = {emitter.frameStorage(bytes, bytes), type, bytes};
  emitter.store(first, sum.storage, bytes);
  return sum;
}

Value KernelLowering::identity(CombiningKind kind, Type element) {
  return emitter.constant(floats.carried(identityOf(kind, element)));
}

void KernelLowering::Fission::emitReduce(KernelWorkgroupReduceOp op) {
  Value value = op.getValue();
  Type element = scalarOfValue(op.getType());
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(op.getType()))
    count = ShapedType::getNumElements(vector.getShape());
  // All parts in the width of the result, also where an index is carried in less.
  Type carried = lowering.scalarType(element);
  SmallVector<Sum> sums;
  for (int64_t i = 0; i < count; ++i)
    sums.push_back(makeSum(emitter, lowering.identity(op.getKind(), element)));
  emitBlocks(value, [&] {
    FormScope form(lowering, true);
    for (auto [sum, part] : llvm::zip(sums, lowering.wideElements(value))) {
      Value before = emitter.load(carried, sum.storage, sum.alignment);
      Value own = lowering.reduceLanes(op.getKind(), part, element);
      Value after = lowering.combine(op.getKind(), before, own, FastMathFlags::none, element);
      emitter.store(after, sum.storage, sum.alignment);
    }
  });
  SmallVector<Value> parts;
  for (Sum &sum : sums)
    parts.push_back(emitter.load(carried, sum.storage, sum.alignment));
  FormScope form(lowering, false);
  lowering.values[op] = {lowering.fromElements(parts, op.getType()), Value(), 0};
}

/// The elements of a value in the lane form, index in 64 bits: sums and products may need more than
/// what carries their operands.
SmallVector<Value> KernelLowering::wideElements(Value value) {
  FormScope form(*this, true);
  if (isa<IndexType>(value.getType()))
    return {as(value, laneType(value.getType()))};
  return elements(value);
}

void KernelLowering::Fission::emitVote(Operation *op) {
  Value value = op->getOperand(0), result = op->getResult(0);
  bool counts = isa<KernelWorkgroupVoteCountOp>(op), needsAll = isa<KernelWorkgroupVoteAllOp>(op);
  Type wide = emitter.integer(64);
  Sum sum = makeSum(emitter, emitter.constant(wide, 0));
  emitBlocks(value, [&] {
    Value flags = lowering.lanesOf(value);
    if (needsAll)
      flags = lowering.negated(flags);
    Value bits = lowering.bitsOf(lowering.both(lowering.mask, flags));
    Value votes = emitter.intrinsic("llvm.ctpop", bits.getType(), {bits});
    if (lowering.laneCount() < 64)
      votes = emitter.zeroExtend(votes, wide);
    Value before = emitter.load(wide, sum.storage, sum.alignment);
    emitter.store(emitter.binary(IntegerOp::Add, before, votes), sum.storage, sum.alignment);
  });
  Value total = emitter.load(wide, sum.storage, sum.alignment);
  Value answer = total;
  if (!counts)
    answer = emitter.compare(needsAll ? IntPredicate::eq : IntPredicate::ne, total,
                             emitter.constant(wide, 0));
  else if (result.getType() != wide)
    answer = emitter.truncate(total, result.getType());
  lowering.values[result] = {answer, Value(), 0};
}

void KernelLowering::Fission::emitScan(KernelWorkgroupScanOp op) {
  Value value = op.getValue();
  Type element = scalarOfValue(op.getType()), carried = lowering.scalarType(element);
  Type wide = emitter.integer(64);
  int64_t count = 1, blocks = lowering.group.blocks;
  if (auto vector = dyn_cast<VectorType>(op.getType()))
    count = ShapedType::getNumElements(vector.getShape());
  bool isReverse = op.getDirection() == ScanDirection::reverse;
  unsigned bytes = llvm::PowerOf2Ceil(llvm::divideCeil(carried.getIntOrFloatBitWidth(), 8));
  SmallVector<Value> totals;
  for (int64_t i = 0; i < count; ++i)
    totals.push_back(emitter.frameStorage(bytes * blocks, bytes));
  auto placeOf = [&](Value storage, Value block) {
    return emitter.addBytes(storage,
                            emitter.binary(IntegerOp::Mul, block, emitter.constant(wide, bytes)));
  };
  auto combine = [&](Value first, Value second) {
    return isReverse ? lowering.combine(op.getKind(), second, first, FastMathFlags::none, element)
                     : lowering.combine(op.getKind(), first, second, FastMathFlags::none, element);
  };
  // Each block by itself, then what stands before each block, then both together.
  Value last = makeSum(emitter, emitter.constant(wide, 0)).storage;
  emitBlocks(value, [&] {
    FormScope form(lowering, true);
    for (auto [total, part] : llvm::zip(totals, lowering.wideElements(value)))
      emitter.store(lowering.reduceLanes(op.getKind(), part, element),
                    placeOf(total, lowering.group.block), bytes);
    emitter.store(lowering.group.block, last, 8);
  });
  Value end = emitter.load(wide, last, 8);
  for (Value total : totals) {
    Block *loop = emitter.makeBlock({wide, carried}), *exit = emitter.makeBlock();
    Value one = emitter.constant(wide, 1), zero = emitter.constant(wide, 0);
    emitter.branch(loop, {zero, lowering.identity(op.getKind(), element)});
    emitter.enter(loop);
    Value number = loop->getArgument(0), before = loop->getArgument(1);
    Value block = isReverse ? emitter.binary(IntegerOp::Sub, end, number) : number;
    Value place = placeOf(total, block);
    Value own = emitter.load(carried, place, bytes);
    emitter.store(before, place, bytes);
    Value next = emitter.binary(IntegerOp::Add, number, one);
    emitter.branchIf(emitter.compare(IntPredicate::sle, next, end), loop,
                     {next, combine(before, own)}, exit, {});
    emitter.enter(exit);
  }
  emitBlocks(value, [&] {
    FormScope form(lowering, true);
    SmallVector<Value> parts;
    for (auto [total, part] : llvm::zip(totals, lowering.wideElements(value))) {
      Value own = lowering.scanLanes(op.getKind(), part, element, isReverse,
                                     op.getMode() == ScanMode::exclusive, lowering.laneCount(), 1);
      Value before = emitter.load(carried, placeOf(total, lowering.group.block), bytes);
      parts.push_back(combine(emitter.splat(before, own.getType()), own));
    }
    lowering.values[op] = {Value(), lowering.fromElements(parts, op.getType()), 0};
    keep(slotOf(op), lowering.passed(op, op));
  });
}

void KernelLowering::Fission::emitCollective(Operation *op) {
  if (worksOnNothing(op)) {
    once.insert(op->result_begin(), op->result_end());
    return;
  }
  lowering.operations.push_back({getTextName(op).str(), op->getLoc()});
  emitter.setLine(lowering.operations.size());
  if (auto scan = dyn_cast<KernelWorkgroupScanOp>(op))
    return emitScan(scan);
  if (auto reduce = dyn_cast<KernelWorkgroupReduceOp>(op))
    emitReduce(reduce);
  else
    emitVote(op);
  once.insert(op->result_begin(), op->result_end());
}

} // namespace loom::lowering
