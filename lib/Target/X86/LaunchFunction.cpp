//===- LaunchFunction.cpp - Launch configurations as machine code ---------===//
//
// Operations are computed one after another, as a check does when it evaluates the configuration of
// a launch, so that both find the same one without a result first.
//
//===----------------------------------------------------------------------===//
#include "LaunchFunction.h"
#include "HostArithmetic.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Target/TargetRecord.h"
#include "loom/IR/Predicates.h"
#include "llvm/IR/Module.h"
#include <cstddef>

namespace loom::x86 {
using namespace mlir;

int64_t fixedStorageBytes(KernelDefOp kernel, const Facts &facts) {
  int64_t bytes = 0;
  kernel.getBody().walk([&](BufferAllocaOp op) {
    std::optional<ConstantIntRanges> length = facts.range(op.getLength());
    // The lowering has checked that there is a bound.
    if (op.getSpace() == MemorySpace::workgroup && length)
      bytes += llvm::alignTo(length->smax().getSExtValue(), op.getAlignment());
  });
  return bytes;
}

std::string launchFunctionName(StringRef symbol) { return (symbol + "_launch_config").str(); }

namespace {

class Builder {
public:
  Builder(KernelDefOp kernel, const LoweredKernel &info, int64_t fixedStorage,
          const TargetProfile &profile, llvm::Module &module)
      : kernel(kernel), info(info), fixedStorage(fixedStorage),
        limits(launchLimits(lookupRecord(kernel, kernel.getTargetAttr()), profile)),
        module(module) {}

  LogicalResult build();

private:
  llvm::Type *passedType(Type type);
  llvm::Type *carrier(Type type);
  void bindWorkload(Block &block, llvm::Function &function);

  llvm::Value *get(Value value) const { return values.lookup(value); }
  void define(Value value, llvm::Value *computed) { values[value] = computed; }
  void refuse(Operation *op);

  void computeBlock(Block &block);
  void compute(Operation *op);
  llvm::Value *computeIndex(Operation *op);
  llvm::Value *computeIndexBits(Operation *op);
  llvm::Value *computeCast(IndexCastOp op);
  llvm::Value *computeScalar(Operation *op);
  void computeAssume(IndexAssumeOp op);
  void computeIf(ScfIfOp op);
  void computeSwitch(ScfSwitchOp op);
  void computeLookup(ScfLookupOp op);
  using Incoming = SmallVector<std::pair<llvm::BasicBlock *, SmallVector<llvm::Value *>>>;
  void computeArm(Region &region, llvm::BasicBlock *join, Incoming &incoming);
  void defineResults(Operation *op, const Incoming &incoming);

  void finish(KernelLaunchConfigOp config);
  llvm::Value *checkGeometry(KernelLaunchConfigOp config);
  void store(llvm::Value *value, size_t offset);

