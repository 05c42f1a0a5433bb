//===- SignatureRules.cpp - What headers and calls have to satisfy --------===//
#include "loom/IR/CallRules.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/SourceInfo.h"
#include "loom/IR/Ties.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

SmallVector<Value> getParameterDims(BlockArgument parameter, DenseI64ArrayAttr extents) {
  Block *block = parameter.getOwner();
  unsigned slot = 0, count = countSlots(parameter.getType());
  if (!block->isEntryBlock())
    return {};
  for (BlockArgument earlier : block->getArguments().take_front(parameter.getArgNumber()))
    slot += countSlots(earlier.getType());
  if (!extents || slot + count > extents.size())
    return {};
  SmallVector<Value> dims;
  for (int64_t extent : extents.asArrayRef().slice(slot, count)) {
    if (extent < 0 || extent >= block->getNumArguments())
      return {};
    dims.push_back(block->getArgument(extent)); // a parameter, or an extent behind them
  }
  return dims;
}

unsigned countExtentNames(Operation *op) {
  auto names = op->getAttrOfType<ArrayAttr>("extent_names");
  return names ? names.size() : 0;
}

Block::BlockArgListType getHeaderParameters(Operation *op, Region &body) {
  Block::BlockArgListType all = body.getArguments();
  return all.drop_back(std::min<size_t>(countExtentNames(op), all.size()));
}

/// What fills the slots of `arguments`, in order; null for a slot where that is not visible.
static SmallVector<Value> collectDims(OperandRange arguments) {
  SmallVector<Value> all;
  for (Value argument : arguments) {
    SmallVector<Value> dims = getDynamicDims(argument);
    dims.resize(countSlots(argument.getType()));
    llvm::append_range(all, dims);
  }
  return all;
}

SmallVector<Value> bindExtentNames(OperandRange arguments, DenseI64ArrayAttr extents,
                                   unsigned count) {
  SmallVector<Value> bound(count);
  if (!count || !extents)
    return bound;
  llvm::SmallBitVector seen(count);
  for (auto [dim, extent] : llvm::zip(collectDims(arguments), extents.asArrayRef())) {
    int64_t name = extent - int64_t(arguments.size());
    if (name < 0 || name >= count || seen.test(name))
      continue;
    seen.set(name);
    bound[name] = dim;
  }
  return bound;
}

SmallVector<Value> getCallResultDims(OpResult result, OperandRange arguments,
                                     DenseI64ArrayAttr extents) {
  Operation *call = result.getOwner();
  unsigned slot = 0, count = countSlots(result.getType());
  for (OpResult earlier : call->getResults().take_front(result.getResultNumber()))
    slot += countSlots(earlier.getType());
  if (!extents || slot + count > extents.size())
    return {};
  SmallVector<Value> dims, passed;
  for (int64_t extent : extents.asArrayRef().slice(slot, count)) {
    int64_t inArguments = extent - int64_t(arguments.size());
    if (inArguments >= 0 && passed.empty())
      passed = collectDims(arguments);
    if (inArguments >= int64_t(passed.size()) || -1 - extent >= int64_t(call->getNumResults()))
      return {};
    Value dim = inArguments >= 0 ? passed[inArguments]
                : extent >= 0    ? arguments[extent]
                                 : Value(call->getResult(-1 - extent));
    if (!dim)
      return {};
    dims.push_back(dim);
  }
  return dims;
}

/// Whether a value of type `filler` can fill the slot `slot` of `type`: a layout comes last.
static bool canFill(Type filler, Type type, unsigned slot) {
  bool isLayout =
      isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(type)) && slot + 1 == countSlots(type);
  return isLayout ? isa<EncodingType>(filler) : isa<IndexType>(filler);
}

