//===- TextTypes.cpp - How types and attributes are spelled ---------------===//
#include "loom/IR/AsmSupport.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
/// How the parts of a type that depend on where it is printed are written.
struct Hooks {
  llvm::function_ref<void(unsigned)> dim;
  llvm::function_ref<void(Attribute)> attribute;
};
} // namespace

static void printWith(llvm::raw_ostream &os, Type type, Hooks hooks);

/// `, %layout` or `, #encoding.layout.dense`, when there is one; `slot` counts the values.
static void printLayout(llvm::raw_ostream &os, Attribute layout, unsigned slot, Hooks hooks) {
  if (!layout)
    return;
  os << ", ";
  if (isa<DynamicLayoutAttr>(layout))
    hooks.dim(slot);
  else
    hooks.attribute(layout);
}

static void printShaped(llvm::raw_ostream &os, StringRef word, ShapedType type, Hooks hooks) {
  os << word << '<';
  unsigned slot = 0;
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent)) {
      os << '[';
      hooks.dim(slot++);
      os << ']';
    } else {
      os << extent;
    }
    os << 'x';
  }
  printWith(os, type.getElementType(), hooks);
  printLayout(os, getTypeLayout(type), slot, hooks);
  if (auto view = dyn_cast<ViewType>(Type(type)); view && view.getAlignment())
    os << ", align(" << view.getAlignment() << ')';
  os << '>';
}

static void printTypeList(llvm::raw_ostream &os, TypeRange types, Hooks hooks) {
  os << '(';
  llvm::interleaveComma(types, os, [&](Type type) { printWith(os, type, hooks); });
  os << ')';
}

static void printRegister(llvm::raw_ostream &os, RegisterType type, Hooks hooks) {
  os << "reg<" << type.getClassKey();
  if (type.getUnits() != 1)
    os << " x" << type.getUnits();
  if (type.getValueType()) {
    os << " : ";
    printWith(os, type.getValueType(), hooks);
  }
  os << '>';
}

static void printMatrix(llvm::raw_ostream &os, CooperativeMatrixType type) {
  os << "spirv.cooperative_matrix<" << type.getRows() << 'x' << type.getColumns() << 'x'
     << stringifyMatrixComponent(static_cast<MatrixComponent>(type.getComponentCode())) << ", "
     << stringifyMatrixScope(static_cast<MatrixScope>(type.getScopeCode())) << ", "
     << stringifyMatrixUse(static_cast<MatrixUse>(type.getUseCode())) << '>';
}

/// Scalars have one word; MLIR's own printing of them is slow, it sets up a whole printer.
static bool printScalarWord(llvm::raw_ostream &os, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type); integer && integer.isSignless())
    os << 'i' << integer.getWidth();
  else if (isa<Float32Type>(type))
    os << "f32";
  else if (isa<IndexType>(type))
    os << "index";
  else if (isa<OffsetType>(type))
    os << "offset";
  else if (isa<Float16Type>(type))
    os << "f16";
  else if (isa<BFloat16Type>(type))
    os << "bf16";
  else if (isa<Float64Type>(type))
    os << "f64";
  else
    return false;
  return true;
}

static void printWith(llvm::raw_ostream &os, Type type, Hooks hooks) {
  if (printScalarWord(os, type))
    return;
  llvm::TypeSwitch<Type>(type)
      .Case<BufferType>([&](auto) { os << "buffer"; })
      .Case<Float8E4M3FNType>([&](auto) { os << "f8E4M3"; })
      .Case<Float8E5M2Type>([&](auto) { os << "f8E5M2"; })
      .Case<ViewType>([&](auto t) { printShaped(os, "view", t, hooks); })
      .Case<VectorType>([&](auto t) { printShaped(os, "vector", t, hooks); })
      .Case<TensorType>([&](auto t) { printShaped(os, "tensor", t, hooks); })
      .Case<TileType>([&](auto t) { printShaped(os, "tile", t, hooks); })
      .Case<PoolType>([&](PoolType t) {
        os << "pool<";
        if (ShapedType::isDynamic(t.getBlockSize())) {
          os << '[';
          hooks.dim(0);
          os << ']';
        } else {
          os << t.getBlockSize();
        }
        os << '>';
      })
      .Case<EncodingType>([&](EncodingType t) {
        os << "encoding";
        if (t.getRole() != EncodingRole::any)
          os << '<' << stringifyEncodingRole(t.getRole()) << '>';
      })
      .Case<AsyncTokenType>([&](auto) { os << "kernel.async.token"; })
      .Case<AsyncGroupType>([&](auto) { os << "kernel.async.group"; })
      .Case<TensorLdsDescriptorType>([&](auto) { os << "kernel.tensor.lds.descriptor"; })
      .Case<BarrierPhaseType>([&](auto) { os << "kernel.barrier.phase"; })
      .Case<EntropyType>([&](auto) { os << "check.entropy"; })
      .Case<FuncRefType>([&](FuncRefType t) {
        os << "func.ref<" << (t.getYieldable() ? "yieldable " : "");
        printWith(os, t.getSignature(), hooks);
        os << '>';
      })
      .Case<FunctionType>([&](FunctionType t) {
        printTypeList(os, t.getInputs(), hooks);
        os << " -> ";
        printTypeList(os, t.getResults(), hooks);
      })
      .Case<RegisterType>([&](RegisterType t) { printRegister(os, t, hooks); })
      .Case<StorageType>([&](StorageType t) {
        os << "low.storage<" << stringifyStorageSpace(t.getSpace()) << '>';
      })
      .Case<CooperativeMatrixType>([&](CooperativeMatrixType t) { printMatrix(os, t); })
      .Default([&](Type t) { t.print(os); });
}

