//===- ParserNames.cpp - Names of operations, and what may have been meant ---===//
#include "Parser.h"
#include "loom/Support/NearMatches.h"
#include "loom/Support/Tokens.h"
#include "llvm/ADT/StringExtras.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// What another language calls an operation
//===----------------------------------------------------------------------===//

namespace {
/// Names of MLIR, LLVM and the languages of graphics processors, without the dialect in front, and
/// what does the same here. What has no dot is looked for in the dialect that the author names.
struct OtherName {
  StringLiteral name, meant;
};
} // namespace

static constexpr OtherName kOtherNames[] = {
    {"maxf", "maximumf maxnumf"},
    {"minf", "minimumf minnumf"},
    {"fmax", "maxnumf maximumf"},
    {"fmin", "minnumf minimumf"},
    {"max", "maximumf maxsi maxui max"},
    {"min", "minimumf minsi minui min"},
    {"smax", "maxsi max"},
    {"smin", "minsi min"},
    {"umax", "maxui max"},
    {"umin", "minui min"},
    {"maxsi", "max"},
    {"minsi", "min"},
    {"fadd", "addf"},
    {"fsub", "subf"},
    {"fmul", "mulf"},
    {"fdiv", "divf"},
    {"frem", "remf"},
    {"fneg", "negf"},
    {"fabs", "absf"},
    {"mad", "fmaf fmai madd"},
    {"sdiv", "divsi div"},
    {"udiv", "divui div"},
    {"srem", "remsi rem"},
    {"urem", "remui rem"},
    {"divsi", "div"},
    {"remsi", "rem"},
    {"mod", "remsi remui rem"},
    {"icmp", "cmpi cmp"},
    {"fcmp", "cmpf"},
    {"cmpi", "cmp"},
    {"not", "xori"},
    {"lshr", "shrui"},
    {"ashr", "shrsi"},
    {"sext", "extsi"},
    {"zext", "extui"},
    {"fpext", "extf"},
    {"trunc", "trunci fptrunc"},
    {"clz", "ctlzi"},
    {"ctlz", "ctlzi"},
    {"ctz", "cttzi"},
    {"cttz", "cttzi"},
    {"popcount", "ctpopi"},
    {"ctpop", "ctpopi"},
    {"sigmoid", "logisticf"},
    {"recip", "divf"},
    {"index_cast", "index.cast"},
    {"index_castui", "index.cast"},
    {"cast", "bitcast sitofp fptosi index.cast"},
    {"convert", "sitofp fptosi index.cast"},
    {"select", "scf.select"},
    {"extractelement", "extract"},
    {"insertelement", "insert"},
    {"shufflevector", "shuffle"},
    {"reduction", "reduce"},
    {"multi_reduction", "vector.reduce.axes"},
    {"matmul", "vector.mma"},
    {"contract", "vector.mma"},
    {"transfer_read", "vector.load"},
    {"transfer_write", "vector.store"},
    {"maskedload", "vector.load.mask"},
    {"maskedstore", "vector.store.mask"},
    {"expandload", "vector.load.expand"},
    {"compressstore", "vector.store.compress"},
    {"create_mask", "vector.mask.range"},
    {"step", "vector.iota"},
    {"alloc", "buffer.alloca"},
    {"memref.load", "view.load"},
    {"memref.store", "view.store"},
    {"buffer.load", "buffer.view view.load"},
    {"buffer.store", "buffer.view view.store"},
    {"memref.cast", "view.refine"},
    {"reinterpret_cast", "buffer.view"},
    {"atomic_rmw", "view.atomic.rmw"},
    {"cmpxchg", "view.atomic.cmpxchg"},
    {"thread_id", "kernel.workitem.id"},
    {"thread.id", "kernel.workitem.id"},
    {"block_id", "kernel.workgroup.id"},
    {"block.id", "kernel.workgroup.id"},
    {"block_dim", "kernel.workgroup.size"},
    {"grid_dim", "kernel.workgroup.count"},
    {"global_id", "kernel.workitem.dispatch.id"},
    {"global.id", "kernel.workitem.dispatch.id"},
    {"lane_id", "kernel.subgroup.lane.id"},
    {"lane.id", "kernel.subgroup.lane.id"},
    {"subgroup_id", "kernel.subgroup.id"},
    {"subgroup_size", "kernel.subgroup.size"},
    {"subgroup_reduce", "kernel.subgroup.reduce"},
    {"all_reduce", "kernel.workgroup.reduce"},
    {"shuffle", "kernel.subgroup.shuffle"},
    {"sync", "kernel.barrier"},
    {"syncthreads", "kernel.barrier"},
    {"launch_func", "kernel.launch"},
    {"loop", "scf.for scf.while"},
    {"parallel", "scf.for"},
    {"forall", "scf.for"},
    {"func", "def"},
    {"function", "func.def"},
    {"invoke", "func.call"},
    {"ret", "return"},
    {"yield", "scf.yield"},
};

