//===- Expect.cpp - Evaluating expectations -------------------------------===//
#include "Expect.h"
#include "Values.h"
#include "loom/Runtime/Compare.h"
#include "loom/Support/NearMatches.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

namespace loom::check {
using namespace mlir;

using runtime::Agreement;
using runtime::Event;
using runtime::EventLog;
using runtime::Mismatch;
using runtime::Scalar;
using runtime::Tensor;

//===----------------------------------------------------------------------===//
// What is expected
//===----------------------------------------------------------------------===//

StringRef expectationKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<CheckExpectEqualOp>([](auto) { return "equal"; })
      .Case<CheckExpectBitwiseOp>([](auto) { return "bitwise"; })
      .Case<CheckExpectCloseOp>([](auto) { return "close"; })
      .Case<CheckExpectShapeOp>([](auto) { return "shape"; })
      .Case<CheckExpectOp>([](auto) { return "custom"; })
      .Case<CheckExpectEventOp>([](auto) { return "event"; })
      .Default([](auto) { return "none"; });
}

/// `{max_ulp = 2, nans = same}` of the provider `reference.ulp`.
static llvm::Expected<Agreement> ulpAgreement(CheckExpectOp op) {
  static const std::vector<std::string> keys = {"max_ulp", "nans"};
  Agreement agreement;
  agreement.kind = Agreement::Kind::Ulp;
  DictionaryAttr options = op.getOptionsAttr();
  bool hasLimit = false;
  for (NamedAttribute entry : options ? options.getValue() : ArrayRef<NamedAttribute>()) {
    std::string key = entry.getName().str();
    if (key == "max_ulp") {
      auto limit = dyn_cast<IntegerAttr>(entry.getValue());
      if (!limit || isa<BoolAttr>(entry.getValue()) || limit.getInt() < 0)
        return llvm::createStringError("'max_ulp' is a number that is not negative");
      agreement.maxUlp = limit.getInt();
      hasLimit = true;
    } else if (key == "nans") {
      auto word = dyn_cast<StringAttr>(entry.getValue());
      if (!word || (word.getValue() != "same" && word.getValue() != "different"))
        return llvm::createStringError("'nans' is same or different");
      agreement.nansAgree = word.getValue() == "same";
    } else {
      return llvm::createStringError("'reference.ulp' has no option '" + key + "'" +
                                     didYouMean(key, keys));
    }
  }
  if (!hasLimit)
    return llvm::createStringError("'reference.ulp' needs {max_ulp = N}");
  return agreement;
}

std::optional<std::string> refuseExpectation(Operation *op) {
  if (auto event = dyn_cast<CheckExpectEventOp>(op)) {
    if (event.getProvider() == "device")
      return std::nullopt;
    return ("there are no events of '" + event.getProvider() + "', only of 'device'").str();
  }
  auto custom = dyn_cast<CheckExpectOp>(op);
  if (!custom)
    return std::nullopt;
  static const std::vector<std::string> providers = {"reference.ulp"};
  if (custom.getProvider() != "reference.ulp")
    return ("there is no comparison '" + custom.getProvider() + "'" +
            didYouMean(custom.getProvider(), providers))
        .str();
  auto type = elementTypeOf(custom.getActual().getType());
  if (!type || !runtime::isFloat(*type))
    return std::string("'reference.ulp' compares floats");
  llvm::Expected<Agreement> agreement = ulpAgreement(custom);
  return agreement ? std::nullopt : std::optional(llvm::toString(agreement.takeError()));
}

static double toleranceOf(Attribute literal) { return cast<FloatAttr>(literal).getValueAsDouble(); }

static Agreement agreementOf(Operation *op) {
  Agreement agreement;
  if (isa<CheckExpectBitwiseOp>(op))
    agreement.kind = Agreement::Kind::Bitwise;
  if (auto custom = dyn_cast<CheckExpectOp>(op))
    return llvm::cantFail(ulpAgreement(custom)); // planned only when it has one
  if (auto close = dyn_cast<CheckExpectCloseOp>(op)) {
    agreement.kind = Agreement::Kind::Close;
    agreement.absolute = toleranceOf(close.getAtol());
    agreement.relative = toleranceOf(close.getRtol());
    agreement.nansAgree = close.getNan() == NanPolicy::same;
  }
  return agreement;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [i, extent] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + "]";
}

