//===- LowerSanitizerAccess.cpp - Whether accesses lie inside -------------===//
//
// An access has to lie inside of its view, each coordinate inside of its extent, and inside of the
// memory behind it: a view may claim more than its buffer has. The first is a question about
// numbers that the author wrote, the second one about addresses, so that it holds for whatever a
// view is made of. Facts have no part in either, since a promise that is false is found here too.
//
// Elements that a mask leaves out are not accessed.
//
//===----------------------------------------------------------------------===//
#include "LowerFragments.h"
#include "LowerSanitizer.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/IR/SourceInfo.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace loom::lowering {

/// Where a view may lie.
struct KernelLowering::Sanitizer::Memory {
  Address begin;
  Value bytes; ///< i64
  std::string name;
};

//===----------------------------------------------------------------------===//
// What is accessed
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> shapeOfVector(Value value) {
  return llvm::to_vector(cast<VectorType>(value.getType()).getShape());
}

std::optional<KernelLowering::Sanitizer::Touch> KernelLowering::Sanitizer::touchOf(Operation *op) {
  auto access = [&](auto o) {
    return Access{o.getView(), o.getIndices(), o.getStaticIndices(), o.getLinear(),
                  /*mayLieOutside=*/true};
  };
  auto inOrder = [&](auto o) {
    return Access{o.getView(), o.getIndices(), o.getStaticIndices(), /*linear=*/false,
                  /*mayLieOutside=*/true};
  };
  using Result = std::optional<Touch>;
  constexpr AccessKind kRead = AccessKind::read, kWrite = AccessKind::write;
  auto atomic = [&](auto o, AccessKind kind) {
    Touch touch{inOrder(o), kind};
    touch.isAtomic = true;
    return touch;
  };
  auto atomicVector = [&](auto o, Value mask) {
    Touch touch = atomic(o, AccessKind::read_write);
    touch.shape = shapeOfVector(o.getOffsets());
    touch.mask = mask;
    touch.offsets = o.getOffsets();
    return touch;
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](ViewLoadOp o) -> Result { return Touch{access(o), kRead}; })
      .Case([&](ViewStoreOp o) -> Result { return Touch{access(o), kWrite}; })
      .Case([&](VectorLoadOp o) -> Result {
        return Touch{access(o), kRead, shapeOfVector(o.getResult())};
      })
      .Case([&](VectorStoreOp o) -> Result {
        return Touch{access(o), kWrite, shapeOfVector(o.getValue())};
      })
      .Case([&](VectorLoadMaskOp o) -> Result {
        return Touch{access(o), kRead, shapeOfVector(o.getResult()), o.getMask()};
      })
      .Case([&](VectorStoreMaskOp o) -> Result {
        return Touch{access(o), kWrite, shapeOfVector(o.getValue()), o.getMask()};
      })
      .Case([&](VectorLoadExpandOp o) -> Result {
        return Touch{access(o), kRead, shapeOfVector(o.getResult()), o.getMask(), {}, true};
      })
      .Case([&](VectorStoreCompressOp o) -> Result {
        return Touch{access(o), kWrite, shapeOfVector(o.getValue()), o.getMask(), {}, true};
      })
      .Case([&](VectorGatherOp o) -> Result {
        return Touch{access(o), kRead, shapeOfVector(o.getResult()), {}, o.getOffsets()};
      })
      .Case([&](VectorGatherMaskOp o) -> Result {
        return Touch{access(o), kRead, shapeOfVector(o.getResult()), o.getMask(), o.getOffsets()};
      })
      .Case([&](VectorScatterOp o) -> Result {
        return Touch{access(o), kWrite, shapeOfVector(o.getValue()), {}, o.getOffsets()};
      })
      .Case([&](VectorScatterMaskOp o) -> Result {
        return Touch{access(o), kWrite, shapeOfVector(o.getValue()), o.getMask(), o.getOffsets()};
      })
      .Case<ViewAtomicReduceOp, ViewAtomicRmwOp, ViewAtomicCmpxchgOp>(
          [&](auto o) -> Result { return atomic(o, AccessKind::read_write); })
      .Case<VectorAtomicReduceOp, VectorAtomicRmwOp, VectorAtomicCmpxchgOp>(
          [&](auto o) -> Result { return atomicVector(o, Value()); })
      .Case<VectorAtomicReduceMaskOp, VectorAtomicRmwMaskOp>(
          [&](auto o) -> Result { return atomicVector(o, o.getMask()); })
      .Case<VectorFragmentLoadOp, VectorFragmentStoreOp>([&](auto o) -> Result {
        // A whole matrix, which all lanes access together.
        FragmentShape shape = kernel.plan.fragments->fragments().statedBy(op)->shape;
        Touch touch{inOrder(o), isa<VectorFragmentLoadOp>(op) ? kRead : kWrite};
        if (o.getStaticShape().size() == 3)
          touch.shape.push_back(shape.blocks);
        touch.shape.append({shape.rows, shape.columns});
        return touch;
      })
      .Case([&](ViewAtomicLoadOp o) -> Result { return atomic(o, kRead); })
      .Case([&](ViewAtomicStoreOp o) -> Result { return atomic(o, kWrite); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

/// Whether all lanes access the same elements.
bool KernelLowering::Sanitizer::isUniform(const Touch &touch) const {
  auto isOne = [&](Value value) {
    return !value || (kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride);
  };
  // A layout is nothing at run time; its strides are.
  auto isOneExtent = [&](Value extent) {
    return !isAddressType(extent.getType()) || isOne(extent);
  };
  auto isOneStride = [&](OpFoldResult stride) {
    return isa<Attribute>(stride) || isOne(cast<Value>(stride));
  };
  return kernel.laneCount() == 1 || (kernel.addressOf(touch.access.view).isUniform() &&
                                     llvm::all_of(touch.access.indices, isOne) &&
                                     llvm::all_of(getDynamicDims(touch.access.view), isOneExtent) &&
                                     llvm::all_of(touch.access.strides(), isOneStride) &&
                                     isOne(touch.mask) && isOne(touch.offsets));
}

//===----------------------------------------------------------------------===//
// Inside of the view
//===----------------------------------------------------------------------===//

/// Whether `count` places from `index` on, all of them i64 or `index` i32, are not in [0, extent).
Value KernelLowering::Sanitizer::isOutside(Value index, std::optional<int64_t> staticExtent,
                                           Value extent, Value count) {
  // As an unsigned number, what is negative is too large.
  APInt known;
  if (staticExtent && matchPattern(count, m_ConstantInt(&known))) {
    int64_t last = *staticExtent - known.getSExtValue();
    if (last < 0)
      return emitter.constant(emitter.shaped(kernel.flagType(), index.getType()), 1);
    Value from = llvm::isInt<32>(last) ? index : wide(index);
    return emitter.compare(IntPredicate::ugt, from, emitter.constant(from.getType(), last));
  }
  Value last = emitter.binary(IntegerOp::Sub, staticExtent ? number(*staticExtent) : extent, count);
  return eitherOf(emitter.compare(IntPredicate::slt, last, number(0)),
                  emitter.compare(IntPredicate::ugt, wide(index), last));
}

/// "reads element {0}", "reads 4 elements from element {0} on".
static std::string whatText(StringRef verb, int64_t reach, StringRef place) {
  std::string one = (verb + (place == "index" ? " at " : " ") + place + " {0}").str();
  if (reach == 1)
    return one;
  return (verb + " " + Twine(reach) + " elements from " + place + " {0} on").str();
}

static std::string extentText(std::optional<int64_t> extent) {
  return extent == 1 ? "{1} element" : "{1} elements";
}

/// `index` has the type of one form.
void KernelLowering::Sanitizer::checkAxis(const Touch &touch, size_t axis, Value index,
                                          SmallVectorImpl<Check> &checks) {
  const Access &access = touch.access;
  ArrayRef<int64_t> shape = access.type().getShape();
  std::optional<int64_t> known;
  Value extent;
  if (!ShapedType::isDynamic(shape[axis]))
    known = shape[axis];
  else if (size_t(llvm::count(shape, ShapedType::kDynamic)) <= getDynamicDims(access.view).size())
    extent = wide(kernel.get(access.dynamicExtent(axis)));
  else
    return; // chosen by control flow: its memory still bounds the access
  Check check;
  check.second = known ? number(*known) : extent;
  if (touch.isWhole()) {
    check.fails = isOutside(index, known, extent, number(touch.reach(axis)));
    check.first = wide(index);
  } else if (touch.isPacked && axis + 1 == shape.size()) {
    Value count = countTaken(touch);
    Value some = emitter.compare(IntPredicate::ne, count, number(0));
    check.fails = emitter.binary(IntegerOp::And, some, isOutside(index, known, extent, count));
    check.first = wide(index);
  } else {
    // What is named is the first element that lies outside.
    std::tie(check.first, check.fails) = firstFailing(touch, Value(), [&](const Element &element) {
      bool isLast = axis + 1 == shape.size();
      Value moved = element.offset && isLast ? element.offset : element.coordinates[axis];
      Value place = moved ? emitter.binary(IntegerOp::Add, wide(index), moved) : wide(index);
      return std::pair(place, isOutside(place, known, extent, number(1)));
    });
  }
  int64_t reach = touch.isWhole() ? touch.reach(axis) : 1;
  auto text = [&](StringRef place) {
    return touch.isPacked && axis + 1 == shape.size()
               ? (touch.verb() + " the elements of a mask from " + place + " {0} on").str()
               : whatText(touch.verb(), reach, place);
  };
  std::string view = nameOf(access.view, "the view");
  if (shape.size() == 1)
    check.message = text("element") + " of " + view + ", which has " + extentText(known);
  else
    check.message = text("index") + " in dimension " + std::to_string(axis) + " of " + view +
                    ", where it has " + extentText(known);
  checks.push_back(check);
}

void KernelLowering::Sanitizer::checkDimensions(const Touch &touch,
                                                SmallVectorImpl<Check> &checks) {
  const Access &access = touch.access;
  ArrayRef<int64_t> shape = access.type().getShape();
  unsigned next = 0;
  for (auto [axis, known] : llvm::enumerate(access.staticIndices)) {
    bool isStatic = !ShapedType::isDynamic(known);
    Value index = isStatic ? number(known) : kernel.get(access.indices[next++]);
    // The verifier has compared literals.
    bool isVerified = isStatic && !ShapedType::isDynamic(shape[axis]) && touch.isWhole() &&
                      known + touch.reach(axis) <= shape[axis];
    if (!isVerified)
      checkAxis(touch, axis, index, checks);
  }
}

/// Of an access by the number of its element in the storage of the view. Its coordinates have been
/// checked before they became one number.
void KernelLowering::Sanitizer::checkSpan(const Touch &touch, SmallVectorImpl<Check> &checks) {
  const Access &access = touch.access;
  std::optional<int64_t> total = access.total();
  if (access.type().getLayout() || !total || !touch.isWhole())
    return;
  Check check;
  int64_t literal = access.staticIndices[0];
  Value index = ShapedType::isDynamic(literal) ? kernel.get(access.indices[0]) : number(literal);
  check.fails = isOutside(index, total, Value(), number(touch.count()));
  check.first = wide(index);
  check.second = number(*total);
  check.message = whatText(touch.verb(), touch.count(), "element") + " of " +
                  nameOf(access.view, "the view") + ", which has " + extentText(total);
  checks.push_back(check);
}

//===----------------------------------------------------------------------===//
// Inside of memory
//===----------------------------------------------------------------------===//

/// The buffer that a view or buffer is part of; null when control flow chooses it.
static Value baseOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<BufferViewOp, ViewSubviewOp, ViewRefineOp, SanitizerAssertLayoutOp,
            BufferAssumeMemorySpaceOp, BufferAssumeSameRootOp>(op))
      value = op->getOperand(0);
    else if (isa<BufferAssumeAlignmentOp, BufferAssumeNoaliasOp>(op))
      value = op->getOperand(cast<OpResult>(value).getResultNumber());
    else
      return isa<BufferAllocaOp, KernelWorkgroupStorageOp>(op) ? value : Value();
  }
  Block *block = value.getParentBlock();
  return isa<KernelDefOp>(block->getParentOp()) ? value : Value();
}

