//===- LowInvoke.cpp - What an invocation passes to a Low function --------===//
//
// Source types are mapped to registers while a program is lowered. What can be told before is told
// here: types that cannot fill the registers of the helper, and facts of its `where` clause that
// constants and stated ranges contradict. What stays unknown is for the lowering to prove.
//
//===----------------------------------------------------------------------===//
#include "LowText.h"
#include "loom/IR/Predicates.h"
#include "loom/IR/SourceInfo.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// How many bits a value of a source type has in registers; several numbers where that is the
/// target's choice.
struct SourceBits {
  uint64_t min, max;
};

} // namespace

/// Nullopt for what no register holds.
static std::optional<SourceBits> bitsOfScalar(Type type) {
  if (isa<IndexType, OffsetType>(type))
    return SourceBits{32, 64};
  // A truth value is a bit, or a mask with one bit for each work-item of the subgroup.
  if (type.isInteger(1))
    return SourceBits{1, 64};
  if (isIntegerScalar(type) || isFloatScalar(type))
    return SourceBits{type.getIntOrFloatBitWidth(), type.getIntOrFloatBitWidth()};
  return std::nullopt;
}

static std::optional<SourceBits> bitsOf(Type type) {
  constexpr uint64_t kPointer = 64, kDescriptor = 128;
  if (isa<BufferType, ViewType>(type))
    return SourceBits{kPointer, kDescriptor};
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return bitsOfScalar(type);
  std::optional<SourceBits> element = bitsOfScalar(vector.getElementType());
  std::optional<int64_t> lanes = vector.getNumLanes();
  if (!element || !lanes)
    return element ? std::optional(SourceBits{0, UINT64_MAX}) : std::nullopt;
  uint64_t count = *lanes;
  return SourceBits{llvm::SaturatingMultiply(element->min, count),
                    llvm::SaturatingMultiply(element->max, count)};
}

static bool isTruth(Type type) { return mlir::getElementTypeOrSelf(type).isInteger(1); }

/// Whether the register class holds values of this kind at all.
static bool isOfClass(Type type, StringRef registerClass) {
  if (registerClass == "amdgpu.scc" || registerClass == "amdgpu.vcc" || registerClass == "x86.k")
    return isTruth(type);
  if (registerClass.starts_with("x86.gpr"))
    return !isa<VectorType>(type) && !isFloatScalar(type);
  if (registerClass.starts_with("x86."))
    return (isa<VectorType>(type) && !isTruth(type)) || isFloatScalar(type);
  return true;
}

/// Whether `bits` fill `units` registers of the class, and no narrower one of x86 holds them.
static bool fills(SourceBits bits, RegisterType reg, const RegisterClassInfo &info) {
  uint64_t unit = info.unitBits, most = unit * reg.getUnits();
  bool hasNarrower = info.name == StringRef("x86.gpr64") || info.name == StringRef("x86.ymm") ||
                     info.name == StringRef("x86.zmm");
  uint64_t less = hasNarrower && reg.getUnits() == 1 ? unit / 2 : most - unit;
  return bits.min <= most && bits.max > less;
}

/// Behind "has type T": why a value of that type cannot be in `reg`; nullopt when it may be.
static std::optional<std::string> whyNot(Type type, RegisterType reg, const DescriptorSet &set) {
  const RegisterClassInfo *info = set.findClass(reg.getClassKey());
  std::optional<SourceBits> bits = bitsOf(type);
  if (!bits)
    return ", which has no form in registers";
  if (!info)
    return std::nullopt; // reported at the helper
  if (!info->unitBits)
    return reg.getValueType() && reg.getValueType() != type ? std::optional<std::string>("")
                                                            : std::nullopt;
  if (!isOfClass(type, reg.getClassKey()))
    return ", which " + reg.getClassKey().str() + " does not hold";
  if (fills(*bits, reg, *info))
    return std::nullopt;
  std::string upTo = bits->min == bits->max ? "" : " to " + std::to_string(bits->max);
  return " of " + std::to_string(bits->min) + upTo + " bits";
}

