//===- AddressInduction.cpp - Pointers that advance with a loop -----------===//
#include "AddressInduction.h"
#include "AddressSums.h"
#include "LinearAddress.h"
#include "loom/Target/TargetProfile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace loom::amdgpu {
namespace {

/// Numbers the roots of `terms` by first appearance, so that those of different addresses compare.
void renumberRoots(MutableArrayRef<LinearTerm> terms) {
  SmallVector<unsigned, 4> seen;
  for (LinearTerm &term : terms) {
    if (term.boundedRoot == 0)
      continue;
    auto *known = llvm::find(seen, term.boundedRoot);
    if (known == seen.end()) {
      seen.push_back(term.boundedRoot);
      known = std::prev(seen.end());
    }
    term.boundedRoot = unsigned(known - seen.begin()) + 1;
  }
}

/// An address as this pass sees it from one block.
struct Address {
  Value *base = nullptr; ///< uniform
  SmallVector<LinearTerm, 4> uniform;
  SmallVector<LinearTerm, 2> divergent;
  /// Bytes by which each enclosing loop advances the address every iteration; the counters
  /// themselves are replaced by their start values. Innermost loop first.
  SmallVector<std::pair<Loop *, int64_t>, 2> strides;
  int64_t constant = 0;

  int64_t strideOf(const Loop *loop) const {
    for (auto &[known, stride] : strides)
      if (known == loop)
        return stride;
    return 0;
  }
  void addStride(Loop *loop, int64_t stride) {
    for (auto *entry = strides.begin(); entry != strides.end(); ++entry) {
      if (entry->first == loop) {
        entry->second = int64_t(uint64_t(entry->second) + uint64_t(stride));
        if (entry->second == 0)
          strides.erase(entry);
        return;
      }
      if (entry->first->getLoopDepth() < loop->getLoopDepth()) {
        strides.insert(entry, {loop, stride});
        return;
      }
    }
    strides.emplace_back(loop, stride);
  }
  Address withoutStride(const Loop *loop) const {
    Address result = *this;
    llvm::erase_if(result.strides, [&](auto &entry) { return entry.first == loop; });
    return result;
  }
  Address at(int64_t newConstant) const {
    Address result = *this;
    result.constant = newConstant;
    return result;
  }
  /// Whether nothing has to be added to the base.
  bool isBase() const { return uniform.empty() && strides.empty() && constant == 0; }
  /// Equal but for the lanes' part and the constant.
  bool sameScalarPart(const Address &other) const {
    return base == other.base && strides == other.strides && sameTerms(uniform, other.uniform);
  }
};

/// One load, store or atomic.
struct Access {
  Use *pointer;
  Address address;
};

/// The scalar bases of accesses in one loop whose addresses differ by constants only.
struct Group {
  Loop *loop;
  Address address;
  SmallVector<int64_t, 8> constants;
  SmallVector<int64_t, 2> biases; ///< distances of the bases, ascending

  int64_t biasFor(int64_t constant, unsigned offsetBits) const {
    for (int64_t bias : biases)
      if (isIntN(offsetBits, constant - bias))
        return bias;
    return constant;
  }
};

/// A pointer that a loop advances. `next` is its value in the following iteration.
struct LoopPointer {
  Loop *loop;
  Address address; ///< with the constant that it points at
  PHINode *phi;
  Instruction *next;
};

/// A scalar pointer that was written at some place.
struct EmittedPointer {
  Address address;
  Value *value;
};

class AddressInduction {
public:
  AddressInduction(Function &function, FunctionAnalysisManager &analyses,
                   const TargetProfile &profile)
      : function(function), offsetBits(profile.amdgpu.globalOffsetBits),
        layout(function.getDataLayout()), analysis(layout),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        loops(analyses.getResult<LoopAnalysis>(function)),
        uniformity(analyses.getResult<UniformityInfoAnalysis>(function)),
        sums(function, analysis, dominators) {}

  void run();

private:
  bool canAdvance(Value *base, Loop *loop, BasicBlock *block) const;
  bool classify(LinearAddress linear, BasicBlock *block, Address &address);
  void collect();
  void chooseBiases();
  Group &groupOf(Loop *loop, const Address &address);

