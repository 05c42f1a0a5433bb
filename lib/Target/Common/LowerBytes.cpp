//===- LowerBytes.cpp - Ranges of bytes -----------------------------------===//
//
// A copy or fill that is the same for all active work-items is carried out once; the bytes are the
// same ones. Otherwise work-items take turns in ascending order.
//
//===----------------------------------------------------------------------===//
#include "LowerBytes.h"
#include "LowerItems.h"

using namespace mlir;

namespace loom::lowering {

Value lengthSourceOf(Value buffer) {
  while (true) {
    Operation *op = buffer.getDefiningOp();
    if (!op)
      return isa<KernelDefOp>(buffer.getParentBlock()->getParentOp()) ? buffer : Value();
    if (isa<BufferAllocaOp, KernelWorkgroupStorageOp>(op))
      return buffer;
    if (!isa<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp, BufferAssumeMemorySpaceOp,
             BufferAssumeSameRootOp>(op))
      return {};
    buffer = op->getOperand(cast<OpResult>(buffer).getResultNumber());
  }
}

bool asksForLengths(KernelDefOp kernel) {
  return kernel.getBody()
      .walk([](BufferLengthOp op) {
        Value source = lengthSourceOf(op.getSource());
        return source && !source.getDefiningOp() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isByteOpSupported(Operation *op, const LoweringTarget &target, std::string &condition) {
  if (isa<BufferPackOp>(op))
    return true;
  return target.hasLanes() && isa<BufferCopyOp, BufferFillOp, BufferCompareOp>(op);
}

class KernelLowering::Bytes {
public:
  explicit Bytes(KernelLowering &kernel)
      : kernel(kernel), emitter(kernel.emitter), wide(emitter.integer(64)) {}

  void copy(BufferCopyOp op);
  void fill(BufferFillOp op);
  void compare(BufferCompareOp op);
  void pack(BufferPackOp op);
  void length(BufferLengthOp op);

private:
  Value number(int64_t value) { return emitter.constant(wide, value); }
  Value sum(Value a, Value b) { return emitter.binary(IntegerOp::Add, a, b); }
  void add(Items &items, Value buffer, Value offset) {
    items.add(kernel.byteAddress(buffer, offset));
  }
  void emitFill(Value pointer, Value pattern, Value length);
  Value emitCompare(Value left, Value right, Value length);

  KernelLowering &kernel;
  Emitter &emitter;
  Type wide;
};

void KernelLowering::Bytes::copy(BufferCopyOp op) {
  Items items(kernel);
  add(items, op.getSource(), op.getSourceOffset());
  add(items, op.getTarget(), op.getTargetOffset());
  items.add(op.getLength());
  items.run(items.isUniform(), Type(), [&](Value, ArrayRef<Value> inputs) {
    emitter.copyBytes(inputs[1], inputs[0], inputs[2]);
    return Value();
  });
}

/// Whole patterns, then the first bytes of one more.
void KernelLowering::Bytes::emitFill(Value pointer, Value pattern, Value length) {
  unsigned bits = pattern.getType().getIntOrFloatBitWidth();
  int64_t bytes = bits / 8;
  if (bytes == 1)
    return emitter.setBytes(pointer, emitter.reinterpret(pattern, emitter.integer(8)), length);
  Value whole = emitter.binary(IntegerOp::UDiv, length, number(bytes));
  emitter.repeat(whole, [&](Value i) {
    Value place = emitter.addBytes(pointer, emitter.binary(IntegerOp::Mul, i, number(bytes)));
    emitter.store(pattern, place, 1);
  });
  Value written = emitter.binary(IntegerOp::Mul, whole, number(bytes));
  Value rest = emitter.binary(IntegerOp::Sub, length, written);
  Type type = emitter.integer(bits);
  Value raw = emitter.reinterpret(pattern, type);
  emitter.repeat(rest, [&](Value i) {
    Value shift = emitter.binary(IntegerOp::Mul, i, number(8));
    if (bits < 64)
      shift = emitter.truncate(shift, type);
    Value byte = emitter.truncate(emitter.binary(IntegerOp::LShr, raw, shift), emitter.integer(8));
    emitter.store(byte, emitter.addBytes(pointer, sum(written, i)), 1);
  });
}

void KernelLowering::Bytes::fill(BufferFillOp op) {
  Items items(kernel);
  add(items, op.getTarget(), op.getOffset());
  items.add(op.getPattern());
  items.add(op.getLength());
  items.run(items.isUniform(), Type(), [&](Value, ArrayRef<Value> inputs) {
    emitFill(inputs[0], inputs[1], inputs[2]);
    return Value();
  });
}

/// Words while they are equal, then bytes: the first ones that differ decide.
Value KernelLowering::Bytes::emitCompare(Value left, Value right, Value length) {
  constexpr int64_t kWordBytes = 8;
  Type byte = emitter.integer(8), word = emitter.integer(64), answer = emitter.integer(32);
  Block *words = emitter.makeBlock(wide), *compareWords = emitter.makeBlock();
  Block *bytes = emitter.makeBlock(wide), *compareBytes = emitter.makeBlock();
  Block *differ = emitter.makeBlock(), *exit = emitter.makeBlock(answer);
  auto at = [&](Type type, Value base, Value position) {
    return emitter.load(type, emitter.addBytes(base, position), 1);
  };
  emitter.branch(words, number(0));

  emitter.enter(words);
  Value position = words->getArgument(0);
  Value left64 = emitter.binary(IntegerOp::Sub, length, position);
  Value isWord = emitter.compare(IntPredicate::uge, left64, number(kWordBytes));
  emitter.branchIf(isWord, compareWords, {}, bytes, position);
  emitter.enter(compareWords);
  Value isEqual =
      emitter.compare(IntPredicate::eq, at(word, left, position), at(word, right, position));
  emitter.branchIf(isEqual, words, sum(position, number(kWordBytes)), bytes, position);

  emitter.enter(bytes);
  position = bytes->getArgument(0);
  Value isInside = emitter.compare(IntPredicate::ult, position, length);
  emitter.branchIf(isInside, compareBytes, {}, exit, emitter.constant(answer, 0));
  emitter.enter(compareBytes);
  Value a = at(byte, left, position), b = at(byte, right, position);
  isEqual = emitter.compare(IntPredicate::eq, a, b);
  emitter.branchIf(isEqual, bytes, sum(position, number(1)), differ, {});
  emitter.enter(differ);
  Value isLess = emitter.compare(IntPredicate::ult, a, b);
  emitter.branch(exit,
                 emitter.select(isLess, emitter.constant(answer, -1), emitter.constant(answer, 1)));
  emitter.enter(exit);
  return exit->getArgument(0);
}

void KernelLowering::Bytes::compare(BufferCompareOp op) {
  Items items(kernel);
  add(items, op.getLeft(), op.getLeftOffset());
  add(items, op.getRight(), op.getRightOffset());
  items.add(op.getLength());
  bool once = items.isUniform() || kernel.laneCount() == 1;
  Value result = items.run(once, emitter.integer(32), [&](Value, ArrayRef<Value> inputs) {
    return emitCompare(inputs[0], inputs[1], inputs[2]);
  });
  once ? kernel.defineScalar(op.getResult(), result) : kernel.defineInForm(op.getResult(), result);
}

/// Each range begins at the end of the one before, rounded up to its alignment.
void KernelLowering::Bytes::pack(BufferPackOp op) {
  FormScope form(kernel, kernel.needsLanes(op));
  Value end = emitter.constant(kernel.lowered(op.getTotal().getType()), 0);
  auto aligned = [&](Value value, int64_t alignment) {
    if (alignment == 1)
      return value;
    Value padded = sum(value, emitter.constant(value.getType(), alignment - 1));
    return emitter.binary(IntegerOp::And, padded, emitter.constant(value.getType(), -alignment));
  };
  int64_t greatest = 1;
  for (auto [length, offset, alignment] :
       llvm::zip(op.getLengths(), op.getOffsets(), op.getAlignments())) {
    Value begin = aligned(end, alignment);
    kernel.define(offset, begin);
    end = sum(begin, kernel.get(length));
    greatest = std::max(greatest, alignment);
  }
  kernel.define(op.getTotal(), aligned(end, greatest));
}

/// The length of a parameter comes with the arguments, that of own storage from its author.
void KernelLowering::Bytes::length(BufferLengthOp op) {
  Value source = lengthSourceOf(op.getSource());
  if (auto parameter = dyn_cast<BlockArgument>(source)) {
    kernel.defineScalar(op, kernel.target.emitLength(parameter.getArgNumber()));
    return;
  }
  Lowered known = kernel.lengths.lookup(source);
  kernel.values[op] = known;
}

bool KernelLowering::lowerBytes(Operation *op) {
  Bytes bytes(*this);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](BufferCopyOp o) { return bytes.copy(o), true; })
      .Case([&](BufferFillOp o) { return bytes.fill(o), true; })
      .Case([&](BufferCompareOp o) { return bytes.compare(o), true; })
      .Case([&](BufferPackOp o) { return bytes.pack(o), true; })
      .Case([&](BufferLengthOp o) { return bytes.length(o), true; })
      .Default([](Operation *) { return false; });
}

} // namespace loom::lowering