  KernelDefOp kernel;
  const LoweredKernel &info;
  int64_t fixedStorage;
  const LaunchLimits limits;
  llvm::Module &module;
  std::optional<HostArithmetic> math;
  llvm::Value *record = nullptr;
  DenseMap<Value, llvm::Value *> values;
  bool failed = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// How C passes a value of that type.
llvm::Type *Builder::passedType(Type type) {
  llvm::LLVMContext &context = module.getContext();
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  return type.isInteger(1) ? llvm::Type::getInt8Ty(context) : carrier(type);
}

/// How a value is computed: floats are only passed on.
llvm::Type *Builder::carrier(Type type) {
  unsigned bits = isAddressType(type) ? 64 : type.getIntOrFloatBitWidth();
  return llvm::Type::getIntNTy(module.getContext(), bits);
}

void Builder::bindWorkload(Block &block, llvm::Function &function) {
  llvm::IRBuilder<> &ir = math->ir();
  for (auto [parameter, argument] : llvm::zip_first(block.getArguments(), function.args())) {
    llvm::Value *value = &argument;
    llvm::Type *type = carrier(parameter.getType());
    if (value->getType()->isFloatingPointTy())
      value = ir.CreateBitCast(value, type);
    else if (value->getType() != type)
      value = ir.CreateTrunc(value, type);
    if (isa<OffsetType>(parameter.getType()))
      math->requireNonNegative(value);
    define(parameter, value);
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// What has a carrier.
static bool isNumber(Type type) { return isAddressType(type) || type.isIntOrFloat(); }

/// Reports that `op` is not computed, and goes on with something in place of its results.
void Builder::refuse(Operation *op) {
  failed = true;
  emitCoded(op, DiagCode::TargetUnsupported, "'")
      << getTextName(op) << "' cannot be computed in the launch configuration of an x86 object";
  for (Value result : op->getResults()) {
    if (isNumber(result.getType()))
      define(result, llvm::PoisonValue::get(carrier(result.getType())));
  }
}

void Builder::computeBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    compute(&op);
}

void Builder::compute(Operation *op) {
  if (!llvm::all_of(op->getResultTypes(), isNumber))
    return refuse(op);
  if (auto assume = dyn_cast<IndexAssumeOp>(op))
    return computeAssume(assume);
  if (auto branch = dyn_cast<ScfIfOp>(op))
    return computeIf(branch);
  if (auto choice = dyn_cast<ScfSwitchOp>(op))
    return computeSwitch(choice);
  if (auto lookup = dyn_cast<ScfLookupOp>(op))
    return computeLookup(lookup);
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return refuse(op);
  llvm::Value *result = computeIndex(op);
  if (!result)
    result = computeIndexBits(op);
  if (!result)
    result = computeScalar(op);
  if (!result)
    return refuse(op);
  if (isa<OffsetType>(op->getResult(0).getType()))
    math->requireNonNegative(result);
  define(op->getResult(0), result);
}

llvm::Value *Builder::computeIndex(Operation *op) {
  auto a = [&] { return get(op->getOperand(0)); };
  auto b = [&] { return get(op->getOperand(1)); };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](IndexConstantOp o) { return math->number(o.getInt()); })
      .Case([&](IndexCastOp o) { return computeCast(o); })
      .Case([&](IndexAddOp) { return math->add(a(), b()); })
      .Case([&](IndexSubOp) { return math->subtract(a(), b()); })
      .Case<IndexMulOp, IndexScaleOp>([&](auto) { return math->multiply(a(), b()); })
      .Case([&](IndexMaddOp o) { return math->add(math->multiply(a(), b()), get(o.getAddend())); })
      .Case([&](IndexDivOp) { return math->divide(a(), b(), /*wantsRemainder=*/false); })
      .Case([&](IndexRemOp) { return math->divide(a(), b(), /*wantsRemainder=*/true); })
      .Case([&](IndexMinOp) {
        return math->function(LanewiseFunction::minsi, {a(), b()}, OverflowFlags::none);
      })
      .Case([&](IndexMaxOp) {
        return math->function(LanewiseFunction::maxsi, {a(), b()}, OverflowFlags::none);
      })
      // An offset is not negative here, so that both orders of it agree.
      .Case([&](IndexCmpOp o) { return math->compare(o.getPredicate(), a(), b()); })
      .Case([&](ScfSelectOp o) {
        return math->ir().CreateSelect(get(o.getCondition()), get(o.getTrueValue()),
                                       get(o.getFalseValue()));
      })
      .Default([](Operation *) { return nullptr; });
}

/// The carrier of an index has 64 bits here.
llvm::Value *Builder::computeIndexBits(Operation *op) {
  if (isa<IndexShLIOp>(op))
    return math->shiftLeft(get(op->getOperand(0)), get(op->getOperand(1)));
  std::optional<LanewiseFunction> function =
      llvm::TypeSwitch<Operation *, std::optional<LanewiseFunction>>(op)
          .Case([](IndexAndIOp) { return LanewiseFunction::andi; })
          .Case([](IndexOrIOp) { return LanewiseFunction::ori; })
          .Case([](IndexXOrIOp) { return LanewiseFunction::xori; })
          .Case([](IndexShRSIOp) { return LanewiseFunction::shrsi; })
          .Case([](IndexShRUIOp) { return LanewiseFunction::shrui; })
          .Case([](IndexRotLIOp) { return LanewiseFunction::rotli; })
          .Case([](IndexRotRIOp) { return LanewiseFunction::rotri; })
          .Case([](IndexCtLZIOp) { return LanewiseFunction::ctlzi; })
          .Case([](IndexCtTZIOp) { return LanewiseFunction::cttzi; })
          .Case([](IndexCtPopIOp) { return LanewiseFunction::ctpopi; })
          .Default([](Operation *) { return std::nullopt; });
  if (!function)
    return nullptr;
  SmallVector<llvm::Value *> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return get(value); });
  return math->function(*function, operands, OverflowFlags::none);
}

llvm::Value *Builder::computeCast(IndexCastOp op) {
  Type from = op.getInput().getType(), to = op.getType();
  llvm::Value *input = get(op.getInput());
  // i1, and integers that become offsets, are read by their bits, others by their sign.
  bool isUnsigned = from.isInteger(1) || (isa<OffsetType>(to) && !isAddressType(from));
  llvm::IRBuilder<> &ir = math->ir();
  return isUnsigned ? ir.CreateZExtOrTrunc(input, carrier(to))
                    : ir.CreateSExtOrTrunc(input, carrier(to));
}