  Value *pointerAt(const Address &address, Instruction *place);
  Value *advancingPointer(Loop *loop, const Address &address, Instruction *place);
  LoopPointer *findLoopPointer(Loop *loop, const Address &address, bool anyConstant);
  LoopPointer &createLoopPointer(Loop *loop, const Address &address);
  ArrayRef<int64_t> biasesOf(Loop *loop, const Address &address) const;
  Value *findEmitted(const Address &address, Instruction *place) const;
  bool mergedPointer(const Address &address, Instruction *place, Value *&result);
  Value *emitPointer(const Address &address, Instruction *place);
  bool isAvailable(const Address &address, Instruction *place) const;
  bool isInvariant(const Address &address, const Loop *loop) const;

  void rewrite(Access &access);

  Function &function;
  unsigned offsetBits;
  const DataLayout &layout;
  LinearAnalysis analysis;
  DominatorTree &dominators;
  LoopInfo &loops;
  UniformityInfo &uniformity;
  SumEmitter sums;

  SmallVector<Access, 32> accesses;
  std::vector<Group> groups;
  std::vector<LoopPointer> loopPointers;
  std::vector<EmittedPointer> emitted;
  SmallVector<WeakTrackingVH, 32> replaced;
  unsigned mergeNesting = 0;
};

//===----------------------------------------------------------------------===//
// Reading addresses
//===----------------------------------------------------------------------===//

/// Whether `loop` can advance a pointer to `base` for an access in `block`: all loops from the
/// access outwards to this one have one place before them and one at their end.
bool AddressInduction::canAdvance(Value *base, Loop *loop, BasicBlock *block) const {
  if (!loop->contains(block) || !loop->isLoopInvariant(base))
    return false;
  for (Loop *inner = loops.getLoopFor(block); inner; inner = inner->getParentLoop()) {
    if (!inner->getLoopLatch() || !inner->getLoopPredecessor())
      return false;
    if (inner == loop)
      return true;
  }
  return false;
}

/// Turns the counters of the loops around `block` into strides and sorts the terms by uniformity.
/// Returns false when no scalar base can be found.
bool AddressInduction::classify(LinearAddress linear, BasicBlock *block, Address &address) {
  address.base = linear.base;
  if (uniformity.isDivergent(address.base))
    return false;
  LinearSum done;
  done.constant = linear.offset.constant;
  SmallVector<LinearTerm, 8> open(linear.offset.terms.begin(), linear.offset.terms.end());
  for (unsigned next = 0; next < open.size(); ++next) {
    LinearTerm term = open[next];
    auto *phi = dyn_cast<PHINode>(term.value);
    Loop *loop = phi ? loops.getLoopFor(phi->getParent()) : nullptr;
    LinearAnalysis::Induction induction;
    if (!loop || loop->getHeader() != phi->getParent() || !canAdvance(address.base, loop, block) ||
        !analysis.matchInduction(*phi, loop->getLoopLatch(), term.extension, induction)) {
      done.add(term);
      continue;
    }
    address.addStride(loop, int64_t(uint64_t(term.scale) * uint64_t(induction.step)));
    // A counter that runs upwards is never below its start, so the start stays within the bound.
    bool rises = induction.step > 0 && induction.extension != Extension::Sign;
    LinearSum start;
    analysis.decompose(induction.start, induction.extension, term.scale,
                       rises ? term.boundedRoot : 0, start);
    done.constant = int64_t(uint64_t(done.constant) + uint64_t(start.constant));
    open.append(start.terms.begin(), start.terms.end());
  }
  address.constant = done.constant;
  for (const LinearTerm &term : done.terms) {
    if (uniformity.isUniform(term.value))
      address.uniform.push_back(term);
    else
      address.divergent.push_back(term);
  }
  renumberRoots(address.uniform);
  renumberRoots(address.divergent);
  return true;
}

void AddressInduction::collect() {
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    for (Instruction &instruction : *block) {
      Use *pointer = globalPointerUse(instruction);
      Access access = {pointer, {}};
      if (pointer && classify(analysis.decompose(pointer->get()), block, access.address)) {
        groupOf(loops.getLoopFor(block), access.address)
            .constants.push_back(access.address.constant);
        accesses.push_back(std::move(access));
      }
    }
  }
}

Group &AddressInduction::groupOf(Loop *loop, const Address &address) {
  for (Group &group : groups)
    if (group.loop == loop && group.address.sameScalarPart(address))
      return group;
  groups.push_back({loop, address, {}, {}});
  return groups.back();
}

