//===- LowerKernel.h - The walk over one kernel -----------------*- C++ -*-===//
//
// Operations are lowered one after another, regions in place. A scalar of Loom is a value of LLVM:
// index and offset an integer (index of 32 bits where facts prove that it fits), f8 its bits; a
// buffer or view is an address, a vector of any rank a vector of rank one in row-major order.
//
// On targets that run several lanes of a subgroup in one thread (x86) each value has one of two
// forms:
//  - the scalar form, for what is the same in all active lanes, or affine in the lane: then the
//    scalar is that of lane 0, the stride is known, and lane 0 need not be active;
//  - the lane form: a vector with one element per lane; of a Loom vector of n elements n times as
//    many, the lanes of element 0 first.
// The form of a value follows from its shape (Analysis/Uniformity.h). An operation is lowered in
// the form of its results: `get`, `lowered` and `define` speak of that form, so that the lowering
// of arithmetic is written once. Operations that move data between lanes, elements or memory ask
// for the form that they need.
//
// A lane is active where the mask is set; no mask means that all are. What inactive lanes compute
// is arbitrary, poison included. It may neither trap nor reach memory or another lane.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERKERNEL_H
#define LOOM_LIB_TARGET_COMMON_LOWERKERNEL_H

#include "LowerSmallFloat.h"
#include "LowerTarget.h"
#include "loom/Analysis/Facts.h"
#include "loom/Analysis/Uniformity.h"
#include "loom/Dialect/Dialects.h"
#include "llvm/Support/SaveAndRestore.h"
#include <memory>

namespace loom::lowering {

struct TransferEnd;

/// What stands for a value of the kernel.
struct Lowered {
  /// Of all active lanes, or of lane 0. Null when only `lanes` says what the value is.
  mlir::Value scalar;
  /// One element per lane; null when `scalar` says everything. For an address with a scalar the
  /// distance from it in bytes (i64), without one the whole address as an integer.
  mlir::Value lanes;
  /// From lane to lane, where `lanes` is null; for an address in bytes.
  int64_t stride = 0;
};

class KernelLowering {
public:
  KernelLowering(const KernelPlan &plan, const Facts &facts, LoweringTarget &target,
                 Emitter &emitter, std::vector<LoweredOperation> &operations,
                 const LoweringOptions &options, std::vector<SanitizerSite> &sites);
  ~KernelLowering();

  /// Has to be called in the entry block of a function whose body is lowered next. `monitor` is the
  /// address of a Monitor, or null without one.
  void beginFunction(mlir::Value monitor);
  /// The lowered types of the kernel's parameters: 64 bits for index and offset.
  llvm::SmallVector<mlir::Type> parameterTypes();
  /// Lowers the body for one work-item at the current place; `parameters` have the types of
  /// parameterTypes().
  void emitBody(mlir::ValueRange parameters);
  /// Lowers the body for all work-items of one workgroup. `sizes` are the extents of the workgroup,
  /// `number` is its flat one.
  void emitWorkgroup(mlir::ValueRange parameters, llvm::ArrayRef<mlir::Value> sizes,
                     mlir::Value number);

private:
  //===--------------------------------------------------------------------===//
  // LowerValues.cpp: values and their forms.
  //===--------------------------------------------------------------------===//

  int64_t laneCount() const { return plan.lanes; }
  LaneShape shapeOf(mlir::Value value) const;
  bool hasScalarForm(mlir::Value value) const {
    return shapeOf(value).distribution != Distribution::Varying;
  }

  /// The type of a value in the present form, in the scalar form, in the lane form.
  mlir::Type lowered(mlir::Type type) { return inLanes ? laneType(type) : scalarType(type); }
  mlir::Type scalarType(mlir::Type type);
  mlir::Type laneType(mlir::Type type);
  /// `type` of the scalar form in the lane form.
  mlir::Type spread(mlir::Type type);
  /// The type that carries `value` in its form: narrower than lowered() where facts allow it.
  mlir::Type carrier(mlir::Value value);