llvm::Value *Builder::computeScalar(Operation *op) {
  llvm::IRBuilder<> &ir = math->ir();
  auto isInteger = [](Value value) { return isa<IntegerType>(value.getType()); };
  if (!llvm::all_of(op->getOperands(), isInteger) || !llvm::all_of(op->getResults(), isInteger))
    return nullptr;
  if (auto constant = dyn_cast<ScalarConstantOp>(op))
    return ir.getInt(cast<IntegerAttr>(constant.getValue()).getValue());
  if (auto compare = dyn_cast<ScalarCmpIOp>(op))
    return math->compare(compare.getPredicate(), get(compare.getLhs()), get(compare.getRhs()));
  auto lanewise = dyn_cast<LanewiseOpInterface>(op);
  if (!lanewise)
    return nullptr;
  SmallVector<llvm::Value *> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return get(value); });
  switch (lanewise.getLanewiseFunction()) {
  case LanewiseFunction::extsi:
    return ir.CreateSExt(operands[0], carrier(op->getResult(0).getType()));
  case LanewiseFunction::extui:
    return ir.CreateZExt(operands[0], carrier(op->getResult(0).getType()));
  case LanewiseFunction::trunci:
    return ir.CreateTrunc(operands[0], carrier(op->getResult(0).getType()));
  default:
    break;
  }
  auto flags = op->getAttrOfType<OverflowFlagsAttr>("overflow");
  return math->function(lanewise.getLanewiseFunction(), operands,
                        flags ? flags.getValue() : OverflowFlags::none);
}

void Builder::computeAssume(IndexAssumeOp op) {
  for (auto [position, input, result] : llvm::enumerate(op.getInputs(), op.getResults())) {
    llvm::Value *value = get(input);
    if (auto bounds = rangeFromPredicates(op.getPredicates(), position, 64)) {
      llvm::IRBuilder<> &ir = math->ir();
      math->require(ir.CreateAnd(ir.CreateICmpSGE(value, ir.getInt(bounds->smin())),
                                 ir.CreateICmpSLE(value, ir.getInt(bounds->smax()))),
                    LaunchStatus::ViolatedAssumption);
    }
    define(result, value);
  }
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Computes the region at the current place and goes on to `join`.
void Builder::computeArm(Region &region, llvm::BasicBlock *join, Incoming &incoming) {
  SmallVector<llvm::Value *> yields;
  if (!region.empty()) {
    computeBlock(region.front());
    for (Value value : region.front().getTerminator()->getOperands())
      yields.push_back(get(value));
  }
  incoming.push_back({math->ir().GetInsertBlock(), std::move(yields)});
  math->ir().CreateBr(join);
}

/// Defines the results of `op` in the block where its arms meet.
void Builder::defineResults(Operation *op, const Incoming &incoming) {
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    llvm::PHINode *phi = math->ir().CreatePHI(carrier(result.getType()), incoming.size());
    for (const auto &[block, yields] : incoming)
      phi->addIncoming(yields[i], block);
    define(result, phi);
  }
}

void Builder::computeIf(ScfIfOp op) {
  llvm::BasicBlock *thenBlock = math->makeBlock(), *elseBlock = math->makeBlock();
  llvm::BasicBlock *join = math->makeBlock();
  math->ir().CreateCondBr(get(op.getCondition()), thenBlock, elseBlock);
  Incoming incoming;
  math->enter(thenBlock);
  computeArm(op.getThenRegion(), join, incoming);
  math->enter(elseBlock);
  computeArm(op.getElseRegion(), join, incoming);
  math->enter(join);
  defineResults(op, incoming);
}

void Builder::computeSwitch(ScfSwitchOp op) {
  llvm::BasicBlock *join = math->makeBlock(), *otherwise = math->makeBlock();
  llvm::SwitchInst *choice = math->ir().CreateSwitch(get(op.getSelector()), otherwise);
  Incoming incoming;
  for (auto [key, region] : llvm::zip(op.getKeys(), op.getCaseRegions())) {
    llvm::BasicBlock *arm = math->makeBlock();
    choice->addCase(math->ir().getInt64(key), arm);
    math->enter(arm);
    computeArm(region, join, incoming);
  }
  math->enter(otherwise);
  computeArm(op.getDefaultRegion(), join, incoming);
  math->enter(join);
  defineResults(op, incoming);
}