/// Chooses for each group how far its bases lie from the address without a constant. No distance at
/// all is best: then a loop starts from the pointer that it was given. Loops over one base prefer
/// the distance of the loop before them, so that they can take over its pointer.
void AddressInduction::chooseBiases() {
  DenseMap<Value *, int64_t> previous;
  for (Group &group : groups) {
    llvm::sort(group.constants);
    auto reaches = [&](int64_t bias, int64_t constant) {
      return isIntN(offsetBits, constant - bias);
    };
    int64_t least = group.constants.front(), greatest = group.constants.back();
    auto reachesAll = [&](int64_t bias) { return reaches(bias, least) && reaches(bias, greatest); };
    auto former = previous.find(group.address.base);
    if (former != previous.end() && reachesAll(former->second)) {
      group.biases.push_back(former->second);
      continue;
    }
    if (reachesAll(0))
      group.biases.push_back(0);
    for (int64_t constant : group.constants)
      if (group.biases.empty() || !reaches(group.biases.back(), constant))
        group.biases.push_back(constant);
    // One base in the middle reaches twice as far as one at the lower end.
    int64_t middle = least + (int64_t(1) << (offsetBits - 1));
    if (group.biases.size() > 1 && reachesAll(middle))
      group.biases = {middle};
    if (group.loop)
      previous[group.address.base] = group.biases.front();
  }
}

//===----------------------------------------------------------------------===//
// Writing scalar bases
//===----------------------------------------------------------------------===//

bool AddressInduction::isInvariant(const Address &address, const Loop *loop) const {
  return address.strideOf(loop) == 0 && loop->isLoopInvariant(address.base) &&
         llvm::all_of(address.uniform,
                      [&](const LinearTerm &term) { return loop->isLoopInvariant(term.value); });
}

bool AddressInduction::isAvailable(const Address &address, Instruction *place) const {
  auto dominates = [&](Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    return !instruction || dominators.dominates(instruction, place);
  };
  return dominates(address.base) && llvm::all_of(address.uniform, [&](const LinearTerm &term) {
           return dominates(term.value);
         });
}

/// The scalar part of `address` as a pointer that can be used at `place`.
Value *AddressInduction::pointerAt(const Address &address, Instruction *place) {
  Loop *loop = loops.getLoopFor(place->getParent());
  BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
  if (before && !address.isBase() && isInvariant(address, loop))
    return pointerAt(address, before->getTerminator());
  Value *merged = nullptr;
  if (mergedPointer(address, place, merged))
    return merged;
  if (loop) {
    // What changes from one iteration to the next, other than by a stride, is added in the loop.
    Address steady = address;
    SmallVector<LinearTerm, 4> varying;
    llvm::erase_if(steady.uniform, [&](const LinearTerm &term) {
      if (loop->isLoopInvariant(term.value))
        return false;
      varying.push_back(term);
      return true;
    });
    if (!varying.empty() && !steady.isBase()) {
      if (Value *former = findEmitted(address, place))
        return former;
      Value *pointer = sums.addTerms(pointerAt(steady, place), varying, place);
      emitted.push_back({address, pointer});
      return pointer;
    }
    if (address.strideOf(loop) != 0)
      return advancingPointer(loop, address, place);
  }
  return emitPointer(address, place);
}

/// The pointer of `loop` that stands at `address`, constant included; with `anyConstant`, the first
/// one that differs by a constant only.
LoopPointer *AddressInduction::findLoopPointer(Loop *loop, const Address &address,
                                               bool anyConstant) {
  for (LoopPointer &pointer : loopPointers)
    if (pointer.loop == loop && pointer.address.sameScalarPart(address) &&
        (anyConstant || pointer.address.constant == address.constant))
      return &pointer;
  return nullptr;
}

ArrayRef<int64_t> AddressInduction::biasesOf(Loop *loop, const Address &address) const {
  for (const Group &group : groups)
    if (group.loop == loop && group.address.sameScalarPart(address))
      return group.biases;
  return {};
}

LoopPointer &AddressInduction::createLoopPointer(Loop *loop, const Address &address) {
  BasicBlock *before = loop->getLoopPredecessor(), *latch = loop->getLoopLatch();
  Value *start = pointerAt(address.withoutStride(loop), before->getTerminator());
  PHINode *phi = PHINode::Create(address.base->getType(), 2);
  phi->insertBefore(loop->getHeader()->begin());
  // The advance stands at the end, where it does not keep a second copy of the pointer alive.
  IRBuilder<> builder(latch->getTerminator());
  auto *next = cast<Instruction>(builder.CreatePtrAdd(
      phi, ConstantInt::getSigned(builder.getInt64Ty(), address.strideOf(loop))));
  phi->addIncoming(start, before);
  phi->addIncoming(next, latch);
  loopPointers.push_back({loop, address, phi, next});
  return loopPointers.back();
}