void printTextType(llvm::raw_ostream &os, Type type, llvm::function_ref<void(unsigned)> printDim) {
  printWith(os, type, {printDim, [&](Attribute a) { printTextAttribute(os, a); }});
}

void printTextType(OpAsmPrinter &printer, Type type, llvm::function_ref<void(unsigned)> printDim) {
  printWith(printer.getStream(), type, {printDim, [&](Attribute a) { printer.printAttribute(a); }});
}

void printTextType(OpAsmPrinter &printer, Type type, ValueRange dims) {
  printTextType(printer, type, [&](unsigned i) {
    if (i < dims.size())
      printer.printOperand(dims[i]);
    else
      printer << '?';
  });
}

std::string stringifyType(Type type) {
  std::string result;
  llvm::raw_string_ostream os(result);
  printTextType(os, type, [&](unsigned) { os << '?'; });
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static void printQuoted(llvm::raw_ostream &os, StringRef string) {
  os << '"';
  for (char c : string) {
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (c == '\n')
      os << "\\n";
    else if (c == '\t')
      os << "\\t";
    else if (c == '\r')
      os << "\\r";
    else if (c == '\b')
      os << "\\b";
    else if (c == '\f')
      os << "\\f";
    else if (llvm::isASCII(c) && !llvm::isPrint(c))
      os << "\\u00" << llvm::hexdigit(c >> 4, true) << llvm::hexdigit(c & 15, true);
    else
      os << c;
  }
  os << '"';
}

static void printEntries(llvm::raw_ostream &os, DictionaryAttr dict) {
  llvm::interleaveComma(dict, os, [&](NamedAttribute entry) {
    os << entry.getName().getValue() << " = ";
    printTextAttribute(os, entry.getValue());
  });
}

/// Parameters of an encoding: their strings are words and sets of words.
static void printEncodingParams(llvm::raw_ostream &os, DictionaryAttr params) {
  llvm::interleaveComma(params, os, [&](NamedAttribute entry) {
    os << entry.getName().getValue() << " = ";
    if (auto word = dyn_cast<StringAttr>(entry.getValue()))
      os << word.getValue();
    else
      printTextAttribute(os, entry.getValue());
  });
}

void printTextAttribute(llvm::raw_ostream &os, Attribute attribute) {
  llvm::TypeSwitch<Attribute>(attribute)
      .Case<StringAttr>([&](StringAttr a) { printQuoted(os, a.getValue()); })
      .Case<FlatSymbolRefAttr>([&](FlatSymbolRefAttr a) { os << '@' << a.getValue(); })
      .Case<TypeAttr>([&](TypeAttr a) { os << stringifyType(a.getValue()); })
      .Case<EncodingAttr>([&](EncodingAttr a) {
        os << '#' << a.getFamily().getValue();
        if (!a.getParams().empty()) {
          os << '<';
          printEncodingParams(os, a.getParams());
          os << '>';
        }
      })
      .Case<SubgroupSizeAttr>(
          [&](SubgroupSizeAttr a) { os << "#target.subgroup.size<" << a.getSize() << '>'; })
      .Case<DictionaryAttr>([&](DictionaryAttr a) {
        os << '{';
        printEntries(os, a);
        os << '}';
      })
      .Case<DenseI64ArrayAttr>([&](DenseI64ArrayAttr a) {
        os << '[';
        llvm::interleaveComma(a.asArrayRef(), os);
        os << ']';
      })
      .Case<DenseI8ArrayAttr>([&](DenseI8ArrayAttr a) {
        ArrayRef<int8_t> bytes = a.asArrayRef();
        StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        os << "bytes(\"" << llvm::toHex(text, /*LowerCase=*/true) << "\")";
      })
      .Case<ArrayAttr>([&](ArrayAttr a) {
        os << '[';
        llvm::interleaveComma(a, os, [&](Attribute element) { printTextAttribute(os, element); });
        os << ']';
      })
      .Case<BoolAttr, IntegerAttr, FloatAttr>([&](Attribute a) { printLiteral(os, a); })
      .Case<UnitAttr>([&](auto) { os << "true"; })
      .Default([&](Attribute a) { a.print(os, /*elideType=*/true); });
}

} // namespace loom
