//===- StaticExtentsPlan.cpp - Types of extents that became numbers -------===//
//
// The extents of every value are asked first, then the rules between values are carried out until
// they hold, and only then the types are set, all of them at once: in between, neither facts nor
// the structural search for extents would find their way.
//
// Most operations need no rule. Where their verifiers compare extents, the values have the same
// filler, and what is known of it is known for both of them. Rules are for the values that
// structured control flow passes on, whose fillers differ from list to list, and for what is
// related to a value that cannot change.
//
//===----------------------------------------------------------------------===//
#include "StaticExtents.h"
#include "loom/Analysis/Facts.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/SCF/SCF.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom {
using namespace mlir;

static ShapedType getDynamicType(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() && !type.hasStaticShape() ? type : ShapedType();
}

void forEachValue(Operation *unit, llvm::function_ref<void(Operation *, Value)> visit) {
  unit->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      visit(op, result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          visit(op, argument);
  });
}

bool hasDynamicExtents(Operation *unit) {
  bool found = false;
  forEachValue(unit, [&](Operation *, Value value) { found |= bool(getDynamicType(value)); });
  return found;
}

SmallVector<ValueRange> getPassedLists(Operation *op) {
  SmallVector<ValueRange> lists{op->getResults()};
  auto addYields = [&](MutableArrayRef<Region> regions) {
    for (Region &region : regions)
      if (!region.empty())
        lists.push_back(region.front().getTerminator()->getOperands());
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ScfForOp loop) {
        lists.append({loop.getInits(), loop.getRegionIterArgs()});
        addYields(loop->getRegions());
      })
      .Case([&](ScfWhileOp loop) {
        auto condition = cast<ScfConditionOp>(loop.getBefore().front().getTerminator());
        lists.append({loop.getInits(), loop.getBefore().getArguments(), condition.getValues(),
                      loop.getAfter().getArguments()});
        addYields(loop.getAfter());
      })
      .Case<ScfIfOp, ScfSwitchOp>([&](Operation *choice) { addYields(choice->getRegions()); })
      .Case([&](ScfSelectOp select) {
        lists.append({select->getOperands().slice(1, 1), select->getOperands().slice(2, 1)});
      })
      .Case([&](ScfLookupOp lookup) {
        for (size_t row = 0; row <= lookup.getKeys().size(); ++row)
          lists.push_back(lookup.getRow(row));
      })
      .Default([&](Operation *) { lists.clear(); });
  return lists;
}

namespace {

/// One entry an axis; nothing for an axis whose extent is a number already.
using Numbers = SmallVector<std::optional<int64_t>, 4>;

struct Extents {
  Numbers known;  ///< what facts know
  Numbers chosen; ///< what becomes static
  bool isVisible; ///< whether the values that fill the type are to be found
};

/// Of the values of one rule, either all have one type, or they are related by an operation that
/// compares extents.
struct Rule {
  SmallVector<Value, 4> values;
  bool haveOneType;
};

class ExtentPlanner {
public:
  ExtentPlanner(Operation *unit, bool changesHeader) : unit(unit), changesHeader(changesHeader) {}

  bool run() {
    collectExtents();
    unit->walk<WalkOrder::PreOrder>([&](Operation *op) { addRules(op); });
    carryOutRules();
    bool changes = llvm::any_of(extents, [](const auto &entry) {
      return llvm::any_of(entry.second.chosen, [](auto number) { return number.has_value(); });
    });
    if (changes)
      apply();
    return changes;
  }

private:
  void collectExtents();

  void addRule(SmallVector<Value, 4> values, bool haveOneType);
  void addRules(Operation *op);
  void addPassedRules(Operation *op, ArrayRef<ValueRange> lists);
  void relate(Operation *op);
  void hold(ValueRange values);
  void carryOutRules();
  SmallVector<Value> carryOut(const Rule &rule);
  SmallVector<Value> carryOutOneType(const Rule &rule);

  void apply();
  SmallVector<bool> keptSlots(Value value, Type type) const;
  Type newType(Value value, Type type) const;
  void dropOwned(Operation *op);
  void dropEntries(Operation *op);
  void changeHeader(FuncDefOp function);