/// Parameter or storage of the kernel; nothing when its size is not known.
std::optional<KernelLowering::Sanitizer::Memory> KernelLowering::Sanitizer::memoryOf(Value base) {
  if (auto parameter = dyn_cast<BlockArgument>(base)) {
    unsigned position = parameter.getArgNumber();
    if (!bufferBytes[position])
      return std::nullopt;
    return Memory{kernel.addressOf(base), bufferBytes[position],
                  nameOf(base, "argument " + std::to_string(position))};
  }
  auto storage = base.getDefiningOp<BufferAllocaOp>();
  if (!storage)
    return std::nullopt;
  int64_t bytes = kernel.facts.range(storage.getLength())->smax().getSExtValue();
  return Memory{kernel.storageOf(storage), number(bytes), nameOf(base, "the storage")};
}

/// The memory that a view is part of; all there is when control flow chooses it, and nothing when
/// some of that has no known size.
std::vector<KernelLowering::Sanitizer::Memory> KernelLowering::Sanitizer::memoriesOf(Value view) {
  SmallVector<Value> bases;
  if (Value base = baseOf(view)) {
    bases.push_back(base);
  } else {
    for (BlockArgument argument : kernel.plan.body().getArguments())
      if (isa<BufferType>(argument.getType()))
        bases.push_back(argument);
    kernel.plan.body().walk([&](Operation *op) {
      if (isa<BufferAllocaOp, KernelWorkgroupStorageOp>(op))
        bases.push_back(op->getResult(0));
    });
  }
  std::vector<Memory> memories;
  for (Value base : bases) {
    std::optional<Memory> memory = memoryOf(base);
    if (!memory)
      return {};
    memories.push_back(*memory);
  }
  return memories;
}