LogicalResult verifyExtents(Operation *op, TypeRange inputs, TypeRange results,
                            DenseI64ArrayAttr extents, unsigned count) {
  unsigned next = 0;
  int64_t known = inputs.size(); // parameters, and the extents that slots have named so far
  const int64_t all = known + count;
  ArrayRef<int64_t> given = extents ? extents.asArrayRef() : ArrayRef<int64_t>();
  Type index = IndexType::get(op->getContext());
  auto check = [&](Type type, bool isParameter) -> LogicalResult {
    for (unsigned slot = 0, slots = countSlots(type); slot < slots; ++slot) {
      if (next == given.size())
        return emitCoded(op, DiagCode::StructureVariadic, "an extent of ")
               << type << " in the header has no value";
      int64_t extent = given[next++];
      if (isParameter && extent == known && known < all)
        ++known;
      bool exists = extent >= 0 ? extent < known : -1 - extent < int64_t(results.size());
      Type filler = !exists                           ? Type()
                    : extent < 0                      ? results[-1 - extent]
                    : extent < int64_t(inputs.size()) ? inputs[extent]
                                                      : index;
      if (!exists || !canFill(filler, type, slot))
        return emitCoded(op, DiagCode::TypeOperand,
                         "an extent in the header is an index, and a "
                         "layout an encoding");
    }
    return success();
  };
  for (Type type : inputs)
    if (failed(check(type, /*isParameter=*/true)))
      return failure();
  for (Type type : results)
    if (failed(check(type, /*isParameter=*/false)))
      return failure();
  if (known == all)
    return success();
  return emitCoded(op, DiagCode::StructureVariadic,
                   "an extent that a header names itself is one of a parameter");
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

/// A body has an index for each extent that its header names itself.
static LogicalResult verifyExtentNames(Operation *op, TypeRange inputs) {
  unsigned count = countExtentNames(op);
  if (!count || !op->getNumRegions())
    return success();
  TypeRange types = op->getRegions().back().getArgumentTypes();
  if (types.size() == inputs.size() + count &&
      llvm::all_of(types.take_back(count), llvm::IsaPred<IndexType>))
    return success();
  return emitCoded(op, DiagCode::StructureVariadic,
                   "a body has an index for each extent that its header names itself");
}

LogicalResult verifyHeader(Operation *op, TypeRange inputs, TypeRange results) {
  if (failed(verifyExtentNames(op, inputs)) ||
      failed(verifyExtents(op, inputs, results, op->getAttrOfType<DenseI64ArrayAttr>("extents"),
                           countExtentNames(op))))
    return failure();
  auto names = op->getAttrOfType<ArrayAttr>("result_names");
  auto parameters = op->getAttrOfType<ArrayAttr>("arg_names");
  if ((names && names.size() != results.size()) ||
      (parameters && parameters.size() != inputs.size()))
    return emitCoded(op, DiagCode::StructureVariadic,
                     "a header has one name for each parameter and result");
  SmallVector<Type> types = llvm::to_vector(inputs);
  if (names)
    llvm::append_range(types, results);
  auto where = op->getAttrOfType<ArrayAttr>("where");
  if (where && failed(verifyPredicates(op, where, types, types.size())))
    return failure();
  auto exported = op->getAttrOfType<StringAttr>("export_name");
  if (exported && failed(verifyExportName(op, exported.getValue())))
    return failure();
  auto visibility = op->getAttrOfType<StringAttr>("sym_visibility");
  if (op->hasAttr("export_metadata") && !exported && (!visibility || visibility != "public"))
    return emitCoded(op, DiagCode::StructureValue,
                     "export_metadata(...) describes an export; the symbol has to be public or to "
                     "have export(\"name\")");
  return success();
}

FailureOr<Operation *> verifyTarget(Operation *op, SymbolTableCollection &tables) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("target");
  if (!name)
    return nullptr;
  Operation *record = lookupSymbol(op, name, &tables);
  if (!record)
    return emitUndefined(op, "target", name);
  StringRef word = getTextName(record);
  if (word.ends_with(".target") || word.starts_with("target."))
    return record;
  InFlightDiagnostic diag = emitCoded(atSymbol(op, name.getValue()), DiagCode::SymbolKind, "@");
  diag << name.getValue() << " is a '" << word << "', not a target";
  diag.attachNote(record->getLoc()) << "defined here";
  return diag;
}

