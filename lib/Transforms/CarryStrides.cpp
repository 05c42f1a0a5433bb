//===- CarryStrides.cpp - What travels beside views and buffers -----------===//
//
// Addresses are computed from strides. Where control flow chooses a layout, or a view together with
// its layout, the strides are chosen with it: each place where a layout was passed on passes one
// `index` for every axis instead, and each view that was passed on with a layout of its own passes
// its strides beside it. Behind such a place stands an `encoding.layout.strided` of these values,
// so that every access finds the strides of its view. The length of a buffer travels the same way
// when somebody asks for it.
//
// Values between which control flow chooses form a family, whose facts are collected first. A dense
// layout has no strides of its own. It travels as a first stride of -1, which no author can write,
// and becomes strides where a view is made with it, since only there the extents are known.
//
//===----------------------------------------------------------------------===//
#include "StaticExtents.h"
#include "StrideFamilies.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/View/View.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_CARRYSTRIDES
#include "loom/Transforms/Passes.h.inc"

namespace {

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

/// What a place of control flow passes on.
struct Cargo {
  enum Kind { Same, Layout, View, Buffer } kind = Same;
  Type type;       ///< as the author wrote it
  size_t rank = 0; ///< strides that travel
  StrideFamily family;

  /// The type without a layout, of a view.
  Type plainType() const {
    auto view = cast<ViewType>(type);
    return ViewType::get(view.getContext(), view.getShape(), view.getElementType(), Attribute(),
                         view.getAlignment());
  }
  SmallVector<Type> types() const {
    SmallVector<Type> list;
    if (kind != Layout)
      list.push_back(kind == View ? plainType() : type);
    list.append(rank, IndexType::get(type.getContext()));
    if (kind == Buffer)
      list.push_back(OffsetType::get(type.getContext()));
    return list;
  }
};

class Carrier {
public:
  explicit Carrier(KernelDefOp kernel) : kernel(kernel), families(kernel) {}

  LogicalResult run() {
    carryRegion(kernel.getBody());
    return success(!failed);
  }

private:
  void carryRegion(Region &region);
  void carry(Operation *op);
  void carryControl(Operation *op);
  void carryChoice(Operation *op);

  SmallVector<Cargo> cargoOf(Operation *op);
  bool isChosen(Operation *op, unsigned position);
  SmallVector<Value> expand(OpBuilder &builder, Operation *op, const Cargo &cargo, Value value);
  SmallVector<Value> expandAll(OpBuilder &builder, Operation *op, ArrayRef<Cargo> cargo,
                               ValueRange values);
  Value receive(OpBuilder &builder, Location loc, const Cargo &cargo, ValueRange parts);
  void receiveArguments(Block &block, unsigned first, ArrayRef<Cargo> cargo);
  void expandTerminator(Region &region, ArrayRef<Cargo> cargo);
  void setExtents(Operation *op, ArrayRef<Cargo> cargo, NamedAttrList &attributes);

  SmallVector<Value> stridesOf(OpBuilder &builder, Operation *op, Value view);
  Value makeStrided(OpBuilder &builder, Location loc, ValueRange strides);
  Value withLayout(OpBuilder &builder, Location loc, Type type, EncodingAttr schema, Value layout);
  void settle(Operation *op);
  void follow(ViewSubviewOp op);
  Value lengthOf(OpBuilder &builder, Location loc, Value buffer);
  Value carriedLength(Value buffer);

