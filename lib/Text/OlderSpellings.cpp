//===- OlderSpellings.cpp - Forms of older programs -----------------------===//
//
// An operation whose words stood in a dictionary once is read as it is written now.
//
// In the older spelling the key of `func.template<key>` and `func.apply<key>` is a name that nobody
// declares. The language as it is written now declares every family, so a program that leaves the
// declaration out gets one: in front of what names the family first, with that signature.
//
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "loom/IR/Signatures.h"
#include "loom/Support/NearMatches.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Words in a dictionary
//===----------------------------------------------------------------------===//

/// `sanitizer.race.sync<workgroup> {ordering = acq_rel, scope = workgroup}`, behind the name.
static ParseResult parseOlderSync(OpAsmParser &parser, OperationState &state) {
  MemorySpaceAttr space;
  OrderingAttr ordering;
  SyncScopeAttr scope;
  if (parser.parseLess() || parseMemorySpace(parser, space) || parser.parseGreater())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, [&]() -> ParseResult {
        SMLoc keyLoc = parser.getCurrentLocation();
        StringRef key;
        if (parser.parseKeyword(&key) || parser.parseEqual())
          return failure();
        if ((key == "ordering" && ordering) || (key == "scope" && scope))
          return text(parser).emitCoded(keyLoc, DiagCode::ParseRedefinition, "'")
                 << key << "' is given twice";
        if (key == "ordering")
          return parseOrdering(parser, ordering);
        if (key == "scope")
          return parseSyncScope(parser, scope);
        return text(parser).emitCoded(keyLoc, DiagCode::ParseExpectedToken, "'")
               << getTextName(state.name) << "' has no attribute '" << key << "'"
               << didYouMean(key, {"ordering", "scope"});
      }))
    return failure();
  if (!ordering || !scope)
    return text(parser).emitCoded(loc, DiagCode::TypeAttribute, "'")
           << getTextName(state.name) << "' needs scope(...) and ordering(...)";
  state.addAttribute("space", space);
  state.addAttribute("ordering", ordering);
  state.addAttribute("scope", scope);
  return success();
}

ParseResult Parser::parseOperation(OperationState &state) {
  bool isSync = state.name.getStringRef() == "loom_sanitizer.race.sync";
  if (isSync && rest().split('>').second.ltrim().starts_with("{"))
    return parseOlderSync(*this, state);
  return state.name.getRegisteredInfo()->getParseAssemblyFn()(*this, state);
}

//===----------------------------------------------------------------------===//
// Families without a declaration
//===----------------------------------------------------------------------===//

/// A declaration of `family` without a signature, from which a caller learns nothing but that.
static OperationState beginDeclaration(Operation *from, StringAttr family) {
  OperationState state(stripSourceInfo(from->getLoc()), "loom_template.decl");
  Builder b(from->getContext());
  state.addAttribute(SymbolTable::getSymbolAttrName(), family);
  state.addAttribute(SymbolTable::getVisibilityAttrName(), b.getStringAttr("private"));
  return state;
}

static void addParameters(OperationState &state, TypeRange types, ArrayRef<std::string> names) {
  Builder b(state.getContext());
  SmallVector<StringRef> spelled(names.begin(), names.end());
  state.addAttribute("arg_types", b.getTypeArrayAttr(types));
  state.addAttribute("arg_names", b.getStrArrayAttr(spelled));
}

/// With the parameters and results of an implementation.
static Operation *declareFromImplementation(Operation *op, StringAttr family) {
  auto header = dyn_cast<SignatureOpInterface>(op);
  if (!header || op->getNumRegions() == 0)
    return nullptr;
  OperationState state = beginDeclaration(op, family);
  SmallVector<std::string> names;
  for (BlockArgument parameter : getHeaderParameters(op, op->getRegion(0))) {
    StringRef name = getValueName(parameter);
    names.push_back(name.empty() ? "arg" + std::to_string(names.size()) : name.str());
  }
  SmallVector<Type> inputs = header.getSignatureInputs();
  if (names.size() != inputs.size())
    return nullptr;
  addParameters(state, inputs, names);
  for (StringRef same : {"result_types", "result_names", "extents", "extent_names"})
    if (Attribute value = op->getAttr(same))
      state.addAttribute(same, value);
  return Operation::create(state);
}

/// With the types that an application passes and receives; none when they name values.
static Operation *declareFromApplication(Operation *op, StringAttr family) {
  auto hasSlots = [](Type type) { return countSlots(type) != 0; };
  if (llvm::any_of(op->getOperandTypes(), hasSlots) || llvm::any_of(op->getResultTypes(), hasSlots))
    return nullptr;
  OperationState state = beginDeclaration(op, family);
  SmallVector<std::string> names;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    names.push_back("arg" + std::to_string(i));
  addParameters(state, op->getOperandTypes(), names);
  state.addAttribute("result_types",
                     Builder(op->getContext()).getTypeArrayAttr(op->getResultTypes()));
  return Operation::create(state);
}

/// Writes a blank line between `declaration` and `behind`, and one in front of them.
static void separate(Operation *declaration, Operation *behind) {
  SourceInfo info = getSourceInfo(behind->getLoc());
  if (info.leading.empty() || !info.leading.front().empty())
    info.leading.insert(info.leading.begin(), StringRef());
  behind->setLoc(setSourceInfo(behind->getLoc(), info));
  if (!behind->getPrevNode())
    return;
  SourceInfo blank;
  blank.leading.push_back({});
  declaration->setLoc(setSourceInfo(declaration->getLoc(), blank));
}

void Parser::declareOlderFamilies(ModuleOp module) {
  llvm::SetVector<StringAttr> families(olderFamilies.begin(), olderFamilies.end());
  for (Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      families.remove(name);
  for (StringAttr family : families) {
    Operation *implementation = nullptr, *application = nullptr;
    bool pure = false;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto named = op->getAttrOfType<FlatSymbolRefAttr>("family");
      if (!named || named.getAttr() != family)
        return;
      StringRef word = op->getName().getStringRef();
      if (word == "loom_template.def" && !implementation)
        implementation = op;
      if (word != "loom_template.apply")
        return;
      pure |= op->hasAttr("pure");
      if (!application)
        application = op;
    });
    Operation *from = implementation ? implementation : application;
    if (!from)
      continue;
    Operation *declaration = implementation ? declareFromImplementation(from, family)
                                            : declareFromApplication(from, family);
    if (!declaration)
      continue;
    if (pure)
      declaration->setAttr("pure", builder.getUnitAttr());
    Operation *place = from;
    while (place->getParentOp() != module)
      place = place->getParentOp();
    separate(declaration, place);
    module.getBody()->getOperations().insert(Block::iterator(place), declaration);
  }
}

} // namespace loom