/// Reports that `block` of `owner` has to end in `terminator`: at what ends it otherwise, or where
/// the terminator is missing.
static LogicalResult reportTerminator(Operation *owner, Block &block, StringRef what,
                                      StringRef terminator) {
  bool isEnded = !block.empty() && block.back().hasTrait<OpTrait::IsTerminator>();
  InFlightDiagnostic diag = emitCoded(isEnded ? block.back().getLoc() : atEndOf(block),
                                      DiagCode::StructureWrongTerminator, what);
  diag << " of '" << getTextName(owner) << "' has to end in '" << terminator << "'";
  if (!isEnded)
    diag << ", which is missing here";
  return diag;
}

LogicalResult verifyBody(Operation *owner, Region &body, ArrayRef<StringRef> terminators) {
  for (Block &block : body) {
    Operation *last = block.empty() ? nullptr : &block.back();
    if (last && last->getNumSuccessors())
      continue;
    if (last && llvm::is_contained(terminators, getTextName(last)))
      continue;
    return reportTerminator(owner, block, block.isEntryBlock() ? "this region" : "a block",
                            terminators.front());
  }
  return success();
}

LogicalResult verifyTerminator(Operation *owner, Region &region, StringRef terminator) {
  if (region.empty())
    return emitCoded(owner, DiagCode::StructureWrongTerminator, "a region of '")
           << getTextName(owner) << "' has to end in '" << terminator << "', but it has no block";
  Block &block = region.front();
  if (!block.empty() && getTextName(&block.back()) == terminator)
    return success();
  return reportTerminator(owner, block, "this region", terminator);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult verifyExportName(Operation *op, StringRef name) {
  bool plain = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || StringRef("_.$").contains(c);
  });
  if (!plain)
    return emitCoded(op, DiagCode::StructureValue,
                     "an exported name has one or more letters, digits, '_', '.' or '$'");
  if (name.starts_with("llvm.") || name.ends_with(".kd"))
    return emitCoded(op, DiagCode::StructureValue, "the exported name ")
           << name << " is reserved: names that begin with 'llvm.' are intrinsics, names that end "
           << "in '.kd' kernel descriptors";
  return success();
}

namespace {
/// The parameters of a callee, or those of its workload, as messages name them.
struct DeclaredParameters {
  SignatureOpInterface callee;
  bool isWorkload = false;

  /// The parameters in front of the body or configuration; none for a declaration.
  Block::BlockArgListType arguments() const {
    Operation *op = callee;
    if (!op->getNumRegions())
      return {};
    Region &region = isWorkload ? op->getRegions().front() : op->getRegions().back();
    return region.empty() ? Block::BlockArgListType() : region.getArguments();
  }
  /// The name of a parameter, or of an extent that the header names itself; with `%`, empty
  /// without one.
  std::string name(size_t i) const;
  /// The type of a parameter with the names of its extents.
  std::string type(size_t i, Type type) const;
  /// Of a result.
  std::string resultType(size_t i, Type type) const;
  /// What the slot `slot` of the signature is filled with.
  std::string extent(size_t slot) const;
  Location loc(size_t i) const;
};
} // namespace

std::string DeclaredParameters::name(size_t i) const {
  if (auto all = arguments(); i < all.size())
    return spellValue(all[i]);
  auto names = callee->getAttrOfType<ArrayAttr>(isWorkload ? "workload_names" : "arg_names");
  if (!names)
    return {};
  if (i >= names.size()) {
    i -= names.size();
    names = callee->getAttrOfType<ArrayAttr>("extent_names");
  }
  auto name = names && i < names.size() ? dyn_cast<StringAttr>(names[i]) : StringAttr();
  return name ? ("%" + name.getValue()).str() : std::string();
}

std::string DeclaredParameters::extent(size_t slot) const {
  auto extents = callee->getAttrOfType<DenseI64ArrayAttr>("extents");
  if (isWorkload || !extents || slot >= size_t(extents.size()))
    return {};
  if (extents[slot] >= 0)
    return name(extents[slot]);
  auto names = callee->getAttrOfType<ArrayAttr>("result_names");
  uint64_t result = -1 - extents[slot];
  auto name = names && result < names.size() ? dyn_cast<StringAttr>(names[result]) : StringAttr();
  return name ? ("%" + name.getValue()).str() : std::string();
}

