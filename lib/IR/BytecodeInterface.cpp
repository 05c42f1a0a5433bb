//===- BytecodeInterface.cpp - Types and attributes in bytecode -----------===//
//
// Every type and attribute has a number, then its parameters in order. The numbers are part of the
// format: a new kind takes the next one, and a change of an old one changes kBytecodeVersion.
//
//===----------------------------------------------------------------------===//
#include "BytecodeInterface.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

namespace loom {
using namespace mlir;

namespace {

enum class AttrCode : uint64_t {
  SourceLoc,
  Predicate,
  SubgroupSize,
  Encoding,
  DynamicLayout,
};

enum class TypeCode : uint64_t {
  Offset,
  Buffer,
  View,
  Vector,
  Tensor,
  Tile,
  Pool,
  Encoding,
  AsyncToken,
  AsyncGroup,
  TensorLdsDescriptor,
  BarrierPhase,
  Entropy,
  FuncRef,
  Register,
  Storage,
  CooperativeMatrix,
};

class Writer {
public:
  explicit Writer(DialectBytecodeWriter &out) : out(out) {}

  LogicalResult write(Attribute attribute) {
    return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case<SourceLocAttr>([&](SourceLocAttr a) {
          code(AttrCode::SourceLoc);
          out.writeAttribute(a.getFile());
          out.writeVarInt(a.getLine());
          out.writeVarInt(a.getColumn());
          out.writeOptionalAttribute(a.getName());
          out.writeOptionalAttribute(a.getExtra());
          return success();
        })
        .Case<PredicateAttr>([&](PredicateAttr a) {
          code(AttrCode::Predicate);
          out.writeVarInt(a.getKindCode());
          out.writeVarInt(a.getValueMask());
          out.writeSignedVarInts(a.getArgs());
          return success();
        })
        .Case<SubgroupSizeAttr>([&](SubgroupSizeAttr a) {
          code(AttrCode::SubgroupSize);
          out.writeVarInt(a.getSize());
          return success();
        })
        .Case<EncodingAttr>([&](EncodingAttr a) {
          code(AttrCode::Encoding);
          out.writeAttribute(a.getFamily());
          out.writeAttribute(a.getParams());
          return success();
        })
        .Case<DynamicLayoutAttr>([&](auto) { return only(AttrCode::DynamicLayout); })
        .Default([](Attribute) { return failure(); });
  }

  LogicalResult write(Type type) {
    return llvm::TypeSwitch<Type, LogicalResult>(type)
        .Case<OffsetType>([&](auto) { return only(TypeCode::Offset); })
        .Case<BufferType>([&](auto) { return only(TypeCode::Buffer); })
        .Case<ViewType>([&](ViewType t) {
          shaped(TypeCode::View, t);
          out.writeOptionalAttribute(t.getLayout());
          out.writeVarInt(t.getAlignment());
          return success();
        })
        .Case<VectorType>([&](VectorType t) {
          shaped(TypeCode::Vector, t);
          return success();
        })
        .Case<TensorType>([&](TensorType t) {
          shaped(TypeCode::Tensor, t);
          out.writeOptionalAttribute(t.getEncoding());
          return success();
        })
        .Case<TileType>([&](TileType t) {
          shaped(TypeCode::Tile, t);
          out.writeOptionalAttribute(t.getEncoding());
          return success();
        })
        .Case<PoolType>([&](PoolType t) {
          code(TypeCode::Pool);
          out.writeSignedVarInt(t.getBlockSize());
          return success();
        })
        .Case<EncodingType>([&](EncodingType t) {
          code(TypeCode::Encoding);
          out.writeVarInt(t.getRoleCode());
          return success();
        })
        .Case<AsyncTokenType>([&](auto) { return only(TypeCode::AsyncToken); })
        .Case<AsyncGroupType>([&](auto) { return only(TypeCode::AsyncGroup); })
        .Case<TensorLdsDescriptorType>([&](auto) { return only(TypeCode::TensorLdsDescriptor); })
        .Case<BarrierPhaseType>([&](auto) { return only(TypeCode::BarrierPhase); })
        .Case<EntropyType>([&](auto) { return only(TypeCode::Entropy); })
        .Case<FuncRefType>([&](FuncRefType t) {
          code(TypeCode::FuncRef);
          out.writeVarInt(t.getYieldable());
          out.writeType(t.getSignature());
          return success();
        })
        .Case<RegisterType>([&](RegisterType t) {
          code(TypeCode::Register);
          out.writeAttribute(t.getRegisterClass());
          out.writeVarInt(t.getUnits());
          out.writeVarInt(t.getValueType() ? 1 : 0);
          if (t.getValueType())
            out.writeType(t.getValueType());
          return success();
        })
        .Case<StorageType>([&](StorageType t) {
          code(TypeCode::Storage);
          out.writeVarInt(t.getSpaceCode());
          return success();
        })
        .Case<CooperativeMatrixType>([&](CooperativeMatrixType t) {
          code(TypeCode::CooperativeMatrix);
          for (uint32_t part : {t.getRows(), t.getColumns(), t.getComponentCode(), t.getScopeCode(),
                                t.getUseCode()})
            out.writeVarInt(part);
          return success();
        })
        .Default([](Type) { return failure(); });
  }

private:
  template <typename Code> void code(Code value) { out.writeVarInt(static_cast<uint64_t>(value)); }
  /// A kind without parameters.
  template <typename Code> LogicalResult only(Code value) {
    code(value);
    return success();
  }
  void shaped(TypeCode value, ShapedType type) {
    code(value);
    out.writeSignedVarInts(type.getShape());
    out.writeType(type.getElementType());
  }

