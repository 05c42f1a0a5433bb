//===- LowerEmitter.cpp - Writing LLVM-dialect operations -----------------===//
#include "LowerEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace loom::lowering {

/// The file that locations name; nobody sees it, since the unit is of the kind NoDebug.
static constexpr const char *kLocationFile = "loom";

Emitter::Emitter(ModuleOp module)
    : builder(module.getContext()), module(module), loc(builder.getUnknownLoc()) {
  module.getContext()->getOrLoadDialect<LLVM::LLVMDialect>();
}

Type Emitter::pointer(unsigned addressSpace) {
  return LLVM::LLVMPointerType::get(builder.getContext(), addressSpace);
}

Type Emitter::vector(int64_t lanes, Type element) { return mlir::VectorType::get(lanes, element); }

Type Emitter::shaped(Type element, Type like) {
  if (auto vector = dyn_cast<mlir::VectorType>(like))
    return mlir::VectorType::get(vector.getShape(), getElementTypeOrSelf(element));
  return element;
}

void Emitter::match(ArrayRef<Value *> operands) {
  mlir::VectorType shape;
  for (Value *operand : operands)
    if (auto vector = dyn_cast<mlir::VectorType>(operand->getType()))
      shape = vector;
  if (!shape)
    return;
  for (Value *operand : operands)
    if (!isa<mlir::VectorType>(operand->getType()))
      *operand = splat(*operand, shape.clone(operand->getType()));
}

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

/// A location that makes a function the scope of debug locations.
static Location subprogramLoc(MLIRContext *context, StringRef name) {
  auto file = LLVM::DIFileAttr::get(context, kLocationFile, "");
  auto unit = LLVM::DICompileUnitAttr::get(
      DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C, file,
      StringAttr::get(context, "loom"), /*isOptimized=*/true, LLVM::DIEmissionKind::None);
  auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
  auto id = DistinctAttr::create(UnitAttr::get(context));
  auto flags = LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized;
  auto subprogram = LLVM::DISubprogramAttr::get(
      context, id, unit, file, StringAttr::get(context, name), StringAttr::get(context, name), file,
      /*line=*/0, /*scopeLine=*/0, flags, type, /*retainedNodes=*/{}, /*annotations=*/{});
  return FusedLoc::get(context, {FileLineColLoc::get(context, kLocationFile, 0, 0)}, subprogram);
}

SmallVector<Value> Emitter::beginFunction(const FunctionInfo &info) {
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), info.parameters);
  Location place =
      info.hasLocations ? subprogramLoc(context, info.name) : Location(UnknownLoc::get(context));
  builder.setInsertionPointToEnd(module.getBody());
  auto function =
      LLVM::LLVMFuncOp::create(builder, place, info.name, type,
                               info.isInternal ? LLVM::Linkage::Internal : LLVM::Linkage::External);
  body = &function.getBody();
  setLine(0);
  enter(makeBlock(info.parameters));
  return llvm::to_vector_of<Value>(body->front().getArguments());
}

void Emitter::emitReturn() { LLVM::ReturnOp::create(builder, loc, ValueRange()); }

void Emitter::callFunction(StringRef name, ValueRange arguments) {
  LLVM::CallOp::create(builder, loc, TypeRange(), name, arguments);
}

Value Emitter::callExternal(StringRef name, Type result, ValueRange arguments) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    Type none = LLVM::LLVMVoidType::get(builder.getContext());
    auto type =
        LLVM::LLVMFunctionType::get(result ? result : none, llvm::to_vector(arguments.getTypes()));
    function = LLVM::LLVMFuncOp::create(builder, builder.getUnknownLoc(), name, type);
  }
  auto call = LLVM::CallOp::create(builder, loc, function, arguments);
  return result ? call.getResult() : Value();
}

void Emitter::callPointer(Value function, ValueRange arguments) {
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          llvm::to_vector(arguments.getTypes()));
  SmallVector<Value> operands = {function};
  llvm::append_range(operands, arguments);
  LLVM::CallOp::create(builder, loc, type, operands);
}