/// Checks that pieces behind `address` lie inside of what `view` is part of. `pieces` gives each to
/// the function it gets, the last first, and passes on which fail and the place of the first one.
void KernelLowering::Sanitizer::checkMemories(
    Value view, const Address &address, StringRef what,
    llvm::function_ref<
        std::pair<Value, Value>(Value, llvm::function_ref<std::pair<Value, Value>(const Piece &)>)>
        pieces,
    SmallVectorImpl<Check> &checks) {
  std::vector<Memory> memories = memoriesOf(view);
  if (memories.empty())
    return;
  auto place = [&](const Address &address) {
    return kernel.inLanes ? kernel.wholeAddresses(address)
                          : emitter.cast(CastOp::PtrToInt, address.base, emitter.integer(64));
  };
  Value begin = place(address);
  Check check;
  for (const Memory &memory : memories) {
    Value origin = emitter.binary(IntegerOp::Sub, begin, place(memory.begin)), outside;
    std::tie(check.first, outside) = pieces(check.first, [&](const Piece &piece) {
      Value from = emitter.binary(IntegerOp::Add, origin, piece.distance);
      // As an unsigned number, what is negative is too large.
      Value last = emitter.binary(IntegerOp::Sub, memory.bytes, piece.bytes);
      return std::pair(from, eitherOf(emitter.compare(IntPredicate::slt, last, number(0)),
                                      emitter.compare(IntPredicate::ugt, from, last)));
    });
    check.fails = check.fails ? emitter.binary(IntegerOp::And, check.fails, outside) : outside;
    check.second = memory.bytes;
  }
  check.message = (what + (memories.size() == 1 ? " at byte {0} of " + memories.front().name +
                                                      ", which has {1} bytes"
                                                : " outside of all buffers of the kernel"))
                      .str();
  checks.push_back(check);
}

