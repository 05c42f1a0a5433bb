//===- LowerX86.cpp - What x86 adds to the lowering -----------------------===//
//
// A kernel becomes two functions. The inner one has the kernel's parameters, so that what is known
// of buffers can stand on them, and loops over workgroups; a workgroup is lowered as a whole. The
// outer one is the entry: it reads the argument slots and calls the inner one.
//
//===----------------------------------------------------------------------===//
#include "LowerKernel.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace loom::lowering {
namespace {

constexpr unsigned kSlotBytes = 8;

std::string innerName(const KernelPlan &plan) { return plan.info.symbol + "$groups"; }

class X86Lowering final : public LoweringTarget {
public:
  explicit X86Lowering(bool hasMonitor) : hasMonitor(hasMonitor) {}

  StringRef name() const override { return "x86"; }
  unsigned bufferSpace() const override { return 0; }
  // The arithmetic of x86-64-v3 is on f32 and f64; conversion of f64 to f16, and of f32 to bf16,
  // would call a library.
  bool hasHalfArithmetic() const override { return false; }
  bool hasBFloatConversions() const override { return false; }
  bool hasPairProducts() const override { return true; }
  bool hasLanes() const override { return true; }
  bool answers(Position) const override { return true; }

  void emitKernel(const KernelPlan &plan, Emitter &emitter, KernelLowering &lowering) override;
  RangedValue emitPosition(Position position, unsigned dimension) override;
  Value emitLength(unsigned parameter) override { return lengths.lookup(parameter); }
  void finish(const KernelPlan &plan, llvm::Module &module) override;

private:
  /// A loop that counts by one in 64 bits.
  struct Loop {
    Block *body, *exit;
    Value counter, upper;
  };
  Loop openLoop(Value lower, Value upper, bool runs);
  void closeLoop(const Loop &loop);
  void emitGroupIds(Value flat);
  void emitEntry(const KernelPlan &plan, ArrayRef<Type> types);
  /// The parameters whose lengths come with the arguments.
  static SmallVector<unsigned> measured(const KernelPlan &plan);