/// `owner` is what has the source type, `what` the part of the helper that it meets.
static LogicalResult verifyPassedType(LowInvokeOp invoke, Operation *helper, StringRef what,
                                      StringRef owner, Type source, Type target) {
  const DescriptorSet *set = getDescriptorSet(helper);
  auto reg = dyn_cast<RegisterType>(target);
  std::optional<std::string> reason = reg && set ? whyNot(source, reg, *set) : std::nullopt;
  if (!reason)
    return success();
  InFlightDiagnostic diag = emitCoded(invoke, DiagCode::TypeMismatch, what);
  diag << " of @" << SymbolTable::getSymbolName(helper).getValue() << " is " << target << ", but "
       << owner << " has type " << source << *reason;
  diag.attachNote(helper->getLoc()) << "the helper is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

namespace {

/// Values from `low` to `high`, by sign.
struct Interval {
  int64_t low, high;
  bool isExact() const { return low == high; }
};

} // namespace

static std::optional<unsigned> widthOf(Type type) {
  if (isa<IndexType, OffsetType>(type))
    return 64;
  return isIntegerScalar(type) ? std::optional(type.getIntOrFloatBitWidth()) : std::nullopt;
}

static void narrow(Interval &interval, ArrayAttr predicates, unsigned position, unsigned width) {
  if (!predicates)
    return;
  if (auto stated = rangeFromPredicates(predicates, position, width)) {
    interval.low = std::max(interval.low, stated->smin().getSExtValue());
    interval.high = std::min(interval.high, stated->smax().getSExtValue());
  }
}

/// What constants, assume operations and the `where` clause around say of `value`.
static std::optional<Interval> knownInterval(Value value) {
  std::optional<unsigned> width = widthOf(value.getType());
  if (!width)
    return std::nullopt;
  Interval interval{llvm::minIntN(*width), llvm::maxIntN(*width)};
  constexpr unsigned kMaxAssumptions = 16; // chains of them are as long as the program
  for (unsigned i = 0; i < kMaxAssumptions && value.getDefiningOp(); ++i) {
    Operation *op = value.getDefiningOp();
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant))) {
      // The bit of `true` is no sign.
      const APInt &bits = constant.getValue();
      int64_t number = *width == 1 ? int64_t(bits.getZExtValue()) : bits.getSExtValue();
      return Interval{number, number};
    }
    if (*width == 1)
      return std::nullopt;
    if (getTextName(op) != "index.assume" || op->getNumOperands() < op->getNumResults())
      break;
    unsigned position = cast<OpResult>(value).getResultNumber();
    narrow(interval, op->getAttrOfType<ArrayAttr>("predicates"), position, *width);
    value = op->getOperand(position);
  }
  if (auto argument = dyn_cast<BlockArgument>(value); argument && *width > 1) {
    auto owner = dyn_cast_or_null<SignatureOpInterface>(argument.getOwner()->getParentOp());
    if (owner && argument.getOwner()->isEntryBlock() &&
        llvm::equal(owner.getSignatureInputs(), argument.getOwner()->getArgumentTypes()))
      narrow(interval, owner->getAttrOfType<ArrayAttr>("where"), argument.getArgNumber(), *width);
  }
  bool isKnown = *width > 1 && interval.low <= interval.high;
  return isKnown ? std::optional(interval) : std::nullopt;
}

/// Whether no values of `subject` and `other`, of `width` bits, satisfy the comparison.
static bool contradicts(PredicateKind kind, Interval subject, Interval other, unsigned width) {
  bool exact = subject.isExact() && other.isExact();
  uint64_t bits = llvm::maskTrailingOnes<uint64_t>(width);
  uint64_t a = static_cast<uint64_t>(subject.low) & bits;
  uint64_t b = static_cast<uint64_t>(other.low) & bits;
  switch (kind) {
  case PredicateKind::eq:
    return subject.low > other.high || subject.high < other.low;
  case PredicateKind::ne:
    return exact && a == b;
  case PredicateKind::lt:
    return subject.low >= other.high;
  case PredicateKind::le:
    return subject.low > other.high;
  case PredicateKind::gt:
    return subject.high <= other.low;
  case PredicateKind::ge:
    return subject.high < other.low;
  case PredicateKind::ult:
    return exact && a >= b;
  case PredicateKind::ule:
    return exact && a > b;
  case PredicateKind::ugt:
    return exact && a <= b;
  case PredicateKind::uge:
    return exact && a < b;
  case PredicateKind::mul: {
    uint64_t factor = llvm::AbsoluteValue(other.low), number = llvm::AbsoluteValue(subject.low);
    return other.isExact() && (factor == 0 || (subject.isExact() && number % factor != 0));
  }
  default:
    return false;
  }
}

