//===- Config.cpp - Values for configuration keys -------------------------===//
#include "loom/Link/Config.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/IR/AsmSupport.h"
#include "loom/Support/FileIO.h"
#include "loom/Support/Json.h"
#include "loom/Support/NearMatches.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

namespace {
class Collector {
public:
  void addDirect(StringRef text);
  void addFile(StringRef path);
  llvm::Expected<std::vector<ConfigBinding>> finish();

private:
  void add(StringRef key, StringRef value, StringRef origin);
  void addObject(const Json &object, const std::string &prefix, StringRef origin);
  void error(const Twine &message) { errors.push_back(message.str()); }

  std::vector<ConfigBinding> bindings;
  llvm::StringMap<std::string> originOf;
  std::vector<std::string> errors;
};
} // namespace

void Collector::add(StringRef key, StringRef value, StringRef origin) {
  auto [it, inserted] = originOf.try_emplace(key, origin.str());
  if (inserted)
    bindings.push_back({key.str(), value.str(), origin.str()});
  else
    error("configuration key '" + key + "' is set twice: by " + it->second + " and by " + origin);
}

void Collector::addDirect(StringRef text) {
  auto [key, value] = text.split('=');
  key = key.trim();
  key.consume_front("@");
  value = value.trim();
  if (!text.contains('=') || key.empty() || value.empty())
    return error("--config=" + text + " is not of the form --config=KEY=VALUE");
  add(key, value, "--config");
}

void Collector::addObject(const Json &object, const std::string &prefix, StringRef origin) {
  for (const auto &[name, value] : object.items()) {
    std::string key = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object())
      addObject(value, key, origin);
    else if (value.is_number() || value.is_boolean())
      add(key, value.dump(), origin);
    else if (value.is_string() && StringRef(value.get_ref<const std::string &>()).starts_with("#"))
      add(key, value.get_ref<const std::string &>(), origin);
    else
      error(origin + ": the value of '" + key +
            "' is neither a number nor a boolean, nor a string with an encoding such as "
            "\"#encoding.layout.dense\"");
  }
}

void Collector::addFile(StringRef path) {
  auto buffer = readInput(path);
  if (!buffer)
    return error(llvm::toString(buffer.takeError()));
  std::string name = inputName(path);
  auto document = parseJson((*buffer)->getBuffer(), name, JsonComments::Ignored);
  if (!document)
    return error(llvm::toString(document.takeError()));
  if (!document->is_object())
    return error(name + ": a configuration file holds one JSON object");
  addObject(*document, "", name);
}

llvm::Expected<std::vector<ConfigBinding>> Collector::finish() {
  if (errors.empty())
    return std::move(bindings);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), llvm::join(errors, "\n"));
}

llvm::Expected<std::vector<ConfigBinding>> collectConfigBindings(ArrayRef<std::string> direct,
                                                                 ArrayRef<std::string> files) {
  Collector collector;
  for (const std::string &text : direct)
    collector.addDirect(text);
  for (const std::string &path : files)
    collector.addFile(path);
  return collector.finish();
}

//===----------------------------------------------------------------------===//
// Applying
//===----------------------------------------------------------------------===//

/// The literal that `text` spells, as the parser of the language makes it, or null.
static Attribute parseLiteralText(MLIRContext *context, StringRef text) {
  Builder b(context);
  if (text == "true" || text == "false")
    return b.getBoolAttr(text == "true");
  StringRef digits = text;
  bool negative = digits.consume_front("-");
  if (digits == "inf" || digits == "nan")
    return b.getF64FloatAttr(std::copysign(digits == "inf" ? INFINITY : NAN, negative ? -1. : 1.));
  if (digits.empty() || !llvm::isDigit(digits.front()))
    return {};
  bool hex = digits.consume_front_insensitive("0x");
  APInt magnitude;
  if (!digits.getAsInteger(hex ? 16 : 10, magnitude)) {
    // One bit more than needed, so that a sign fits.
    APInt wide = magnitude.zext(std::max(65u, magnitude.getBitWidth() + 1));
    if (negative)
      wide.negate();
    return wide.isSignedIntN(64) ? Attribute(b.getI64IntegerAttr(wide.getSExtValue()))
                                 : Attribute();
  }
  double value;
  if (hex || digits.find_first_not_of("0123456789.eE+-") != StringRef::npos ||
      text.getAsDouble(value))
    return {};
  return b.getF64FloatAttr(value);
}