  KernelDefOp kernel;
  StrideFamilies families;
  /// Layouts made here whose first stride may say that they are dense.
  llvm::DenseSet<Value> maybeDense;
  /// Layouts of views that were made from one of these: each view has its own.
  llvm::DenseSet<Value> settled;
  llvm::DenseMap<Value, Value> lengths; ///< of buffers that control flow chose
  bool failed = false;
};

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

Value numberOf(OpBuilder &builder, Location loc, int64_t number) {
  return IndexConstantOp::create(builder, loc, number);
}

SmallVector<Value> asValues(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> strides) {
  return llvm::map_to_vector(strides, [&](OpFoldResult stride) {
    if (auto literal = dyn_cast<Attribute>(stride))
      return numberOf(builder, loc, cast<IntegerAttr>(literal).getInt());
    return cast<Value>(stride);
  });
}

/// The row-major strides of a view of these extents.
SmallVector<Value> denseStrides(OpBuilder &builder, Location loc, ViewType type, ValueRange dims) {
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<Value> strides(shape.size());
  size_t slot = llvm::count(shape, ShapedType::kDynamic);
  Value stride = shape.empty() ? Value() : numberOf(builder, loc, 1);
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    bool isDynamic = ShapedType::isDynamic(shape[axis]);
    Value extent = isDynamic ? dims[--slot] : Value();
    if (axis == 0)
      break;
    extent = isDynamic ? extent : numberOf(builder, loc, shape[axis]);
    stride = IndexMulOp::create(builder, loc, stride, extent);
  }
  return strides;
}

/// Constants become literals.
Value Carrier::makeStrided(OpBuilder &builder, Location loc, ValueRange strides) {
  SmallVector<int64_t> literals;
  SmallVector<Value> values;
  for (Value stride : strides) {
    APInt known;
    bool isKnown = matchPattern(stride, m_ConstantInt(&known)) && known.isNonNegative();
    literals.push_back(isKnown ? known.getSExtValue() : ShapedType::kDynamic);
    if (!isKnown)
      values.push_back(stride);
  }
  auto type = EncodingType::get(builder.getContext(), static_cast<uint32_t>(EncodingRole::layout));
  return EncodingLayoutStridedOp::create(builder, loc, type, values,
                                         builder.getDenseI64ArrayAttr(literals));
}

/// `layout`, or a storage encoding that has it when `type` says so.
Value Carrier::withLayout(OpBuilder &builder, Location loc, Type type, EncodingAttr schema,
                          Value layout) {
  if (cast<EncodingType>(type).getRole() != EncodingRole::storage)
    return layout;
  auto params = builder.getDictionaryAttr(builder.getNamedAttr("schema", schema));
  auto spec =
      EncodingAttr::get(builder.getContext(), builder.getStringAttr("encoding.storage"), params);
  return EncodingDefineOp::create(builder, loc, type, spec, ValueRange{layout},
                                  builder.getStrArrayAttr({"layout"}));
}

SmallVector<Value> Carrier::stridesOf(OpBuilder &builder, Operation *op, Value view) {
  auto type = cast<ViewType>(view.getType());
  LayoutInfo layout = getViewLayout(view);
  Location loc = stripSourceInfo(op->getLoc());
  if (layout.kind == LayoutInfo::Dense)
    return denseStrides(builder, loc, type, getDynamicDims(view));
  if (layout.kind == LayoutInfo::Strided && layout.strides.size() == type.getShape().size())
    return asValues(builder, loc, layout.strides);
  if (!failed)
    emitCoded(op, DiagCode::TargetUnsupported, "'")
        << getTextName(op) << "' passes on a view whose strides are not visible here";
  failed = true;
  return SmallVector<Value>(type.getShape().size(), numberOf(builder, loc, 0));
}

/// The layout made here that `layout` is another name of, when it may be dense.
Value findMaybeDense(Value layout, const llvm::DenseSet<Value> &maybeDense) {
  while (layout && !maybeDense.contains(layout)) {
    Value behind;
    if (auto promise = layout.getDefiningOp<EncodingLayoutAssumeStridedOp>())
      behind = promise.getInput();
    else if (auto define = layout.getDefiningOp<EncodingDefineOp>())
      for (Value part : define.getParams())
        behind = isLayout(part) ? part : behind;
    layout = behind;
  }
  return layout;
}