  DialectBytecodeWriter &out;
};

class Reader {
  static constexpr uint64_t kMaxPredicateArgs = 3, kMaxRank = 15;

public:
  explicit Reader(DialectBytecodeReader &in) : in(in), context(in.getContext()) {}

  Attribute readAttribute() {
    uint64_t code;
    if (failed(in.readVarInt(code)))
      return {};
    switch (static_cast<AttrCode>(code)) {
    case AttrCode::SourceLoc:
      return readSourceLoc();
    case AttrCode::Predicate: {
      uint64_t kind, mask;
      SmallVector<int64_t> args;
      if (failed(in.readVarInt(kind)) || failed(in.readVarInt(mask)) ||
          failed(readNumbers(args, kMaxPredicateArgs)))
        return {};
      if (kind > getMaxEnumValForPredicateKind())
        return damaged("a predicate");
      return PredicateAttr::get(context, kind, mask, args);
    }
    case AttrCode::SubgroupSize: {
      uint64_t size;
      return failed(in.readVarInt(size)) ? Attribute() : SubgroupSizeAttr::get(context, size);
    }
    case AttrCode::Encoding: {
      StringAttr family;
      DictionaryAttr params;
      if (failed(in.readAttribute(family)) || failed(in.readAttribute(params)))
        return {};
      return EncodingAttr::get(context, family, params);
    }
    case AttrCode::DynamicLayout:
      return DynamicLayoutAttr::get(context);
    }
    return damaged("an attribute");
  }

  Type readType() {
    uint64_t code;
    if (failed(in.readVarInt(code)))
      return {};
    switch (static_cast<TypeCode>(code)) {
    case TypeCode::Offset:
      return OffsetType::get(context);
    case TypeCode::Buffer:
      return BufferType::get(context);
    case TypeCode::View:
    case TypeCode::Vector:
    case TypeCode::Tensor:
    case TypeCode::Tile:
      return readShaped(static_cast<TypeCode>(code));
    case TypeCode::Pool: {
      int64_t size;
      return failed(in.readSignedVarInt(size)) ? Type() : PoolType::get(context, size);
    }
    case TypeCode::Encoding: {
      uint64_t role = readBelow(getMaxEnumValForEncodingRole());
      return bad ? Type() : EncodingType::get(context, role);
    }
    case TypeCode::AsyncToken:
      return AsyncTokenType::get(context);
    case TypeCode::AsyncGroup:
      return AsyncGroupType::get(context);
    case TypeCode::TensorLdsDescriptor:
      return TensorLdsDescriptorType::get(context);
    case TypeCode::BarrierPhase:
      return BarrierPhaseType::get(context);
    case TypeCode::Entropy:
      return EntropyType::get(context);
    case TypeCode::FuncRef: {
      uint64_t yieldable;
      FunctionType signature;
      if (failed(in.readVarInt(yieldable)) || failed(in.readType(signature)))
        return {};
      return FuncRefType::get(context, yieldable != 0, signature);
    }
    case TypeCode::Register:
      return readRegister();
    case TypeCode::Storage: {
      uint64_t space = readBelow(getMaxEnumValForStorageSpace());
      return bad ? Type() : StorageType::get(context, space);
    }
    case TypeCode::CooperativeMatrix: {
      uint64_t rows = readBelow(UINT32_MAX), columns = readBelow(UINT32_MAX),
               component = readBelow(getMaxEnumValForMatrixComponent()),
               scope = readBelow(getMaxEnumValForMatrixScope()),
               use = readBelow(getMaxEnumValForMatrixUse());
      return bad ? Type()
                 : CooperativeMatrixType::get(context, rows, columns, component, scope, use);
    }
    }
    damaged("a type");
    return {};
  }

private:
  Attribute damaged(const Twine &what) {
    in.emitError() << what.str() << " in the bytecode is damaged";
    bad = true;
    return {};
  }

