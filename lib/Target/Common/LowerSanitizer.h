//===- LowerSanitizer.h - Checks inside of kernels --------------*- C++ -*-===//
//
// A check is a condition for each lane, or one for all, under which something is wrong. All checks
// of an operation are computed in front of it and lead to one branch that is never taken in a
// correct program. Behind it the failing lanes are told to the monitor, and the operation is
// carried out for the others alone: a read that is skipped gives zero.
//
// Accesses and operations are checked here, behind all passes, and not by operations of the dialect
// `sanitizer` in front of them: only here the lanes of an access, its mask and its offsets are
// known, and only here it can be skipped. So what the schedule itself generates is checked too.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERSANITIZER_H
#define LOOM_LIB_TARGET_COMMON_LOWERSANITIZER_H

#include "LowerMemory.h"
#include "LowerTransfers.h"

namespace loom::lowering {

/// "%values", or `otherwise` for a value without a name.
std::string nameOf(mlir::Value value, llvm::StringRef otherwise);

/// Whether `op` has no value for some operands: a division, or a shift.
bool hasUndefinedResults(mlir::Operation *op);

/// Whether the layouts of both views are literals or values of the kernel.
bool isLayoutKnown(SanitizerAssertLayoutOp op);

class KernelLowering::Sanitizer {
public:
  Sanitizer(KernelLowering &kernel, const LoweringOptions &options,
            std::vector<SanitizerSite> &sites)
      : kernel(kernel), emitter(kernel.emitter), options(options), sites(sites) {}

  /// In the entry of the kernel's function. `monitor` is the address of a Monitor, or null.
  void begin(mlir::Value monitor);
  /// In front of the body of a workgroup of that flat number.
  void beginWorkgroup(mlir::Value number);

  /// Lowers `op` with its checks; false when it has none and is lowered as without a sanitizer.
  bool lower(mlir::Operation *op);
  /// Whether `op` may not be carried out for lanes that do not reach it.
  bool needsMask(mlir::Operation *op) const;
  bool checksAccesses() const { return options.checks.access; }
  /// Tells a race detector that the workgroup passes the barrier or wait `op`; in a block of
  /// work-items that these do.
  void passBarrier(mlir::Operation *op);

private:
  /// What may be wrong, in the present form.
  struct Check {
    mlir::Value fails;         ///< i1, or one for each lane
    mlir::Value first, second; ///< numbers of the message, i64 or bits of f64; may be null
    std::string message;
    llvm::StringRef kind = "unknown";
    bool hasFloats = false;
    std::optional<AccessKind> access = {}; ///< where it is not the same for all checks
  };
  /// Emits what happens when one of `checks` fails, and `body` for the lanes of which none does.
  /// Without a body only the failures are told. The body is written for the case that none fails
  /// and for the other one, or, with `once`, for both together.
  void emit(mlir::Operation *op, llvm::ArrayRef<Check> checks,
            llvm::function_ref<void(SanitizerSite &site)> describe,
            llvm::function_ref<void()> body = nullptr, bool once = false);
  void emitReports(mlir::Operation *op, llvm::ArrayRef<Check> checks,
                   llvm::ArrayRef<mlir::Value> failing,
                   llvm::function_ref<void(SanitizerSite &site)> describe);
  void emitReport(unsigned site, mlir::Value lanes, const Check &check);
  mlir::Value reportedLanes(mlir::Value failing);
  mlir::Value field(size_t offset, mlir::Type type);
  unsigned siteOf(mlir::Operation *op, unsigned part,
                  llvm::function_ref<void(SanitizerSite &site)> describe);
  mlir::Value zero(mlir::Type type);
  /// A number of 32 or 64 bits, or of a lane each, as i64.
  mlir::Value wide(mlir::Value value);
  mlir::Value number(int64_t value) { return emitter.constant(emitter.integer(64), value); }
  mlir::Value never() { return emitter.constant(kernel.flagType(), 0); }
  mlir::Value eitherOf(mlir::Value a, mlir::Value b);

  // LowerSanitizerAccess.cpp
  struct Touch;
  struct Element;
  bool lowerAccess(mlir::Operation *op);
  bool lowerByteAccess(mlir::Operation *op);
  bool lowerTransferAccess(mlir::Operation *op);
  void lowerAssertAccess(mlir::Operation *op);
  std::optional<Touch> touchOf(mlir::Operation *op);
  bool isUniform(const Touch &touch) const;
  llvm::SmallVector<Check> checksOf(const Touch &touch);
  mlir::Value isOutside(mlir::Value index, std::optional<int64_t> staticExtent, mlir::Value extent,
                        mlir::Value count);
  void checkAxis(const Touch &touch, size_t axis, mlir::Value index,
                 llvm::SmallVectorImpl<Check> &checks);
  void checkDimensions(const Touch &touch, llvm::SmallVectorImpl<Check> &checks);
  void checkSpan(const Touch &touch, llvm::SmallVectorImpl<Check> &checks);
  void checkBuffer(const Touch &touch, llvm::SmallVectorImpl<Check> &checks);
  struct Memory;
  std::vector<Memory> memoriesOf(mlir::Value view);
  std::optional<Memory> memoryOf(mlir::Value base);
  /// Bytes that are accessed: how far they lie behind an address, how many they are, and whether
  /// they are accessed at all; null when they are in any case.
  struct Piece {
    mlir::Value distance, bytes, flag;
  };
  void checkMemories(mlir::Value view, const Address &address, const Piece &piece,
                     llvm::StringRef what, llvm::SmallVectorImpl<Check> &checks);
  void checkMemories(
      mlir::Value view, const Address &address, llvm::StringRef what,
      llvm::function_ref<std::pair<mlir::Value, mlir::Value>(
          mlir::Value first,
          llvm::function_ref<std::pair<mlir::Value, mlir::Value>(const Piece &piece)> fails)>
          pieces,
      llvm::SmallVectorImpl<Check> &checks);