/// A pointer that `loop` advances, at `place` in it. Every base of the loop's accesses is a pointer
/// of its own: one that is computed from another in the loop would be taken apart by selection.
Value *AddressInduction::advancingPointer(Loop *loop, const Address &address, Instruction *place) {
  if (LoopPointer *known = findLoopPointer(loop, address, /*anyConstant=*/false))
    return known->phi;
  Address before = address.at(address.constant - address.strideOf(loop));
  LoopPointer *previous = findLoopPointer(loop, before, /*anyConstant=*/false);
  if (previous && dominators.dominates(previous->next, place))
    return previous->next;
  ArrayRef<int64_t> biases = biasesOf(loop, address);
  LoopPointer *nearest = findLoopPointer(loop, address, /*anyConstant=*/true);
  if (!nearest || llvm::is_contained(biases, address.constant))
    nearest =
        &createLoopPointer(loop, llvm::is_contained(biases, address.constant) || biases.empty()
                                     ? address
                                     : address.at(biases.front()));
  if (nearest->address.constant == address.constant)
    return nearest->phi;
  if (Value *former = findEmitted(address, place))
    return former;
  int64_t distance = address.constant - nearest->address.constant;
  Value *moved = IRBuilder<>(place).CreatePtrAdd(
      nearest->phi, ConstantInt::getSigned(Type::getInt64Ty(function.getContext()), distance));
  emitted.push_back({address, moved});
  return moved;
}

/// Looks for counters in `address` that are merged from several paths, as behind a loop that may
/// have been skipped. If one of the paths comes out of a loop that already advances a pointer at
/// this address, the pointers are merged instead of being computed from the counter.
bool AddressInduction::mergedPointer(const Address &address, Instruction *place, Value *&result) {
  // Far from the loop it is cheaper to compute the pointer; this also ends the search where the
  // control flow runs in circles that are no loops.
  constexpr unsigned maxNesting = 4;
  if (mergeNesting >= maxNesting)
    return false;
  PHINode *counter = nullptr;
  for (const LinearTerm &term : address.uniform) {
    auto *phi = dyn_cast<PHINode>(term.value);
    Loop *loop = phi ? loops.getLoopFor(phi->getParent()) : nullptr;
    if (phi && !(loop && loop->getHeader() == phi->getParent()) &&
        loop == loops.getLoopFor(place->getParent()))
      counter = phi;
  }
  if (!counter)
    return false;
  BasicBlock *block = counter->getParent();
  if ((result = findEmitted(address, place)))
    return true;
  SmallVector<std::pair<BasicBlock *, Address>, 4> paths;
  bool takesOver = false;
  for (auto [incoming, predecessor] : zip(counter->incoming_values(), counter->blocks())) {
    LinearAddress linear;
    linear.base = address.base;
    linear.offset.constant = address.constant;
    for (const LinearTerm &term : address.uniform) {
      Value *value = term.value;
      auto *phi = dyn_cast<PHINode>(value);
      if (phi && phi->getParent() == block)
        value = phi->getIncomingValueForBlock(predecessor);
      analysis.decompose(value, term.extension, term.scale, term.boundedRoot, linear.offset);
    }
    Address path;
    if (!classify(linear, predecessor, path) || !path.divergent.empty() ||
        !isAvailable(path, predecessor->getTerminator()))
      return false;
    // The loops around the block itself keep their strides.
    for (auto &[outer, stride] : address.strides)
      path.addStride(outer, stride);
    Loop *loop = loops.getLoopFor(predecessor);
    takesOver |= loop && path.strideOf(loop) != 0 && findLoopPointer(loop, path, true);
    paths.emplace_back(predecessor, std::move(path));
  }
  if (!takesOver)
    return false;
  PHINode *merged = PHINode::Create(address.base->getType(), paths.size());
  merged->insertBefore(block->begin());
  ++mergeNesting;
  for (auto &[predecessor, path] : paths)
    merged->addIncoming(pointerAt(path, predecessor->getTerminator()), predecessor);
  --mergeNesting;
  emitted.push_back({address, merged});
  result = merged;
  return true;
}