  /// A value in the present form.
  mlir::Value get(mlir::Value value) { return inLanes ? lanesOf(value) : scalarOf(value); }
  /// Of a value that has the scalar form: the value, or the one of lane 0.
  mlir::Value scalarOf(mlir::Value value);
  /// One element per lane. Not for addresses.
  mlir::Value lanesOf(mlir::Value value);
  /// The lane form of a value in the scalar form, of a Loom value of `type`.
  mlir::Value spread(mlir::Value scalar, mlir::Type type);
  /// `value` is in the present form, or a scalar that holds for all lanes.
  void define(mlir::Value value, mlir::Value lowered);
  void define(mlir::Value value, RangedValue lowered);
  /// `result` is the same value as `input`.
  void alias(mlir::Value result, mlir::Value input) {
    Lowered same = values.lookup(input);
    values[result] = same;
  }

  /// Sets the present form while it lives.
  class FormScope {
  public:
    FormScope(KernelLowering &lowering, bool inLanes)
        : lowering(lowering), before(lowering.inLanes) {
      lowering.inLanes = inLanes;
    }
    ~FormScope() { lowering.inLanes = before; }

  private:
    KernelLowering &lowering;
    bool before;
  };

  /// The interval of a value in the present form. That of an affine value contains lane 0.
  Interval known(mlir::Value value) const;
  Interval widened(Interval interval, int64_t stride) const;
  RangedValue ranged(mlir::Value value);
  /// The lowered `value` as a value of `type`, which carries the same number.
  mlir::Value as(mlir::Value value, mlir::Type type);

  /// The elements of a Loom vector, row-major, in the present form; a scalar counts as one element.
  llvm::SmallVector<mlir::Value> elements(mlir::Value value);
  /// The elements of a lowered value of the present form that has `count` of them.
  llvm::SmallVector<mlir::Value> elements(mlir::Value lowered, int64_t count);
  /// A value of the present form that has these elements; one element of a scalar is itself.
  mlir::Value fromElements(llvm::ArrayRef<mlir::Value> elements, mlir::Type type);
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> parts);

  /// What control flow passes on for `target`, one value of this type.
  mlir::Type passedType(mlir::Value target);
  /// `source` as what is passed on for `target`; `forLanes` has it in the lane form in any case.
  mlir::Value passed(mlir::Value source, mlir::Value target, bool forLanes = false);
  /// `target` is what was passed on.
  void receive(mlir::Value target, mlir::Value lowered);

  //===--------------------------------------------------------------------===//
  // LowerLanes.cpp: masks. Each is a vector of i1, one element per lane, or null for all lanes.
  //===--------------------------------------------------------------------===//