  bool hasMonitor; ///< in the slot behind the parameters
  const KernelPlan *plan = nullptr;
  Emitter *emitter = nullptr;
  std::array<Value, 3> groupIds, sizes, counts;
  llvm::DenseMap<unsigned, Value> lengths; ///< of buffer parameters, where the kernel asks for them
};

X86Lowering::Loop X86Lowering::openLoop(Value lower, Value upper, bool runs) {
  Loop loop = {emitter->makeBlock(lower.getType()), emitter->makeBlock(), Value(), upper};
  loop.counter = loop.body->getArgument(0);
  if (runs)
    emitter->branch(loop.body, lower);
  else
    emitter->branchIf(emitter->compare(IntPredicate::slt, lower, upper), loop.body, lower,
                      loop.exit, {});
  emitter->enter(loop.body);
  return loop;
}

void X86Lowering::closeLoop(const Loop &loop) {
  Value one = emitter->constant(emitter->integer(64), 1);
  Value next =
      emitter->binary(IntegerOp::Add, loop.counter, one, {/*isSigned=*/true, /*isUnsigned=*/true});
  emitter->branchIf(emitter->compare(IntPredicate::slt, next, loop.upper), loop.body, next,
                    loop.exit, {});
  emitter->enter(loop.exit);
}

/// Takes the flat number of a workgroup apart, x varying fastest.
void X86Lowering::emitGroupIds(Value flat) {
  for (unsigned d = 0; d < 3; ++d) {
    // The last dimension with more than one takes all that is left.
    bool isLast = true;
    for (unsigned above = d + 1; above < 3; ++above)
      isLast &= plan->exactCount(above) == 1;
    if (isLast || plan->exactCount(d) == 1) {
      groupIds[d] = isLast ? flat : Value();
      if (isLast)
        flat = emitter->constant(emitter->integer(64), 0);
      continue;
    }
    groupIds[d] = emitter->binary(IntegerOp::URem, flat, counts[d]);
    flat = emitter->binary(IntegerOp::UDiv, flat, counts[d]);
  }
}

SmallVector<unsigned> X86Lowering::measured(const KernelPlan &plan) {
  SmallVector<unsigned> buffers;
  for (auto [i, kind] : llvm::enumerate(plan.info.arguments))
    if (plan.info.hasLengths && kind == ArgumentKind::Buffer)
      buffers.push_back(i);
  return buffers;
}

void X86Lowering::emitKernel(const KernelPlan &plan, Emitter &emitter, KernelLowering &lowering) {
  this->plan = &plan;
  this->emitter = &emitter;
  SmallVector<Type> types = lowering.parameterTypes();
  size_t own = types.size();
  if (hasMonitor)
    types.push_back(emitter.pointer(0));
  size_t passed = types.size();
  Type wide = emitter.integer(64), address = emitter.pointer(0);
  SmallVector<unsigned> buffers = measured(plan);
  types.append({wide, wide, address, address});
  types.append(buffers.size(), wide);
  std::string name = innerName(plan);
  SmallVector<Value> parameters =
      emitter.beginFunction({name, types, /*isInternal=*/true, /*hasLocations=*/true});
  lengths.clear();
  for (auto [parameter, length] :
       llvm::zip(buffers, ArrayRef(parameters).take_back(buffers.size())))
    lengths[parameter] = length;
  Value grid = parameters[passed + 2], size = parameters[passed + 3];
  lowering.beginFunction(hasMonitor ? parameters[own] : Value());
  auto extent = [&](std::optional<int64_t> exact, Value array, unsigned d) {
    if (exact)
      return emitter.constant(wide, *exact);
    Value place = emitter.addBytes(array, emitter.constant(wide, d * kSlotBytes));
    return emitter.load(wide, place, kSlotBytes);
  };
  for (unsigned d = 0; d < 3; ++d) {
    counts[d] = extent(plan.exactCount(d), grid, d);
    sizes[d] = extent(plan.exactSize(d), size, d);
  }
  Loop groups = openLoop(parameters[passed], parameters[passed + 1], /*runs=*/false);
  emitGroupIds(groups.counter);
  lowering.emitWorkgroup(ValueRange(parameters).take_front(own), sizes, groups.counter);
  closeLoop(groups);
  emitter.emitReturn();
  emitEntry(plan, ArrayRef(types).take_front(passed));
}

void X86Lowering::emitEntry(const KernelPlan &plan, ArrayRef<Type> types) {
  Type wide = emitter->integer(64), address = emitter->pointer(0), flag = emitter->integer(1);
  Type signature[] = {address, wide, wide, address, address};
  SmallVector<Value> parameters = emitter->beginFunction({plan.info.symbol, signature});
  SmallVector<Value> arguments;
  for (auto [i, type] : llvm::enumerate(types)) {
    Value slot = emitter->addBytes(parameters[0], emitter->constant(wide, i * kSlotBytes));
    if (type == flag)
      arguments.push_back(
          emitter->truncate(emitter->load(emitter->integer(8), slot, kSlotBytes), flag));
    else
      arguments.push_back(emitter->load(type, slot, kSlotBytes));
  }
  arguments.append(parameters.begin() + 1, parameters.end());
  size_t next = types.size();
  for (size_t i = 0; i < measured(plan).size(); ++i, ++next) {
    Value place = emitter->constant(emitter->integer(64), next * kSlotBytes);
    arguments.push_back(emitter->load(wide, emitter->addBytes(parameters[0], place), kSlotBytes));
  }
  emitter->callFunction(innerName(plan), arguments);
  emitter->emitReturn();
}

RangedValue X86Lowering::emitPosition(Position position, unsigned dimension) {
  int64_t largest = Interval().high;
  int64_t size = plan->exactSize(dimension).value_or(largest);
  int64_t count = plan->exactCount(dimension).value_or(largest);
  switch (position) {
  case Position::WorkitemId:
    break; // the workgroup is lowered as a whole
  case Position::WorkgroupId:
    return {groupIds[dimension], {0, std::max<int64_t>(count, 1) - 1}};
  case Position::WorkgroupSize:
    return {sizes[dimension], {1, size}};
  case Position::WorkgroupCount:
    return {counts[dimension], {0, count}};
  }
  llvm_unreachable("not a question to this target");
}

void X86Lowering::finish(const KernelPlan &plan, llvm::Module &module) {
  llvm::Function &inner = *module.getFunction(innerName(plan));
  applyBufferAttributes(inner, plan.buffers);
  inner.setDoesNotThrow();
  module.getFunction(plan.info.symbol)->setDoesNotThrow();
}

} // namespace
} // namespace loom::lowering

namespace loom {

FailureOr<LoweredModule> lowerForX86(ModuleOp module, const TargetProfile &profile,
                                     llvm::LLVMContext &context, const LoweringOptions &options) {
  lowering::X86Lowering target(options.monitor);
  return lowering::lowerModule(module, profile, target, context, options);
}

} // namespace loom
