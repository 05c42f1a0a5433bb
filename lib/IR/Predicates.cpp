//===- Predicates.cpp - Facts that the author states ----------------------===//
#include "loom/IR/Predicates.h"
#include "loom/IR/Messages.h"

namespace loom {
using namespace mlir;

PredicateInfo getPredicateInfo(PredicateKind kind) {
  switch (kind) {
  case PredicateKind::eq:
  case PredicateKind::ne:
    return {kind, 2, PredicateDomain::Number};
  case PredicateKind::lt:
  case PredicateKind::le:
  case PredicateKind::gt:
  case PredicateKind::ge:
  case PredicateKind::mul:
    return {kind, 2, PredicateDomain::Ordered};
  case PredicateKind::ult:
  case PredicateKind::ule:
  case PredicateKind::ugt:
  case PredicateKind::uge:
    return {kind, 2, PredicateDomain::FixedWidth};
  case PredicateKind::pow2:
    return {kind, 1, PredicateDomain::Ordered};
  case PredicateKind::range:
    return {kind, 3, PredicateDomain::Ordered};
  case PredicateKind::not_nan:
  case PredicateKind::not_inf:
  case PredicateKind::finite:
    return {kind, 1, PredicateDomain::FloatingPoint};
  }
  llvm_unreachable("covered switch");
}

/// Older spellings are read as what they mean: `multiple_of`, `power_of_two`, `min`, `max`.
static std::optional<PredicateKind> lookupPredicate(StringRef word) {
  if (word == "multiple_of")
    return PredicateKind::mul;
  if (word == "power_of_two")
    return PredicateKind::pow2;
  if (word == "min")
    return PredicateKind::ge;
  if (word == "max")
    return PredicateKind::le;
  return symbolizePredicateKind(word);
}

using PositionFn = llvm::function_ref<FailureOr<unsigned>(const UnresolvedOperand &)>;

static ParseResult parsePredicate(OpAsmParser &parser, SmallVectorImpl<Attribute> &out,
                                  PositionFn position) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<PredicateKind> kind = lookupPredicate(word);
  if (!kind)
    return text(parser).emitCoded(loc, DiagCode::ParseUnknownPredicate, "unknown predicate '")
           << word
           << "'; the predicates are eq, ne, lt, le, gt, ge, ult, ule, ugt, uge, mul, pow2, range, "
              "not_nan, not_inf, finite";
  SmallVector<int64_t> args;
  uint32_t valueMask = 0;
  auto parseArgument = [&]() -> ParseResult {
    UnresolvedOperand operand;
    OptionalParseResult value = parser.parseOptionalOperand(operand);
    if (!value.has_value()) {
      int64_t literal;
      if (parser.parseInteger(literal))
        return failure();
      args.push_back(literal);
      return success();
    }
    if (failed(*value))
      return failure();
    FailureOr<unsigned> index = position(operand);
    if (failed(index))
      return failure();
    if (args.size() < 32)
      valueMask |= 1u << args.size();
    args.push_back(*index);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseArgument))
    return failure();
  unsigned arity = getPredicateInfo(*kind).arity;
  if (args.size() != arity)
    return text(parser).emitCoded(loc, DiagCode::ParsePredicateArity, "'")
           << word << "' takes " << arity << (arity == 1 ? " argument" : " arguments") << ", but "
           << args.size() << (args.size() == 1 ? " is given" : " are given");
  if (!(valueMask & 1))
    return text(parser).emitCoded(loc, DiagCode::StructureOrigin, "the first argument of '")
           << word << "' has to be a value";
  out.push_back(
      PredicateAttr::get(parser.getContext(), static_cast<uint32_t>(*kind), valueMask, args));
  return success();
}

ParseResult parsePredicates(OpAsmParser &parser, ArrayAttr &predicates, PositionFn position) {
  SmallVector<Attribute> out;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parsePredicate(parser, out, position); }))
    return failure();
  predicates = parser.getBuilder().getArrayAttr(out);
  return success();
}

