//===- Materialize.cpp - Making the values of a body ----------------------===//
#include "Materialize.h"
#include "Oracles.h"
#include "Values.h"
#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Runtime/Npy.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

namespace loom::check {
using namespace mlir;

using runtime::Issue;
using runtime::Scalar;
using runtime::Tensor;

std::string resolvePath(StringRef path, StringRef folder) {
  if (folder.empty() || llvm::sys::path::is_absolute(path))
    return path.str();
  SmallString<256> whole(folder);
  llvm::sys::path::append(whole, path);
  return whole.str().str();
}

//===----------------------------------------------------------------------===//
// Entropy
//===----------------------------------------------------------------------===//

/// One step of splitmix64 (Steele, Lea and Flood, 2014): a bijection that leaves no relation
/// between neighbours.
static uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

Entropy Entropy::fork(StringRef label) const {
  // FNV-1a over the label (Fowler, Noll and Vo).
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : label)
    hash = (hash ^ c) * 0x100000001b3;
  return {mix(mix(key) ^ hash)};
}

Entropy Entropy::fork(StringRef label, uint64_t ordinal) const {
  return {mix(fork(label).key ^ mix(ordinal))};
}

uint64_t Entropy::read(uint64_t ordinal) const { return fork("read", ordinal).key; }

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// More than this is not promised by a host either.
static constexpr int64_t kMaxAlignment = int64_t(1) << 20;

/// The greatest alignment that an operation of `root`, or of a symbol that it needs, is promised.
/// Which implementation of a template is chosen is not looked at: all of them count.
static uint64_t promisedAlignment(Operation *root) {
  int64_t alignment = 1;
  llvm::SetVector<Operation *> reached;
  reached.insert(root);
  SymbolTable symbols(root->getParentOfType<ModuleOp>());
  // The set grows while it is gone through.
  for (size_t i = 0; i < reached.size(); ++i)
    reached[i]->walk([&](Operation *op) {
      if (auto promise = dyn_cast<BufferAssumeAlignmentOp>(op))
        alignment = std::max<int64_t>(
            alignment, std::min<int64_t>(promise.getMinimumAlignment(), kMaxAlignment));
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr name) {
          if (Operation *symbol = symbols.lookup(name.getAttr()))
            reached.insert(symbol);
        });
      if (getTextName(op) == "template.decl")
        for (Operation &other : symbols.getOp()->getRegion(0).front())
          if (getTextName(&other) == "template.def")
            reached.insert(&other);
    });
  return alignment;
}

Materializer::Materializer(Operation *record, Slots &slots, HostFunctions &functions,
                           const ExecuteOptions &options)
    : slots(slots), functions(functions), options(options), alignment(promisedAlignment(record)) {}

ArrayRef<int64_t> staticExtents(Value value) {
  return cast<TensorType>(value.getType()).getShape();
}

SmallVector<int64_t> extentsOf(Value value, Slots &slots) {
  SmallVector<Value> dims = getDynamicDims(value);
  auto dim = dims.begin();
  SmallVector<int64_t> shape;
  for (int64_t extent : staticExtents(value))
    shape.push_back(extent == ShapedType::kDynamic ? slots.scalar(*dim++).toInteger() : extent);
  return shape;
}

llvm::Error Materializer::allocate(Value value) {
  runtime::ElementType type = *elementTypeOf(value.getType());
  SmallVector<int64_t> shape = extentsOf(value, slots);
  if (Tensor *existing = slots.tensor(value))
    if (existing->type() == type && existing->shape() == ArrayRef<int64_t>(shape))
      return llvm::Error::success();
  llvm::Expected<Tensor> tensor = Tensor::create(type, shape, options.placement, alignment);
  if (!tensor)
    return tensor.takeError();
  slots[value] = std::move(*tensor);
  return llvm::Error::success();
}

llvm::Error Materializer::fill(Operation *op, Tensor &tensor) {
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case<CheckIotaOp>([&](auto op) { return runtime::generateIota(tensor, iotaOf(op)); })
      .Case<CheckFillOp>([&](auto op) {
        runtime::generateFill(tensor, scalarOf(op.getValue(), tensor.type()));
        return llvm::Error::success();
      })
      .Case<CheckRandomUniformOp>([&](auto op) {
        return runtime::generateUniform(tensor, uniformOf(op),
                                        slots.scalar(op.getSeed()).toInteger());
      })
      .Default([&](Operation *op) {
        return runtime::readNpy(
            resolvePath(cast<CheckFileReadNpyOp>(op).getPath(), options.inputFolder), tensor);
      });
}

llvm::Error Materializer::makeView(CheckTensorViewOp op) {
  llvm::Expected<Tensor> view =
      slots.tensor(op.getSource())->view(op.getOffset(), extentsOf(op.getResult(), slots));
  if (!view)
    return view.takeError();
  slots[op.getResult()] = std::move(*view);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

llvm::Error Materializer::makeOracle(CheckOracleCallOp op) {
  for (Value result : op.getResults())
    if (isa<TensorType>(result.getType()))
      if (llvm::Error error = allocate(result))
        return error;
  return callOracle(op, slots, functions);
}

llvm::Error Materializer::call(FuncCallOp op) {
  SmallVector<uint64_t> arguments, results;
  for (Value value : op.getArguments())
    arguments.push_back(slots.scalar(value).bits());
  if (llvm::Error error = functions.call(op.getCallee(), arguments, results))
    return error;
  for (auto [value, bits] : llvm::zip_equal(op.getResults(), results))
    slots[value] = Scalar::fromBits(*elementTypeOf(value.getType()), bits);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

llvm::Error Materializer::makeValues(Operation *op) {
  auto success = llvm::Error::success;
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case<CheckLiteralOp>([&](auto op) {
        slots[op.getResult()] = scalarOf(op.getValue(), *elementTypeOf(op.getType()));
        return success();
      })
      .Case<CheckEntropyForkOp>([&](auto op) {
        slots[op.getResult()] = std::get<Entropy>(slots[op.getEntropy()]).fork(op.getLabel());
        return success();
      })
      .Case<CheckEntropyReadOp>([&](auto op) {
        uint64_t ordinal = slots.scalar(op.getOrdinal()).bits();
        slots[op.getResult()] = Scalar::fromBits(
            runtime::ElementType::I64, std::get<Entropy>(slots[op.getEntropy()]).read(ordinal));
        return success();
      })
      .Case<CheckTensorViewOp>([&](auto op) { return makeView(op); })
      .Case<CheckOracleCallOp>([&](auto op) { return makeOracle(op); })
      .Case<FuncCallOp>([&](auto op) { return call(op); })
      .Default([&](Operation *op) {
        Value value = op->getResult(0);
        if (llvm::Error error = allocate(value))
          return error;
        return fill(op, *slots.tensor(value));
      });
}

std::optional<Issue> Materializer::make(Operation *op) {
  llvm::Error error = makeValues(op);
  if (!error)
    return std::nullopt;
  std::string who = op->getNumResults() == 1 ? slots.name(op->getResult(0)) + ": " : "";
  Issue issue;
  issue.stage = "materialize";
  issue.kind = "invalid_value_source";
  issue.message = withPlace(op->getLoc(), who + llvm::toString(std::move(error)));
  return issue;
}

} // namespace loom::check
