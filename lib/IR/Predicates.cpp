//===- Predicates.cpp - Facts that the author states ----------------------===//
#include "loom/IR/Predicates.h"

namespace loom {
using namespace mlir;

PredicateInfo getPredicateInfo(PredicateKind kind) {
  switch (kind) {
  case PredicateKind::pow2:
    return {kind, 1, false};
  case PredicateKind::range:
    return {kind, 3, false};
  case PredicateKind::not_nan:
  case PredicateKind::not_inf:
  case PredicateKind::finite:
    return {kind, 1, true};
  default:
    return {kind, 2, false};
  }
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

std::optional<ConstantIntRanges> rangeFromPredicates(ArrayAttr predicates, unsigned position,
                                                     unsigned width) {
  APInt low = APInt::getSignedMinValue(width), high = APInt::getSignedMaxValue(width);
  bool any = false;
  auto atLeast = [&](int64_t bound) {
    low = llvm::APIntOps::smax(low, APInt(width, bound, true, true));
    any = true;
  };
  auto atMost = [&](int64_t bound) {
    high = llvm::APIntOps::smin(high, APInt(width, bound, true, true));
    any = true;
  };
  for (auto p : predicates.getAsRange<PredicateAttr>()) {
    if (p.getArgs().empty() || !p.isValue(0) || p.getArgs()[0] != position)
      continue;
    auto literal = [&](unsigned i) { return !p.isValue(i); };
    ArrayRef<int64_t> args = p.getArgs();
    switch (p.getKind()) {
    case PredicateKind::eq:
      if (literal(1)) {
        atLeast(args[1]);
        atMost(args[1]);
      }
      break;
    case PredicateKind::lt:
      if (literal(1) && args[1] != INT64_MIN)
        atMost(args[1] - 1);
      break;
    case PredicateKind::le:
      if (literal(1))
        atMost(args[1]);
      break;
    case PredicateKind::gt:
      if (literal(1) && args[1] != INT64_MAX)
        atLeast(args[1] + 1);
      break;
    case PredicateKind::ge:
      if (literal(1))
        atLeast(args[1]);
      break;
    case PredicateKind::range:
      if (literal(1))
        atLeast(args[1]);
      if (literal(2))
        atMost(args[2]);
      break;
    case PredicateKind::pow2:
      atLeast(1);
      break;
    default:
      break;
    }
  }
  if (!any || low.sgt(high))
    return std::nullopt;
  return ConstantIntRanges::fromSigned(low, high);
}

} // namespace loom