/// The encoding that `text` spells for a key of `type`, read and verified as that of a definition;
/// null with the reason in `problem`.
static Attribute parseEncodingText(Type type, StringRef text, std::string &problem) {
  MLIRContext *context = type.getContext();
  DiagnosticEngineScope engine(context, llvm::nulls());
  std::string source = ("config.def @value = " + text + " : " + stringifyType(type)).str();
  OwningOpRef<ModuleOp> module = parseSourceText(source, "", context, /*errorLimit=*/1);
  if (module && llvm::hasSingleElement(*module->getBody()) && succeeded(verifyModule(*module)))
    if (auto def = dyn_cast<ConfigDefOp>(module->getBody()->front()))
      return def.getValue();
  problem = engine.diagnostics().empty()
                ? "an encoding such as #encoding.layout.dense is expected"
                : StringRef(engine.diagnostics().front().message).rsplit(" [").first.str();
  return {};
}

/// The literal of a binding for the key that `op` declares, or null after reporting.
static Attribute literalFor(Operation *op, Type type, const ConfigBinding &binding) {
  auto emit = [&](const Twine &message) {
    InFlightDiagnostic diag = emitCoded(op, DiagCode::ConfigValue, "");
    diag << binding.key << "=" << binding.value << " (" << binding.origin << "): " << message.str();
    return diag;
  };
  if (isa<EncodingType>(type)) {
    std::string problem;
    Attribute encoding = parseEncodingText(type, binding.value, problem);
    if (!encoding)
      emit(problem);
    return encoding;
  }
  Attribute literal = parseLiteralText(op->getContext(), binding.value);
  if (!literal)
    emit("the value is neither a number of 64 bits nor true or false; the key has type ") << type;
  else if (FailureOr<TypedAttr> value = convertLiteral(literal, type, emit); succeeded(value)) {
    auto decl = dyn_cast<ConfigDeclOp>(op);
    std::optional<std::string> broken = decl ? findBrokenPredicate(decl, *value) : std::nullopt;
    if (!broken)
      return literal;
    emit("the declaration asks for " + *broken);
  }
  return {};
}

static Type typeOfKey(Operation *op) {
  if (auto def = dyn_cast<ConfigDefOp>(op))
    return def.getValueType();
  if (auto decl = dyn_cast<ConfigDeclOp>(op))
    return decl.getValueType();
  return {};
}

/// What declares or defines each key: first the operation that gets the value.
using KeyMap = llvm::MapVector<StringRef, SmallVector<Operation *, 1>>;

static void collectKeys(ModuleOp module, KeyMap &keys) {
  for (Operation &op : *module.getBody())
    if (typeOfKey(&op))
      keys[cast<SymbolOpInterface>(op).getName()].push_back(&op);
}

static void reportUnknown(ModuleOp module, const ConfigBinding &binding, const KeyMap &keys) {
  std::vector<std::string> known;
  for (const auto &entry : keys)
    known.push_back(entry.first.str());
  std::vector<std::string> near = nearMatches(binding.key, known);
  InFlightDiagnostic diag = emitCoded(module.getLoc(), DiagCode::ConfigUnknown, "");
  diag << "the program declares no configuration key '" << binding.key << "' (" << binding.origin
       << ")" << didYouMean(binding.key, known);
  for (const std::string &match : near)
    diag.attachNote(keys.lookup(match).front()->getLoc()) << "'" << match << "' is declared here";
  if (keys.empty()) {
    diag.attachNote(module.getLoc()) << "it declares none at all";
  } else if (near.empty()) {
    constexpr size_t kShown = 8;
    diag.attachNote(keys.front().second.front()->getLoc())
        << "its keys are " << llvm::join(ArrayRef<std::string>(known).take_front(kShown), ", ")
        << (known.size() > kShown ? ", ..." : "");
  }
}