  Operation *unit;
  bool changesHeader;
  llvm::MapVector<Value, Extents> extents;
  std::vector<Rule> rules;
  llvm::DenseMap<Value, SmallVector<unsigned, 4>> rulesOf;
  /// What the header calls results: the values of one return.
  SmallVector<Value> returned;
};

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

void ExtentPlanner::collectExtents() {
  Facts facts(unit);
  PendingDimsScope scope; // long chains are walked once
  forEachValue(unit, [&](Operation *, Value value) {
    ShapedType type = getDynamicType(value);
    if (!type)
      return;
    Extents &entry = extents[value];
    SmallVector<Value> dims = getDynamicDims(value);
    size_t next = 0;
    for (int64_t extent : type.getShape()) {
      std::optional<int64_t> number;
      if (ShapedType::isDynamic(extent) && next < dims.size())
        number = facts.exact(dims[next++]);
      // A negative extent has no type; it is refused as what it is.
      entry.known.push_back(number && *number >= 0 ? number : std::nullopt);
    }
    entry.chosen = entry.known;
    entry.isVisible = dims.size() >= countSlots(type);
  });
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

void ExtentPlanner::addRule(SmallVector<Value, 4> values, bool haveOneType) {
  if (llvm::none_of(values, [&](Value value) { return extents.contains(value); }))
    return;
  for (Value value : values)
    rulesOf[value].push_back(rules.size());
  rules.push_back({std::move(values), haveOneType});
}

void ExtentPlanner::hold(ValueRange values) {
  for (Value value : values)
    if (auto *it = extents.find(value); it != extents.end())
      it->second.chosen.assign(it->second.chosen.size(), std::nullopt);
}

void ExtentPlanner::addPassedRules(Operation *op, ArrayRef<ValueRange> lists) {
  for (unsigned position = 0; position < op->getNumResults(); ++position) {
    SmallVector<Value, 4> values;
    for (ValueRange list : lists)
      if (position < list.size())
        values.push_back(list[position]);
    if (auto ties = op->getAttrOfType<DenseI64ArrayAttr>("ties"); ties && ties[position] >= 0)
      values.push_back(lists.front()[ties[position]]);
    addRule(std::move(values), /*haveOneType=*/true);
  }
}

/// Whether the types of what `op` takes and gives are stated somewhere else.
static bool hasForeignTypes(Operation *op) {
  return isa<SymbolUserOpInterface, FuncCallIndirectOp>(op) || op->getNumSuccessors();
}

/// A view that an operation makes has the extents that its author wrote, whatever view it is made
/// of.
static bool makesView(Operation *op) {
  return isa<DimsOpInterface>(op) && isa<ViewType>(op->getResult(0).getType());
}

void ExtentPlanner::relate(Operation *op) {
  // Values of one kind of type, kinds in order of appearance.
  llvm::SmallMapVector<TypeID, SmallVector<Value, 4>, 2> kinds;
  auto add = [&](Value value) {
    if (extents.contains(value))
      kinds[value.getType().getTypeID()].push_back(value);
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);
  for (auto &[kind, values] : kinds) {
    if (llvm::any_of(values, [&](Value value) { return !extents[value].isVisible; }))
      hold(values); // a number may or may not be what is not visible
    if (values.size() > 1)
      addRule(std::move(values), /*haveOneType=*/false);
  }
}

void ExtentPlanner::addRules(Operation *op) {
  if (op == unit) {
    if (!changesHeader)
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          hold(argument);
    return;
  }
  if (auto result = dyn_cast<FuncReturnOp>(op); result && op->getParentOp() == unit) {
    if (!changesHeader)
      return hold(op->getOperands());
    if (returned.empty())
      returned = llvm::to_vector(op->getOperands());
    for (auto [first, other] : llvm::zip(returned, op->getOperands()))
      addRule({first, other}, /*haveOneType=*/true);
    return;
  }
  if (hasForeignTypes(op)) {
    hold(op->getOperands());
    hold(op->getResults());
    return;
  }
  if (SmallVector<ValueRange> lists = getPassedLists(op); !lists.empty())
    return addPassedRules(op, lists);
  if (op->getNumRegions()) { // nothing is known of how this operation passes values on
    hold(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          hold(block.getTerminator()->getOperands());
    return;
  }
  if (!makesView(op) && !op->hasTrait<OpTrait::IsTerminator>())
    relate(op);
}

/// Drops the axes on which the values do not agree.
SmallVector<Value> ExtentPlanner::carryOutOneType(const Rule &rule) {
  SmallVector<Value> changed;
  size_t rank = 0;
  for (Value value : rule.values)
    if (auto *it = extents.find(value); it != extents.end())
      rank = it->second.chosen.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    auto chosen = [&](Value value) -> std::optional<int64_t> {
      auto *it = extents.find(value);
      bool exists = it != extents.end() && axis < it->second.chosen.size();
      return exists ? it->second.chosen[axis] : std::nullopt;
    };
    std::optional<int64_t> first = chosen(rule.values.front());
    if (llvm::all_of(rule.values, [&](Value value) { return chosen(value) == first; }))
      continue;
    for (Value value : rule.values)
      if (chosen(value)) {
        extents[value].chosen[axis].reset();
        changed.push_back(value);
      }
  }
  return changed;
}

/// A number that one of the values keeps as a value stays one in all of them.
SmallVector<Value> ExtentPlanner::carryOut(const Rule &rule) {
  if (rule.haveOneType)
    return carryOutOneType(rule);
  llvm::SmallSetVector<int64_t, 4> held;
  for (Value value : rule.values)
    for (auto [known, chosen] : llvm::zip(extents[value].known, extents[value].chosen))
      if (known && !chosen)
        held.insert(*known);
  SmallVector<Value> changed;
  if (held.empty())
    return changed;
  for (Value value : rule.values)
    for (std::optional<int64_t> &chosen : extents[value].chosen)
      if (chosen && held.contains(*chosen)) {
        chosen.reset();
        changed.push_back(value);
      }
  return changed;
}

void ExtentPlanner::carryOutRules() {
  // Axes are only ever dropped, so this ends, and the order does not matter.
  llvm::SetVector<unsigned> open;
  for (unsigned rule = rules.size(); rule-- > 0;)
    open.insert(rule);
  while (!open.empty())
    for (Value value : carryOut(rules[open.pop_back_val()]))
      for (unsigned rule : rulesOf[value])
        open.insert(rule);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// For each slot of `type`, that of `value`, whether it stays; a null value has nothing chosen.
SmallVector<bool> ExtentPlanner::keptSlots(Value value, Type type) const {
  SmallVector<bool> kept(countSlots(type), true);
  auto shaped = dyn_cast<ShapedType>(type);
  auto *it = extents.find(value);
  if (!shaped || it == extents.end())
    return kept;
  size_t slot = 0;
  for (auto [extent, chosen] : llvm::zip(shaped.getShape(), it->second.chosen))
    if (ShapedType::isDynamic(extent))
      kept[slot++] = !chosen;
  return kept;
}

Type ExtentPlanner::newType(Value value, Type type) const {
  auto *it = extents.find(value);
  if (it == extents.end())
    return type;
  auto shaped = cast<ShapedType>(type);
  SmallVector<int64_t> shape(shaped.getShape());
  for (auto [extent, chosen] : llvm::zip(shape, it->second.chosen))
    extent = chosen.value_or(extent);
  return shaped.cloneWith(ArrayRef<int64_t>(shape), shaped.getElementType());
}

/// Erases the operands with which `op` fills slots that are gone.
void ExtentPlanner::dropOwned(Operation *op) {
  OperandRange dims = cast<DimsOpInterface>(op).getDynamicDims();
  if (dims.empty())
    return;
  unsigned begin = dims.getBeginOperandIndex();
  SmallVector<bool> kept = keptSlots(op->getResult(0), op->getResult(0).getType());
  BitVector erased(op->getNumOperands());
  for (auto [slot, keeps] : llvm::enumerate(kept))
    if (!keeps && slot < dims.size())
      erased.set(begin + slot);
  if (erased.none())
    return;
  StringRef name = "operandSegmentSizes";
  if (auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(name)) {
    SmallVector<int32_t> left(sizes.asArrayRef());
    unsigned first = 0;
    for (int32_t &size : left) {
      bool isDims = first == begin && size == int32_t(dims.size());
      first += size;
      if (isDims)
        size -= erased.count();
    }
    op->setAttr(name, DenseI32ArrayAttr::get(op->getContext(), left));
  }
  op->eraseOperands(erased);
}

/// Appends the entries of `extents` for slots of `value` that stay; `next` is the first of them.
static void keepEntries(ArrayRef<bool> kept, ArrayRef<int64_t> extents, size_t &next,
                        SmallVectorImpl<int64_t> &left) {
  for (bool keeps : kept) {
    if (next >= extents.size())
      return;
    if (keeps)
      left.push_back(extents[next]);
    ++next;
  }
}

/// The same for the relation between the results of control flow (SCFOps.td).
void ExtentPlanner::dropEntries(Operation *op) {
  auto entries = op->getAttrOfType<DenseI64ArrayAttr>("extents");
  SmallVector<int64_t> left;
  size_t next = 0;
  for (OpResult result : op->getResults())
    keepEntries(keptSlots(result, result.getType()), entries.asArrayRef(), next, left);
  if (llvm::any_of(left, [](int64_t entry) { return entry < 0; }))
    op->setAttr("extents", DenseI64ArrayAttr::get(op->getContext(), left));
  else
    op->removeAttr("extents");
}

void ExtentPlanner::changeHeader(FuncDefOp function) {
  ArrayRef<int64_t> entries = function.getExtents().value_or(ArrayRef<int64_t>());
  SmallVector<int64_t> left;
  SmallVector<Type> results;
  size_t next = 0;
  for (BlockArgument parameter : function.getBody().getArguments())
    keepEntries(keptSlots(parameter, parameter.getType()), entries, next, left);
  for (auto [i, type] : llvm::enumerate(function.getSignatureResults())) {
    Value value = i < returned.size() ? returned[i] : Value();
    keepEntries(keptSlots(value, type), entries, next, left);
    results.push_back(newType(value, type));
  }
  Builder builder(function.getContext());
  function.setResultTypesAttr(builder.getTypeArrayAttr(results));
  if (left.empty())
    function.removeExtentsAttr();
  else
    function.setExtents(left);
}

void ExtentPlanner::apply() {
  // Entries and operands are found by the slots of the types as they were.
  unit->walk([&](Operation *op) {
    if (isa<DimsOpInterface>(op))
      dropOwned(op);
    else if (!getPassedLists(op).empty() && op->hasAttr("extents"))
      dropEntries(op);
  });
  if (auto function = dyn_cast<FuncDefOp>(unit); function && changesHeader)
    changeHeader(function);
  for (auto &[value, entry] : extents)
    value.setType(newType(value, value.getType()));
}

} // namespace

bool makeExtentsStatic(Operation *unit, bool changesHeader) {
  return hasDynamicExtents(unit) && ExtentPlanner(unit, changesHeader).run();
}

} // namespace loom