/// Slots of the types in front of `i`.
static size_t countSlotsBefore(ArrayRef<Type> types, size_t i) {
  size_t count = 0;
  for (Type type : types.take_front(i))
    count += countSlots(type);
  return count;
}

/// `type` with the extents from `slot` on.
static std::string spellDeclaredType(const DeclaredParameters &names, Type type, size_t slot) {
  std::string result;
  llvm::raw_string_ostream os(result);
  printTextType(os, type, [&](unsigned i) {
    std::string extent = names.extent(slot + i);
    os << (extent.empty() ? "?" : extent);
  });
  return result;
}

std::string DeclaredParameters::type(size_t i, Type type) const {
  SmallVector<Type> inputs = SignatureOpInterface(callee).getSignatureInputs();
  return spellDeclaredType(*this, type, countSlotsBefore(inputs, i));
}

std::string DeclaredParameters::resultType(size_t i, Type type) const {
  SmallVector<Type> types = SignatureOpInterface(callee).getSignatureInputs();
  size_t inputs = types.size();
  llvm::append_range(types, SignatureOpInterface(callee).getSignatureResults());
  return spellDeclaredType(*this, type, countSlotsBefore(types, inputs + i));
}

Location DeclaredParameters::loc(size_t i) const {
  if (auto all = arguments(); i < all.size())
    return all[i].getLoc();
  std::string word = name(i);
  if (word.empty())
    return callee->getLoc();
  // A kernel that is declared names a launch parameter behind the workload.
  auto workload = callee->getAttrOfType<ArrayAttr>("workload_names");
  Builder b(callee->getContext());
  bool isSecond = !isWorkload && workload &&
                  llvm::is_contained(workload, Attribute(b.getStringAttr(word.substr(1))));
  return atWord(callee, word, isSecond);
}

static std::string nameSymbol(Operation *op) {
  return ("@" + SymbolTable::getSymbolName(op).getValue()).str();
}

static LogicalResult verifyCount(Operation *op, SignatureOpInterface callee, StringRef what,
                                 size_t actual, size_t expected, DiagCode code) {
  if (actual == expected)
    return success();
  InFlightDiagnostic diag = emitCoded(op, code, "'");
  diag << getTextName(op) << "' has " << counted(actual, what) << ", but " << nameSymbol(callee)
       << " has " << expected;
  diag.attachNote(callee->getLoc()) << "declared here";
  return diag;
}

LogicalResult verifyArguments(Operation *op, SignatureOpInterface callee, StringRef what,
                              OperandRange arguments, ArrayRef<Type> expected) {
  if (failed(verifyCount(op, callee, what, arguments.size(), expected.size(),
                         DiagCode::StructureOperandCount)))
    return failure();
  DeclaredParameters parameters{callee, what.starts_with("workload")};
  for (auto [i, value, wanted] : llvm::enumerate(arguments, expected)) {
    Type got = value.getType();
    if (got == wanted || (isa<BufferType>(wanted) && isa<TensorType, ViewType>(got) &&
                          getTextName(op) == "kernel.launch"))
      continue;
    InFlightDiagnostic diag = emitCoded(atOperand(op, arguments.getBeginOperandIndex() + i),
                                        DiagCode::TypeMismatch, spellPassed(value, what, i));
    diag << " has type " << spellType(value) << ", but the parameter " << parameters.name(i)
         << " of " << nameSymbol(callee) << " has type " << parameters.type(i, wanted);
    diag.attachNote(parameters.loc(i)) << "declared here";
    return diag;
  }
  return success();
}

LogicalResult verifyPassed(Operation *op, SignatureOpInterface callee, StringRef what,
                           TypeRange actual, ArrayRef<Type> expected, DiagCode countCode) {
  if (failed(verifyCount(op, callee, what, actual.size(), expected.size(), countCode)))
    return failure();
  for (auto [i, got, wanted] : llvm::enumerate(actual, expected)) {
    if (got == wanted)
      continue;
    InFlightDiagnostic diag = emitCoded(op, DiagCode::TypeMismatch, "");
    diag << what << " " << i << " has type " << got << ", but that of " << nameSymbol(callee)
         << " has type " << wanted;
    diag.attachNote(callee->getLoc()) << "declared here";
    return diag;
  }
  return success();
}