Value Emitter::frameStorage(int64_t bytes, unsigned alignment, int64_t room) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body->front());
  Location none = builder.getUnknownLoc();
  Value one = LLVM::ConstantOp::create(builder, none, integer(64), builder.getI64IntegerAttr(1));
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), std::max<int64_t>(bytes, 1) + 2 * room);
  Value storage = LLVM::AllocaOp::create(builder, none, pointer(0), type, one, alignment);
  return room ? addBytes(storage, constant(integer(64), room)) : storage;
}

void Emitter::setLine(unsigned line) {
  if (line)
    loc = FileLineColLoc::get(builder.getContext(), kLocationFile, line, 0);
  else
    loc = builder.getUnknownLoc();
}

Block *Emitter::makeBlock(TypeRange arguments) {
  auto *block = new Block;
  for (Type type : arguments)
    block->addArgument(type, loc);
  return block;
}

void Emitter::enter(Block *block) {
  body->push_back(block);
  builder.setInsertionPointToEnd(block);
}

void Emitter::branch(Block *to, ValueRange arguments) {
  LLVM::BrOp::create(builder, loc, arguments, to);
}

void Emitter::branchIf(Value condition, Block *thenBlock, ValueRange thenArguments,
                       Block *elseBlock, ValueRange elseArguments) {
  LLVM::CondBrOp::create(builder, loc, condition, thenBlock, thenArguments, elseBlock,
                         elseArguments);
}

void Emitter::loopIf(Value condition, Block *loop, ValueRange again, Block *exit) {
  auto end = LLVM::CondBrOp::create(builder, loc, condition, loop, again, exit, ValueRange());
  end.setLoopAnnotationAttr(LLVM::LoopAnnotationAttr::get(
      builder.getContext(), /*disableNonforced=*/builder.getBoolAttr(true), {}, {}, {}, {}, {}, {},
      {}, {}, {}, {}, {}, {}, {}, {}));
}

void Emitter::repeat(Value count, llvm::function_ref<void(Value number)> body) {
  Type wide = integer(64);
  Value zero = constant(wide, 0);
  Block *loop = makeBlock(wide), *exit = makeBlock();
  branchIf(compare(IntPredicate::ne, count, zero), loop, zero, exit, {});
  enter(loop);
  Value number = loop->getArgument(0);
  body(number);
  Value next =
      binary(IntegerOp::Add, number, constant(wide, 1), {/*isSigned=*/true, /*isUnsigned=*/true});
  branchIf(compare(IntPredicate::ne, next, count), loop, next, exit, {});
  enter(exit);
}

void Emitter::when(Value condition, llvm::function_ref<void()> body) {
  Block *run = makeBlock(), *next = makeBlock();
  branchIf(condition, run, {}, next, {});
  enter(run);
  body();
  branch(next);
  enter(next);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Emitter::constant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  unsigned bits = element.getIntOrFloatBitWidth();
  APInt number(bits, value, /*isSigned=*/true, /*implicitTrunc=*/true);
  TypedAttr attr = IntegerAttr::get(element, number);
  auto vector = dyn_cast<mlir::VectorType>(type);
  return constant(attr, vector ? vector.getNumElements() : 0);
}

Value Emitter::constant(TypedAttr value, int64_t lanes) {
  if (!lanes)
    return LLVM::ConstantOp::create(builder, loc, value.getType(), value);
  auto type = mlir::VectorType::get(lanes, value.getType());
  return LLVM::ConstantOp::create(builder, loc, type,
                                  DenseElementsAttr::get(type, Attribute(value)));
}

Value Emitter::undefined(Type type) { return LLVM::PoisonOp::create(builder, loc, type); }

static LLVM::IntegerOverflowFlags flagsOf(NoWrap noWrap) {
  auto flags = LLVM::IntegerOverflowFlags::none;
  if (noWrap.isSigned)
    flags = flags | LLVM::IntegerOverflowFlags::nsw;
  if (noWrap.isUnsigned)
    flags = flags | LLVM::IntegerOverflowFlags::nuw;
  return flags;
}

