//===- LowerFragmentsCheck.cpp - What fragments are refused ---------------===//
#include "LowerFragments.h"

using namespace mlir;

namespace loom::lowering {

/// More elements than this in a subgroup would be moved one by one by code that is written out.
constexpr int64_t kMostElements = 8192;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Zero when it is not known.
static int64_t elementsOf(Type vector) {
  ArrayRef<int64_t> shape = cast<VectorType>(vector).getShape();
  return ShapedType::isDynamicShape(shape) ? 0 : ShapedType::getNumElements(shape);
}

/// The hardware that a kernel is written for shows in its factors: only gfx11 holds them twice. A
/// kernel of one kind of fragments runs on one family, so that all of its sums are laid out alike.
FragmentPlan::FragmentPlan(KernelDefOp kernel, const Facts &facts, int64_t lanes)
    : analysis(kernel, facts), lanes(lanes), chosen(FragmentFamily::Even) {
  if (lanes == 64)
    chosen = FragmentFamily::Gfx9;
  else if (lanes == 32)
    chosen = FragmentFamily::Gfx12;
  for (Operation *op : analysis.operations()) {
    std::optional<FragmentFact> fact = analysis.statedBy(op);
    if (!fact || fact->part == FragmentPart::Sum)
      continue;
    Value vector = Fragments::vectorOf(op);
    if (FragmentLayout::get(FragmentFamily::Gfx11, fact->part, fact->shape, lanes,
                            elementsOf(vector.getType()), fact->bits))
      chosen = FragmentFamily::Gfx11;
  }
}

std::optional<FragmentLayout> FragmentPlan::layoutOf(const FragmentFact &fact, Type vector) const {
  for (FragmentFamily family : {chosen, FragmentFamily::Even})
    if (auto layout = FragmentLayout::get(family, fact.part, fact.shape, lanes, elementsOf(vector),
                                          fact.bits))
      return layout;
  return std::nullopt;
}

FragmentFact FragmentPlan::sumOf(VectorMmaOp op) const {
  Fragments::State initial = analysis.of(op.getInitial());
  if (initial.kind == Fragments::Kind::Share)
    return initial.fact;
  return analysis.of(op.getResult()).fact;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool isFragmentConversion(Type from, Type to) {
  if (from == to)
    return true;
  return isFloatScalar(to) || !isFloatScalar(from);
}

std::optional<ProductType> productTypeOf(VectorMmaOp op, std::string &reason) {
  auto elementOf = [](Value value) { return cast<VectorType>(value.getType()).getElementType(); };
  Type lhs = elementOf(op.getLhs()), rhs = elementOf(op.getRhs()), sum = elementOf(op.getInitial());
  auto refuse = [&](const Twine &why) {
    reason = (why + ": " + stringifyType(lhs) + " times " + stringifyType(rhs) + " added to " +
              stringifyType(sum))
                 .str();
    return std::nullopt;
  };
  bool isFloat = isFloatScalar(sum);
  if (isFloatScalar(lhs) != isFloat || isFloatScalar(rhs) != isFloat)
    return refuse("for integers and floats in one product");
  unsigned widest = std::max(lhs.getIntOrFloatBitWidth(), rhs.getIntOrFloatBitWidth());
  unsigned bits = sum.getIntOrFloatBitWidth();
  Builder b(op.getContext());
  if (isFloat) {
    if (widest > std::max(bits, 32u))
      return refuse("for a sum that is narrower than its factors");
    return ProductType{bits == 64 ? Type(b.getF64Type()) : Type(b.getF32Type()), false};
  }
  if (widest > bits)
    return refuse("for a sum that is narrower than its factors");
  if (!op.getSaturate())
    return ProductType{sum, false};
  // The exact sum has to fit in 64 bits.
  if (widest > 16 || bits > 32)
    return refuse("with 'saturate' for factors of more than 16 bits or sums of more than 32");
  return ProductType{b.getI64Type(), true};
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

bool isFragmentSupported(Operation *op, const LoweringTarget &target) {
  return target.hasLanes() && isa<VectorFragmentOp, VectorFragmentLoadOp, VectorFragmentRepackOp,
                                  VectorFragmentStoreOp, VectorMmaOp>(op);
}

namespace {

class FragmentChecker {
public:
  FragmentChecker(const KernelPlan &plan, const LoweringTarget &target)
      : plan(plan), fragments(*plan.fragments), target(target) {}

  LogicalResult run() {
    for (Operation *op : fragments.fragments().operations())
      checkOp(op);
    return success(!failed);
  }

private:
  void refuse(Operation *op, const Twine &condition) {
    failed = true;
    emitCoded(op, DiagCode::TargetUnsupported) << "'" << getTextName(op) << "' is not supported on "
                                               << target.name() << " yet" << condition;
  }
  InFlightDiagnostic error(Operation *op) {
    failed = true;
    return emitCoded(op, DiagCode::TargetUnsupported) << "'" << getTextName(op) << "' ";
  }
  void checkOp(Operation *op);
  bool checkSubgroups(Operation *op);
  bool checkStated(Operation *op, Value vector);
  bool checkElements(Operation *op, const FragmentFact &fact, Value vector);
  void checkSchema(Operation *op, OperandRange auxiliaries);
  template <typename Access> void checkPlace(Access op, Type from, Type to);
  void checkStore(VectorFragmentStoreOp op);
  void checkRepack(VectorFragmentRepackOp op);
  void checkMma(VectorMmaOp op);
  bool checkOperand(Operation *op, Value value, StringRef what, FragmentPart part);
  void explain(InFlightDiagnostic &diag, Value value);

  const KernelPlan &plan;
  const FragmentPlan &fragments;
  const LoweringTarget &target;
  bool failed = false;
};

/// A matrix is dealt out to whole subgroups.
bool FragmentChecker::checkSubgroups(Operation *op) {
  std::optional<int64_t> items = plan.exactItems();
  if (items && *items % plan.subgroupSize == 0 && plan.lanes == plan.subgroupSize)
    return true;
  if (!items) {
    refuse(op, " unless the launch configuration makes the workgroup size exact");
    return false;
  }
  InFlightDiagnostic diag = error(op);
  diag << "is done by whole subgroups, but a workgroup of " << *items
       << " work-items is not a multiple of " << plan.subgroupSize;
  diag.attachNote(plan.config()->getLoc()) << "the workgroup size is chosen here";
  return false;
}

/// Extents and elements of what `op` says of `vector`.
bool FragmentChecker::checkStated(Operation *op, Value vector) {
  if (std::optional<FragmentFact> fact = fragments.fragments().statedBy(op))
    return checkElements(op, *fact, vector);
  refuse(op, " with extents that are not known when the kernel is compiled");
  return false;
}

bool FragmentChecker::checkElements(Operation *op, const FragmentFact &fact, Value vector) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  if (!isPayloadScalar(element) || element.isInteger(1)) {
    refuse(op, Twine(" with elements of ") + stringifyType(element));
    return false;
  }
  int64_t lanes = plan.subgroupSize, elements = elementsOf(vector.getType());
  if (elements > kMostElements / lanes) {
    refuse(op, " with more than " + Twine(kMostElements) + " elements in a subgroup");
    return false;
  }
  if (fragments.layoutOf(fact, vector.getType()))
    return true;
  const FragmentShape &shape = fact.shape;
  int64_t total = 0;
  bool isHuge = llvm::MulOverflow(shape.rows, shape.columns, total) ||
                llvm::MulOverflow(total, shape.blocks, total);
  InFlightDiagnostic diag = error(op);
  diag << "holds " << stringifyFragment(fact) << " in vectors of " << elements
       << (elements == 1 ? " element" : " elements") << ", but the " << lanes
       << " lanes of a subgroup ";
  if (isHuge || total % lanes)
    diag << "cannot share it evenly";
  else
    diag << "have " << total / lanes << " of its elements each";
  return false;
}

static std::optional<Value> schemaOf(OperandRange auxiliaries) {
  for (Value value : auxiliaries)
    if (isa<EncodingType>(value.getType()))
      return value;
  return std::nullopt;
}

/// How the scales of a schema are dealt out to lanes is not settled.
void FragmentChecker::checkSchema(Operation *op, OperandRange auxiliaries) {
  if (schemaOf(auxiliaries))
    refuse(op, " with a schema; 'vector.decode' gives the values of a vector before it becomes a "
               "fragment");
}

/// All lanes speak of one matrix.
template <typename Access> void FragmentChecker::checkPlace(Access op, Type from, Type to) {
  auto isUniform = [&](Value value) { return plan.uniformity->isUniform(value); };
  LayoutInfo layout = getViewLayout(op.getView());
  bool isSame = isUniform(op.getView()) && llvm::all_of(op.getIndices(), isUniform) &&
                llvm::all_of(getDynamicDims(op.getView()), isUniform);
  for (OpFoldResult stride : layout.strides)
    if (auto value = dyn_cast<Value>(stride))
      isSame &= isUniform(value);
  if (!isSame) {
    error(op) << "has a place that may differ between the lanes of a subgroup, which read and "
                 "write one matrix together";
    return;
  }
  if (!isFragmentConversion(from, to))
    refuse(op, Twine(" from elements of ") + stringifyType(from) + " to elements of " +
                   stringifyType(to));
}

void FragmentChecker::explain(InFlightDiagnostic &diag, Value value) {
  if (Operation *op = value.getDefiningOp())
    diag.attachNote(op->getLoc()) << "'" << getTextName(op) << "' gives it";
  else
    diag.attachNote(value.getLoc()) << "it comes from here";
}

static StringRef whyNoShare(Fragments::Kind kind) {
  return kind == Fragments::Kind::Mixed
             ? "is not a fragment of the same matrix on all ways that lead there"
             : "is not known to be a fragment; 'vector.fragment' can state it";
}

bool FragmentChecker::checkOperand(Operation *op, Value value, StringRef what, FragmentPart part) {
  Fragments::State state = fragments.fragments().of(value);
  if (state.kind != Fragments::Kind::Share) {
    InFlightDiagnostic diag = error(op);
    diag << "has " << what << " that " << whyNoShare(state.kind);
    explain(diag, value);
    return false;
  }
  if (state.fact.part != part) {
    InFlightDiagnostic diag = error(op);
    diag << "has " << what << " that is " << stringifyFragment(state.fact);
    explain(diag, value);
    return false;
  }
  if (!state.fact.encoded)
    return checkElements(op, state.fact, value);
  refuse(op, Twine(" with ") + what + " in a schema");
  return false;
}

void FragmentChecker::checkMma(VectorMmaOp op) {
  bool fits = checkOperand(op, op.getLhs(), "a left operand", FragmentPart::Lhs);
  fits &= checkOperand(op, op.getRhs(), "a right operand", FragmentPart::Rhs);
  Fragments::State initial = fragments.fragments().of(op.getInitial());
  if (initial.kind != Fragments::Kind::Any)
    fits &= checkOperand(op, op.getInitial(), "an addend", FragmentPart::Sum);
  if (!fits)
    return;
  FragmentFact lhs = fragments.fragments().of(op.getLhs()).fact;
  FragmentFact rhs = fragments.fragments().of(op.getRhs()).fact;
  FragmentFact sum = fragments.sumOf(op);
  FragmentShape product = {lhs.shape.rows, rhs.shape.columns, lhs.shape.blocks};
  if (lhs.shape.columns != rhs.shape.rows || lhs.shape.blocks != rhs.shape.blocks ||
      sum.shape != product) {
    InFlightDiagnostic diag = error(op);
    diag << "multiplies " << stringifyFragment(lhs) << " by " << stringifyFragment(rhs)
         << " and adds to " << stringifyFragment(sum) << ", whose extents do not fit";
    for (Value operand : op->getOperands())
      explain(diag, operand);
    return;
  }
  std::string reason;
  if (!productTypeOf(op, reason))
    return refuse(op, " " + reason);
  checkElements(op, sum, op.getInitial());
}

void FragmentChecker::checkStore(VectorFragmentStoreOp op) {
  checkPlace(op, cast<VectorType>(op.getValue().getType()).getElementType(),
             cast<ViewType>(op.getView().getType()).getElementType());
  std::optional<FragmentFact> stated = fragments.fragments().statedBy(op);
  Fragments::State state = fragments.fragments().of(op.getValue());
  bool isOther = state.kind == Fragments::Kind::Share &&
                 (state.fact.part != stated->part || state.fact.shape != stated->shape);
  if (!isOther && state.kind != Fragments::Kind::Mixed) {
    if (state.fact.encoded)
      refuse(op, " for elements in a schema");
    return;
  }
  InFlightDiagnostic diag = error(op);
  diag << "stores " << stringifyFragment(*stated) << ", but its value ";
  if (isOther)
    diag << "is " << stringifyFragment(state.fact);
  else
    diag << whyNoShare(state.kind);
  explain(diag, op.getValue());
}

void FragmentChecker::checkRepack(VectorFragmentRepackOp op) {
  FragmentFact to = *fragments.fragments().statedBy(op);
  Fragments::State state = fragments.fragments().of(op.getVector());
  Type from = cast<VectorType>(op.getVector().getType()).getElementType();
  Type element = cast<VectorType>(op.getType()).getElementType();
  if (!isFragmentConversion(from, element))
    return refuse(op, Twine(" from elements of ") + stringifyType(from) + " to elements of " +
                          stringifyType(element));
  if (state.kind == Fragments::Kind::Share && state.fact.encoded)
    return refuse(op, " for elements in a schema");
  if (state.kind == Fragments::Kind::Share && state.fact.shape == to.shape) {
    checkElements(op, state.fact, op.getVector());
    return;
  }
  InFlightDiagnostic diag = error(op);
  diag << "makes " << stringifyFragment(to) << " of a vector that ";
  if (state.kind == Fragments::Kind::Share)
    diag << "is " << stringifyFragment(state.fact);
  else
    diag << whyNoShare(state.kind);
  explain(diag, op.getVector());
}

void FragmentChecker::checkOp(Operation *op) {
  if (!checkSubgroups(op))
    return;
  if (auto product = dyn_cast<VectorMmaOp>(op))
    return checkMma(product);
  if (!checkStated(op, Fragments::vectorOf(op)))
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](VectorFragmentOp o) { checkSchema(op, o.getAuxiliaries()); })
      .Case([&](VectorFragmentLoadOp o) {
        checkSchema(op, o.getAuxiliaries());
        checkPlace(o, cast<ViewType>(o.getView().getType()).getElementType(),
                   cast<VectorType>(o.getType()).getElementType());
      })
      .Case([&](VectorFragmentStoreOp o) { checkStore(o); })
      .Case([&](VectorFragmentRepackOp o) { checkRepack(o); });
}

} // namespace

LogicalResult checkFragments(const KernelPlan &plan, const LoweringTarget &target) {
  return FragmentChecker(plan, target).run();
}

} // namespace loom::lowering