/// Gives a view that is made with a layout which may be dense strides of its own.
void Carrier::settle(Operation *op) {
  OperandRange dims = cast<DimsOpInterface>(op).getDynamicDims();
  if (!hasDynamicLayout(op->getResult(0).getType()) || dims.empty())
    return;
  Value layout = dims.back(), open = findMaybeDense(layout, maybeDense);
  if (!open)
    return;
  OpBuilder builder(op);
  Location loc = stripSourceInfo(op->getLoc());
  auto type = cast<ViewType>(op->getResult(0).getType());
  LayoutInfo info = getLayoutInfo(layout);
  SmallVector<Value> strides = asValues(builder, loc, info.strides);
  SmallVector<Value> dense = denseStrides(builder, loc, type, dims);
  if (strides.size() != dense.size())
    return;
  Value isDense = IndexCmpOp::create(builder, loc, IntPredicate::eq, strides.front(),
                                     numberOf(builder, loc, -1));
  for (auto [stride, other] : llvm::zip(strides, dense))
    stride = ScfSelectOp::create(builder, loc, isDense, other, stride);
  Value own =
      withLayout(builder, loc, layout.getType(), info.schema, makeStrided(builder, loc, strides));
  settled.insert(own);
  op->setOperand(dims.getBeginOperandIndex() + dims.size() - 1, own);
}

/// A part has the strides of the whole.
void Carrier::follow(ViewSubviewOp op) {
  SmallVector<Value> whole = getDynamicDims(op.getView());
  OperandRange dims = op.getDims();
  if (hasDynamicLayout(op.getType()) && whole.size() == countSlots(op.getView().getType()))
    op->setOperand(dims.getBeginOperandIndex() + dims.size() - 1, whole.back());
}

//===----------------------------------------------------------------------===//
// Lengths
//===----------------------------------------------------------------------===//

/// The length that travels beside `buffer`; null when its origin is known.
Value Carrier::carriedLength(Value buffer) {
  for (; buffer; buffer = behindPromise(buffer))
    if (Value length = lengths.lookup(buffer))
      return length;
  return {};
}

Value Carrier::lengthOf(OpBuilder &builder, Location loc, Value buffer) {
  if (Value length = carriedLength(buffer))
    return length;
  return BufferLengthOp::create(builder, loc, OffsetType::get(builder.getContext()), buffer);
}

//===----------------------------------------------------------------------===//
// What is passed on
//===----------------------------------------------------------------------===//

/// Whether the layout of the view at `position` is not one value from outside that all ways share.
bool Carrier::isChosen(Operation *op, unsigned position) {
  if (isa<ScfSelectOp, ScfLookupOp>(op)) {
    llvm::SmallDenseSet<Value> layouts;
    for (ValueRange list : llvm::drop_begin(getPassedLists(op))) {
      SmallVector<Value> dims = getDynamicDims(list[position]);
      layouts.insert(dims.empty() ? Value() : dims.back());
    }
    return layouts.size() > 1;
  }
  SmallVector<Value> dims = getDynamicDims(op->getResult(position));
  if (dims.size() != countSlots(op->getResult(position).getType()))
    return true;
  Value layout = dims.back();
  return layout.getDefiningOp() == op || settled.contains(layout) ||
         findMaybeDense(layout, maybeDense);
}

SmallVector<Cargo> Carrier::cargoOf(Operation *op) {
  SmallVector<Cargo> list;
  for (OpResult result : op->getResults()) {
    Cargo &cargo = list.emplace_back();
    cargo.type = result.getType();
    if (isLayout(result)) {
      cargo.kind = Cargo::Layout;
      cargo.family = families.of(result);
      cargo.rank = cargo.family.rank;
      if (cargo.family.hasOtherRanks) {
        failed = true;
        emitCoded(op, DiagCode::ShapeMismatch, "'")
            << getTextName(op)
            << "' chooses a layout for views that do not have as many axes as each of its layouts";
        cargo.kind = Cargo::Same;
      }
      if (cast<EncodingType>(cargo.type).getRole() == EncodingRole::storage &&
          (cargo.family.hasUnknownSchema || !cargo.family.schema)) {
        failed = true;
        emitCoded(op, DiagCode::TargetUnsupported, "'")
            << getTextName(op) << "' chooses between storage encodings of different schemas";
        cargo.kind = Cargo::Same;
      }
    } else if (hasDynamicLayout(cargo.type) && isChosen(op, result.getResultNumber())) {
      cargo.kind = Cargo::View;
      cargo.rank = cast<ViewType>(cargo.type).getShape().size();
    } else if (isa<BufferType>(cargo.type) && families.of(result).asksForLength) {
      cargo.kind = Cargo::Buffer;
    }
  }
  return list;
}