Value Emitter::binary(IntegerOp op, Value lhs, Value rhs, NoWrap noWrap) {
  match({&lhs, &rhs});
  LLVM::IntegerOverflowFlags flags = flagsOf(noWrap);
  switch (op) {
  case IntegerOp::Add:
    return LLVM::AddOp::create(builder, loc, lhs, rhs, flags);
  case IntegerOp::Sub:
    return LLVM::SubOp::create(builder, loc, lhs, rhs, flags);
  case IntegerOp::Mul:
    return LLVM::MulOp::create(builder, loc, lhs, rhs, flags);
  case IntegerOp::Shl:
    return LLVM::ShlOp::create(builder, loc, lhs, rhs, flags);
  case IntegerOp::UDiv:
    return LLVM::UDivOp::create(builder, loc, lhs, rhs);
  case IntegerOp::URem:
    return LLVM::URemOp::create(builder, loc, lhs, rhs);
  case IntegerOp::And:
    return LLVM::AndOp::create(builder, loc, lhs, rhs);
  case IntegerOp::Or:
    return LLVM::OrOp::create(builder, loc, lhs, rhs);
  case IntegerOp::Xor:
    return LLVM::XOrOp::create(builder, loc, lhs, rhs);
  case IntegerOp::LShr:
    return LLVM::LShrOp::create(builder, loc, lhs, rhs);
  case IntegerOp::AShr:
    return LLVM::AShrOp::create(builder, loc, lhs, rhs);
  case IntegerOp::SDiv:
    return LLVM::SDivOp::create(builder, loc, lhs, rhs);
  case IntegerOp::SRem:
    return LLVM::SRemOp::create(builder, loc, lhs, rhs);
  }
  llvm_unreachable("covered switch");
}

Value Emitter::compare(IntPredicate predicate, Value lhs, Value rhs) {
  // Both enums list the predicates in the same order.
  static_assert(static_cast<int>(LLVM::ICmpPredicate::uge) == static_cast<int>(IntPredicate::uge));
  match({&lhs, &rhs});
  return LLVM::ICmpOp::create(builder, loc, static_cast<LLVM::ICmpPredicate>(predicate), lhs, rhs);
}

Value Emitter::truncate(Value value, Type type, NoWrap noWrap) {
  return LLVM::TruncOp::create(builder, loc, shaped(type, value.getType()), value, flagsOf(noWrap));
}

Value Emitter::zeroExtend(Value value, Type type, bool nonNegative) {
  return LLVM::ZExtOp::create(builder, loc, shaped(type, value.getType()), value, nonNegative);
}

static LLVM::FastmathFlags flagsOf(FastMathFlags flags) {
  static constexpr std::pair<FastMathFlags, LLVM::FastmathFlags> table[] = {
      {FastMathFlags::reassoc, LLVM::FastmathFlags::reassoc},
      {FastMathFlags::nnan, LLVM::FastmathFlags::nnan},
      {FastMathFlags::ninf, LLVM::FastmathFlags::ninf},
      {FastMathFlags::nsz, LLVM::FastmathFlags::nsz},
      {FastMathFlags::arcp, LLVM::FastmathFlags::arcp},
      {FastMathFlags::contract, LLVM::FastmathFlags::contract},
      {FastMathFlags::afn, LLVM::FastmathFlags::afn}};
  auto result = LLVM::FastmathFlags::none;
  for (auto [ours, theirs] : table)
    if (bitEnumContainsAny(flags, ours))
      result = result | theirs;
  return result;
}