  mlir::Value allLanes() { return emitter.constant(laneType(flagType()), -1); }
  mlir::Type flagType() { return emitter.integer(1); }
  /// Where `mask` and `condition` hold. Poison in a lane without `mask` does no harm.
  mlir::Value both(mlir::Value mask, mlir::Value condition);
  mlir::Value negated(mlir::Value mask);
  /// The bits of a mask as an integer, lane 0 lowest.
  mlir::Value bitsOf(mlir::Value mask);
  mlir::Value any(mlir::Value mask);
  mlir::Value all(mlir::Value mask);
  /// The number of the highest active lane (i32); some lane has to be active.
  mlir::Value lastActive(mlir::Value mask);
  mlir::Value firstActive(mlir::Value mask);
  mlir::Value firstOf(mlir::Value bits);
  /// Runs `body` once for each active lane, in ascending order. `lane` is an i32; what `body`
  /// returns are the elements of the results in this lane, which have the types of the lane form
  /// `results`. Inactive lanes of the results are arbitrary.
  llvm::SmallVector<mlir::Value>
  forEachLane(llvm::ArrayRef<mlir::Type> results,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value lane)> body);

  //===--------------------------------------------------------------------===//
  // LowerSpans.cpp: masks of consecutive lanes, about which scalars know everything.
  //===--------------------------------------------------------------------===//

  /// From `first` on and in front of `end`, both scalars that may lie outside of what there is. A
  /// null value sets no bound.
  struct Span {
    RangedValue first, end;
  };
  /// The numbers l for which `a` + `stride` * l and `b` are in relation, where they are a span.
  std::optional<Span> spanWhere(IntPredicate predicate, RangedValue a, int64_t stride,
                                RangedValue b);
  Span intersection(const Span &a, const Span &b);
  /// The mask of a span of lanes. `any`, `all` and their like know it again.
  mlir::Value maskOf(const Span &span);
  const Span *spanOf(mlir::Value mask) const;
  mlir::Value isAny(const Span &span);
  mlir::Value isAll(const Span &span);
  /// A comparison of a sequence with what is the same for all lanes.
  bool lowerSpanCompare(IndexCmpOp op);

  //===--------------------------------------------------------------------===//
  // LowerKernel.cpp: operations.
  //===--------------------------------------------------------------------===//

  void defineParameters(mlir::ValueRange parameters);
  bool needsLanes(mlir::Operation *op) const;
  void lowerBlock(mlir::Block &block);
  void lowerFrom(mlir::Block::iterator first, mlir::Block::iterator end);
  void lowerOp(mlir::Operation *op);
  /// Without the checks of a sanitizer.
  void lowerPlain(mlir::Operation *op);
  void lowerAssume(mlir::Operation *op);
  void lowerSelect(ScfSelectOp op);
  void lowerLookup(ScfLookupOp op);
  mlir::Value matchesKey(mlir::Value selector, int64_t key);
  void lowerAssert(KernelAssertOp op);

  //===--------------------------------------------------------------------===//
  // LowerControl.cpp: what chooses, for all lanes or for each.
  //===--------------------------------------------------------------------===//

  void lowerIf(ScfIfOp op);
  void lowerDivergentIf(ScfIfOp op);
  llvm::SmallVector<mlir::Value> lowerArms(ScfIfOp op, bool isSplit);
  void lowerSwitch(ScfSwitchOp op);
  void lowerDivergentSwitch(ScfSwitchOp op);
  void lowerExit(KernelExitOp op, mlir::Block::iterator first, mlir::Block::iterator end);

  bool isWorthVersions(mlir::Region &region) const;
  /// Values of the lane form by the lane, also of vectors.
  mlir::Value selectLanes(mlir::Value condition, mlir::Value whenTrue, mlir::Value whenFalse);
  /// Emits `body` with the mask `active`, and `twice` also without one, for when all lanes are
  /// active. `body` returns values of `types`.
  llvm::SmallVector<mlir::Value>
  emitMasked(mlir::Value active, bool twice, mlir::TypeRange types,
             llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);
  llvm::SmallVector<mlir::Value> lowerArm(mlir::Region &region, mlir::ValueRange results,
                                          mlir::Value active);
  llvm::SmallVector<mlir::Value> passedAll(mlir::ValueRange sources, mlir::ValueRange targets,
                                           bool forLanes = false);
  llvm::SmallVector<mlir::Type> passedTypes(mlir::ValueRange targets);
  mlir::Type passedLaneType(mlir::Value target);
  void receiveLanes(mlir::Value target, mlir::Value lanes);

  //===--------------------------------------------------------------------===//
  // LowerLoops.cpp
  //===--------------------------------------------------------------------===//

  struct Counter;
  struct Carried;
  bool isUniform(mlir::Value value) const;
  Counter indexCounter(ScfForOp op);
  Counter offsetCounter(ScfForOp op);
  Counter counterOf(ScfForOp op);
  void defineCounter(mlir::Value iv, mlir::Value current, const Counter &counter);
  /// Computes the counter of the next iteration; returns whether there is one.
  mlir::Value advance(const Counter &counter, mlir::Value current, mlir::Value &next);
  void lowerFor(ScfForOp op);
  void lowerUniformFor(ScfForOp op);
  void lowerDivergentFor(ScfForOp op);
  Interval metBy(ScfForOp op, const Counter &counter);
  llvm::SmallVector<mlir::Value>
  lowerWholeIterations(ScfForOp op, Carried &carried, llvm::ArrayRef<mlir::Value> first,
                       mlir::Value step,
                       llvm::function_ref<mlir::Value(mlir::Value counter)> isActive);
  void lowerWhile(ScfWhileOp op);
  void lowerDivergentWhile(ScfWhileOp op);
  void receiveCarried(mlir::Value result, mlir::Value carried, mlir::Value value);
  Carried carry(mlir::ValueRange targets);
  llvm::SmallVector<mlir::Value> firstOf(const Carried &carried, mlir::ValueRange inits);
  llvm::SmallVector<mlir::Value> nextOf(const Carried &carried, llvm::ArrayRef<mlir::Value> next,
                                        llvm::ArrayRef<mlir::Value> nextLanes, mlir::Value active);
  llvm::SmallVector<mlir::Value> takenAlong(const Carried &carried,
                                            llvm::ArrayRef<mlir::Value> arguments);
  void lowerMaskedBody(mlir::Region &region, mlir::Operation *yield, mlir::Value active,
                       const Carried &carried, llvm::SmallVector<mlir::Value> &next,
                       llvm::SmallVector<mlir::Value> &nextLanes);

  //===--------------------------------------------------------------------===//
  // LowerGroup.cpp, LowerFission.cpp: the work-items of a workgroup.
  //===--------------------------------------------------------------------===//

  class Fission;
  RangedValue flatItem();
  RangedValue groupSize(unsigned dimension);
  RangedValue itemId(unsigned dimension);
  RangedValue position(Position position, Dimension dimension);
  RangedValue clusterSize(Dimension dimension);
  RangedValue idInCluster(Dimension dimension);
  bool lowerPosition(mlir::Operation *op);
  void setBlock(mlir::Value block);
  void emitFullBlocks(mlir::Value count, bool some, llvm::function_ref<void()> body);
  /// Emits `body` for each block of work-items of the workgroup.
  void emitBlocks(llvm::function_ref<void()> body);
  /// The same for the first `items` (i64) work-items.
  void emitItems(mlir::Value items, llvm::function_ref<void()> body);
  /// The number of work-items of the workgroup, i64.
  mlir::Value itemCount();

  //===--------------------------------------------------------------------===//
  // LowerIndex.cpp, LowerLanewise.cpp: arithmetic, in the present form.
  //===--------------------------------------------------------------------===//

  bool lowerIndex(mlir::Operation *op);
  void lowerIndexBits(mlir::Operation *op, Interval fact);
  void lowerIndexCast(IndexCastOp op);
  RangedValue divisor(mlir::Value value);
  void lowerOffset(mlir::Operation *op);
  /// Operations of `scalar` and `vector` that have a LanewiseFunction, and the comparisons,
  /// constants and selections of both dialects.
  bool lowerLanewise(mlir::Operation *op);
  void lowerPoison(ScalarPoisonOp op);
  void lowerVectorBitcast(VectorBitcastOp op);
  /// Combines two lowered values of Loom elements `element`.
  mlir::Value combine(CombiningKind kind, mlir::Value a, mlir::Value b, FastMathFlags flags,
                      mlir::Type element);

  //===--------------------------------------------------------------------===//
  // LowerVector.h: what moves the elements of vectors, in the present form.
  //===--------------------------------------------------------------------===//

  friend class VectorLowering;
  bool lowerVector(mlir::Operation *op);
  /// Masked, gathered and scattered accesses. Each chooses its form itself.
  bool lowerVectorMemory(mlir::Operation *op);
  class FragmentLowering;
  /// Matrix fragments.
  bool lowerFragment(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // LowerCollectives.cpp, LowerAtomics.cpp
  //===--------------------------------------------------------------------===//

  /// What lanes of a subgroup do together.
  bool lowerCollective(mlir::Operation *op);
  void lowerLaneByLane(mlir::Value result, mlir::Value value,
                       llvm::function_ref<mlir::Value(mlir::Value lanes)> each);
  void lowerShuffle(KernelSubgroupShuffleOp op);
  void lowerMatchAny(KernelSubgroupMatchAnyOp op);
  void lowerMatchAll(KernelSubgroupMatchAllOp op);
  void defineInForm(mlir::Value result, mlir::Value lanes);
  void defineScalar(mlir::Value result, mlir::Value scalar);
  void defineBits(mlir::Value result, mlir::Value bits);
  /// On one element per lane; `element` is its type in Loom.
  mlir::Value withIdentity(CombiningKind kind, mlir::Value lanes, mlir::Type element);
  mlir::Value identity(CombiningKind kind, mlir::Type element);
  mlir::Value pick(mlir::Value lanes, llvm::function_ref<int64_t(int64_t lane)> from);
  mlir::Value permute(mlir::Value lanes, mlir::Value from);
  mlir::Value elementOf(mlir::Value vector, int64_t number);
  mlir::Value reduceLanes(CombiningKind kind, mlir::Value lanes, mlir::Type element);
  mlir::Value reduceClusters(CombiningKind kind, mlir::Value lanes, mlir::Type element,
                             int64_t size, int64_t stride);
  mlir::Value scanLanes(CombiningKind kind, mlir::Value lanes, mlir::Type element, bool isReverse,
                        bool isExclusive, int64_t size, int64_t stride);
  llvm::SmallVector<mlir::Value> wideElements(mlir::Value value);

  bool lowerAtomic(mlir::Operation *op);
  mlir::Value emitAtomic(AtomicKind kind, mlir::Value pointer, mlir::Value value,
                         mlir::Type element, unsigned alignment);
  mlir::Value emitCompareExchange(mlir::Value pointer, mlir::Value expected,
                                  mlir::Value replacement);
  struct Access;
  void lowerPerLane(
      mlir::Value result, const Access &access, mlir::ValueRange operands,
      llvm::function_ref<mlir::Value(mlir::Value pointer, llvm::ArrayRef<mlir::Value> operands)>
          body);
  void lowerByteLoad(BufferLoadI8UOp op);
  void lowerByteStore(BufferStoreI8Op op);

  //===--------------------------------------------------------------------===//
  // LowerItems.h, LowerBytes.cpp, LowerTransfers.cpp, LowerVectorAtomics.cpp, LowerVolatile.cpp:
  // what each work-item does for itself.
  //===--------------------------------------------------------------------===//

  class Items;
  class Elements;
  class Bytes;
  class Transfers;
  bool lowerBytes(mlir::Operation *op);
  /// Transfers that run beside the kernel, their groups and waits.
  bool lowerTransfer(mlir::Operation *op);
  void defineTokens(mlir::Operation *op);
  /// The number of the work-item in its subgroup, i64 in the present form.
  mlir::Value laneInSubgroup();
  /// How many bytes piece `piece` (i64) of an end lies behind the first one; `strides` in bytes,
  /// one for each axis.
  mlir::Value pieceDistance(const TransferEnd &end, mlir::Value piece,
                            llvm::ArrayRef<mlir::Value> strides);
  bool lowerVectorAtomic(mlir::Operation *op);
  /// Accesses that are marked as volatile.
  bool lowerVolatile(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // LowerMemory.cpp: buffers, views and their accesses.
  //===--------------------------------------------------------------------===//

  bool lowerMemory(mlir::Operation *op);
  void lowerView(BufferViewOp op);
  void lowerSubview(ViewSubviewOp op);
  void lowerAlloca(BufferAllocaOp op);
  void lowerWorkgroupStorage(KernelWorkgroupStorageOp op);

  /// An address per lane: `base` of lane 0 and a distance from lane to lane, or distances for each.
  struct Address {
    mlir::Value base;
    mlir::Value lanes; ///< bytes behind the base, i64 per lane; null for an affine address
    int64_t stride = 0;
    bool mayLieOutside = false; ///< of the buffer, where nothing is accessed then
    bool isUniform() const { return !lanes && stride == 0; }
    bool isInObject() const { return isUniform() && !mayLieOutside; }
  };
  /// An element number of a view, in either form.
  struct Linear {
    RangedValue value; ///< scalar, or one element per lane
    int64_t stride = 0;
    bool inLanes = false;
  };
  Address addressOf(mlir::Value view) const;
  void defineAddress(mlir::Value view, const Address &address);
  /// The distances of the lanes from the base, in bytes.
  mlir::Value distances(const Address &address);
  /// A vector of addresses, one per lane.
  mlir::Value pointersOf(const Address &address);
  /// The same as integers.
  mlir::Value wholeAddresses(const Address &address);
  Address moved(Address address, Linear linear, unsigned elementBytes);
  Address movedBy(Address address, int64_t bytes);
  Address byteAddress(mlir::Value buffer, mlir::Value offset);

  RangedValue extentOf(const Access &access, size_t axis);
  /// A stride of a layout, in the present form.
  RangedValue strideOf(mlir::OpFoldResult stride);
  /// The number that a stride is.
  std::optional<int64_t> numberOf(mlir::OpFoldResult stride) const;
  size_t firstDenseAxis(llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<mlir::OpFoldResult> strides) const;
  /// How many elements of storage `elements` of the last axis are, in the present form.
  RangedValue acrossGaps(const Access &access, RangedValue elements);
  /// Whether all lanes have the same gaps between the elements of the last axis.
  bool hasUniformGaps(const Access &access) const;
  std::optional<int64_t> elementStride(const Access &access) const;
  RangedValue linearIndexInForm(const Access &access, bool mayBeAtEnd);
  Linear linearIndex(const Access &access, bool mayBeAtEnd = false);
  Address elementAddress(const Access &access, Linear linear);

  /// Memory of the workgroup or the work-item, which no other thread reaches, with room in front
  /// and behind for the lanes that are not active while some are.
  bool isOwnMemory(mlir::Value pointer) const {
    return !checksAccesses() && Emitter::isInFrame(pointer);
  }
  mlir::Value ownStorage(int64_t bytes, unsigned alignment);
  /// Storage in the frame for an operation while it runs; all operations of a kernel use the same
  /// ones, by number and size.
  mlir::Value scratch(unsigned number, int64_t bytes);
  mlir::Value loadLanes(const Address &address, mlir::Type stored, unsigned alignment);
  void storeLanes(const Address &address, mlir::Value value, unsigned alignment);
  /// `count` consecutive elements (0 for a scalar) of the Loom type `element`, in the scalar form
  /// when the address is uniform, else in the lane form.
  mlir::Value loadAt(const Address &address, mlir::Type element, int64_t count, unsigned alignment);
  void storeAt(const Address &address, mlir::Value value, int64_t count, unsigned alignment);
  void defineLoaded(mlir::Value result, llvm::SmallVector<mlir::Value> parts, bool partsAreLanes);
  mlir::Value lastStored(mlir::Value value);
  /// The axis of the vector from which on an access consists of runs of consecutive elements.
  size_t firstRunAxis(const Access &access, llvm::ArrayRef<int64_t> shape) const;
  /// How far the elements that neighbouring lanes access lie apart, in bytes; nothing when that is
  /// not the same number for all.
  std::optional<int64_t> laneDistance(const Access &access) const;
  /// Whether so many loads or stores of single elements are too much code, so that work-items and
  /// their elements take turns in a loop.
  bool takesTurns(int64_t pieces, bool isMasked);
  bool takesTurns(const Access &access, llvm::ArrayRef<int64_t> shape);
  /// Into how many accesses LLVM takes one element of all lanes apart; none when it does not.
  int64_t piecesPerElement(const Access &access, bool isMasked) const;
  void lowerLoad(mlir::Value result, const Access &access, llvm::ArrayRef<int64_t> shape);
  void lowerStore(mlir::Value value, const Access &access, llvm::ArrayRef<int64_t> shape);
  void forEachRun(const Access &access, llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(Linear linear, int64_t first, int64_t count)> run);

  //===--------------------------------------------------------------------===//
  // LowerSanitizer.h: checks inside of kernels.
  //===--------------------------------------------------------------------===//

  class Sanitizer;
  bool checksAccesses() const;
  /// Whether `op`, which is pure, may be carried out for lanes that do not reach it.
  bool mayRunForAll(mlir::Operation *op) const;
  /// Values that the lowering of `op` asks for besides its operands: extents and strides of views.
  static llvm::SmallVector<mlir::Value> extentsNeededBy(mlir::Operation *op);
  Address storageOf(BufferAllocaOp op);

  const KernelPlan &plan;
  const Facts &facts;
  LoweringTarget &target;
  Emitter &emitter;
  RangeArithmetic ranges;
  SmallFloats floats;
  std::vector<LoweredOperation> &operations;
  llvm::DenseMap<mlir::Value, Lowered> values;
  /// Storage in the frame, by the operation it is of and its number there.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, mlir::Value> storages;
  /// The lengths of buffers that the kernel reserves, wherever these have an address.
  llvm::DenseMap<mlir::Value, Lowered> lengths;
  /// The workgroup that is run; null values on targets that run one work-item.
  struct Group {
    std::array<mlir::Value, 3> sizes; ///< i64
    mlir::Value block, first;         ///< i64; number of the block, flat number of its lane 0
    int64_t blocks = 1;               ///< that need storage of their own
    bool isInBlock = false; ///< the code at hand is of `block`, not of the whole workgroup
  };
  Group group;
  /// Whether the operation at hand is lowered in the lane form.
  bool inLanes = false;
  /// The active lanes; null for all.
  mlir::Value mask;
  /// Of the masks that have one.
  llvm::DenseMap<mlir::Value, Span> spans;
  /// Code is written twice inside of so many others that are.
  static constexpr unsigned kDeepestVersion = 2;
  /// How often the code at hand is being written twice.
  unsigned versionDepth = 0;
  std::unique_ptr<Sanitizer> sanitizer;
  /// How many loads and stores of single elements under a mask have been written.
  int64_t maskedPieces = 0;
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERKERNEL_H