/// What travels for `value`, which `op` passes on.
SmallVector<Value> Carrier::expand(OpBuilder &builder, Operation *op, const Cargo &cargo,
                                   Value value) {
  Location loc = stripSourceInfo(op->getLoc());
  SmallVector<Value> parts;
  switch (cargo.kind) {
  case Cargo::Same:
    return {value};
  case Cargo::Buffer:
    return {value, lengthOf(builder, loc, value)};
  case Cargo::View: {
    SmallVector<Value> dims = getDynamicDims(value);
    if (!dims.empty())
      dims.pop_back();
    SmallVector<Value> strides = stridesOf(builder, op, value);
    parts.push_back(ViewRefineOp::create(builder, loc, cargo.plainType(), value, dims));
    llvm::append_range(parts, strides);
    return parts;
  }
  case Cargo::Layout:
    break;
  }
  LayoutInfo info = getLayoutInfo(value);
  bool isKnown = info.kind == LayoutInfo::Dense ||
                 (info.kind == LayoutInfo::Strided && info.strides.size() == info.rank);
  if (!isKnown && !failed) {
    failed = true;
    emitCoded(op, DiagCode::TargetUnsupported, "'")
        << getTextName(op) << "' passes on a layout whose strides are not visible here";
  }
  if (info.kind == LayoutInfo::Dense && cargo.rank)
    parts.push_back(numberOf(builder, loc, -1));
  else
    parts = asValues(builder, loc, info.strides);
  while (parts.size() < cargo.rank)
    parts.push_back(numberOf(builder, loc, 0));
  return parts;
}

SmallVector<Value> Carrier::expandAll(OpBuilder &builder, Operation *op, ArrayRef<Cargo> cargo,
                                      ValueRange values) {
  SmallVector<Value> all;
  for (auto [entry, value] : llvm::zip(cargo, values))
    llvm::append_range(all, expand(builder, op, entry, value));
  return all;
}

/// The value that was passed on, made of what travelled.
Value Carrier::receive(OpBuilder &builder, Location loc, const Cargo &cargo, ValueRange parts) {
  switch (cargo.kind) {
  case Cargo::Same:
    return parts.front();
  case Cargo::Buffer:
    lengths[parts.front()] = parts.back();
    return parts.front();
  case Cargo::View: {
    Value layout = makeStrided(builder, loc, parts.drop_front());
    settled.insert(layout);
    SmallVector<Value> dims = getDynamicDims(parts.front());
    dims.push_back(layout);
    return ViewRefineOp::create(builder, loc, cargo.type, parts.front(), dims);
  }
  case Cargo::Layout:
    break;
  }
  Value layout = makeStrided(builder, loc, parts);
  if (cargo.family.mayBeDense && cargo.rank)
    maybeDense.insert(layout);
  return withLayout(builder, loc, cargo.type, cargo.family.schema, layout);
}

/// Makes the arguments of `block` from the one of number `first` on those that `cargo` asks for.
void Carrier::receiveArguments(Block &block, unsigned first, ArrayRef<Cargo> cargo) {
  SmallVector<SmallVector<Value>> parts;
  unsigned at = first;
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (const Cargo &entry : cargo) {
    BlockArgument before = block.getArgument(at);
    Location loc = stripSourceInfo(before.getLoc());
    SmallVector<Value> &list = parts.emplace_back();
    SmallVector<Type> types = entry.types();
    unsigned kept = entry.kind != Cargo::Layout;
    if (kept) {
      before.setType(types.front());
      list.push_back(before);
    }
    for (Type type : ArrayRef(types).drop_front(kept))
      list.push_back(block.insertArgument(at + list.size() + !kept, type, loc));
    if (!kept) {
      before.replaceAllUsesWith(receive(builder, loc, entry, list));
      block.eraseArgument(at);
    }
    at += list.size();
  }
  // The extents of a view are found by the place of an argument, so that all have theirs first.
  for (auto [entry, list] : llvm::zip(cargo, parts)) {
    if (entry.kind != Cargo::View && entry.kind != Cargo::Buffer)
      continue;
    Value before = list.front();
    Value whole = receive(builder, stripSourceInfo(before.getLoc()), entry, list);
    if (whole != before)
      before.replaceAllUsesExcept(whole, whole.getDefiningOp());
  }
}

