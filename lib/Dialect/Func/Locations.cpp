//===- Locations.cpp - `func.location` ------------------------------------===//
#include "Directives.h"
#include "loom/Dialect/Func/Func.h"

namespace loom {
using namespace mlir;

namespace {
/// A family of `#func.location.*`. Its first parameter may be written without a name.
struct Family {
  StringLiteral name;
  enum Primary { None, Text, Count } primary;
  bool hasRange;
  /// Locations that it is put around; with a count that many.
  unsigned children;
};
} // namespace

static constexpr Family kFamilies[] = {
    {"unknown", Family::None, false, 0}, {"file", Family::Text, true, 0},
    {"opaque", Family::Text, false, 0},  {"field", Family::Text, false, 1},
    {"tagged", Family::Text, false, 1},  {"fused", Family::Count, false, 0},
};
static constexpr StringLiteral kPrefix = "func.location.", kPrimary = "primary", kRange = "range";

static const Family *lookupFamily(EncodingAttr location) {
  StringRef name = location.getFamily().getValue();
  if (!name.consume_front(kPrefix))
    return nullptr;
  for (const Family &family : kFamilies)
    if (family.name == name)
      return &family;
  return nullptr;
}

/// Why `location` is not one; empty when it is.
static std::string checkLocation(EncodingAttr location) {
  const Family *family = lookupFamily(location);
  if (!family)
    return "expected one of #func.location.unknown, .file, .opaque, .field, .tagged, .fused";
  std::string word = ("#" + location.getFamily().getValue()).str();
  auto isCoordinate = [](int64_t value) { return value >= 0 && value <= UINT32_MAX; };
  for (NamedAttribute param : location.getParams()) {
    StringRef key = param.getName().getValue();
    if (key == kRange && family->hasRange) {
      auto range = dyn_cast<DenseI64ArrayAttr>(param.getValue());
      if (!range || range.size() != 4 || !llvm::all_of(range.asArrayRef(), isCoordinate))
        return "a range is [line, column, line, column]";
    } else if (key != kPrimary || family->primary == Family::None) {
      return word + " has no parameter '" + key.str() + "'";
    }
  }
  Attribute primary = location.getParams().get(kPrimary);
  if (family->primary == Family::Text && !isa_and_nonnull<StringAttr>(primary))
    return word + " needs a string first";
  auto count = dyn_cast_or_null<IntegerAttr>(primary);
  if (family->primary == Family::Count && (!count || count.getInt() < 1))
    return word + " needs the number of locations that it joins";
  return {};
}

ParseResult parseLocations(OpAsmParser &parser, ArrayAttr &locations) {
  SmallVector<Attribute> parsed;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        Attribute attribute;
        if (parser.parseAttribute(attribute))
          return failure();
        auto location = dyn_cast<EncodingAttr>(attribute);
        std::string problem = location ? checkLocation(location)
                                       : "expected a location such as #func.location.unknown";
        if (!problem.empty())
          return text(parser).emitCoded(loc, DiagCode::StructureValue, problem);
        parsed.push_back(location);
        return success();
      }))
    return failure();
  locations = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

void printLocations(OpAsmPrinter &printer, Operation *, ArrayAttr locations) {
  printer << '[';
  llvm::interleaveComma(locations.getAsRange<EncodingAttr>(), printer, [&](EncodingAttr location) {
    printer << '#' << location.getFamily().getValue();
    if (location.getParams().empty())
      return;
    Attribute primary = location.getParams().get(kPrimary),
              range = location.getParams().get(kRange);
    printer << '<';
    printer.printAttribute(primary);
    if (range) {
      printer << ", range = ";
      printer.printAttribute(range);
    }
    printer << '>';
  });
  printer << ']';
}

LogicalResult FuncLocationOp::verify() {
  uint64_t open = 0;
  for (Attribute attribute : getLocations()) {
    auto location = dyn_cast<EncodingAttr>(attribute);
    if (!location || !checkLocation(location).empty())
      return emitCoded(*this, DiagCode::StructureValue, "'func.location' has a malformed location");
    uint64_t children = lookupFamily(location)->children;
    if (auto count = location.getParams().getAs<IntegerAttr>(kPrimary))
      children = count.getInt();
    if (children > open)
      return emitCoded(*this, DiagCode::StructureValue, "#")
             << location.getFamily().getValue() << " is put around " << children
             << (children == 1 ? " location" : " locations") << ", but " << open
             << (open == 1 ? " is" : " are") << " in front of it";
    open = open - children + 1;
  }
  if (open == 1)
    return success();
  return emitCoded(*this, DiagCode::StructureValue, "'func.location' describes one location, but ")
         << open << (open == 1 ? " is" : " are") << " left; #func.location.fused joins several";
}

} // namespace loom
