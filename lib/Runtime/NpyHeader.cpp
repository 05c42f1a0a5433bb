//===- NpyHeader.cpp - The dictionary in front of an array ----------------===//
#include "NpyHeader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace loom::runtime {

static constexpr StringRef kMagic("\x93NUMPY", 6);
/// NumPy itself refuses to evaluate longer headers.
static constexpr size_t kMaxHeader = 65536;

std::string stringifyNpyShape(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, extent] : enumerate(shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

namespace {

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`. Every function says whether
/// it understood the text; `problem` says why not.
class DictionaryReader {
public:
  DictionaryReader(StringRef text, NpyHeader &header) : text(text), header(header) {}

  bool read();
  std::string problem;

private:
  bool fail(const Twine &reason) {
    problem = reason.str();
    return false;
  }
  void skipBlanks() { text = text.ltrim(" \t\n\r\v\f"); }
  bool accept(StringRef token) {
    skipBlanks();
    return text.consume_front(token);
  }
  bool expect(StringRef token) {
    return accept(token) || fail("its header lacks a '" + token + "'");
  }
  bool readString(std::string &value);
  bool readBoolean(bool &value);
  bool readShape();
  bool readEntry();

  StringRef text;
  NpyHeader &header;
  bool hasDescription = false, hasOrder = false, hasShape = false;
};

} // namespace

bool DictionaryReader::readString(std::string &value) {
  skipBlanks();
  char quote = text.empty() ? 0 : text.front();
  if (quote != '\'' && quote != '"')
    return fail("its header lacks a string");
  size_t end = text.find(quote, 1);
  if (end == StringRef::npos)
    return fail("a string in its header does not end");
  value = text.slice(1, end).str();
  text = text.drop_front(end + 1);
  return true;
}

bool DictionaryReader::readBoolean(bool &value) {
  value = accept("True");
  return value || accept("False") || fail("'fortran_order' is neither True nor False");
}

bool DictionaryReader::readShape() {
  if (!expect("("))
    return false;
  while (!accept(")")) {
    uint64_t extent;
    skipBlanks();
    if (text.consumeInteger(10, extent) || extent > uint64_t(INT64_MAX))
      return fail("'shape' is not a tuple of extents");
    text.consume_front("L"); // as Python 2 wrote them
    header.shape.push_back(static_cast<int64_t>(extent));
    if (accept(")"))
      return true;
    if (!expect(","))
      return false;
  }
  return true;
}

bool DictionaryReader::readEntry() {
  std::string key;
  if (!readString(key) || !expect(":"))
    return false;
  bool *seen = StringSwitch<bool *>(key)
                   .Case("descr", &hasDescription)
                   .Case("fortran_order", &hasOrder)
                   .Case("shape", &hasShape)
                   .Default(nullptr);
  if (!seen)
    return fail("its header has an unknown key '" + key + "'");
  if (*seen)
    return fail("its header has the key '" + key + "' twice");
  *seen = true;
  if (seen == &hasOrder)
    return readBoolean(header.fortranOrder);
  if (seen == &hasShape)
    return readShape();
  skipBlanks();
  if (text.starts_with("["))
    return fail("its elements are structures");
  return readString(header.description);
}

bool DictionaryReader::read() {
  if (!expect("{"))
    return false;
  while (!accept("}")) {
    if (!readEntry())
      return false;
    if (accept("}"))
      break;
    if (!expect(","))
      return false;
  }
  skipBlanks();
  if (!text.empty())
    return fail("its header goes on behind the dictionary");
  if (!hasDescription || !hasOrder || !hasShape)
    return fail(Twine("its header has no '") +
                (!hasDescription ? "descr"
                 : !hasOrder     ? "fortran_order"
                                 : "shape") +
                "'");
  return true;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static Error malformed(const Twine &reason) {
  return createStringError("is no array of NumPy: " + reason);
}

Expected<NpyHeader> parseNpyHeader(StringRef contents) {
  if (!contents.starts_with(kMagic))
    return malformed("it does not begin with \\x93NUMPY");
  size_t prefix = kMagic.size() + 2;
  if (contents.size() < prefix)
    return malformed("it ends in its header");
  unsigned major = uint8_t(contents[6]), minor = uint8_t(contents[7]);
  if (major < 1 || major > 3 || minor != 0)
    return malformed("its version " + Twine(major) + "." + Twine(minor) +
                     " is not 1.0, 2.0 or 3.0");
  unsigned lengthBytes = major == 1 ? 2 : 4;
  if (contents.size() < prefix + lengthBytes)
    return malformed("it ends in its header");
  const char *at = contents.data() + prefix;
  size_t length = major == 1 ? support::endian::read16le(at) : support::endian::read32le(at);
  prefix += lengthBytes;
  if (length > kMaxHeader)
    return malformed("its header has " + Twine(length) + " bytes; the limit is " +
                     Twine(kMaxHeader));
  if (contents.size() - prefix < length)
    return malformed("it ends in its header");
  NpyHeader header;
  header.dataOffset = prefix + length;
  DictionaryReader reader(contents.substr(prefix, length), header);
  if (!reader.read())
    return malformed(reader.problem);
  return header;
}

std::string makeNpyHeader(StringRef description, ArrayRef<int64_t> shape) {
  std::string dictionary = ("{'descr': '" + description + "', 'fortran_order': False, 'shape': " +
                            stringifyNpyShape(shape) + ", }")
                               .str();
  // Magic, version and length are 10 bytes; a newline ends the header.
  size_t total = alignTo(10 + dictionary.size() + 1, 64);
  dictionary.resize(total - 10 - 1, ' ');
  dictionary += '\n';
  std::string header = kMagic.str() + std::string("\x01\x00", 2);
  char length[2];
  support::endian::write16le(length, static_cast<uint16_t>(dictionary.size()));
  return header + std::string(length, 2) + dictionary;
}

} // namespace loom::runtime