/// Whether the predicate is false for what the invocation passes, as far as that is known here.
static bool isBroken(PredicateAttr predicate, OperandRange arguments) {
  ArrayRef<int64_t> args = predicate.getArgs();
  auto passed = [&](unsigned i) -> Value {
    bool isParameter = predicate.isValue(i) && static_cast<size_t>(args[i]) < arguments.size();
    return isParameter ? arguments[args[i]] : Value();
  };
  Value subject = args.empty() ? Value() : passed(0);
  if (!subject)
    return false;
  FloatAttr number;
  if (matchPattern(subject, m_Constant(&number))) {
    const APFloat value = number.getValue();
    PredicateKind kind = predicate.getKind();
    return (kind == PredicateKind::not_nan && value.isNaN()) ||
           (kind == PredicateKind::not_inf && value.isInfinity()) ||
           (kind == PredicateKind::finite && !value.isFinite());
  }
  std::optional<Interval> known = knownInterval(subject);
  if (!known)
    return false;
  if (predicate.getKind() == PredicateKind::pow2)
    return known->high <= 0 || (known->isExact() && !llvm::isPowerOf2_64(known->low));
  auto breaks = [&](PredicateKind kind, unsigned i) {
    if (i >= args.size())
      return false;
    std::optional<Interval> other = Interval{args[i], args[i]};
    if (predicate.isValue(i))
      other = passed(i) ? knownInterval(passed(i)) : std::nullopt;
    return other && contradicts(kind, *known, *other, *widthOf(subject.getType()));
  };
  if (predicate.getKind() == PredicateKind::range)
    return breaks(PredicateKind::ge, 1) || breaks(PredicateKind::le, 2);
  return breaks(predicate.getKind(), 1);
}

static std::string parameterName(Operation *helper, unsigned position) {
  StringRef name;
  if (auto names = helper->getAttrOfType<ArrayAttr>("arg_names"))
    name = position < names.size() ? cast<StringAttr>(names[position]).getValue() : "";
  else if (helper->getNumRegions() && !helper->getRegion(0).empty() &&
           position < helper->getRegion(0).getNumArguments())
    return "%" + getValueName(helper->getRegion(0).getArgument(position)).str();
  return "%" + (name.empty() ? std::to_string(position) : name.str());
}

static LogicalResult verifyFacts(LowInvokeOp invoke, Operation *helper) {
  auto where = helper->getAttrOfType<ArrayAttr>("where");
  if (!where)
    return success();
  for (auto predicate : where.getAsRange<PredicateAttr>()) {
    constexpr size_t kMostArguments = 3; // a malformed one is reported at the helper
    if (predicate.getArgs().size() > kMostArguments || !isBroken(predicate, invoke.getArguments()))
      continue;
    std::string spelled = stringifyPredicateKind(predicate.getKind()).str(), known;
    for (auto [i, argument] : llvm::enumerate(predicate.getArgs())) {
      spelled += i ? ", " : "(";
      if (!predicate.isValue(i)) {
        spelled += std::to_string(argument);
        continue;
      }
      std::string name = parameterName(helper, argument);
      spelled += name;
      if (static_cast<size_t>(argument) >= invoke.getArguments().size())
        continue;
      if (auto interval = knownInterval(invoke.getArguments()[argument])) {
        known += (known.empty() ? "; here " : ", ") + name + " is ";
        known += interval->isExact() ? std::to_string(interval->low)
                                     : "in [" + std::to_string(interval->low) + ", " +
                                           std::to_string(interval->high) + "]";
      }
    }
    InFlightDiagnostic diag = emitCoded(invoke, DiagCode::StructureValue, "@");
    diag << SymbolTable::getSymbolName(helper).getValue() << " states " << spelled
         << "), which does not hold" << known;
    diag.attachNote(helper->getLoc()) << "it is stated here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

LogicalResult verifyPassedToLow(LowInvokeOp invoke, Operation *helper) {
  auto signature = cast<SignatureOpInterface>(helper);
  SmallVector<Type> inputs = signature.getSignatureInputs(),
                    results = signature.getSignatureResults();
  for (auto [i, argument] : llvm::enumerate(invoke.getArguments()))
    if (failed(verifyPassedType(invoke, helper, parameterName(helper, i),
                                "'%" + getValueName(argument).str() + "'", argument.getType(),
                                inputs[i])))
      return failure();
  for (auto [i, result] : llvm::enumerate(invoke.getResults()))
    if (failed(verifyPassedType(invoke, helper, "result " + std::to_string(i),
                                "'%" + getValueName(result).str() + "'", result.getType(),
                                results[i])))
      return failure();
  return verifyFacts(invoke, helper);
}

} // namespace loom
