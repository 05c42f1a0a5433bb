//===- StaticExtents.cpp - The pass, and what it refuses ------------------===//
#include "StaticExtents.h"
#include "loom/Analysis/Facts.h"
#include "loom/Analysis/SymbolReach.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Transforms/Fold.h"
#include "loom/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom {
using namespace mlir;

#define GEN_PASS_DEF_STATICEXTENTS
#include "loom/Transforms/Passes.h.inc"

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

namespace {

/// Why the extent of a vector is not a number.
class ExtentReport {
public:
  explicit ExtentReport(Operation *kernel) : kernel(kernel), facts(kernel) {}

  /// Reports the extents of `vector`, a value of `owner`, that are values, unless what makes them
  /// unknown was reported already.
  void check(Operation *owner, Value vector);
  bool hasErrors() const { return !reported.empty(); }

private:
  std::string spell(VectorType type, ArrayRef<Value> dims) const;
  Value findOrigin(Value dim) const;
  std::string describe(Value origin) const;
  void report(Operation *owner, Value vector, ArrayRef<Value> dims, Value dim);

  Operation *kernel;
  Facts facts;
  llvm::SmallPtrSet<void *, 8> reported; ///< origins; null for those that are not visible
};

} // namespace

static std::string quoteName(Value value) {
  StringRef name = value ? getValueName(value) : StringRef();
  return name.empty() ? std::string() : ("'%" + name + "'").str();
}

std::string ExtentReport::spell(VectorType type, ArrayRef<Value> dims) const {
  std::string result;
  llvm::raw_string_ostream os(result);
  printTextType(os, type, [&](unsigned slot) {
    StringRef name = slot < dims.size() ? getValueName(dims[slot]) : StringRef();
    os << (name.empty() ? "?" : "%") << name;
  });
  return result;
}

/// Of a value that a loop carries, the result that stands for it before, in and behind the loop.
static Value passedAs(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *loop = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (isa_and_nonnull<ScfForOp>(loop) && argument.getArgNumber() > 0)
    return loop->getResult(argument.getArgNumber() - 1);
  return isa_and_nonnull<ScfWhileOp>(loop) ? Value(loop->getResult(argument.getArgNumber()))
                                           : value;
}

/// What `dim` is computed from and not known either: the end of a chain of operations without
/// effects.
Value ExtentReport::findOrigin(Value dim) const {
  constexpr unsigned kMaxSteps = 64;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    dim = passedAs(dim);
    Operation *op = dim.getDefiningOp();
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
      return dim;
    auto unknown = llvm::find_if(op->getOperands(), [&](Value operand) {
      return (isAddressType(operand.getType()) || isIntegerScalar(operand.getType())) &&
             !facts.exact(operand);
    });
    if (unknown == op->getOperands().end())
      return dim;
    dim = *unknown;
  }
  return dim;
}

/// Continues a sentence that begins with the name of `origin`.
std::string ExtentReport::describe(Value origin) const {
  Operation *op = origin.getDefiningOp();
  if (!op)
    return isa<ScfForOp>(origin.getParentBlock()->getParentOp())
               ? "counts the iterations of a loop"
               : "is a parameter of the kernel, which every launch chooses anew";
  std::string word = ("'" + getTextName(op) + "'").str();
  if (isa<ScfForOp, ScfWhileOp>(op))
    return "is carried by " + word + ", which may change it in every iteration";
  if (isa<ScfIfOp, ScfSwitchOp, ScfSelectOp, ScfLookupOp>(op))
    return "is chosen by " + word + " when the kernel runs";
  return "is the result of " + word + ", which only a running kernel knows";
}

void ExtentReport::report(Operation *owner, Value vector, ArrayRef<Value> dims, Value dim) {
  std::string name = quoteName(vector), extent = quoteName(dim);
  InFlightDiagnostic diag = emitCoded(owner, DiagCode::TargetUnsupported);
  if (name.empty())
    diag << "a value of '" << getTextName(owner) << "'";
  else
    diag << name;
  diag << " is a " << spell(cast<VectorType>(vector.getType()), dims) << ", but ";
  std::optional<int64_t> number = dim ? facts.exact(dim) : std::nullopt;
  if (number) {
    diag << (extent.empty() ? "its extent" : extent) << " is " << *number
         << ", and an extent cannot be negative";
    diag.attachNote(dim.getLoc()) << "the extent comes from here";
    return;
  }
  diag << "the extents of a vector have to be known when the kernel is compiled, and ";
  if (!dim) {
    diag << "where this one comes from is not visible here";
    return;
  }
  diag << (extent.empty() ? "the one here" : extent);
  diag << " is not";
  Value origin = findOrigin(dim);
  std::string source = quoteName(origin);
  diag.attachNote(origin.getLoc())
      << (origin == passedAs(dim) ? "" : "it is computed from a value that is not known: ")
      << (source.empty() ? "this value" : source) << ' ' << describe(origin);
}

void ExtentReport::check(Operation *owner, Value vector) {
  SmallVector<Value> dims = getDynamicDims(vector);
  if (dims.size() < countSlots(vector.getType()) && reported.insert(nullptr).second)
    report(owner, vector, dims, Value());
  for (Value dim : dims) {
    // A number that could not become static follows from another extent that is reported.
    std::optional<int64_t> number = facts.exact(dim);
    if (number && *number >= 0)
      continue;
    Value origin = number ? dim : findOrigin(dim);
    if (reported.insert(origin.getAsOpaquePointer()).second)
      report(owner, vector, dims, dim);
  }
}

LogicalResult refuseDynamicVectors(Operation *kernel) {
  SmallVector<std::pair<Operation *, Value>> vectors;
  forEachValue(kernel, [&](Operation *owner, Value value) {
    if (auto type = dyn_cast<VectorType>(value.getType()); type && !type.hasStaticShape())
      vectors.push_back({owner, value});
  });
  if (vectors.empty())
    return success();
  ExtentReport report(kernel);
  for (auto [owner, vector] : vectors)
    report.check(owner, vector);
  return failure(report.hasErrors());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct StaticExtents : impl::StaticExtentsBase<StaticExtents> {
  using StaticExtentsBase::StaticExtentsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> units;
    for (Operation &op : *module.getBody())
      if (isa<KernelDefOp, FuncDefOp>(op) && hasDynamicExtents(&op))
        units.push_back(&op);
    if (units.empty())
      return;
    llvm::StringSet<> named;
    forEachReference(module, [&](FlatSymbolRefAttr name) { named.insert(name.getValue()); });
    bool changed = false;
    for (Operation *unit : units) {
      bool changesHeader = isa<FuncDefOp>(unit) && isOwnHeader(unit, named);
      while (makeExtentsStatic(unit, changesHeader)) {
        changed = true;
        foldToFixpoint(unit);
      }
    }
    // Only now the numbers meet the rules: an index beyond an extent, a part larger than the whole.
    if (changed && failed(verifyModule(module)))
      return signalPassFailure();
    bool ok = true;
    for (Operation *unit : units)
      if (complete && isa<KernelDefOp>(unit))
        ok &= succeeded(refuseDynamicVectors(unit));
    if (!ok)
      signalPassFailure();
  }

private:
  /// Whether nothing inside or outside of the program counts on the types of the header.
  static bool isOwnHeader(Operation *function, const llvm::StringSet<> &named) {
    return !named.contains(getSymbol(function)) && !function->hasAttr("retain") &&
           !function->hasAttr("export_name") &&
           SymbolTable::getSymbolVisibility(function) != SymbolTable::Visibility::Public;
  }
};

} // namespace
} // namespace loom