static void define(Operation *op, Attribute literal) {
  if (auto def = dyn_cast<ConfigDefOp>(op)) {
    def.setValueAttr(literal);
    return;
  }
  auto decl = cast<ConfigDeclOp>(op);
  OpBuilder builder(op);
  ConfigDefOp::create(builder, op->getLoc(), decl.getSymNameAttr(), literal,
                      decl.getValueTypeAttr(), decl.getSymVisibilityAttr());
  op->erase();
}

/// The literal of a binding, which has to suit whatever says something about the key: a declaration
/// that gave way to a definition had predicates of its own. Null after reporting.
static Attribute literalFor(ArrayRef<Operation *> places, const ConfigBinding &binding) {
  Attribute literal = literalFor(places.front(), typeOfKey(places.front()), binding);
  for (Operation *place : places.drop_front())
    if (auto decl = dyn_cast<ConfigDeclOp>(place); literal && decl && decl.getWhere())
      if (!literalFor(decl, decl.getValueType(), binding))
        return {};
  return literal;
}

LogicalResult applyConfig(ModuleOp module, ArrayRef<ConfigBinding> bindings,
                          std::vector<EffectiveBinding> *effective, ArrayRef<ModuleOp> others) {
  KeyMap keys;
  collectKeys(module, keys);
  for (ModuleOp other : others)
    collectKeys(other, keys);
  bool ok = true;
  llvm::DenseMap<Operation *, Attribute> literals;
  for (const ConfigBinding &binding : bindings) {
    auto places = keys.find(binding.key);
    if (places == keys.end()) {
      reportUnknown(module, binding, keys);
      ok = false;
    } else if (Attribute literal = literalFor(places->second, binding)) {
      literals[places->second.front()] = literal;
    } else {
      ok = false;
    }
  }
  if (!ok)
    return failure();
  for (auto &[key, places] : keys) {
    Operation *op = places.front();
    Attribute literal = literals.lookup(op);
    if (!literal || op->getParentOp() != module)
      continue;
    if (effective) {
      EffectiveBinding &binding = effective->emplace_back();
      binding.key = key.str();
      llvm::raw_string_ostream os(binding.value);
      printTextAttribute(os, literal);
    }
    define(op, literal);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

LogicalResult requireResolvedConfig(ModuleOp module) {
  bool ok = true;
  for (auto decl : module.getOps<ConfigDeclOp>()) {
    ok = false;
    emitCoded(decl, DiagCode::ConfigMissing, "configuration value @")
        << decl.getSymName() << " is declared, but neither an input nor --config gives it a value";
  }
  return success(ok);
}

/// Numbers and booleans as such, anything else as the text spells it.
static Json toJson(Attribute literal) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printTextAttribute(os, literal);
  Json value = Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

/// `range(%n, 1, 256)` as `{"predicate": "range", "arguments": [1, 256]}`: the value itself, which
/// comes first, goes without saying.
static Json predicatesToJson(ArrayAttr where) {
  Json rows = Json::array();
  for (auto predicate : where.getAsRange<PredicateAttr>()) {
    Json arguments = Json::array();
    for (int64_t argument : predicate.getArgs().drop_front())
      arguments.push_back(argument);
    rows.push_back({{"predicate", stringifyPredicateKind(predicate.getKind()).str()},
                    {"arguments", arguments}});
  }
  return rows;
}

std::string configSchema(ModuleOp module) {
  KeyMap keys;
  collectKeys(module, keys);
  Json rows = Json::array();
  for (auto &[key, places] : keys) {
    auto def = dyn_cast<ConfigDefOp>(places.front());
    Json row = {{"index", rows.size()},
                {"key", key.str()},
                {"type", stringifyType(typeOfKey(places.front()))},
                {"resolved", static_cast<bool>(def)}};
    if (def)
      row["value"] = toJson(def.getValue());
    else if (ArrayAttr where = cast<ConfigDeclOp>(places.front()).getWhereAttr())
      row["where"] = predicatesToJson(where);
    rows.push_back(std::move(row));
  }
  return jsonLine({{"kind", "loom.config_schema"},
                   {"schema_version", 0},
                   {"keys", {{"count", rows.size()}, {"rows", rows}}}});
}

} // namespace loom
