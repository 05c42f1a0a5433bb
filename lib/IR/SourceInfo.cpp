//===- SourceInfo.cpp - Author's names and comments in locations ----------===//
#include "loom/IR/SourceInfo.h"
#include "loom/IR/Loom.h"
#include "mlir/IR/Builders.h"

namespace loom {
using namespace mlir;

namespace {
constexpr llvm::StringLiteral kNames = "names", kLeading = "leading", kTrailing = "trailing",
                              kRegionEnd = "region_end", kAfter = "after",
                              kRegionBegin = "region_begin", kBlockNames = "blocks",
                              kInside = "inside";

/// What the author wrote is at the callee: inlining wraps locations in CallSiteLocs.
SourceLocAttr findSource(Location location) {
  while (auto call = dyn_cast<CallSiteLoc>(location))
    location = call.getCallee();
  return dyn_cast<SourceLocAttr>(LocationAttr(location));
}

template <typename Strings> void readStrings(DictionaryAttr dict, StringRef key, Strings &out) {
  if (auto array = dict.getAs<ArrayAttr>(key))
    for (Attribute entry : array)
      if (auto string = dyn_cast<StringAttr>(entry))
        out.push_back(string.getValue());
}

using Pairs = SmallVectorImpl<std::pair<unsigned, StringRef>>;

/// The parts of a pair; null parts where `attribute` is none. Bytecode may hold anything.
template <typename First> std::pair<First, StringAttr> readPair(Attribute attribute) {
  auto pair = dyn_cast<ArrayAttr>(attribute);
  if (!pair || pair.size() != 2)
    return {};
  return {dyn_cast<First>(pair[0]), dyn_cast<StringAttr>(pair[1])};
}

void readPairs(DictionaryAttr dict, StringRef key, Pairs &out) {
  if (auto array = dict.getAs<ArrayAttr>(key))
    for (Attribute entry : array)
      if (auto [region, text] = readPair<IntegerAttr>(entry);
          region && text && region.getType().isSignlessInteger(64))
        out.push_back({static_cast<unsigned>(region.getInt()), text.getValue()});
}

void writePairs(Builder &b, NamedAttrList &dict, StringRef key,
                ArrayRef<std::pair<unsigned, StringRef>> values) {
  if (values.empty())
    return;
  SmallVector<Attribute> pairs;
  for (auto [region, line] : values)
    pairs.push_back(b.getArrayAttr({b.getI64IntegerAttr(region), b.getStringAttr(line)}));
  dict.set(key, b.getArrayAttr(pairs));
}
} // namespace

SourceInfo getSourceInfo(Location location) {
  SourceInfo info;
  SourceLocAttr source = findSource(location);
  if (!source)
    return info;
  if (source.getName())
    info.names.push_back(source.getName().getValue());
  DictionaryAttr dict = source.getExtra();
  if (!dict)
    return info;
  readStrings(dict, kNames, info.names);
  readStrings(dict, kLeading, info.leading);
  readStrings(dict, kAfter, info.after);
  if (auto trailing = dict.getAs<StringAttr>(kTrailing))
    info.trailing = trailing.getValue();
  readPairs(dict, kRegionEnd, info.regionEnd);
  readPairs(dict, kRegionBegin, info.regionBegin);
  readPairs(dict, kBlockNames, info.blockNames);
  if (auto array = dict.getAs<ArrayAttr>(kInside))
    for (Attribute entry : array)
      if (auto [place, text] = readPair<DenseI64ArrayAttr>(entry);
          place && text && place.size() == 3)
        info.inside.push_back({static_cast<unsigned>(place[0]), static_cast<unsigned>(place[1]),
                               place[2] != 0, text.getValue()});
  return info;
}

Location stripSourceInfo(Location location) {
  SourceLocAttr source = findSource(location);
  if (!source)
    return location;
  return SourceLocAttr::get(location.getContext(), source.getFile(), source.getLine(),
                            source.getColumn(), StringAttr(), DictionaryAttr());
}

Location makeSourceLoc(StringAttr file, unsigned line, unsigned column, StringRef name) {
  MLIRContext *context = file.getContext();
  return SourceLocAttr::get(context, file, line, column,
                            name.empty() ? StringAttr() : StringAttr::get(context, name),
                            DictionaryAttr());
}

Location setSourceInfo(Location location, const SourceInfo &info) {
  SourceLocAttr source = findSource(location);
  StringAttr file;
  unsigned line = 0, column = 0;
  if (source) {
    file = source.getFile();
    line = source.getLine();
    column = source.getColumn();
  } else if (FileLineColLoc place = getFileLoc(location)) {
    file = place.getFilename();
    line = place.getLine();
    column = place.getColumn();
  } else {
    file = StringAttr::get(location.getContext(), "");
  }
  MLIRContext *context = location.getContext();
  bool single = info.names.size() == 1;
  if (info.hasNamesOnly() && info.names.size() <= 1) {
    // An operation that the compiler made, without a place and with nothing to say, stays as it is.
    if (!single && file.getValue().empty())
      return location;
    return makeSourceLoc(file, line, column, single ? info.names.front() : StringRef());
  }
  Builder b(location.getContext());
  NamedAttrList dict;
  auto strings = [&](StringRef key, ArrayRef<StringRef> values) {
    if (!values.empty())
      dict.set(key, b.getStrArrayAttr(values));
  };
  if (!single)
    strings(kNames, info.names);
  strings(kLeading, info.leading);
  strings(kAfter, info.after);
  if (!info.trailing.empty())
    dict.set(kTrailing, b.getStringAttr(info.trailing));
  writePairs(b, dict, kRegionEnd, info.regionEnd);
  writePairs(b, dict, kRegionBegin, info.regionBegin);
  writePairs(b, dict, kBlockNames, info.blockNames);
  if (!info.inside.empty()) {
    SmallVector<Attribute> entries;
    for (const InnerComment &comment : info.inside)
      entries.push_back(
          b.getArrayAttr({b.getDenseI64ArrayAttr({comment.segment, comment.token, comment.ownLine}),
                          b.getStringAttr(comment.text)}));
    dict.set(kInside, b.getArrayAttr(entries));
  }
  return SourceLocAttr::get(context, file, line, column,
                            single ? StringAttr::get(context, info.names.front()) : StringAttr(),
                            dict.getDictionary(context));
}

StringRef getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    SourceLocAttr source = findSource(argument.getLoc());
    return source && source.getName() ? source.getName().getValue() : StringRef();
  }
  auto result = cast<OpResult>(value);
  SourceLocAttr source = findSource(result.getOwner()->getLoc());
  if (!source)
    return {};
  if (source.getName())
    return result.getResultNumber() == 0 ? source.getName().getValue() : StringRef();
  DictionaryAttr dict = source.getExtra();
  auto names = dict ? dict.getAs<ArrayAttr>(kNames) : ArrayAttr();
  if (!names || result.getResultNumber() >= names.size())
    return {};
  auto name = dyn_cast<StringAttr>(names[result.getResultNumber()]);
  return name ? name.getValue() : StringRef();
}

Location nameLoc(Location location, ArrayRef<StringRef> names) {
  SourceInfo info;
  info.names.assign(names.begin(), names.end());
  return setSourceInfo(location, info);
}

FileLineColLoc getFileLoc(Location location) {
  if (auto source = dyn_cast<SourceLocAttr>(LocationAttr(location)))
    return source.getFile().getValue().empty()
               ? FileLineColLoc()
               : FileLineColLoc::get(source.getFile(), source.getLine(), source.getColumn());
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return getFileLoc(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(location))
    return getFileLoc(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = getFileLoc(part))
        return file;
  return {};
}

} // namespace loom