//===----------------------------------------------------------------------===//
// What may have been meant
//===----------------------------------------------------------------------===//

namespace {
/// Looks for operations that an unknown name may stand for.
class Suggestions {
public:
  /// `around` is the operation at the top level that the name stands in; may be empty.
  Suggestions(MLIRContext *context, StringRef name, StringRef around);

  /// The end of a sentence, or nothing.
  std::string get();

private:
  void add(const Twine &op) {
    std::string spelled = op.str();
    if (llvm::is_contained(known, spelled) && !llvm::is_contained(found, spelled))
      found.push_back(std::move(spelled));
  }
  void addForms(StringRef dialect, StringRef word);
  void addOtherNames();
  void addNear(StringRef dialect);
  void addElsewhere();

  StringRef name;
  StringRef dialect; ///< in front of the first dot; empty when that is no dialect
  StringRef part;    ///< behind it
  StringRef around;  ///< the dialect that the name stands in
  std::vector<std::string> known, dialects, found;
};
} // namespace

Suggestions::Suggestions(MLIRContext *context, StringRef name, StringRef around)
    : name(name), part(name), around(around.split('.').first) {
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getStringRef().starts_with("loom_"))
      known.push_back(getTextName(op).str());
  llvm::sort(known);
  for (StringRef op : known)
    if (StringRef owner = op.split('.').first; dialects.empty() || dialects.back() != owner)
      dialects.push_back(owner.str());
  if (!name.contains('.'))
    return;
  std::tie(dialect, part) = name.split('.');
  if (!llvm::is_contained(dialects, dialect))
    dialect = {};
}

/// `word` in `dialect` as it stands, else with the letters that say what it computes with, else
/// without them: `scalar.add`, `index.addi`.
void Suggestions::addForms(StringRef dialect, StringRef word) {
  std::string full = (dialect + "." + word).str();
  size_t before = found.size();
  add(full);
  for (StringRef type : {"f", "i", "si", "ui"})
    if (found.size() == before || !llvm::is_contained(known, full))
      add(full + type);
  if (found.size() == before && (word.ends_with("i") || word.ends_with("f")))
    add(StringRef(full).drop_back());
}

void Suggestions::addOtherNames() {
  for (const OtherName &other : kOtherNames) {
    if (other.name != name && other.name != part)
      continue;
    SmallVector<StringRef> words;
    other.meant.split(words, ' ');
    for (StringRef word : words)
      if (word.contains('.'))
        add(word);
      else if (!dialect.empty())
        add(dialect + "." + word);
      else
        for (StringRef values : {"scalar.", "vector."})
          add(values + word);
    return;
  }
}

/// Names of `dialect` that are spelled nearly so.
void Suggestions::addNear(StringRef dialect) {
  std::vector<std::string> parts;
  for (StringRef op : known)
    if (op.consume_front(dialect) && op.consume_front("."))
      parts.push_back(op.str());
  for (const std::string &near : nearMatches(part, parts))
    add(dialect + "." + near);
}

/// The same name in another dialect: `scalar.mulf` for `arith.mulf`.
void Suggestions::addElsewhere() {
  for (StringRef op : known)
    if (op.split('.').second == part)
      add(op);
  if (dialect.empty() && found.empty())
    for (StringRef values : {"scalar", "vector"})
      addForms(values, part);
}

