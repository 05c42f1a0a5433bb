//===- Reader.cpp - From the payload of a .loombc file to a module --------===//
//
// Statements, on top of the tables. Nothing of the payload is believed (see Tables.h).
//
//===----------------------------------------------------------------------===//
#include "Tables.h"
#include "loom/IR/Loom.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/ScopeExit.h"
#include <map>

namespace loom::bytecode {
using namespace mlir;

namespace {

/// How many parts of one sort, such as operands, the accessors of an operation rely on.
struct PartCount {
  unsigned min = 0, max = UINT32_MAX;

  bool allows(unsigned count) const { return min <= count && count <= max; }
  void exactly(unsigned count, bool isSo) {
    if (isSo)
      min = max = count;
  }
  void atLeast(unsigned count, bool isSo) {
    if (isSo)
      min = std::max(min, count);
  }
};

/// What the traits of an operation say of its parts.
struct DeclaredCounts {
  explicit DeclaredCounts(OperationName name) {
    using namespace OpTrait;
    operands.exactly(0, name.hasTrait<ZeroOperands>());
    operands.exactly(1, name.hasTrait<OneOperand>());
    operands.atLeast(1, name.hasTrait<AtLeastNOperands<1>::Impl>());
    results.exactly(0, name.hasTrait<ZeroResults>());
    results.exactly(1, name.hasTrait<OneResult>());
    results.atLeast(1, name.hasTrait<AtLeastNResults<1>::Impl>());
    regions.exactly(0, name.hasTrait<ZeroRegions>());
    regions.exactly(1, name.hasTrait<OneRegion>());
    regions.atLeast(1, name.hasTrait<AtLeastNRegions<1>::Impl>());
    successors.exactly(0, name.hasTrait<ZeroSuccessors>());
    successors.exactly(1, name.hasTrait<OneSuccessor>());
    successors.atLeast(1, name.hasTrait<AtLeastNSuccessors<1>::Impl>());
    constexpr unsigned kMostDeclared = 16; // no operation declares that many
    readMore(name, std::make_integer_sequence<unsigned, kMostDeclared>());
    hasOperandSegments = name.hasTrait<AttrSizedOperandSegments>();
    hasResultSegments = name.hasTrait<AttrSizedResultSegments>();
  }

  bool hold(Operation *op) const {
    return operands.allows(op->getNumOperands()) && results.allows(op->getNumResults()) &&
           regions.allows(op->getNumRegions()) && successors.allows(op->getNumSuccessors()) &&
           (!hasOperandSegments ||
            succeeded(OpTrait::impl::verifyOperandSizeAttr(op, "operandSegmentSizes"))) &&
           (!hasResultSegments ||
            succeeded(OpTrait::impl::verifyResultSizeAttr(op, "resultSegmentSizes")));
  }

private:
  template <unsigned... N>
  void readMore(OperationName name, std::integer_sequence<unsigned, N...>) {
    (readMore<N + 2>(name), ...); // MLIR has other traits for none and one
  }
  template <unsigned N> void readMore(OperationName name) {
    using namespace OpTrait;
    operands.exactly(N, name.hasTrait<NOperands<N>::template Impl>());
    operands.atLeast(N, name.hasTrait<AtLeastNOperands<N>::template Impl>());
    results.exactly(N, name.hasTrait<NResults<N>::template Impl>());
    results.atLeast(N, name.hasTrait<AtLeastNResults<N>::template Impl>());
    regions.exactly(N, name.hasTrait<NRegions<N>::template Impl>());
    regions.atLeast(N, name.hasTrait<AtLeastNRegions<N>::template Impl>());
    successors.exactly(N, name.hasTrait<NSuccessors<N>::template Impl>());
    successors.atLeast(N, name.hasTrait<AtLeastNSuccessors<N>::template Impl>());
  }

  PartCount operands, results, regions, successors;
  bool hasOperandSegments = false, hasResultSegments = false;
};

/// An operation of which there are statements, and what is asked of it once for all of them.
struct NamedOperation {
  explicit NamedOperation(OperationName name)
      : name(name), counts(name), isIsolated(name.hasTrait<OpTrait::IsIsolatedFromAbove>()) {}

  OperationName name;
  DeclaredCounts counts;
  bool isIsolated;
};

class ModuleReader {
public:
  ModuleReader(StringRef payload, Location loc) : in(payload), tables(in, loc) {}