static std::string numberText(const Scalar &value) {
  std::string number = value.toText();
  return runtime::isFloat(value.type()) ? number + " (" + value.toHex() + ")" : number;
}

static std::string doubleText(double value) {
  return Scalar::fromDouble(runtime::ElementType::F64, value).toText();
}

/// How far apart two numbers are, for expectations that allow for a distance.
static std::string distanceText(const Agreement &agreement, const Mismatch &mismatch) {
  if (agreement.kind == Agreement::Kind::Ulp) {
    auto distance = runtime::ulpDistance(mismatch.actual, mismatch.expected);
    return distance ? ", " + std::to_string(*distance) + " ulp apart where " +
                          std::to_string(agreement.maxUlp) + " are allowed"
                    : "";
  }
  if (agreement.kind != Agreement::Kind::Close)
    return "";
  double actual = mismatch.actual.toDouble(), expected = mismatch.expected.toDouble();
  double allowed = agreement.absolute + agreement.relative * std::fabs(expected);
  if (std::isnan(actual - expected) || std::isnan(allowed))
    return "";
  return ", " + doubleText(std::fabs(actual - expected)) + " apart where " + doubleText(allowed) +
         " is allowed";
}

static std::string describe(const std::string &actualName, const std::string &expectedName,
                            const Tensor *tensor, const Agreement &agreement,
                            const Mismatch &mismatch) {
  std::string position = tensor ? tensor->position(mismatch.flat) : "";
  std::string detail = actualName + position + " is " + numberText(mismatch.actual) + ", " +
                       expectedName + position + " is " + numberText(mismatch.expected) +
                       distanceText(agreement, mismatch);
  if (tensor)
    detail += "; first of " + std::to_string(mismatch.count) + " mismatches in " +
              std::to_string(mismatch.total) + " elements (flat index " +
              std::to_string(mismatch.flat) + ")";
  return detail;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Why two tensors do not agree, or nothing when they do.
static std::optional<std::string> difference(const Tensor &actual, const std::string &actualName,
                                             const Tensor &expected,
                                             const std::string &expectedName,
                                             const Agreement &agreement) {
  // Equal types leave dynamic extents open.
  if (actual.shape() != expected.shape())
    return actualName + " has the shape " + shapeText(actual.shape()) + ", " + expectedName +
           " has the shape " + shapeText(expected.shape());
  std::optional<Mismatch> mismatch = runtime::compare(actual, expected, agreement);
  if (!mismatch)
    return std::nullopt;
  return describe(actualName, expectedName, &actual, agreement, *mismatch);
}

std::optional<std::string> differenceInBits(const Tensor &actual, const std::string &actualName,
                                            const Tensor &expected,
                                            const std::string &expectedName) {
  Agreement agreement;
  agreement.kind = Agreement::Kind::Bitwise;
  return difference(actual, actualName, expected, expectedName, agreement);
}

static std::optional<std::string> compareValues(Operation *op, Slots &slots) {
  Value actual = op->getOperand(0), expected = op->getOperand(1);
  std::string actualName = slots.name(actual), expectedName = slots.name(expected);
  Agreement agreement = agreementOf(op);
  if (Tensor *tensor = slots.tensor(actual))
    return difference(*tensor, actualName, *slots.tensor(expected), expectedName, agreement);
  std::optional<Mismatch> mismatch =
      runtime::compare(slots.scalar(actual), slots.scalar(expected), agreement);
  if (!mismatch)
    return std::nullopt;
  return describe(actualName, expectedName, nullptr, agreement, *mismatch);
}

static std::optional<std::string> compareShape(CheckExpectShapeOp op, Slots &slots) {
  auto extent = op.getExtents().begin();
  SmallVector<int64_t> expected;
  for (int64_t known : op.getStaticExtents())
    expected.push_back(ShapedType::isDynamic(known) ? slots.scalar(*extent++).toInteger() : known);
  ArrayRef<int64_t> actual = slots.tensor(op.getValue())->shape();
  if (actual == ArrayRef<int64_t>(expected))
    return std::nullopt;
  return slots.name(op.getValue()) + " has the shape " + shapeText(actual) + ", not " +
         shapeText(expected);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static std::string eventText(const Event &event) {
  std::string place;
  if (!event.file.empty())
    place =
        event.file + ":" + std::to_string(event.line) + ":" + std::to_string(event.column) + ": ";
  return place + event.message + " [" + stringifyEventKind(event.kind).str() + "]";
}

/// Compares how many events match a pattern with how many have to. `expected` marks the ones that
/// do.
static std::optional<std::string> compareEvents(CheckExpectEventOp op, const EventLog &log,
                                                std::vector<bool> &expected) {
  auto count = op.getPattern().getAs<IntegerAttr>("count");
  uint64_t wanted = count ? count.getInt() : 1, found = 0;
  for (auto [i, event] : llvm::enumerate(log.events))
    if (matchesPattern(op.getPattern(), event)) {
      expected[i] = true;
      ++found;
    }
  if (found == wanted)
    return std::nullopt;
  auto some = [](uint64_t n) { return std::to_string(n) + (n == 1 ? " event" : " events"); };
  return some(found) + (found == 1 ? " matches" : " match") + " where " + std::to_string(wanted) +
         (wanted == 1 ? " is" : " are") + " expected; the device reported " +
         some(log.events.size()) +
         (log.events.empty() ? "" : ", the first: " + eventText(log.events.front()));
}

/// What nobody expected, as failures behind all expectations.
static void reportUnexpected(const EventLog &log, const std::vector<bool> &expected,
                             RunResult &result) {
  auto fail = [&](std::string detail, std::optional<SourceLocation> place) {
    ExpectationFailure &failure = result.failures.emplace_back();
    failure.index = result.expectationCount++;
    failure.kind = "event";
    failure.isUnexpectedEvent = true;
    failure.detail = std::move(detail);
    failure.location = std::move(place);
  };
  for (auto [event, isExpected] : llvm::zip_equal(log.events, expected)) {
    if (isExpected || event.severity < Event::Severity::Error)
      continue;
    std::optional<SourceLocation> place;
    if (!event.file.empty())
      place = SourceLocation{event.file, event.line, event.column, event.line, event.column};
    fail(event.message + " [" + stringifyEventKind(event.kind).str() + "]", place);
  }
  if (log.dropped != 0)
    fail("the device dropped " + std::to_string(log.dropped) + " events", std::nullopt);
}

void addUnexpectedEvents(const EventLog &log, RunResult &result) {
  reportUnexpected(log, std::vector<bool>(log.events.size()), result);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

void evaluateExpectations(ArrayRef<Operation *> expectations, Slots &slots, const EventLog &log,
                          RunResult &result) {
  std::vector<bool> expectedEvents(log.events.size());
  result.expectationCount = expectations.size();
  for (auto [index, op] : llvm::enumerate(expectations)) {
    std::optional<std::string> detail;
    if (auto event = dyn_cast<CheckExpectEventOp>(op))
      detail = compareEvents(event, log, expectedEvents);
    else if (auto shape = dyn_cast<CheckExpectShapeOp>(op))
      detail = compareShape(shape, slots);
    else
      detail = compareValues(op, slots);
    if (!detail)
      continue;
    ExpectationFailure failure;
    failure.index = index;
    failure.kind = expectationKind(op).str();
    if (op->getNumOperands() > 0)
      failure.actualId = slots.id(op->getOperand(0));
    if (op->getNumOperands() > 1 && !isa<CheckExpectShapeOp>(op))
      failure.expectedId = slots.id(op->getOperand(1));
    failure.detail = std::move(*detail);
    failure.location = sourceLocation(op->getLoc());
    result.failures.push_back(std::move(failure));
  }
  reportUnexpected(log, expectedEvents, result);
}

} // namespace loom::check