Value Emitter::binary(FloatOp op, Value lhs, Value rhs, FastMathFlags flags) {
  LLVM::FastmathFlags mapped = flagsOf(flags);
  match({&lhs, &rhs});
  switch (op) {
  case FloatOp::Add:
    return LLVM::FAddOp::create(builder, loc, lhs, rhs, mapped);
  case FloatOp::Sub:
    return LLVM::FSubOp::create(builder, loc, lhs, rhs, mapped);
  case FloatOp::Mul:
    return LLVM::FMulOp::create(builder, loc, lhs, rhs, mapped);
  case FloatOp::Div:
    return LLVM::FDivOp::create(builder, loc, lhs, rhs, mapped);
  case FloatOp::Rem:
    return LLVM::FRemOp::create(builder, loc, lhs, rhs, mapped);
  }
  llvm_unreachable("covered switch");
}

Value Emitter::negate(Value value, FastMathFlags flags) {
  return LLVM::FNegOp::create(builder, loc, value, flagsOf(flags));
}

Value Emitter::compare(FloatPredicate predicate, Value lhs, Value rhs, FastMathFlags flags) {
  // LLVM's list begins with `false`, ours does not have it.
  static_assert(static_cast<int>(LLVM::FCmpPredicate::uno) ==
                static_cast<int>(FloatPredicate::uno) + 1);
  auto mapped = static_cast<LLVM::FCmpPredicate>(static_cast<int>(predicate) + 1);
  match({&lhs, &rhs});
  return LLVM::FCmpOp::create(builder, loc, mapped, lhs, rhs, flagsOf(flags));
}

Value Emitter::cast(CastOp op, Value value, Type type) {
  if (!isa<mlir::VectorType>(type))
    type = shaped(type, value.getType());
  switch (op) {
  case CastOp::SExt:
    return LLVM::SExtOp::create(builder, loc, type, value);
  case CastOp::FPTrunc:
    return LLVM::FPTruncOp::create(builder, loc, type, value);
  case CastOp::FPExt:
    return LLVM::FPExtOp::create(builder, loc, type, value);
  case CastOp::SIToFP:
    return LLVM::SIToFPOp::create(builder, loc, type, value);
  case CastOp::UIToFP:
    return LLVM::UIToFPOp::create(builder, loc, type, value);
  case CastOp::FPToSI:
    return LLVM::FPToSIOp::create(builder, loc, type, value);
  case CastOp::FPToUI:
    return LLVM::FPToUIOp::create(builder, loc, type, value);
  case CastOp::Bitcast:
    return LLVM::BitcastOp::create(builder, loc, type, value);
  case CastOp::IntToPtr:
    return LLVM::IntToPtrOp::create(builder, loc, type, value);
  case CastOp::PtrToInt:
    return LLVM::PtrToIntOp::create(builder, loc, type, value);
  }
  llvm_unreachable("covered switch");
}

Value Emitter::reinterpret(Value value, Type type) {
  return LLVM::BitcastOp::create(builder, loc, type, value);
}

Value Emitter::freeze(Value value) { return LLVM::FreezeOp::create(builder, loc, value); }

Value Emitter::select(Value condition, Value trueValue, Value falseValue) {
  if (isa<mlir::VectorType>(condition.getType()))
    match({&condition, &trueValue, &falseValue});
  else
    match({&trueValue, &falseValue});
  return LLVM::SelectOp::create(builder, loc, condition, trueValue, falseValue);
}

Value Emitter::intrinsic(StringRef name, Type result, ValueRange arguments, FastMathFlags flags) {
  auto attr = LLVM::FastmathFlagsAttr::get(builder.getContext(), flagsOf(flags));
  if (!isa<mlir::VectorType>(result) && !arguments.empty())
    for (Value argument : arguments)
      result = isa<mlir::VectorType>(result) ? result : shaped(result, argument.getType());
  SmallVector<Value> operands(arguments);
  if (auto vector = dyn_cast<mlir::VectorType>(result))
    for (Value &operand : operands)
      if (!isa<mlir::VectorType>(operand.getType()) && operand.getType() == vector.getElementType())
        operand = splat(operand, vector);
  return LLVM::CallIntrinsicOp::create(builder, loc, TypeRange(result), builder.getStringAttr(name),
                                       operands, attr)
      .getResult(0);
}

