//===- LowerFragments.cpp - Matrix fragments on targets with lanes --------===//
#include "LowerFragments.h"
#include <functional>

using namespace mlir;

namespace loom::lowering {

static Type elementTypeOf(Value vector) {
  return cast<VectorType>(vector.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Matrices in memory
//===----------------------------------------------------------------------===//

/// Where a load or store finds its matrix.
KernelLowering::FragmentLowering::Place KernelLowering::FragmentLowering::placeOf(Operation *op) {
  auto accessOf = [](auto o) {
    return Access{o.getView(), o.getIndices(), o.getStaticIndices(), /*linear=*/false};
  };
  auto loading = dyn_cast<VectorFragmentLoadOp>(op);
  Access access = loading ? accessOf(loading) : accessOf(cast<VectorFragmentStoreOp>(op));
  FormScope form(kernel, false);
  auto literal = [&](const RangedValue &value) { return Stride{value.interval.exact(), value}; };
  size_t rank = access.type().getShape().size();
  SmallVector<Stride, 3> strides;
  for (OpFoldResult stride : access.strides())
    strides.push_back(literal(kernel.strideOf(stride)));
  if (strides.empty()) {
    RangedValue stride = kernel.ranges.constant(1);
    strides.assign(rank, literal(stride));
    for (size_t axis = rank; axis-- > 1;) {
      stride = kernel.ranges.mul(stride, kernel.extentOf(access, axis));
      strides[axis - 1] = literal(stride);
    }
  }
  Stride none = literal(kernel.ranges.constant(0));
  return {kernel.elementAddress(access, kernel.linearIndex(access)),
          rank > 2 ? strides[rank - 3] : none,
          strides[rank - 2],
          strides[rank - 1],
          access.element(),
          access.elementBytes()};
}

/// A dense matrix, row by row or column by column.
KernelLowering::FragmentLowering::Place
KernelLowering::FragmentLowering::inFrame(Value pointer, const FragmentShape &shape, Type element,
                                          bool byColumn) {
  auto literal = [&](int64_t stride) { return Stride{stride, kernel.ranges.constant(stride)}; };
  return {{pointer, Value(), 0},
          literal(shape.rows * shape.columns),
          literal(byColumn ? 1 : shape.columns),
          literal(byColumn ? shape.rows : 1),
          element,
          kernel.scalarType(element).getIntOrFloatBitWidth() / 8};
}

std::optional<int64_t> KernelLowering::FragmentLowering::distance(const Place &place,
                                                                  const FragmentElement &from,
                                                                  const FragmentElement &to) const {
  int64_t sum = 0;
  for (auto [count, stride] :
       {std::pair(to.block - from.block, &place.block), std::pair(to.row - from.row, &place.row),
        std::pair(to.column - from.column, &place.column)}) {
    if (!count)
      continue;
    int64_t step;
    if (!stride->literal || llvm::MulOverflow(count, *stride->literal, step) ||
        llvm::AddOverflow(sum, step, sum))
      return std::nullopt;
  }
  return sum;
}

Value KernelLowering::FragmentLowering::pointerTo(Place &place, const FragmentElement &element) {
  unsigned bytes = kernel.scalarType(place.element).getIntOrFloatBitWidth() / 8;
  RangeArithmetic &ranges = kernel.ranges;
  FormScope form(kernel, false);
  auto steps = [&](int64_t count, const Stride &stride) {
    return ranges.mul(ranges.constant(count), stride.value);
  };
  auto movedTo = [&](Value pointer, RangedValue distance) {
    Linear linear;
    linear.value = distance;
    return kernel.moved({pointer, Value(), 0, place.origin.mayLieOutside}, linear, bytes).base;
  };
  Value &row = place.rows[{element.block, element.row}];
  if (!row)
    row = movedTo(place.origin.base,
                  ranges.add(steps(element.block, place.block), steps(element.row, place.row)));
  return element.column ? movedTo(row, steps(element.column, place.column)) : row;
}

SmallVector<KernelLowering::FragmentLowering::Run>
KernelLowering::FragmentLowering::runsOf(const FragmentLayout &layout, const Place &place,
                                         int64_t element) {
  SmallVector<Run> runs;
  int64_t lanes = layout.lanes() / layout.copies();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    bool follows =
        lane > 0 && distance(place, layout.at(lane - 1, element), layout.at(lane, element)) == 1;
    if (follows)
      ++runs.back().count;
    else
      runs.push_back({lane, 1});
  }
  return runs;
}

/// The lane form of a fragment that lies in memory.
Value KernelLowering::FragmentLowering::load(const FragmentLayout &layout, Place &place) {
  Type stored = kernel.scalarType(place.element);
  int64_t lanes = layout.lanes() / layout.copies();
  SmallVector<Value> elements;
  for (int64_t element = 0; element < layout.elements(); ++element) {
    SmallVector<Run> runs = runsOf(layout, place, element);
    auto loadRun = [&](const Run &run) {
      Type type = run.count == 1 ? stored : emitter.vector(run.count, stored);
      return emitter.load(type, pointerTo(place, layout.at(run.first, element)), place.alignment);
    };
    Value all;
    if (runs.front().count > 1 &&
        llvm::all_of(runs, [&](const Run &run) { return run.count == runs.front().count; })) {
      all = kernel.concatenate(llvm::map_to_vector(runs, loadRun));
    } else {
      all = emitter.undefined(emitter.vector(lanes, stored));
      for (const Run &run : runs) {
        Value part = loadRun(run);
        if (run.count == 1) {
          all = emitter.insert(all, part, emitter.constant(emitter.integer(32), run.first));
          continue;
        }
        // Both as wide as all lanes, then one or the other.
        SmallVector<int32_t> widened(lanes, -1), chosen;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          bool isInside = lane >= run.first && lane < run.first + run.count;
          if (isInside)
            widened[lane] = lane - run.first;
          chosen.push_back(isInside ? lanes + lane : lane);
        }
        all = emitter.shuffle(all, emitter.shuffle(part, part, widened), chosen);
      }
    }
    if (layout.copies() > 1) {
      SmallVector<int32_t> again;
      for (int64_t lane = 0; lane < layout.lanes(); ++lane)
        again.push_back(lane % lanes);
      all = emitter.shuffle(all, all, again);
    }
    elements.push_back(all);
  }
  return kernel.concatenate(elements);
}

/// What lanes hold again is stored once.
void KernelLowering::FragmentLowering::store(const FragmentLayout &layout, Place &place,
                                             Value lanes) {
  FormScope form(kernel, true);
  SmallVector<Value> elements = kernel.elements(lanes, layout.elements());
  for (auto [element, value] : llvm::enumerate(elements))
    for (const Run &run : runsOf(layout, place, element)) {
      Value part = value;
      if (run.count == 1) {
        part = emitter.extract(value, emitter.constant(emitter.integer(32), run.first));
      } else if (run.count != layout.lanes()) {
        SmallVector<int32_t> order;
        for (int64_t i = 0; i < run.count; ++i)
          order.push_back(run.first + i);
        part = emitter.shuffle(value, value, order);
      }
      emitter.store(part, pointerTo(place, layout.at(run.first, element)), place.alignment);
    }
}

/// Whether a matrix lies in memory in so many pieces that a loop brings it into the frame or out of
/// it. LLVM takes time that grows with the square of the number of stores in a block.
bool KernelLowering::FragmentLowering::isScattered(const FragmentLayout &layout,
                                                   const Place &place) {
  constexpr size_t kMostPieces = 256;
  size_t pieces = 0;
  for (int64_t element = 0; element < layout.elements(); ++element)
    pieces += runsOf(layout, place, element).size();
  return pieces > kMostPieces;
}

/// A dense matrix in the frame in the order in which lanes that follow each other hold elements
/// that do so.
KernelLowering::FragmentLowering::Place
KernelLowering::FragmentLowering::gathered(const FragmentLayout &layout, Type element) {
  const FragmentShape &shape = layout.shape();
  int64_t bytes = kernel.scalarType(element).getIntOrFloatBitWidth() / 8;
  return inFrame(kernel.scratch(0, shape.blocks * shape.rows * shape.columns * bytes), shape,
                 element, /*byColumn=*/layout.part() == FragmentPart::Lhs);
}

/// Copies a matrix element by element, in the order of `gathered`.
void KernelLowering::FragmentLowering::copy(const FragmentLayout &layout, const Place &from,
                                            const Place &to) {
  Type wide = emitter.integer(64), stored = kernel.scalarType(from.element);
  const FragmentShape &shape = layout.shape();
  bool byColumn = layout.part() == FragmentPart::Lhs;
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  // The axes of both places, outermost first.
  int64_t extents[] = {shape.blocks, byColumn ? shape.columns : shape.rows,
                       byColumn ? shape.rows : shape.columns};
  auto strides = [&](const Place &place) {
    SmallVector<Value, 3> list;
    for (const Stride *stride : {&place.block, byColumn ? &place.column : &place.row,
                                 byColumn ? &place.row : &place.column})
      list.push_back(emitter.binary(IntegerOp::Mul, kernel.ranges.convert(stride->value, 64),
                                    emitter.constant(wide, bytes)));
    return list;
  };
  SmallVector<Value, 3> fromStrides = strides(from), toStrides = strides(to);
  std::function<void(unsigned, Value, Value)> along = [&](unsigned axis, Value source,
                                                          Value target) {
    if (axis == 3)
      return emitter.store(emitter.load(stored, source, from.alignment), target, to.alignment);
    emitter.repeat(emitter.constant(wide, extents[axis]), [&](Value number) {
      auto moved = [&](Value pointer, Value stride) {
        return emitter.addBytes(pointer, emitter.binary(IntegerOp::Mul, number, stride),
                                /*inObject=*/false);
      };
      along(axis + 1, moved(source, fromStrides[axis]), moved(target, toStrides[axis]));
    });
  };
  along(0, from.origin.base, to.origin.base);
}

void KernelLowering::FragmentLowering::forEachAccess(
    Operation *op, llvm::function_ref<void(const Address &address, Value flag)> body) {
  bool isStore = isa<VectorFragmentStoreOp>(op);
  Value vector = Fragments::vectorOf(op);
  FragmentLayout layout = layoutOf(*kernel.plan.fragments->fragments().statedBy(op), vector);
  Place place = placeOf(op);
  Type wide = emitter.integer(64);
  int64_t lanes = layout.lanes(), own = lanes / layout.copies();
  unsigned bytes = getElementBytes(place.element);
  Value flag;
  if (isStore && own != lanes)
    flag = emitter.compare(IntPredicate::slt, emitter.iota(lanes, wide),
                           emitter.constant(emitter.vector(lanes, wide), own));
  RangeArithmetic &ranges = kernel.ranges;
  for (int64_t element = 0; element < layout.elements(); ++element) {
    Value distances = emitter.undefined(emitter.vector(lanes, wide));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      FragmentElement at = layout.at(lane, element);
      RangedValue distance = ranges.constant(0);
      for (auto [count, stride] : {std::pair(at.block, &place.block), std::pair(at.row, &place.row),
                                   std::pair(at.column, &place.column)})
        distance = ranges.add(distance, ranges.mul(ranges.constant(count), stride->value));
      distance = ranges.mul(distance, ranges.constant(bytes));
      distances = emitter.insert(distances, ranges.convert(distance, 64),
                                 emitter.constant(emitter.integer(32), lane));
    }
    body({place.origin.base, distances, 0, /*mayLieOutside=*/true}, flag);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FragmentLayout KernelLowering::FragmentLowering::layoutOf(const FragmentFact &fact,
                                                          Value vector) const {
  return *kernel.plan.fragments->layoutOf(fact, vector.getType());
}

FragmentFact KernelLowering::FragmentLowering::factOf(Value value) const {
  return kernel.plan.fragments->fragments().of(value).fact;
}

Value KernelLowering::FragmentLowering::lanesOf(Value value) { return kernel.lanesOf(value); }

void KernelLowering::FragmentLowering::define(Value result, Value lanes) {
  kernel.defineLoaded(result, {lanes}, /*partsAreLanes=*/true);
}

/// Elements as those of another type; integers by their sign.
Value KernelLowering::FragmentLowering::converted(Value value, Type from, Type to) {
  if (from == to)
    return value;
  if (isFloatScalar(to))
    return isFloatScalar(from) ? kernel.floats.convert(value, from, to)
                               : kernel.floats.fromInteger(value, to, /*isSigned=*/true);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return emitter.truncate(value, to);
  return emitter.cast(CastOp::SExt, value, to);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The address `count` times `elements` elements behind `pointer`.
Value KernelLowering::FragmentLowering::moved(Value pointer, Value count, int64_t elements,
                                              Type type) {
  int64_t bytes = elements * (type.getIntOrFloatBitWidth() / 8);
  return emitter.addBytes(
      pointer, emitter.binary(IntegerOp::Mul, count, emitter.constant(count.getType(), bytes)));
}

/// Some rows of some columns of the sum, in ascending depth: the sum stays in registers, a row of
/// `rhs` is multiplied by an element of each row of `lhs`.
void KernelLowering::FragmentLowering::emitRows(const Product &product, Value firstRow,
                                                int64_t rows, Value firstColumn, int64_t columns) {
  Type type = product.type, wide = emitter.integer(64), row = emitter.vector(columns, type);
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  bool isFloat = isa<FloatType>(type);
  auto number = [&](int64_t value) { return emitter.constant(wide, value); };
  Value sums = moved(moved(product.sum, firstRow, product.n, type), firstColumn, 1, type);
  Value lhs = moved(product.lhs, firstRow, 1, type);
  Value rhs = moved(product.rhs, firstColumn, 1, type);
  SmallVector<Value> places;
  SmallVector<Value> first = {number(0)};
  SmallVector<Type> types = {wide};
  for (int64_t i = 0; i < rows; ++i) {
    places.push_back(moved(sums, number(i), product.n, type));
    first.push_back(emitter.load(row, places.back(), bytes));
    types.push_back(row);
  }
  Block *loop = emitter.makeBlock(types), *exit = emitter.makeBlock();
  emitter.branch(loop, first);
  emitter.enter(loop);
  Value depth = loop->getArgument(0);
  Value factors = emitter.load(row, moved(rhs, depth, product.n, type), bytes);
  Value column = moved(lhs, depth, product.m, type);
  SmallVector<Value> next = {
      emitter.binary(IntegerOp::Add, depth, number(1), {/*isSigned=*/true, /*isUnsigned=*/true})};
  for (int64_t i = 0; i < rows; ++i) {
    Value factor = emitter.load(type, moved(column, number(i), 1, type), bytes);
    Value sum = loop->getArgument(1 + i);
    if (isFloat)
      next.push_back(emitter.binary(
          FloatOp::Add, sum, emitter.binary(FloatOp::Mul, factor, factors, FastMathFlags::none),
          FastMathFlags::none));
    else
      next.push_back(
          emitter.binary(IntegerOp::Add, sum, emitter.binary(IntegerOp::Mul, factor, factors)));
  }
  emitter.branchIf(emitter.compare(IntPredicate::ne, next[0], number(product.k)), loop, next, exit,
                   {});
  emitter.enter(exit);
  for (int64_t i = 0; i < rows; ++i)
    emitter.store(next[1 + i], places[i], bytes);
}

/// Emits `body` for groups of `size` of `count` numbers, and for what is left.
static void forEachGroup(Emitter &emitter, int64_t count, int64_t size,
                         llvm::function_ref<void(Value first, int64_t size)> body) {
  Type wide = emitter.integer(64);
  int64_t groups = count / size, rest = count % size;
  if (groups == 1)
    body(emitter.constant(wide, 0), size);
  else if (groups)
    emitter.repeat(emitter.constant(wide, groups), [&](Value number) {
      body(emitter.binary(IntegerOp::Mul, number, emitter.constant(wide, size)), size);
    });
  if (rest)
    body(emitter.constant(wide, groups * size), rest);
}

/// Two vectors of AVX2 in each of four rows.
void KernelLowering::FragmentLowering::emitProduct(const Product &product) {
  int64_t columns = 512 / product.type.getIntOrFloatBitWidth();
  forEachGroup(emitter, product.n, columns, [&](Value firstColumn, int64_t count) {
    forEachGroup(emitter, product.m, 4, [&](Value firstRow, int64_t rows) {
      emitRows(product, firstRow, rows, firstColumn, count);
    });
  });
}

void KernelLowering::FragmentLowering::lowerMma(VectorMmaOp op) {
  std::string reason;
  ProductType product = *productTypeOf(op, reason);
  Type type = product.type, own = elementTypeOf(op.getInitial());
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  FragmentFact lhs = factOf(op.getLhs()), rhs = factOf(op.getRhs()),
               sum = kernel.plan.fragments->sumOf(op);
  int64_t m = lhs.shape.rows, k = lhs.shape.columns, n = rhs.shape.columns,
          blocks = lhs.shape.blocks;
  Product work = {kernel.scratch(0, blocks * m * k * bytes),
                  kernel.scratch(1, blocks * k * n * bytes),
                  kernel.scratch(2, blocks * m * n * bytes),
                  m,
                  n,
                  k,
                  type};
  auto bring = [&](Value value, const FragmentFact &fact, Value pointer, bool byColumn) {
    Place place = inFrame(pointer, fact.shape, type, byColumn);
    store(layoutOf(fact, value), place, converted(lanesOf(value), elementTypeOf(value), type));
  };
  bring(op.getLhs(), lhs, work.lhs, /*byColumn=*/true);
  bring(op.getRhs(), rhs, work.rhs, /*byColumn=*/false);
  bring(op.getInitial(), sum, work.sum, /*byColumn=*/false);
  if (blocks == 1) {
    emitProduct(work);
  } else {
    emitter.repeat(emitter.constant(emitter.integer(64), blocks), [&](Value block) {
      emitProduct({moved(work.lhs, block, m * k, type), moved(work.rhs, block, k * n, type),
                   moved(work.sum, block, m * n, type), m, n, k, type});
    });
  }
  Place place = inFrame(work.sum, sum.shape, type);
  Value result = load(layoutOf(sum, op.getInitial()), place);
  if (product.isSaturated) {
    unsigned bits = own.getIntOrFloatBitWidth();
    for (auto [intrinsic, limit] :
         {std::pair("llvm.smax", llvm::minIntN(bits)), std::pair("llvm.smin", llvm::maxIntN(bits))})
      result = emitter.intrinsic(intrinsic, result.getType(),
                                 {result, emitter.constant(result.getType(), limit)});
  }
  define(op.getResult(), converted(result, type, own));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void KernelLowering::FragmentLowering::lowerLoad(VectorFragmentLoadOp op) {
  Place place = placeOf(op);
  Value result = op.getResult();
  FragmentLayout layout = layoutOf(factOf(result), result);
  if (isScattered(layout, place)) {
    Place dense = gathered(layout, place.element);
    copy(layout, place, dense);
    place = dense;
  }
  Value lanes = load(layout, place);
  define(result, converted(lanes, place.element, elementTypeOf(result)));
}

void KernelLowering::FragmentLowering::lowerStore(VectorFragmentStoreOp op) {
  Place place = placeOf(op);
  Value value = op.getValue();
  FragmentFact fact = *kernel.plan.fragments->fragments().statedBy(op);
  Value lanes = converted(lanesOf(value), elementTypeOf(value), place.element);
  // As it was dealt out.
  if (kernel.plan.fragments->fragments().of(value).kind == Fragments::Kind::Share)
    fact.bits = factOf(value).bits;
  FragmentLayout layout = layoutOf(fact, value);
  if (!isScattered(layout, place))
    return store(layout, place, lanes);
  Place dense = gathered(layout, place.element);
  store(layout, dense, lanes);
  copy(layout, dense, place);
}

/// The same matrix, dealt out for another role or with other elements.
void KernelLowering::FragmentLowering::lowerRepack(VectorFragmentRepackOp op) {
  Value input = op.getVector(), result = op.getResult();
  FragmentFact from = factOf(input), to = factOf(result);
  Type element = elementTypeOf(result);
  FragmentShape shape = to.shape;
  int64_t bytes = kernel.scalarType(element).getIntOrFloatBitWidth() / 8;
  Value pointer = kernel.scratch(0, shape.blocks * shape.rows * shape.columns * bytes);
  Place place = inFrame(pointer, shape, element);
  store(layoutOf(from, input), place, converted(lanesOf(input), elementTypeOf(input), element));
  define(result, load(layoutOf(to, result), place));
}

bool KernelLowering::FragmentLowering::lower(Operation *op) {
  if (!Fragments::isFragmentOp(op))
    return false;
  if (auto identity = dyn_cast<VectorFragmentOp>(op)) {
    FormScope form(kernel, kernel.needsLanes(op));
    kernel.define(identity.getResult(), kernel.get(identity.getVector()));
    return true;
  }
  // All lanes take part.
  llvm::SaveAndRestore<Value> everybody(kernel.mask, Value());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](VectorFragmentLoadOp o) { lowerLoad(o); })
      .Case([&](VectorFragmentStoreOp o) { lowerStore(o); })
      .Case([&](VectorFragmentRepackOp o) { lowerRepack(o); })
      .Case([&](VectorMmaOp o) { lowerMma(o); });
  return true;
}

bool KernelLowering::lowerFragment(Operation *op) { return FragmentLowering(*this).lower(op); }

} // namespace loom::lowering
