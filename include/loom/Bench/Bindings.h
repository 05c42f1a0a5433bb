//===- Bindings.h - Launches of a sample, to be run many times --*- C++ -*-===//
//
// A sample that was made to be checked is recorded before it is launched. The measurement replays
// its launches over copies of the values: what was checked is what is timed, and no generator, file
// or oracle runs a second time.
//
// The copies form a ring. Each logical operation takes the next binding set, so that a ring that is
// larger than the caches gives times with cold inputs, and a ring of one gives times with hot ones.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_BENCH_BINDINGS_H
#define LOOM_BENCH_BINDINGS_H

#include "loom/Check/Sample.h"

namespace loom::bench {

/// The launches of one sample in order, and the contents of their tensors.
class Recording {
public:
  Recording() = default;
  /// Copies the tensors as they are now.
  explicit Recording(llvm::ArrayRef<check::PreparedLaunch> launches);

  uint64_t launchCount() const { return launches.size(); }
  /// Tensors that the launches read or write, and their bytes. Bytes that several of them share
  /// count once.
  uint64_t bindingCount() const { return tensors.size(); }
  uint64_t bindingBytes() const;

private:
  friend class BindingSet;

  /// A scalar, or the position of a tensor.
  using Binding = std::variant<runtime::Scalar, size_t>;
  struct RecordedLaunch {
    std::string kernel;
    runtime::LaunchGeometry geometry;
    std::vector<Binding> arguments;
  };
  /// Memory that one tensor has, or several that are views of each other.
  struct Block {
    const uint8_t *begin, *end; ///< in the sample; only compared
    runtime::ElementType type;
    std::vector<uint8_t> contents;
  };
  struct RecordedTensor {
    const runtime::Tensor *source; ///< of the sample; only compared
    const uint8_t *begin;
    runtime::ElementType type;
    llvm::SmallVector<int64_t, 4> shape;
  };

  size_t tensorFor(const runtime::Tensor &tensor);
  void keepContents(const runtime::Tensor &tensor);
  /// The block that the tensor lies in; none for one without elements.
  std::optional<size_t> blockOf(const RecordedTensor &tensor) const;

  std::vector<RecordedLaunch> launches;
  std::vector<RecordedTensor> tensors;
  std::vector<Block> blocks;
};

/// One copy of the values of a recording, which has to outlive it.
class BindingSet {
public:
  static llvm::Expected<BindingSet> create(const Recording &recording);
  BindingSet(BindingSet &&) = default;

  /// Gives the tensors their recorded contents again.
  void reset();
  /// One logical operation: every launch, in order.
  std::optional<runtime::Issue> run(runtime::Device &device) const;

private:
  explicit BindingSet(const Recording &recording) : recording(&recording) {}

  const Recording *recording;
  std::vector<runtime::Tensor> blocks;
  std::vector<std::unique_ptr<runtime::Tensor>> tensors; ///< views of the blocks
  std::vector<std::vector<runtime::Argument>> arguments; ///< by launch
};

/// How many binding sets there are to be.
struct RingPolicy {
  uint64_t minBytes = uint64_t(32) << 20; ///< 0 reuses one set
  uint64_t count = 0;                     ///< exactly so many; 0 chooses by minBytes
  /// Beyond these an automatic ring does not grow, whatever minBytes says; a larger count is
  /// refused.
  uint64_t maxBytes = UINT64_MAX;
  static constexpr uint64_t kMaxSets = 65536;
};

/// The number of sets, at least one: as many as the policy's count; else as many as a batch has
/// operations, or more until they have minBytes.
uint64_t ringSize(const RingPolicy &policy, uint64_t batchSize, uint64_t setBytes);

class BindingRing {
public:
  /// The error says that the sets need more than maxBytes, or that memory is exhausted.
  static llvm::Expected<BindingRing> create(const Recording &recording, const RingPolicy &policy,
                                            uint64_t batchSize);

  uint64_t size() const { return sets.size(); }
  void reset();
  /// Runs the operations of batch `number`, each on the next set.
  std::optional<runtime::Issue> runBatch(runtime::Device &device, uint64_t number,
                                         uint64_t batchSize) const;

private:
  std::vector<BindingSet> sets;
};

} // namespace loom::bench

#endif // LOOM_BENCH_BINDINGS_H