  OwningOpRef<ModuleOp> read() {
    OwningOpRef<Operation *> root;
    if (succeeded(tables.readDialects()) && succeeded(readNames()) &&
        succeeded(tables.readEntries()) && succeeded(readForms()))
      root = readStatement({}, 0);
    if (!root) {
      if (!tables.hasReported())
        tables.emitError("it cannot be read");
      return {};
    }
    auto module = dyn_cast<ModuleOp>(*root);
    if (in.left() || !awaited.empty() || !module || !module.getBodyRegion().hasOneBlock()) {
      tables.emitError("it does not hold one module");
      return {};
    }
    if (!areForwardUsesSound(module)) {
      tables.emitError("a value is used where it is not defined");
      return {};
    }
    root.release();
    return module;
  }

private:
  /// What statements have in common. The properties are those of `state`.
  struct Form {
    Form(const NamedOperation &operation, Location location)
        : operation(operation), state(location, operation.name) {}

    const NamedOperation &operation;
    OperationState state;
    DictionaryAttr attributes;
    uint64_t operands = 0, successors = 0, regions = 0;
    bool listsResults = false;
    bool isChecked = false; ///< attributes are of the kinds that the operation declares
  };

  LogicalResult readNames();
  LogicalResult readForms();
  LogicalResult readForm();
  /// Checks the attributes and the counts of the first operation of a form: verifiers of other
  /// operations look at them before its own has run.
  LogicalResult checkParts(Form &form, Operation *op);
  Operation *readStatement(ArrayRef<Block *> blocks, unsigned depth);
  LogicalResult readResultTypes(SmallVectorImpl<Type> &types);
  LogicalResult readRegions(const Form &form, SmallVectorImpl<std::unique_ptr<Region>> &regions,
                            unsigned depth);
  LogicalResult readRegion(Region &region, unsigned depth);
  LogicalResult readOperands(MutableArrayRef<Value> operands);
  LogicalResult readSuccessors(ArrayRef<Block *> blocks, MutableArrayRef<Block *> successors);
  LogicalResult readLocation(LocationAttr &location);
  /// Gives `value` the next number.
  void define(Value value);
  /// Stands for a value that is still to come.
  Value await(uint64_t number);
  /// Whether `value`, which was read, belongs to a region that encloses the present statement.
  bool isVisible(Value value) const;
  /// Whether the values that were awaited dominate their uses. What walks from a value to what it
  /// is made of would not end otherwise, and verifiers do.
  bool areForwardUsesSound(ModuleOp module);

  Bytes in;
  TableReader tables;
  std::vector<NamedOperation> operations; ///< complete before the first form refers to one
  std::vector<std::unique_ptr<Form>> forms;

  /// Values so far, and where those of the innermost isolated operation begin.
  std::vector<Value> values;
  size_t scope = 0;
  /// Stand for values of that operation which are still to come, by their number.
  std::map<uint64_t, Operation *> awaited;
  Block standIns; ///< owns them
  std::vector<std::pair<Value, Operation *>> forwardUses;
  std::vector<Region *> openRegions; ///< from the outside to the inside