std::string Suggestions::get() {
  if (name == part) // `return`
    add(around + "." + part);
  std::vector<std::string> nearDialects;
  if (!dialect.empty())
    nearDialects.push_back(dialect.str());
  else if (name != part)
    nearDialects = nearMatches(name.split('.').first, dialects);
  for (StringRef near : nearDialects)
    if (found.empty())
      addForms(near, part);
  if (found.empty())
    addOtherNames();
  if (found.empty() && !dialect.empty())
    addNear(dialect);
  if (found.empty())
    addElsewhere();
  if (name == part)
    nearDialects = {around.str(), "scf"};
  for (StringRef near : nearDialects)
    if (found.empty())
      addNear(near);
  constexpr size_t kMost = 3;
  std::string text;
  found.resize(std::min(found.size(), kMost));
  for (auto [i, op] : llvm::enumerate(found))
    text += (i == 0 ? "; did you mean '" : i + 1 == found.size() ? " or '" : ", '") + op + "'";
  return text.empty() ? text : text + "?";
}

//===----------------------------------------------------------------------===//
// Names of operations
//===----------------------------------------------------------------------===//

void Parser::emitNoOperation(StringRef name, Operation *before) {
  if (name.empty() && !resultNames.empty()) {
    emitExpected("an operation");
    return;
  }
  StringRef rest(nameLoc.getPointer(), end - nameLoc.getPointer());
  std::string got =
      (name.empty() ? rest.take_front(tokenEndAt(rest, 0)) : name).take_front(40).str();
  if (rest.starts_with("/*") || rest.starts_with("#"))
    emitCoded(nameLoc, DiagCode::ParseExpectedToken, "expected an operation, got '")
        << got << "'; a comment begins with '//' and ends with its line";
  else if (before && resultNames.empty())
    emitBehind(before, nameLoc, got);
  else
    emitCoded(nameLoc, DiagCode::ParseExpectedToken, "expected an operation, got '") << got << "'";
}

InFlightDiagnostic Parser::emitBehind(Operation *before, SMLoc loc, StringRef got) {
  StringRef name = getTextName(before);
  bool isValue = got.starts_with("%") || (!got.empty() && llvm::isDigit(got[0]));
  bool endsKernel = name == "kernel.return";
  InFlightDiagnostic diag = emitCoded(loc, DiagCode::ParseExpectedToken, "");
  if (!isValue || !(endsKernel || name == "check.return")) {
    diag << "expected the end of '" << name << "', got '" << got << "'"
         << (got == ";" ? "; a statement ends with its line" : "");
    return diag;
  }
  diag << "'" << name << "' takes no values, got '" << got << "'; a "
       << (endsKernel ? "kernel returns nothing: its results are what it stores"
                      : "case returns nothing: it says what it expects");
  return diag;
}

std::string Parser::parseOperationName(Operation *before) {
  nameLoc = getCurrentLocation();
  StringRef name = word(".");
  if (name.empty()) {
    emitNoOperation(name, before);
    return {};
  }
  statementWord = name;
  if (!namings.empty() && namings.back())
    if (StringRef named = namings.back()(name); !named.empty())
      return named.str();
  // Older spellings.
  if (enclosing.empty())
    inOlderTemplate = name == "func.template";
  if (name == "func.template")
    name = "template.def";
  else if (name == "func.apply")
    name = "template.apply";
  else if (name == "func.return" && inOlderTemplate && enclosing.size() == 1)
    name = "template.return";
  std::string full = ("loom_" + name).str();
  if (OperationName(full, context).isRegistered())
    return full;
  if (before && resultNames.empty() && !name.contains('.'))
    emitNoOperation(name, before);
  else
    emitCoded(nameLoc, DiagCode::ParseUnknownOp, "unknown operation '")
        << name << "'"
        << Suggestions(context, name,
                       enclosing.empty() ? StringRef() : getTextName(enclosing.front()))
               .get();
  return {};
}

} // namespace loom