void printPredicates(OpAsmPrinter &printer, ArrayAttr predicates,
                     llvm::function_ref<void(unsigned)> printValue) {
  printer << '[';
  llvm::interleaveComma(predicates.getAsRange<PredicateAttr>(), printer, [&](PredicateAttr p) {
    printer << stringifyPredicateKind(p.getKind()) << '(';
    for (auto [i, arg] : llvm::enumerate(p.getArgs())) {
      if (i)
        printer << ", ";
      if (p.isValue(i))
        printValue(arg);
      else
        printer << arg;
    }
    printer << ')';
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static StringRef describe(PredicateDomain domain) {
  switch (domain) {
  case PredicateDomain::Number:
    return "numbers";
  case PredicateDomain::Ordered:
    return "integers, index and offset";
  case PredicateDomain::FixedWidth:
    return "integers of a fixed width";
  case PredicateDomain::FloatingPoint:
    return "floats";
  }
  llvm_unreachable("covered switch");
}

static bool isInDomain(Type type, PredicateDomain domain) {
  switch (domain) {
  case PredicateDomain::Number:
    return isPayloadScalar(type) || isAddressType(type);
  case PredicateDomain::Ordered:
    return isIntegerScalar(type) || isAddressType(type);
  case PredicateDomain::FixedWidth:
    return isIntegerScalar(type);
  case PredicateDomain::FloatingPoint:
    return isFloatScalar(type);
  }
  llvm_unreachable("covered switch");
}

/// What only bytes that no tool wrote can break: the text names values and counts arguments.
static bool isWellFormed(PredicateAttr p, size_t values, unsigned subjects) {
  if (!symbolizePredicateKind(p.getKindCode()) ||
      p.getArgs().size() != getPredicateInfo(p.getKind()).arity || !p.isValue(0) ||
      static_cast<uint64_t>(p.getArgs()[0]) >= subjects)
    return false;
  for (auto [i, arg] : llvm::enumerate(p.getArgs()))
    if (p.isValue(i) && static_cast<uint64_t>(arg) >= values)
      return false;
  return true;
}

/// `place` is where the predicate stands.
static LogicalResult verifyPredicate(Location place, PredicateAttr p, ArrayRef<Type> types) {
  PredicateInfo info = getPredicateInfo(p.getKind());
  StringRef word = stringifyPredicateKind(info.kind);
  ArrayRef<int64_t> args = p.getArgs();
  Type subject = types[args[0]];
  for (auto [i, arg] : llvm::enumerate(args)) {
    if (!p.isValue(i))
      continue;
    Type type = types[arg];
    // Registers hold numbers of any kind.
    if (!isa<RegisterType>(type) && !isInDomain(type, info.domain))
      return emitCoded(place, DiagCode::TypeOperand, "'")
             << word << "' is about " << describe(info.domain) << ", not about " << type;
    if (isFloatScalar(type) != isFloatScalar(subject))
      return emitCoded(place, DiagCode::TypeOperand, "'")
             << word << "' cannot compare " << subject << " with " << type;
  }
  if (info.kind == PredicateKind::mul && !p.isValue(1) && args[1] < 1)
    return emitCoded(place, DiagCode::StructureValue, "'mul' needs a divisor of at least 1, not ")
           << args[1];
  if (info.kind == PredicateKind::range && !p.isValue(1) && !p.isValue(2) && args[1] > args[2])
    return emitCoded(place, DiagCode::StructureValue, "no value is in a range from ")
           << args[1] << " to " << args[2];
  return success();
}

LogicalResult verifyPredicates(Operation *op, ArrayAttr predicates, ArrayRef<Type> types,
                               unsigned subjects) {
  if (predicates.size() > kMaxPredicates)
    return emitCoded(op, DiagCode::StructureValue, "'")
           << getTextName(op) << "' has " << predicates.size() << " predicates, but a list holds "
           << "at most " << kMaxPredicates;
  llvm::DenseMap<StringRef, unsigned> seen;
  for (auto p : predicates.getAsRange<PredicateAttr>()) {
    if (!isWellFormed(p, types.size(), subjects))
      return emitCoded(op, DiagCode::StructurePredicate, "'")
             << getTextName(op) << "' has a predicate without the arguments of its kind";
    StringRef word = stringifyPredicateKind(getPredicateInfo(p.getKind()).kind);
    if (failed(verifyPredicate(atWord(op, word, seen[word]++), p, types)))
      return failure();
  }
  return success();
}

LogicalResult verifyWhere(SignatureOpInterface op) {
  auto where = op->getAttrOfType<ArrayAttr>("where");
  if (!where)
    return success();
  SmallVector<Type> types = op.getSignatureInputs();
  llvm::append_range(types, op.getSignatureResults());
  return verifyPredicates(op, where, types, types.size());
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {

/// A signed interval of integers of some width, narrowed by facts.
struct Bounds {
  explicit Bounds(unsigned width) : width(width) {}

  void atLeast(int64_t bound) { low = std::max(low, bound); }
  void atMost(int64_t bound) { high = std::min(high, bound); }
  void exactly(int64_t value) {
    // The bit of `true` is a sign.
    value = width == 1 && value == 1 ? -1 : value;
    atLeast(value);
    atMost(value);
  }
  /// Up to a bound without the sign bit, the unsigned order is the signed one.
  void unsignedAtMost(int64_t bound) {
    if (bound < 0 || bound > llvm::maxIntN(width))
      return;
    atLeast(0);
    atMost(bound);
  }
  /// What `kind` says of a value and the literal `bound`.
  void compare(PredicateKind kind, int64_t bound);
  bool isNarrowed() const { return low > llvm::minIntN(width) || high < llvm::maxIntN(width); }

  unsigned width;
  int64_t low = llvm::minIntN(width), high = llvm::maxIntN(width);
};

} // namespace

void Bounds::compare(PredicateKind kind, int64_t bound) {
  switch (kind) {
  case PredicateKind::eq:
    return exactly(bound);
  case PredicateKind::lt:
    if (bound != INT64_MIN)
      atMost(bound - 1);
    return;
  case PredicateKind::le:
    return atMost(bound);
  case PredicateKind::gt:
    if (bound != INT64_MAX)
      atLeast(bound + 1);
    return;
  case PredicateKind::ge:
    return atLeast(bound);
  case PredicateKind::ult:
    if (bound > 0)
      unsignedAtMost(bound - 1);
    return;
  case PredicateKind::ule:
    return unsignedAtMost(bound);
  default:
    return;
  }
}

std::optional<ConstantIntRanges> rangeFromPredicates(ArrayAttr predicates, unsigned position,
                                                     unsigned width) {
  Bounds bounds(width);
  for (auto p : predicates.getAsRange<PredicateAttr>()) {
    ArrayRef<int64_t> args = p.getArgs();
    if (args.empty() || !p.isValue(0) || args[0] != position)
      continue;
    if (p.getKind() == PredicateKind::pow2) {
      bounds.atLeast(1);
    } else if (p.getKind() == PredicateKind::range) {
      if (!p.isValue(1))
        bounds.atLeast(args[1]);
      if (!p.isValue(2))
        bounds.atMost(args[2]);
    } else if (args.size() == 2 && !p.isValue(1)) {
      bounds.compare(p.getKind(), args[1]);
    }
  }
  if (!bounds.isNarrowed() || bounds.low > bounds.high)
    return std::nullopt;
  auto bits = [&](int64_t bound) { return APInt(width, bound, /*isSigned=*/true); };
  return ConstantIntRanges::fromSigned(bits(bounds.low), bits(bounds.high));
}

} // namespace loom