  StringAttr file; ///< of the last location, and its line
  int64_t line = 0;
};

LogicalResult ModuleReader::readNames() {
  uint64_t count;
  if (!in.readCount(count))
    return tables.truncated();
  MLIRContext *context = tables.getContext();
  for (uint64_t i = 0; i < count; ++i) {
    StringRef name;
    if (!in.readString(name))
      return tables.truncated();
    auto registered = RegisteredOperationName::lookup(name, context);
    if (!registered && context->getOrLoadDialect(name.split('.').first))
      registered = RegisteredOperationName::lookup(name, context);
    if (!registered)
      return tables.damaged("there is no operation '" + name + "'");
    operations.emplace_back(*registered);
  }
  return success();
}

LogicalResult ModuleReader::readForms() {
  uint64_t count;
  if (!in.readCount(count))
    return tables.truncated();
  for (uint64_t i = 0; i < count; ++i)
    if (failed(tables.readWithin([&] { return readForm(); })))
      return failure();
  return success();
}

LogicalResult ModuleReader::readForm() {
  uint64_t name, results;
  if (!in.readVarInt(name) || name >= operations.size())
    return tables.damaged("the name of an operation is missing");
  auto form = std::make_unique<Form>(operations[name], UnknownLoc::get(tables.getContext()));
  OperationState &state = form->state;
  for (uint64_t *count : {&form->operands, &form->successors, &form->regions})
    if (!in.readVarInt(*count) || *count > UINT32_MAX)
      return tables.damaged("an operation has too many parts");
  if (!in.readVarInt(results) || results > kMaxFormResults + 1)
    return tables.damaged("an operation has too many results");
  form->listsResults = results > 0;
  for (; results > 1; --results)
    if (failed(tables.readType(state.types.emplace_back())))
      return failure();
  if (failed(tables.readOptionalAttribute(form->attributes)))
    return failure();
  if (!form->attributes)
    form->attributes = DictionaryAttr::get(tables.getContext());
  if (auto *properties = state.name.getInterface<BytecodeOpInterface>()) {
    if (failed(properties->readProperties(tables, state)))
      return failure();
  } else if (state.name.getOpPropertyByteSize()) {
    if (failed(tables.readOptionalAttribute(state.propertiesAttr)))
      return failure();
  }
  forms.push_back(std::move(form));
  return success();
}

Operation *ModuleReader::readStatement(ArrayRef<Block *> blocks, unsigned depth) {
  uint64_t number;
  LocationAttr location;
  if (!in.readVarInt(number) || number >= forms.size()) {
    tables.emitError("the form of a statement is missing");
    return nullptr;
  }
  Form &form = *forms[number];
  if (failed(readLocation(location)))
    return nullptr;
  if (form.operands + form.successors + form.regions > in.left()) {
    tables.emitError("a statement has too many parts");
    return nullptr;
  }
  if (depth > kMaxNesting) {
    tables.emitError("regions are nested too deep");
    return nullptr;
  }
  SmallVector<Type> types;
  if (!form.listsResults && failed(readResultTypes(types)))
    return nullptr;

  SmallVector<std::unique_ptr<Region>, 2> regions;
  // Regions are destroyed one after the other, while they may use each other's values.
  llvm::scope_exit drop([&] {
    for (std::unique_ptr<Region> &region : regions)
      region->dropAllReferences();
  });
  if (form.regions && failed(readRegions(form, regions, depth)))
    return nullptr;

  SmallVector<Value, 8> operands(form.operands);
  SmallVector<Block *, 2> successors(form.successors);
  if (failed(readOperands(operands)) || failed(readSuccessors(blocks, successors)))
    return nullptr;
  Operation *op = Operation::create(
      Location(location), form.state.name,
      form.listsResults ? TypeRange(form.state.types) : TypeRange(types), operands, form.attributes,
      form.state.getRawProperties(), successors, form.regions);
  if (form.state.propertiesAttr &&
      failed(op->setPropertiesFromAttribute(form.state.propertiesAttr,
                                            [&] { return tables.emitError(); }))) {
    op->erase();
    return nullptr;
  }
  if (!form.isChecked && failed(checkParts(form, op))) {
    tables.emitError("'" + getTextName(op) + "' does not have the parts that it declares");
    op->erase();
    return nullptr;
  }
  for (auto [region, body] : llvm::zip(op->getRegions(), regions))
    region.takeBody(*body);
  for (Value result : op->getResults())
    define(result);
  return op;
}

LogicalResult ModuleReader::checkParts(Form &form, Operation *op) {
  NamedAttrList attributes(op->getRawDictionaryAttrs());
  form.state.name.populateInherentAttrs(op, attributes);
  // What MLIR says speaks of constraints by the compiler's names.
  ScopedDiagnosticHandler quiet(tables.getContext(), [](Diagnostic &) { return success(); });
  bool isSound =
      form.operation.counts.hold(op) &&
      succeeded(form.state.name.verifyInherentAttrs(attributes, [&] { return op->emitError(); }));
  form.isChecked = isSound && form.listsResults; // else the number of results may be another one
  return success(isSound);
}

LogicalResult ModuleReader::readResultTypes(SmallVectorImpl<Type> &types) {
  uint64_t count;
  if (!in.readCount(count))
    return tables.truncated();
  types.resize(count);
  for (Type &type : types)
    if (failed(tables.readType(type)))
      return failure();
  return success();
}

LogicalResult ModuleReader::readRegions(const Form &form,
                                        SmallVectorImpl<std::unique_ptr<Region>> &regions,
                                        unsigned depth) {
  if (!form.operation.isIsolated) {
    for (uint64_t i = 0; i < form.regions; ++i)
      if (failed(readRegion(*regions.emplace_back(std::make_unique<Region>()), depth)))
        return failure();
    return success();
  }
  size_t outer = std::exchange(scope, values.size());
  std::map<uint64_t, Operation *> outerAwaited = std::exchange(awaited, {});
  for (uint64_t i = 0; i < form.regions; ++i)
    if (failed(readRegion(*regions.emplace_back(std::make_unique<Region>()), depth)))
      return failure();
  if (!awaited.empty())
    return tables.damaged("a value is missing");
  values.resize(scope);
  scope = outer;
  awaited = std::move(outerAwaited);
  return success();
}

LogicalResult ModuleReader::readRegion(Region &region, unsigned depth) {
  uint64_t count;
  if (!in.readCount(count))
    return tables.truncated();
  SmallVector<Block *> blocks;
  for (uint64_t i = 0; i < count; ++i)
    region.push_back(blocks.emplace_back(new Block()));
  openRegions.push_back(&region);
  llvm::scope_exit close([&] { openRegions.pop_back(); });
  for (Block *block : blocks) {
    if (!in.readCount(count))
      return tables.truncated();
    for (; count; --count) {
      Type type;
      LocationAttr location;
      if (failed(tables.readType(type)) || failed(readLocation(location)))
        return failure();
      define(block->addArgument(type, Location(location)));
    }
    if (!in.readCount(count))
      return tables.truncated();
    for (; count; --count) {
      Operation *op = readStatement(blocks, depth + 1);
      if (!op)
        return failure();
      block->push_back(op);
    }
  }
  return success();
}

bool ModuleReader::isVisible(Value value) const {
  return llvm::is_contained(llvm::reverse(openRegions), value.getParentRegion());
}

LogicalResult ModuleReader::readOperands(MutableArrayRef<Value> operands) {
  for (Value &operand : operands) {
    uint64_t distance;
    if (!in.readVarInt(distance) || distance > values.size() - scope)
      return tables.damaged("a value is missing");
    if (distance) {
      operand = values[values.size() - distance];
      if (!isVisible(operand))
        return tables.damaged("a value is used outside of its region");
    } else if (in.readVarInt(distance) && distance <= UINT32_MAX) {
      operand = await(values.size() + distance);
    } else {
      return tables.damaged("a value is missing");
    }
  }
  return success();
}

Value ModuleReader::await(uint64_t number) {
  Operation *&standIn = awaited[number];
  if (!standIn) {
    OpBuilder b(tables.getContext());
    b.setInsertionPointToEnd(&standIns);
    standIn = UnrealizedConversionCastOp::create(b, UnknownLoc::get(tables.getContext()),
                                                 b.getNoneType(), ValueRange());
  }
  return standIn->getResult(0);
}

LogicalResult ModuleReader::readSuccessors(ArrayRef<Block *> blocks,
                                           MutableArrayRef<Block *> successors) {
  for (Block *&successor : successors) {
    uint64_t position;
    if (!in.readVarInt(position) || position >= blocks.size())
      return tables.damaged("a block is missing");
    successor = blocks[position];
  }
  return success();
}

void ModuleReader::define(Value value) {
  if (LLVM_UNLIKELY(!awaited.empty()))
    if (auto it = awaited.find(values.size()); it != awaited.end()) {
      for (Operation *user : it->second->getUsers())
        forwardUses.emplace_back(value, user);
      it->second->getResult(0).replaceAllUsesWith(value);
      it->second->erase();
      awaited.erase(it);
    }
  values.push_back(value);
}

bool ModuleReader::areForwardUsesSound(ModuleOp module) {
  DominanceInfo dominance(module);
  return llvm::all_of(forwardUses, [&](std::pair<Value, Operation *> use) {
    auto [value, user] = use;
    Operation *inside = value.getParentRegion()->findAncestorOpInRegion(*user);
    return inside && dominance.isReachableFromEntry(inside->getBlock()) &&
           dominance.properlyDominates(value, user);
  });
}

LogicalResult ModuleReader::readLocation(LocationAttr &location) {
  uint64_t head;
  if (!in.readVarInt(head))
    return tables.truncated();
  auto kind = static_cast<LocationKind>(head % 4);
  Attribute attribute;
  if (head / 4) {
    attribute = tables.getAttribute(head / 4 - 1);
    if (!attribute)
      return tables.damaged("an attribute is missing");
  }
  if (kind == LocationKind::Attribute) {
    location = dyn_cast_or_null<LocationAttr>(attribute);
    return location ? success() : tables.damaged("a location is missing");
  }

  DictionaryAttr comments;
  if (kind == LocationKind::InFile &&
      (failed(tables.readAttribute(file)) || failed(tables.readOptionalAttribute(comments))))
    return failure();
  if (kind == LocationKind::Commented && failed(tables.readAttribute(comments)))
    return failure();
  int64_t lines;
  uint64_t column;
  if (!in.readSignedVarInt(lines) || !in.readVarInt(column))
    return tables.truncated();
  auto name = dyn_cast_or_null<StringAttr>(attribute);
  if (!file || (attribute && !name) || lines < -line || lines > UINT32_MAX - line ||
      column > UINT32_MAX)
    return tables.damaged("a location is none");
  line += lines;
  location = SourceLocAttr::get(tables.getContext(), file, line, column, name, comments);
  return success();
}

} // namespace

OwningOpRef<ModuleOp> readPayload(StringRef payload, Location loc) {
  return ModuleReader(payload, loc).read();
}

} // namespace loom::bytecode