/// Reports the first extent that the header of `callee` names itself and that is not visible in
/// what `op` passes.
static LogicalResult verifyBound(Operation *op, SignatureOpInterface callee,
                                 ArrayRef<Value> bound) {
  for (auto [i, value] : llvm::enumerate(bound)) {
    if (value)
      continue;
    auto name = dyn_cast<StringAttr>(callee->getAttrOfType<ArrayAttr>("extent_names")[i]);
    InFlightDiagnostic diag = emitCoded(op, DiagCode::TypeMismatch, "the callee names an extent %");
    diag << (name ? name.getValue() : StringRef()) << ", but where that of the argument comes from "
         << "is not visible here";
    diag.attachNote(callee->getLoc()) << "declared here";
    return diag;
  }
  return success();
}

static std::string orUnnamed(std::string name) {
  return name.empty() ? "a value without a name" : name;
}

/// "extent %n" or "layout %l".
static std::string describeSlot(Value value, unsigned slot, Value filler) {
  bool isLayout = isa_and_nonnull<DynamicLayoutAttr>(getTypeLayout(value.getType())) &&
                  slot + 1 == countSlots(value.getType());
  return (isLayout ? "layout " : "extent ") + orUnnamed(spellValue(filler));
}

/// Checks the slots of the types that the arguments and results of `op` have against the header of
/// the callee: slot by slot the value that the call passes for, or receives as, the parameter or
/// result named there. Slots with one of the header's own extents have the same value.
static LogicalResult verifyPassedExtents(Operation *op, SignatureOpInterface callee,
                                         OperandRange arguments) {
  auto extents = callee->getAttrOfType<DenseI64ArrayAttr>("extents");
  if (!extents)
    return success();
  SmallVector<Value> bound = bindExtentNames(arguments, extents, countExtentNames(callee));
  if (failed(verifyBound(op, callee, bound)))
    return failure();
  unsigned next = 0;
  DeclaredParameters parameters{callee};
  auto check = [&](Value value, Location place, std::string name, Location declared) {
    int64_t first = next;
    next += countSlots(value.getType());
    for (auto [slot, dim] : llvm::enumerate(getDynamicDims(value))) {
      if (first + int64_t(slot) >= extents.size())
        return success(); // reported at the header
      int64_t extent = extents[first + int64_t(slot)], own = extent - int64_t(arguments.size());
      if (own >= int64_t(bound.size()) || -1 - extent >= int64_t(op->getNumResults()))
        return success();
      Value wanted = own >= 0      ? bound[own]
                     : extent >= 0 ? arguments[extent]
                                   : Value(op->getResult(-1 - extent));
      if (isSameExtent(dim, wanted))
        continue;
      InFlightDiagnostic diag = emitCoded(place, DiagCode::TypeMismatch, name);
      diag << " has the " << describeSlot(value, slot, dim) << ", but " << nameSymbol(callee)
           << " names " << orUnnamed(parameters.extent(first + slot)) << ", which is "
           << orUnnamed(spellValue(wanted)) << " here";
      diag.attachNote(declared) << "declared here";
      return LogicalResult(diag);
    }
    return success();
  };
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (countSlots(argument.getType()) &&
        failed(check(argument, atOperand(op, arguments.getBeginOperandIndex() + i),
                     spellPassed(argument, "argument", i), parameters.loc(i))))
      return failure();
  for (OpResult result : op->getResults())
    if (failed(check(result, op->getLoc(), spellPassed(result, "result", result.getResultNumber()),
                     callee->getLoc())))
      return failure();
  return success();
}

LogicalResult verifyCall(Operation *op, SignatureOpInterface callee, OperandRange arguments) {
  if (failed(verifyArguments(op, callee, "argument", arguments, callee.getSignatureInputs())) ||
      failed(verifyPassed(op, callee, "result", op->getResultTypes(), callee.getSignatureResults(),
                          DiagCode::StructureResultCount)) ||
      failed(verifyPassedExtents(op, callee, arguments)))
    return failure();
  return verifyTies(op, kCallTies, arguments);
}

