//===- Writer.cpp - From a module to the payload of a .loombc file --------===//
//
// One walk over the module: statements are written while the tables they refer to grow beside them.
//
//===----------------------------------------------------------------------===//
#include "Encoding.h"
#include "loom/IR/Diagnostics.h"
#include "loom/IR/Loom.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Bytecode/Encoding.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"

namespace loom::bytecode {
using namespace mlir;

namespace {

void appendVarInt(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void appendString(std::string &out, StringRef string) {
  appendVarInt(out, string.size());
  out += string;
}

/// Strings of one kind in the order of their first use, each once.
class StringTable {
public:
  unsigned number(StringRef string) {
    auto [it, inserted] = numbers.try_emplace(string, numbers.size());
    if (inserted)
      appendString(bytes, string);
    return it->second;
  }
  void appendTo(std::string &out) const {
    appendVarInt(out, numbers.size());
    out += bytes;
  }

private:
  llvm::StringMap<unsigned> numbers;
  std::string bytes;
};

/// Numbers types, attributes and forms, and is what dialects and operations write theirs with.
class TableWriter : public DialectBytecodeWriter {
public:
  /// What is written goes to the end of `out`.
  explicit TableWriter(std::string &out) : out(&out) {}

  void appendTablesTo(std::string &payload) const {
    dialects.appendTo(payload);
    names.appendTo(payload);
    appendVarInt(payload, attributes.size() + types.size());
    payload += entries;
    forms.appendTo(payload);
  }

  unsigned number(Attribute attribute) {
    return number(attribute, attributes, EntryKind::Attribute,
                  [&](const BytecodeDialectInterface &dialect) {
                    return dialect.writeAttribute(attribute, *this);
                  });
  }
  unsigned number(Type type) {
    return number(type, types, EntryKind::Type, [&](const BytecodeDialectInterface &dialect) {
      return dialect.writeType(type, *this);
    });
  }

  /// The number of the form of `op`.
  unsigned number(Operation *op) {
    std::string form;
    llvm::SaveAndRestore redirected(out, &form);
    writeVarInt(names.number(op->getName().getStringRef()));
    writeVarInt(op->getNumOperands());
    writeVarInt(op->getNumSuccessors());
    writeVarInt(op->getNumRegions());
    if (op->getNumResults() > kMaxFormResults) {
      writeVarInt(0);
    } else {
      writeVarInt(op->getNumResults() + 1);
      for (Type type : op->getResultTypes())
        writeType(type);
    }
    DictionaryAttr attributes = op->getRawDictionaryAttrs();
    writeOptionalAttribute(attributes.empty() ? DictionaryAttr() : attributes);
    if (auto properties = dyn_cast<BytecodeOpInterface>(op))
      properties.writeProperties(*this);
    else if (op->getPropertiesStorageSize())
      writeOptionalAttribute(op->getPropertiesAsAttribute());
    return forms.number(form);
  }

  /// What was to be written and has no form in bytecode; empty when there is nothing.
  StringRef getUnsupported() const { return unsupported; }

  void writeAttribute(Attribute attribute) override { writeVarInt(number(attribute)); }
  void writeOptionalAttribute(Attribute attribute) override {
    writeVarInt(attribute ? uint64_t(number(attribute)) + 1 : 0);
  }
  void writeType(Type type) override { writeVarInt(number(type)); }
  void writeResourceHandle(const AsmDialectResourceHandle &) override { unsupported = "resources"; }
  void writeVarInt(uint64_t value) override { appendVarInt(*out, value); }
  void writeSignedVarInt(int64_t value) override {
    writeVarInt(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void writeAPIntWithKnownWidth(const APInt &value) override {
    if (value.getBitWidth() <= 64)
      return writeSignedVarInt(value.getSExtValue());
    for (uint64_t word : ArrayRef(value.getRawData(), value.getNumWords()))
      writeVarInt(word);
  }
  void writeAPFloatWithKnownSemantics(const APFloat &value) override {
    writeAPIntWithKnownWidth(value.bitcastToAPInt());
  }
  void writeOwnedString(StringRef string) override { appendString(*out, string); }
  void writeOwnedBlob(ArrayRef<char> blob) override {
    appendString(*out, StringRef(blob.data(), blob.size()));
  }
  void writeOwnedBool(bool value) override { *out += static_cast<char>(value); }
  int64_t getBytecodeVersion() const override { return mlir::bytecode::kVersion; }
  FailureOr<const DialectVersion *> getDialectVersion(StringRef) const override {
    return failure();
  }

private:
  /// Whether the binary form is not written since its reader believes it (see Reader.cpp).
  static bool hasTextOnly(Type) { return false; }
  static bool hasTextOnly(Attribute attribute) {
    return isa<ElementsAttr>(attribute) && !isa<DenseResourceElementsAttr>(attribute);
  }

  /// The number of `value`. What it consists of enters the table before it does.
  template <typename T, typename Write>
  unsigned number(T value, DenseMap<T, unsigned> &numbers, EntryKind kind, Write write) {
    if (auto it = numbers.find(value); it != numbers.end())
      return it->second;
    std::string entry;
    {
      llvm::SaveAndRestore redirected(out, &entry);
      auto *dialect = dyn_cast<BytecodeDialectInterface>(&value.getDialect());
      if (!dialect || hasTextOnly(value) || failed(write(*dialect))) {
        entry.clear();
        llvm::raw_string_ostream(entry) << value;
        kind = kind == EntryKind::Type ? EntryKind::TypeText : EntryKind::AttributeText;
      }
    }
    unsigned dialect = dialects.number(value.getDialect().getNamespace());
    appendVarInt(entries, 4 * uint64_t(dialect) + static_cast<unsigned>(kind));
    appendString(entries, entry);
    return numbers.try_emplace(value, numbers.size()).first->second;
  }

  std::string *out;
  StringTable dialects, names, forms;
  std::string entries;
  DenseMap<Attribute, unsigned> attributes;
  DenseMap<Type, unsigned> types;
  StringRef unsupported;
};

class ModuleWriter {
public:
  ModuleWriter() : tables(body) {}

  LogicalResult write(ModuleOp module, std::string &payload) {
    if (failed(numberValues(module, 0)))
      return failure();
    next = 0;
    writeStatement(module);
    if (!tables.getUnsupported().empty())
      return emitCoded(module, DiagCode::BytecodeFormat, "bytecode cannot hold ")
             << tables.getUnsupported();
    tables.appendTablesTo(payload);
    payload += body;
    return success();
  }

private:
  /// Gives values and blocks their numbers, and refuses what cannot be written.
  LogicalResult numberValues(Operation *op, unsigned depth) {
    if (!op->isRegistered())
      return emitCoded(op, DiagCode::BytecodeFormat,
                       "bytecode cannot hold operations of dialects that are not known");
    if (depth > kMaxNesting)
      return emitCoded(op, DiagCode::BytecodeFormat,
                       "bytecode cannot hold regions that are nested "
                       "more than ")
             << kMaxNesting << " deep";
    unsigned outside = next;
    for (Region &region : op->getRegions())
      for (auto [position, block] : llvm::enumerate(region)) {
        blocks[&block] = position;
        for (BlockArgument argument : block.getArguments())
          values[argument] = next++;
        for (Operation &nested : block)
          if (failed(numberValues(&nested, depth + 1)))
            return failure();
      }
    if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      next = outside;
    for (Value result : op->getResults())
      values[result] = next++;
    return success();
  }

  void writeStatement(Operation *op) {
    tables.writeVarInt(tables.number(op));
    writeLocation(op->getLoc());
    if (op->getNumResults() > kMaxFormResults) {
      tables.writeVarInt(op->getNumResults());
      for (Type type : op->getResultTypes())
        tables.writeType(type);
    }
    unsigned outside = next;
    for (Region &region : op->getRegions())
      writeRegion(region);
    if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      next = outside;
    for (Value operand : op->getOperands())
      writeOperand(values.lookup(operand));
    for (Block *successor : op->getSuccessors())
      tables.writeVarInt(blocks.lookup(successor));
    next += op->getNumResults();
  }

  void writeRegion(Region &region) {
    tables.writeVarInt(region.getBlocks().size());
    for (Block &block : region) {
      tables.writeVarInt(block.getNumArguments());
      for (BlockArgument argument : block.getArguments()) {
        tables.writeType(argument.getType());
        writeLocation(argument.getLoc());
      }
      next += block.getNumArguments();
      tables.writeVarInt(block.getOperations().size());
      for (Operation &op : block)
        writeStatement(&op);
    }
  }

  void writeOperand(unsigned number) {
    if (number < next)
      return tables.writeVarInt(next - number);
    tables.writeVarInt(0);
    tables.writeVarInt(number - next);
  }

  void writeLocation(LocationAttr location) {
    auto head = [&](Attribute name, LocationKind kind) {
      tables.writeVarInt(4 * (name ? uint64_t(tables.number(name)) + 1 : 0) +
                         static_cast<unsigned>(kind));
    };
    auto source = dyn_cast<SourceLocAttr>(location);
    if (!source)
      return head(location, LocationKind::Attribute);
    if (source.getFile() != file) {
      head(source.getName(), LocationKind::InFile);
      file = source.getFile();
      tables.writeAttribute(file);
      tables.writeOptionalAttribute(source.getExtra());
    } else if (source.getExtra()) {
      head(source.getName(), LocationKind::Commented);
      tables.writeAttribute(source.getExtra());
    } else {
      head(source.getName(), LocationKind::Plain);
    }
    tables.writeSignedVarInt(int64_t(source.getLine()) - int64_t(line));
    line = source.getLine();
    tables.writeVarInt(source.getColumn());
  }

  std::string body;
  TableWriter tables;
  DenseMap<Value, unsigned> values;
  DenseMap<Block *, unsigned> blocks;
  unsigned next = 0; ///< number of the next value
  StringAttr file;   ///< of the last location, and its line
  uint32_t line = 0;
};

} // namespace

LogicalResult writePayload(ModuleOp module, std::string &out) {
  return ModuleWriter().write(module, out);
}

} // namespace loom::bytecode