void KernelLowering::Sanitizer::checkMemories(Value view, const Address &address,
                                              const Piece &piece, StringRef what,
                                              SmallVectorImpl<Check> &checks) {
  auto one = [&](Value first,
                 llvm::function_ref<std::pair<Value, Value>(const Piece &piece)> fails) {
    auto [from, isOut] = fails(piece);
    if (piece.flag)
      isOut = emitter.select(piece.flag, isOut, never());
    return std::pair(first ? emitter.select(isOut, from, first) : from, isOut);
  };
  checkMemories(view, address, what, one, checks);
}

/// Whether a view lies inside of storage of the kernel for all that is known when it is compiled.
static bool fitsStorage(ViewType type, Value view, const Facts &facts) {
  auto viewed = view.getDefiningOp<BufferViewOp>();
  auto storage = viewed ? viewed.getSource().getDefiningOp<BufferAllocaOp>() : BufferAllocaOp();
  std::optional<int64_t> total = getElementSpan(type);
  if (!storage || !total)
    return false;
  std::optional<int64_t> offset = facts.exact(viewed.getOffset()),
                         length = facts.exact(storage.getLength());
  int64_t bytes;
  return offset && length &&
         !llvm::MulOverflow<int64_t>(*total, getElementBytes(type.getElementType()), bytes) &&
         !llvm::AddOverflow(bytes, *offset, bytes) && bytes <= *length;
}