/// Checks that extents of returned values are the parameters, or returned values, that the header
/// names.
static LogicalResult verifyReturnedExtents(Operation *returnOp, Operation *owner) {
  auto extents = owner->getAttrOfType<DenseI64ArrayAttr>("extents");
  Block &entry = owner->getRegions().back().front();
  unsigned next = 0;
  for (BlockArgument parameter : entry.getArguments())
    next += countSlots(parameter.getType());
  for (auto [i, value] : llvm::enumerate(returnOp->getOperands())) {
    int64_t first = next;
    next += countSlots(value.getType());
    for (auto [slot, dim] : llvm::enumerate(getDynamicDims(value))) {
      if (!extents || first + int64_t(slot) >= extents.size())
        return success(); // reported at the header
      int64_t extent = extents[first + int64_t(slot)];
      if (extent >= entry.getNumArguments() || -1 - extent >= returnOp->getNumOperands())
        return success();
      Value wanted =
          extent >= 0 ? Value(entry.getArgument(extent)) : returnOp->getOperand(-1 - extent);
      if (isSameExtent(dim, wanted))
        continue;
      InFlightDiagnostic diag =
          emitCoded(atOperand(returnOp, i), DiagCode::TypeMismatch, spellPassed(value, "value", i));
      diag << " has the " << describeSlot(value, slot, dim) << ", but the header names "
           << orUnnamed(DeclaredParameters{cast<SignatureOpInterface>(owner)}.extent(first + slot));
      if (extent < 0)
        diag << ", which is " << orUnnamed(spellValue(wanted)) << " here";
      diag.attachNote(owner->getLoc()) << "header is here";
      return diag;
    }
  }
  return success();
}

LogicalResult verifyReturn(Operation *returnOp, TypeRange expected) {
  TypeRange actual = returnOp->getOperandTypes();
  Operation *owner = returnOp->getParentOp();
  if (actual.size() != expected.size()) {
    InFlightDiagnostic diag = emitCoded(returnOp, DiagCode::StructureYieldCount, "'");
    diag << getTextName(returnOp) << "' has " << counted(actual.size(), "value")
         << ", but the header has " << counted(expected.size(), "result");
    diag.attachNote(owner->getLoc()) << "header is here";
    return diag;
  }
  for (auto [i, types] : llvm::enumerate(llvm::zip(actual, expected))) {
    auto [got, wanted] = types;
    if (got == wanted)
      continue;
    Value value = returnOp->getOperand(i);
    InFlightDiagnostic diag =
        emitCoded(atOperand(returnOp, i), DiagCode::TypeMismatch, spellPassed(value, "value", i));
    diag << " has type " << spellType(value) << ", but the header has "
         << DeclaredParameters{cast<SignatureOpInterface>(owner)}.resultType(i, wanted);
    diag.attachNote(owner->getLoc()) << "header is here";
    return diag;
  }
  return verifyReturnedExtents(returnOp, owner);
}

Operation *lookupSymbol(Operation *op, FlatSymbolRefAttr name, SymbolTableCollection *tables) {
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  if (!table)
    return nullptr;
  return tables ? tables->lookupSymbolIn(table, name.getAttr())
                : SymbolTable::lookupSymbolIn(table, name.getAttr());
}

InFlightDiagnostic emitUndefined(Operation *op, StringRef kind, FlatSymbolRefAttr name) {
  InFlightDiagnostic diag =
      emitCoded(atSymbol(op, name.getValue()), DiagCode::SymbolUndefined, "undefined ");
  diag << kind << " @" << name.getValue();
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  Operation *best = nullptr;
  unsigned bestDistance = 3;
  if (table)
    for (Operation &other : table->getRegion(0).front()) {
      auto symbol = other.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      if (!symbol)
        continue;
      unsigned distance = name.getValue().edit_distance(symbol.getValue(), true, bestDistance);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = &other;
      }
    }
  if (best)
    diag.attachNote(best->getLoc())
        << "did you mean @"
        << best->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()).getValue() << "?";
  return diag;
}

} // namespace loom