Value Emitter::extract(Value vector, Value lane) {
  return LLVM::ExtractElementOp::create(builder, loc, vector, lane);
}

Value Emitter::insert(Value vector, Value element, Value lane) {
  return LLVM::InsertElementOp::create(builder, loc, vector, element, lane);
}

Value Emitter::splat(Value element, Type vectorType) {
  int64_t lanes = mlir::cast<mlir::VectorType>(vectorType).getNumElements();
  Value first = insert(undefined(vectorType), element, constant(integer(32), 0));
  SmallVector<int32_t> mask(lanes, 0);
  return LLVM::ShuffleVectorOp::create(builder, loc, first, first, mask);
}

Value Emitter::shuffle(Value first, Value second, ArrayRef<int32_t> elements) {
  return LLVM::ShuffleVectorOp::create(builder, loc, first, second, elements);
}

Value Emitter::iota(int64_t lanes, Type element) {
  SmallVector<APInt> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), lane, /*isSigned=*/false,
                            /*implicitTrunc=*/true));
  auto type = mlir::VectorType::get(lanes, element);
  return LLVM::ConstantOp::create(builder, loc, type, DenseIntElementsAttr::get(type, numbers));
}

Value Emitter::reduce(FloatOp op, Value initial, Value vector, FastMathFlags flags) {
  Type type = initial.getType();
  if (op == FloatOp::Add)
    return LLVM::vector_reduce_fadd::create(builder, loc, type, initial, vector, flagsOf(flags));
  return LLVM::vector_reduce_fmul::create(builder, loc, type, initial, vector, flagsOf(flags));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Emitter::addBytes(Value pointer, Value bytes, bool inObject) {
  return LLVM::GEPOp::create(
      builder, loc, shaped(pointer.getType(), bytes.getType()), builder.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(bytes)},
      inObject ? LLVM::GEPNoWrapFlags::inbounds : LLVM::GEPNoWrapFlags::none);
}

