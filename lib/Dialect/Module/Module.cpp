//===- Module.cpp - The `module` dialect ----------------------------------===//
#include "loom/Dialect/Module/Module.h"
#include "loom/Dialect/Module/SymbolKinds.h"
#include "loom/IR/Messages.h"
#include "loom/IR/Signatures.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
#include "loom/Dialect/Module/ModuleDialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Module/ModuleOps.cpp.inc"

namespace loom {

void ModuleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "loom/Dialect/Module/ModuleOps.cpp.inc"
      >();
}

ParseResult ModuleImportOp::parse(OpAsmParser &parser, OperationState &state) {
  std::string key;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&key))
    return failure();
  if (key.empty())
    return text(parser).emitCoded(loc, DiagCode::StructureValue,
                                  "the key of a source is not empty");
  SmallVector<Attribute> symbols;
  llvm::SmallPtrSet<Attribute, 8> seen;
  auto parseSymbol = [&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    FlatSymbolRefAttr symbol;
    if (text(parser).parseSymbolRef(symbol))
      return failure();
    if (!seen.insert(symbol).second)
      return text(parser).emitCoded(place, DiagCode::ParseRedefinition, "@")
             << symbol.getValue() << " is listed twice";
    symbols.push_back(symbol);
    return success();
  };
  SMLoc list = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseSymbol))
    return failure();
  if (symbols.empty())
    return text(parser).emitCoded(list, DiagCode::ParseExpectedToken,
                                  "an import lists at least one declaration");
  Builder &b = parser.getBuilder();
  state.addAttribute("key", b.getStringAttr(key));
  state.addAttribute("symbols", b.getArrayAttr(symbols));
  return success();
}

void ModuleImportOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printString(getKey());
  printer << " [";
  llvm::interleaveComma(
      getSymbols().getAsRange<FlatSymbolRefAttr>(), printer,
      [&](FlatSymbolRefAttr symbol) { printer.printSymbolName(symbol.getValue()); });
  printer << ']';
}

LogicalResult ModuleImportOp::verifySymbolUses(SymbolTableCollection &tables) {
  bool ok = true;
  for (auto name : getSymbols().getAsRange<FlatSymbolRefAttr>()) {
    Operation *symbol = lookupSymbol(*this, name, &tables);
    if (!symbol) {
      emitUndefined(*this, "declaration", name);
      ok = false;
      continue;
    }
    const SymbolKind *kind = getSymbolKind(symbol);
    if (kind && kind->role == SymbolRole::Declaration && kind->isRequired)
      continue;
    ok = false;
    InFlightDiagnostic diag =
        emitCoded(atSymbol(*this, name.getValue()), DiagCode::SymbolKind, "@");
    diag << name.getValue() << " is a '" << getTextName(symbol)
         << "'; an import lists declarations of functions and kernels";
    diag.attachNote(symbol->getLoc()) << "defined here";
  }
  return success(ok);
}

} // namespace loom