void KernelLowering::Sanitizer::checkBuffer(const Touch &touch, SmallVectorImpl<Check> &checks) {
  const Access &access = touch.access;
  if (fitsStorage(access.type(), access.view, kernel.facts) && !access.linear)
    return;
  int64_t elementBytes = access.elementBytes();
  auto bytesOf = [&](Value elements) {
    return emitter.binary(IntegerOp::Mul, elements, number(elementBytes));
  };
  auto acrossGaps = [&](Value elements) {
    return wide(kernel.acrossGaps(access, {elements, Interval()}).value);
  };
  int64_t bytes = elementBytes * (touch.isWhole() ? touch.count() : 1);
  std::string what = (touch.verb() + " " + Twine(bytes) + (bytes == 1 ? " byte" : " bytes") +
                      " through " + nameOf(access.view, "a view"))
                         .str();
  Address address = kernel.elementAddress(access, kernel.linearIndex(access));
  if (touch.isWhole()) {
    Value last = distanceTo(access, coordinatesOf(touch, touch.count() - 1));
    Value reach = emitter.binary(IntegerOp::Add, last, number(1));
    return checkMemories(access.view, address, {number(0), bytesOf(reach), {}}, what, checks);
  }
  if (touch.isPacked) {
    Value count = countTaken(touch);
    Value last = acrossGaps(emitter.binary(IntegerOp::Sub, count, number(1)));
    Value reach = emitter.binary(IntegerOp::Add, last, number(1));
    Value some = emitter.compare(IntPredicate::ne, count, number(0));
    return checkMemories(access.view, address, {number(0), bytesOf(reach), some}, what, checks);
  }
  auto each = [&](Value first,
                  llvm::function_ref<std::pair<Value, Value>(const Piece &piece)> fails) {
    return firstFailing(touch, first, [&](const Element &element) {
      Value distance =
          element.offset ? acrossGaps(element.offset) : distanceTo(access, element.coordinates);
      return fails({bytesOf(distance), number(elementBytes), element.flag});
    });
  };
  checkMemories(access.view, address, what, each, checks);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

SmallVector<KernelLowering::Sanitizer::Check>
KernelLowering::Sanitizer::checksOf(const Touch &touch) {
  SmallVector<Check> checks;
  if (touch.access.linear)
    checkSpan(touch, checks);
  else
    checkDimensions(touch, checks);
  checkBuffer(touch, checks);
  return checks;
}

bool KernelLowering::Sanitizer::lowerAccess(Operation *op) {
  std::optional<Touch> touch = touchOf(op);
  if (!touch || touch->count() == 0)
    return false;
  // More elements of all lanes than these are accessed by one piece of code for two cases.
  constexpr int64_t kMostTwice = 32;
  KernelLowering::FormScope form(kernel, !isUniform(*touch));
  auto describe = [&](SanitizerSite &site) {
    site.check = SiteCheck::Access;
    site.access = touch->kind;
    site.isAtomic = touch->isAtomic;
    site.bytes = touch->access.elementBytes() * (touch->isWhole() ? touch->count() : 1);
  };
  emit(
      op, checksOf(*touch), describe,
      [&] {
        KernelLowering::FormScope plain(kernel, false);
        tellRace(op);
        kernel.lowerPlain(op);
      },
      /*once=*/touch->count() * kernel.laneCount() > kMostTwice);
  return true;
}

namespace {
/// Bytes of a buffer.
struct ByteRange {
  Value buffer, offset, length; ///< null for one byte
  AccessKind kind;
};
} // namespace

static SmallVector<ByteRange> byteRangesOf(Operation *op) {
  using Ranges = SmallVector<ByteRange>;
  constexpr AccessKind kRead = AccessKind::read, kWrite = AccessKind::write;
  return llvm::TypeSwitch<Operation *, Ranges>(op)
      .Case(
          [&](BufferLoadI8UOp o) { return Ranges{{o.getSource(), o.getOffset(), Value(), kRead}}; })
      .Case([&](BufferStoreI8Op o) {
        return Ranges{{o.getTarget(), o.getOffset(), Value(), kWrite}};
      })
      .Case([&](BufferCopyOp o) {
        return Ranges{{o.getSource(), o.getSourceOffset(), o.getLength(), kRead},
                      {o.getTarget(), o.getTargetOffset(), o.getLength(), kWrite}};
      })
      .Case([&](BufferFillOp o) {
        return Ranges{{o.getTarget(), o.getOffset(), o.getLength(), kWrite}};
      })
      .Case([&](BufferCompareOp o) {
        return Ranges{{o.getLeft(), o.getLeftOffset(), o.getLength(), kRead},
                      {o.getRight(), o.getRightOffset(), o.getLength(), kRead}};
      })
      .Default([](Operation *) { return Ranges(); });
}

/// Accesses to bytes of buffers.
bool KernelLowering::Sanitizer::lowerByteAccess(Operation *op) {
  SmallVector<ByteRange> ranges = byteRangesOf(op);
  if (ranges.empty())
    return false;
  auto isSame = [&](Value value) {
    return !value || (kernel.hasScalarForm(value) && !kernel.shapeOf(value).stride);
  };
  bool isUniform = llvm::all_of(ranges, [&](const ByteRange &range) {
    return kernel.addressOf(range.buffer).isUniform() && isSame(range.offset) &&
           isSame(range.length);
  });
  KernelLowering::FormScope form(kernel, kernel.laneCount() > 1 && !isUniform);
  SmallVector<Check> checks;
  for (const ByteRange &range : ranges) {
    Address address = kernel.byteAddress(range.buffer, range.offset);
    Value length = range.length ? kernel.get(range.length) : number(1);
    Value some = range.length ? emitter.compare(IntPredicate::ne, length, number(0)) : Value();
    StringRef verb = range.kind == AccessKind::read ? "reads" : "writes";
    size_t before = checks.size();
    checkMemories(range.buffer, address, {number(0), length, some},
                  (verb + (range.length ? " bytes" : " 1 byte")).str(), checks);
    for (Check &check : llvm::drop_begin(checks, before))
      check.access = range.kind;
  }
  auto describe = [&](SanitizerSite &site) {
    site.check = SiteCheck::Access;
    site.bytes = ranges.front().length ? 0 : 1;
  };
  emit(op, checks, describe, [&] {
    KernelLowering::FormScope plain(kernel, false);
    tellRace(op);
    kernel.lowerPlain(op);
  });
  return true;
}

/// The author's own checks. They stand for accesses elsewhere, so that nothing is skipped.
void KernelLowering::Sanitizer::lowerAssertAccess(Operation *op) {
  auto touchFrom = [&](auto o) {
    return Touch{Access{o.getView(), o.getIndices(), o.getStaticIndices(), /*linear=*/false,
                        /*mayLieOutside=*/true},
                 o.getKind()};
  };
  std::optional<Touch> touch;
  if (auto one = dyn_cast<SanitizerAssertAccessOp>(op)) {
    touch = touchFrom(one);
    if (std::optional<ArrayRef<int64_t>> extents = one.getStaticExtents())
      touch->shape = llvm::to_vector(*extents);
  } else {
    auto many = cast<SanitizerAssertAccessesOp>(op);
    touch = touchFrom(many);
    for (auto [extent, stride] : llvm::zip(many.getStaticExtents(), many.getStaticStrides()))
      touch->shape.push_back((many.getStaticCount() - 1) * stride + extent);
  }
  KernelLowering::FormScope form(kernel, !isUniform(*touch));
  SmallVector<Check> checks;
  checkDimensions(*touch, checks);
  // With a layout the place of an element is not known here.
  if (!touch->access.type().getLayout())
    checkBuffer(*touch, checks);
  auto describe = [&](SanitizerSite &site) {
    site.check = SiteCheck::Access;
    site.access = touch->kind;
    site.bytes = touch->access.elementBytes() * touch->count();
  };
  emit(op, checks, describe);
}

} // namespace loom::lowering