/// A pointer at `address` that was written before and can be used at `place`.
Value *AddressInduction::findEmitted(const Address &address, Instruction *place) const {
  for (const EmittedPointer &former : emitted)
    if (former.address.constant == address.constant && former.address.sameScalarPart(address) &&
        dominators.dominates(cast<Instruction>(former.value), place))
      return former.value;
  return nullptr;
}

/// Computes the pointer from its terms at `place`, or finds one that was computed before.
Value *AddressInduction::emitPointer(const Address &address, Instruction *place) {
  if (address.isBase())
    return address.base;
  if (Value *former = findEmitted(address, place))
    return former;
  // Selection would take the sum with a constant apart if it stood in the block of an access.
  BasicBlock *block = place->getParent();
  if (address.constant != 0 && !place->isTerminator() && block != &function.getEntryBlock()) {
    Instruction *earlier = dominators.getNode(block)->getIDom()->getBlock()->getTerminator();
    if (isAvailable(address, earlier))
      return pointerAt(address, earlier);
  }
  Value *pointer = address.base;
  if (address.constant != 0)
    pointer = IRBuilder<>(place).CreatePtrAdd(
        pointerAt(address.at(0), place),
        ConstantInt::getSigned(Type::getInt64Ty(function.getContext()), address.constant));
  else
    pointer = sums.addTerms(address.base, address.uniform, place);
  if (isa<Instruction>(pointer))
    emitted.push_back({address, pointer});
  return pointer;
}

//===----------------------------------------------------------------------===//
// Rewriting accesses
//===----------------------------------------------------------------------===//

void AddressInduction::rewrite(Access &access) {
  auto *instruction = cast<Instruction>(access.pointer->getUser());
  const Address &address = access.address;
  Group &group = groupOf(loops.getLoopFor(instruction->getParent()), address);
  int64_t bias = group.biasFor(address.constant, offsetBits);
  Value *former = access.pointer->get();
  Value *pointer = pointerAt(address.at(bias), instruction);
  IRBuilder<> builder(instruction);
  if (!address.divergent.empty()) {
    Value *lanes = sums.laneOffset(address.divergent);
    pointer = builder.CreatePtrAdd(pointer, builder.CreateZExt(lanes, builder.getInt64Ty()));
  }
  if (int64_t immediate = address.constant - bias)
    pointer =
        builder.CreatePtrAdd(pointer, ConstantInt::getSigned(builder.getInt64Ty(), immediate));
  if (pointer == former)
    return;
  access.pointer->set(pointer);
  replaced.push_back(former);
}

void AddressInduction::run() {
  collect();
  chooseBiases();
  for (Access &access : accesses)
    rewrite(access);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

/// Launch ids are the same value however often they are read; one read at the top lets equal
/// addresses be recognized.
void shareLaunchIds(Function &function) {
  DenseMap<Intrinsic::ID, CallInst *> first;
  BasicBlock &entry = function.getEntryBlock();
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || !call->doesNotAccessMemory() || call->arg_size() != 0)
      continue;
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_workitem_id_x:
    case Intrinsic::amdgcn_workitem_id_y:
    case Intrinsic::amdgcn_workitem_id_z:
    case Intrinsic::amdgcn_workgroup_id_x:
    case Intrinsic::amdgcn_workgroup_id_y:
    case Intrinsic::amdgcn_workgroup_id_z:
      break;
    default:
      continue;
    }
    CallInst *&known = first[call->getIntrinsicID()];
    if (!known) {
      known = call;
      call->moveBefore(entry, entry.getFirstInsertionPt());
      continue;
    }
    call->replaceAllUsesWith(known);
    call->eraseFromParent();
  }
}

/// A truncation that is known to lose nothing invites LLVM to compare the wide value instead, for
/// which the scalar unit has no instruction.
void forgetTruncationFlags(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (auto *trunc = dyn_cast<TruncInst>(&instruction)) {
      trunc->setHasNoUnsignedWrap(false);
      trunc->setHasNoSignedWrap(false);
    }
}

} // namespace

void inductAddresses(Function &function, TargetMachine &machine, const TargetProfile &profile) {
  shareLaunchIds(function);
  FunctionAnalysisManager analyses;
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses.registerPass([&] { return machine.getTargetIRAnalysis(); });
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  analyses.registerPass([] { return LoopAnalysis(); });
  analyses.registerPass([] { return CycleAnalysis(); });
  analyses.registerPass([] { return UniformityInfoAnalysis(); });
  AddressInduction(function, analyses, profile).run();
  forgetTruncationFlags(function);
}

} // namespace loom::amdgpu