  uint64_t readBelow(uint64_t max) {
    uint64_t value = 0;
    if (bad || failed(in.readVarInt(value))) {
      bad = true;
      return 0;
    }
    if (value > max)
      damaged("a number");
    return value;
  }

  /// At most `max` numbers: nothing is kept ready for more, whatever their count says.
  LogicalResult readNumbers(SmallVectorImpl<int64_t> &numbers, uint64_t max) {
    uint64_t count;
    if (failed(in.readVarInt(count)))
      return failure();
    if (count > max)
      return damaged("a list of numbers"), failure();
    numbers.resize(count);
    for (int64_t &number : numbers)
      if (failed(in.readSignedVarInt(number)))
        return failure();
    return success();
  }

  Attribute readSourceLoc() {
    StringAttr file, name;
    DictionaryAttr extra;
    uint64_t line, column;
    if (failed(in.readAttribute(file)) || failed(in.readVarInt(line)) ||
        failed(in.readVarInt(column)) || failed(in.readOptionalAttribute(name)) ||
        failed(in.readOptionalAttribute(extra)))
      return {};
    return SourceLocAttr::get(context, file, line, column, name, extra);
  }

  Type readShaped(TypeCode code) {
    SmallVector<int64_t> shape;
    Type element;
    Attribute layout;
    uint64_t alignment = 0;
    if (failed(readNumbers(shape, kMaxRank)) || failed(in.readType(element)) ||
        (code != TypeCode::Vector && failed(in.readOptionalAttribute(layout))) ||
        (code == TypeCode::View && failed(in.readVarInt(alignment))))
      return {};
    if (llvm::any_of(shape,
                     [](int64_t extent) { return extent < 0 && !ShapedType::isDynamic(extent); }) ||
        (code == TypeCode::Vector && shape.empty()) ||
        !(element.isIntOrIndexOrFloat() || isa<OffsetType>(element))) {
      damaged("a shape");
      return {};
    }
    switch (code) {
    case TypeCode::View:
      return ViewType::get(context, shape, element, layout, alignment);
    case TypeCode::Vector:
      return VectorType::get(context, shape, element);
    case TypeCode::Tensor:
      return TensorType::get(context, shape, element, layout);
    default:
      return TileType::get(context, shape, element, layout);
    }
  }

  Type readRegister() {
    StringAttr registerClass;
    Type valueType;
    if (failed(in.readAttribute(registerClass)))
      return {};
    uint64_t units = readBelow(UINT32_MAX), typed = readBelow(1);
    if (bad || (typed && failed(in.readType(valueType))))
      return {};
    return RegisterType::get(context, registerClass, units, valueType);
  }

  DialectBytecodeReader &in;
  MLIRContext *context;
  bool bad = false;
};

struct BytecodeInterface : public BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return Reader(reader).readAttribute();
  }
  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const override {
    return Writer(writer).write(attribute);
  }
  Type readType(DialectBytecodeReader &reader) const override { return Reader(reader).readType(); }
  LogicalResult writeType(Type type, DialectBytecodeWriter &writer) const override {
    return Writer(writer).write(type);
  }
};

} // namespace

void addBytecodeInterface(LoomDialect &dialect) { dialect.addInterfaces<BytecodeInterface>(); }

} // namespace loom