void Carrier::expandTerminator(Region &region, ArrayRef<Cargo> cargo) {
  Operation *terminator = region.front().getTerminator();
  OpBuilder builder(terminator);
  unsigned fixed = isa<ScfConditionOp>(terminator);
  SmallVector<Value> operands(terminator->getOperands().take_front(fixed));
  llvm::append_range(
      operands, expandAll(builder, terminator, cargo, terminator->getOperands().drop_front(fixed)));
  terminator->setOperands(operands);
}

/// The relations between the results of `op` (SCFOps.td), by the places that results have now.
void Carrier::setExtents(Operation *op, ArrayRef<Cargo> cargo, NamedAttrList &attributes) {
  SmallVector<int64_t> places;
  int64_t place = 0;
  for (const Cargo &entry : cargo) {
    places.push_back(place);
    place += entry.types().size();
  }
  if (auto extents = dyn_cast_or_null<DenseI64ArrayAttr>(attributes.get("extents"))) {
    SmallVector<int64_t> left;
    size_t next = 0;
    for (const Cargo &entry : cargo)
      for (unsigned slot = 0, count = countSlots(entry.type); slot < count; ++slot) {
        int64_t relation = next < size_t(extents.size()) ? extents[next] : 0;
        ++next;
        if (entry.kind != Cargo::View || slot + 1 < count)
          left.push_back(relation < 0 ? -1 - places[-1 - relation] : relation);
      }
    attributes.erase("extents");
    if (llvm::any_of(left, [](int64_t entry) { return entry < 0; }))
      attributes.set("extents", DenseI64ArrayAttr::get(op->getContext(), left));
  }
  if (auto ties = dyn_cast_or_null<DenseI64ArrayAttr>(attributes.get("ties"))) {
    SmallVector<int64_t> left(place, -1);
    for (auto [i, tie] : llvm::enumerate(ties.asArrayRef()))
      if (tie >= 0 && cargo[i].kind != Cargo::Layout)
        left[places[i]] = places[tie];
    attributes.set("ties", DenseI64ArrayAttr::get(op->getContext(), left));
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A conditional or loop; what it passes on changes, all else stays.
void Carrier::carryControl(Operation *op) {
  SmallVector<Cargo> cargo = cargoOf(op);
  if (llvm::all_of(cargo, [](const Cargo &entry) { return entry.kind == Cargo::Same; })) {
    for (Region &region : op->getRegions())
      carryRegion(region);
    return;
  }
  OpBuilder builder(op);
  bool isFor = isa<ScfForOp>(op), isLoop = isFor || isa<ScfWhileOp>(op);
  unsigned fixed = isFor ? 3 : isLoop ? 0 : 1, inits = isLoop ? op->getNumResults() : 0;
  SmallVector<StringRef> names;
  SmallVector<Type> types;
  for (auto [entry, result] : llvm::zip(cargo, op->getResults())) {
    SmallVector<Type> own = entry.types();
    llvm::append_range(types, own);
    names.append(own.size(), StringRef());
    if (entry.kind != Cargo::Layout)
      names[names.size() - own.size()] = getValueName(result);
  }
  OperationState state(nameLoc(stripSourceInfo(op->getLoc()), names), op->getName());
  SmallVector<Value> passed = expandAll(builder, op, cargo, op->getOperands().slice(fixed, inits));
  state.addOperands(op->getOperands().take_front(fixed));
  state.addOperands(passed);
  state.addOperands(op->getOperands().drop_front(fixed + inits));
  state.addTypes(types);
  NamedAttrList attributes(op->getAttrDictionary());
  setExtents(op, cargo, attributes);
  if (auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(attributes.get("operandSegmentSizes"))) {
    SmallVector<int32_t> segments(sizes.asArrayRef());
    segments[fixed] = passed.size();
    attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  }
  state.addAttributes(attributes);
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *fresh = builder.create(state);
  for (Region &region : fresh->getRegions()) {
    if (region.empty())
      continue;
    if (isLoop)
      receiveArguments(region.front(), isFor, cargo);
    carryRegion(region);
    expandTerminator(region, cargo);
  }
  builder.setInsertionPointAfter(fresh);
  ValueRange parts(fresh->getResults());
  for (auto [entry, result] : llvm::zip(cargo, op->getResults())) {
    size_t count = entry.types().size();
    result.replaceAllUsesWith(
        receive(builder, stripSourceInfo(op->getLoc()), entry, parts.take_front(count)));
    parts = parts.drop_front(count);
  }
  op->erase();
}

/// `scf.select` or `scf.lookup`: each part of what travels is chosen for itself.
void Carrier::carryChoice(Operation *op) {
  SmallVector<Cargo> cargo = cargoOf(op);
  if (llvm::all_of(cargo, [](const Cargo &entry) { return entry.kind == Cargo::Same; }))
    return;
  OpBuilder builder(op);
  Location loc = stripSourceInfo(op->getLoc());
  SmallVector<SmallVector<Value>> rows;
  for (ValueRange list : llvm::drop_begin(getPassedLists(op)))
    rows.push_back(expandAll(builder, op, cargo, list));
  SmallVector<Value> chosen;
  if (auto lookup = dyn_cast<ScfLookupOp>(op)) {
    SmallVector<Value> cells;
    for (ArrayRef<Value> row : rows)
      llvm::append_range(cells, row);
    if (!cells.empty())
      chosen = llvm::to_vector_of<Value>(
          ScfLookupOp::create(builder, loc, ValueRange(rows.front()).getTypes(),
                              lookup.getSelector(), cells, lookup.getKeysAttr())
              .getResults());
  } else {
    for (auto [whenTrue, whenFalse] : llvm::zip(rows[0], rows[1]))
      chosen.push_back(ScfSelectOp::create(builder, loc, op->getOperand(0), whenTrue, whenFalse));
  }
  ValueRange parts(chosen);
  for (auto [entry, result] : llvm::zip(cargo, op->getResults())) {
    size_t count = entry.types().size();
    result.replaceAllUsesWith(receive(builder, loc, entry, parts.take_front(count)));
    parts = parts.drop_front(count);
  }
  op->erase();
}

void Carrier::carry(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<ScfIfOp, ScfSwitchOp, ScfForOp, ScfWhileOp>([&](auto) { carryControl(op); })
      .Case<ScfSelectOp, ScfLookupOp>([&](auto) { carryChoice(op); })
      .Case([&](ViewSubviewOp part) { follow(part); })
      .Case([&](DimsOpInterface) { settle(op); })
      .Case([&](BufferLengthOp length) {
        if (Value carried = carriedLength(length.getSource())) {
          length.replaceAllUsesWith(carried);
          length.erase();
        }
      })
      .Default([&](Operation *) {
        for (Region &region : op->getRegions())
          carryRegion(region);
      });
}

void Carrier::carryRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      carry(&op);
}

struct CarryStridesPass : impl::CarryStridesBase<CarryStridesPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<BufferDialect, EncodingDialect, IndexDialect, SCFDialect, ViewDialect>();
  }

  void runOnOperation() override {
    bool failedAny = false;
    for (auto kernel : getOperation().getOps<KernelDefOp>())
      failedAny |= failed(Carrier(kernel).run());
    if (failedAny)
      signalPassFailure();
  }
};

} // namespace
} // namespace loom