void Builder::computeLookup(ScfLookupOp op) {
  llvm::IRBuilder<> &ir = math->ir();
  for (auto [column, result] : llvm::enumerate(op.getResults())) {
    llvm::Value *chosen = get(op.getRow(op.getKeys().size())[column]);
    for (auto [row, key] : llvm::enumerate(op.getKeys()))
      chosen = ir.CreateSelect(ir.CreateICmpEQ(get(op.getSelector()), math->number(key)),
                               get(op.getRow(row)[column]), chosen);
    define(result, chosen);
  }
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

void Builder::store(llvm::Value *value, size_t offset) {
  llvm::IRBuilder<> &ir = math->ir();
  llvm::Value *place = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), record, offset);
  ir.CreateAlignedStore(value, place, llvm::Align(8));
}

/// Requires extents that a device launches; returns the number of workgroups.
llvm::Value *Builder::checkGeometry(KernelLaunchConfigOp config) {
  llvm::IRBuilder<> &ir = math->ir();
  constexpr LaunchStatus invalid = LaunchStatus::InvalidGeometry;
  llvm::Value *items = math->number(1), *groups = math->number(1);
  for (unsigned d = 0; d < 3; ++d) {
    llvm::Value *count = get(config->getOperand(d)), *size = get(config->getOperand(3 + d));
    math->require(ir.CreateICmpSGE(count, math->number(0)), invalid);
    math->require(ir.CreateICmpSGE(size, math->number(1)), invalid);
    math->require(ir.CreateICmpSLE(size, math->number(limits.workgroupSize[d])), invalid);
    math->require(ir.CreateICmpSLE(count, ir.CreateUDiv(math->number(limits.gridSize[d]), size)),
                  invalid);
    if (limits.workgroups[d] != INT64_MAX)
      math->require(ir.CreateICmpSLE(count, math->number(limits.workgroups[d])), invalid);
    if (info.clusterSize) {
      llvm::Value *rest = ir.CreateURem(count, math->number((*info.clusterSize)[d]));
      math->require(ir.CreateICmpEQ(rest, math->number(0)), invalid);
    }
    items = ir.CreateMul(items, size);
    groups = math->multiply(groups, count, invalid);
  }
  math->require(ir.CreateICmpSLE(items, math->number(limits.flatWorkgroupSize)), invalid);
  if (limits.flatGridSize != INT64_MAX)
    math->require(
        ir.CreateICmpSLE(math->multiply(groups, items, invalid), math->number(limits.flatGridSize)),
        invalid);
  return groups;
}

void Builder::finish(KernelLaunchConfigOp config) {
  llvm::Value *groups = checkGeometry(config), *storage = math->number(fixedStorage);
  if (Value tail = config.getDynamicWorkgroupStorage())
    storage = math->add(storage, get(tail));
  math->require(math->ir().CreateICmpSLE(storage, math->number(limits.storageBytes)),
                LaunchStatus::InvalidGeometry);
  for (unsigned d = 0; d < 3; ++d) {
    store(get(config->getOperand(d)), offsetof(LaunchRecord, workgroupCount) + 8 * d);
    store(get(config->getOperand(3 + d)), offsetof(LaunchRecord, workgroupSize) + 8 * d);
  }
  store(groups, offsetof(LaunchRecord, totalWorkgroups));
  store(math->number(info.subgroupSize), offsetof(LaunchRecord, subgroupSize));
  store(storage, offsetof(LaunchRecord, workgroupStorageBytes));
  math->ir().CreateRet(math->ir().getInt32(static_cast<uint32_t>(LaunchStatus::Ok)));
}

LogicalResult Builder::build() {
  llvm::LLVMContext &context = module.getContext();
  Block &block = kernel.getConfig().front();
  for (BlockArgument parameter : block.getArguments())
    if (!isNumber(parameter.getType()))
      return emitCoded(parameter.getLoc(), DiagCode::TargetUnsupported, "a workload parameter of ")
             << "type " << stringifyType(parameter.getType())
             << " cannot be passed to the launch configuration of an x86 object";
  SmallVector<llvm::Type *> types;
  for (Type type : block.getArgumentTypes())
    types.push_back(passedType(type));
  types.push_back(llvm::PointerType::get(context, 0));
  auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), types, /*isVarArg=*/false);
  llvm::Function *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                                    launchFunctionName(info.symbol), module);
  function->setDoesNotThrow();
  math.emplace(*function);
  record = function->getArg(function->arg_size() - 1);
  bindWorkload(block, *function);
  computeBlock(block);
  finish(cast<KernelLaunchConfigOp>(block.getTerminator()));
  return success(!failed);
}

LogicalResult addLaunchFunction(KernelDefOp kernel, const LoweredKernel &info, int64_t fixedStorage,
                                const TargetProfile &profile, llvm::Module &module) {
  return Builder(kernel, info, fixedStorage, profile, module).build();
}

} // namespace loom::x86