bool Emitter::isInFrame(Value pointer) {
  while (auto moved = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = moved.getBase();
  return pointer.getDefiningOp<LLVM::AllocaOp>() != nullptr;
}

Value Emitter::load(Type type, Value pointer, unsigned alignment, bool isVolatile) {
  return LLVM::LoadOp::create(builder, loc, type, pointer, alignment, isVolatile);
}

void Emitter::store(Value value, Value pointer, unsigned alignment, bool isVolatile) {
  LLVM::StoreOp::create(builder, loc, value, pointer, alignment, isVolatile);
}

/// bf16 as i16: where LLVM takes a masked access of bf16 apart, it moves the elements as f32 and
/// has a library round them.
static Value memoryForm(Emitter &emitter, Value value) {
  auto type = cast<mlir::VectorType>(value.getType());
  if (!type.getElementType().isBF16())
    return value;
  return emitter.reinterpret(value, type.clone(emitter.integer(16)));
}

static Value fromMemoryForm(Emitter &emitter, Value value, Type type) {
  return value.getType() == type ? value : emitter.reinterpret(value, type);
}

Value Emitter::maskedLoad(Value pointer, Value mask, Value otherwise, unsigned alignment) {
  Type type = otherwise.getType();
  otherwise = memoryForm(*this, otherwise);
  Value loaded = LLVM::MaskedLoadOp::create(builder, loc, otherwise.getType(), pointer, mask,
                                            otherwise, alignment);
  return fromMemoryForm(*this, loaded, type);
}

void Emitter::maskedStore(Value value, Value pointer, Value mask, unsigned alignment) {
  LLVM::MaskedStoreOp::create(builder, loc, memoryForm(*this, value), pointer, mask, alignment);
}

void Emitter::blendStore(Value value, Value pointer, Value mask, unsigned alignment) {
  value = memoryForm(*this, value);
  // Frozen, since LLVM would make a masked store of it, which several processors take dozens of
  // steps for and do not forward to loads.
  Value before = freeze(load(value.getType(), pointer, alignment));
  store(select(mask, value, before), pointer, alignment);
}

/// The intrinsics of packed accesses take generic addresses only.
static Value asGeneric(OpBuilder &builder, Location loc, Value pointer) {
  auto generic = LLVM::LLVMPointerType::get(builder.getContext());
  return pointer.getType() == generic
             ? pointer
             : LLVM::AddrSpaceCastOp::create(builder, loc, generic, pointer).getResult();
}

Value Emitter::expandLoad(Value pointer, Value mask, Value otherwise, unsigned alignment) {
  Type type = otherwise.getType();
  otherwise = memoryForm(*this, otherwise);
  Value loaded =
      LLVM::masked_expandload::create(builder, loc, otherwise.getType(),
                                      asGeneric(builder, loc, pointer), mask, otherwise, alignment)
          .getResult();
  return fromMemoryForm(*this, loaded, type);
}

void Emitter::compressStore(Value value, Value pointer, Value mask, unsigned alignment) {
  LLVM::masked_compressstore::create(builder, loc, memoryForm(*this, value),
                                     asGeneric(builder, loc, pointer), mask, alignment);
}

Value Emitter::gather(Value pointers, Value mask, Value otherwise, unsigned alignment) {
  Type type = otherwise.getType();
  otherwise = memoryForm(*this, otherwise);
  Value loaded = LLVM::masked_gather::create(builder, loc, otherwise.getType(), pointers, mask,
                                             otherwise, alignment);
  return fromMemoryForm(*this, loaded, type);
}

void Emitter::scatter(Value value, Value pointers, Value mask, unsigned alignment) {
  LLVM::masked_scatter::create(builder, loc, memoryForm(*this, value), pointers, mask, alignment);
}

static LLVM::AtomicBinOp atomicOpOf(AtomicOp op) {
  switch (op) {
  case AtomicOp::Exchange:
    return LLVM::AtomicBinOp::xchg;
  case AtomicOp::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicOp::Sub:
    return LLVM::AtomicBinOp::sub;
  case AtomicOp::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicOp::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicOp::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicOp::MinS:
    return LLVM::AtomicBinOp::min;
  case AtomicOp::MaxS:
    return LLVM::AtomicBinOp::max;
  case AtomicOp::MinU:
    return LLVM::AtomicBinOp::umin;
  case AtomicOp::MaxU:
    return LLVM::AtomicBinOp::umax;
  }
  llvm_unreachable("covered switch");
}

Value Emitter::atomic(AtomicOp op, Value pointer, Value value, unsigned alignment) {
  return LLVM::AtomicRMWOp::create(builder, loc, atomicOpOf(op), pointer, value,
                                   LLVM::AtomicOrdering::seq_cst, StringRef(), alignment);
}

std::pair<Value, Value> Emitter::compareExchange(Value pointer, Value expected, Value replacement,
                                                 unsigned alignment) {
  Value both = LLVM::AtomicCmpXchgOp::create(builder, loc, pointer, expected, replacement,
                                             LLVM::AtomicOrdering::seq_cst,
                                             LLVM::AtomicOrdering::seq_cst, StringRef(), alignment);
  Value before = LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{0});
  Value replaced = LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{1});
  return {before, replaced};
}

Value Emitter::atomicLoad(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(builder, loc, type, pointer, alignment, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/false,
                              /*isInvariantGroup=*/false, LLVM::AtomicOrdering::seq_cst);
}

void Emitter::atomicStore(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(builder, loc, value, pointer, alignment, /*isVolatile=*/false,
                        /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::seq_cst);
}

void Emitter::fence() { LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst); }

void Emitter::copyBytes(Value target, Value source, Value length) {
  LLVM::MemcpyOp::create(builder, loc, target, source, length, /*isVolatile=*/false);
}

void Emitter::setBytes(Value target, Value byte, Value length) {
  LLVM::MemsetOp::create(builder, loc, target, byte, length, /*isVolatile=*/false);
}

void Emitter::trap() { LLVM::Trap::create(builder, loc); }

} // namespace loom::lowering