  // LowerSanitizerElements.cpp
  bool takesTurns(int64_t count) const;
  llvm::SmallVector<mlir::Value> coordinatesOf(const Touch &touch, int64_t element);
  llvm::SmallVector<mlir::Value> coordinatesOf(const Touch &touch, mlir::Value element);
  mlir::Value distanceTo(const Access &access, llvm::ArrayRef<mlir::Value> coordinates);
  using ElementBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      const Element &element, llvm::ArrayRef<mlir::Value> carried)>;
  llvm::SmallVector<mlir::Value> overElements(const Touch &touch, bool isDescending,
                                              llvm::SmallVector<mlir::Value> carried,
                                              ElementBody body);
  llvm::SmallVector<mlir::Value> inTurns(const Touch &touch, bool isDescending,
                                         llvm::SmallVector<mlir::Value> carried, ElementBody body);
  llvm::SmallVector<mlir::Value>
  inLoop(int64_t count, llvm::ArrayRef<mlir::Value> carried,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value turn,
                                                           llvm::ArrayRef<mlir::Value> carried)>
             body);
  mlir::Value countTaken(const Touch &touch);
  std::pair<mlir::Value, mlir::Value> firstFailing(
      const Touch &touch, mlir::Value first,
      llvm::function_ref<std::pair<mlir::Value, mlir::Value>(const Element &element)> check);

  // LowerSanitizerTransfer.cpp
  mlir::Value strideBytes(const TransferAxis &axis);
  Address originOf(const TransferEnd &end);
  void checkEnd(const Transfer &transfer, const TransferEnd &end,
                llvm::SmallVectorImpl<Check> &checks);
  void checkRows(const Transfer &transfer, llvm::SmallVectorImpl<Check> &checks);
  void lowerAssertLayout(SanitizerAssertLayoutOp op);
  mlir::Value numberOf(mlir::OpFoldResult value);
  mlir::Value strideOf(mlir::Value view, size_t axis);

  // LowerSanitizerValue.cpp
  bool lowerOperation(mlir::Operation *op);
  bool lowerAlignment(BufferAssumeAlignmentOp op);
  void lowerAssertValues(mlir::Operation *op, mlir::ArrayAttr predicates);
  Check checkPredicate(mlir::Operation *op, PredicateAttr predicate);
  mlir::Value fails(mlir::Operation *op, PredicateAttr predicate);
  mlir::Value numberOf(mlir::Value value);

  // LowerSanitizerRace.cpp
  bool tellsRaces() const { return monitor && options.checks.race; }
  void tellRace(mlir::Operation *op);
  void tellTouch(mlir::Operation *op, const Touch &touch,
                 llvm::function_ref<void(SanitizerSite &site)> describe);
  void tellRuns(const Touch &touch, llvm::function_ref<unsigned(int64_t elements)> siteFor);
  void tellBytes(mlir::Operation *op);
  void tellTransfer(mlir::Operation *op, const Transfer &transfer);
  void tellAddress(unsigned site, const Address &address, mlir::Value flag, mlir::Value bytes = {});
  void tellSync(mlir::Operation *op, MemorySpace space, SyncScope scope, Ordering ordering);

  KernelLowering &kernel;
  Emitter &emitter;
  const LoweringOptions &options;
  std::vector<SanitizerSite> &sites;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, unsigned> siteNumbers;
  /// Of checks: the sites by place and message. Never iterated.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::StringAttr>, unsigned> places;

  // In the function at hand:
  mlir::Value monitor;                        ///< null when failures trap
  llvm::SmallVector<mlir::Value> bufferBytes; ///< one per parameter; null where unknown
  mlir::Value workgroup;                      ///< i64
  mlir::Value firstNumbers, secondNumbers;    ///< storage for one i64 per lane each
  mlir::Value addresses, lengths;             ///< the same, of what a race detector is told
};

/// What an operation accesses.
struct KernelLowering::Sanitizer::Touch {
  Access access;
  AccessKind kind;
  llvm::SmallVector<int64_t> shape =
      {};                   ///< of what is accessed, innermost last; empty for one element
  mlir::Value mask = {};    ///< null when all elements take part
  mlir::Value offsets = {}; ///< of a gather or scatter, added to the last index
  bool isPacked = false;    ///< elements that take part lie one behind the other
  bool isAtomic = false;

  llvm::StringRef verb() const {
    return isAtomic || kind == AccessKind::read_write ? "accesses"
           : kind == AccessKind::read                 ? "reads"
                                                      : "writes";
  }
  int64_t count() const { return mlir::ShapedType::getNumElements(shape); }
  /// How far the access reaches along `axis` of the view.
  int64_t reach(size_t axis) const {
    if (access.linear)
      return count();
    size_t skipped = access.staticIndices.size() - shape.size();
    return axis < skipped ? 1 : shape[axis - skipped];
  }
  bool isWhole() const { return !mask && !offsets; }
};

/// An element of an access that may be left out.
struct KernelLowering::Sanitizer::Element {
  mlir::Value flag; ///< null when it takes part
  /// Behind the origin, one per axis of the view; null for zero.
  llvm::SmallVector<mlir::Value> coordinates;
  mlir::Value offset; ///< i64, added to the last one; null for zero
};

} // namespace loom::lowering

#endif // LOOM_LIB_TARGET_COMMON_LOWERSANITIZER_H
