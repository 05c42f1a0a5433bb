//===- Bindings.cpp - Launches of a sample, to be run many times ----------===//
#include "loom/Bench/Bindings.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace loom::bench {

using runtime::Argument;
using runtime::Issue;
using runtime::Scalar;
using runtime::Tensor;

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

size_t Recording::tensorFor(const Tensor &tensor) {
  for (auto [position, known] : llvm::enumerate(tensors))
    if (known.source == &tensor)
      return position;
  keepContents(tensor);
  tensors.push_back(
      {&tensor, tensor.data(), tensor.type(), llvm::SmallVector<int64_t, 4>(tensor.shape())});
  return tensors.size() - 1;
}

/// Makes one block of the tensor and of every block that it shares bytes with.
void Recording::keepContents(const Tensor &tensor) {
  if (tensor.byteSize() == 0)
    return;
  Block block{tensor.data(), tensor.data() + tensor.byteSize(), tensor.type(), {}};
  std::vector<Block> others, shared;
  for (Block &known : blocks) {
    bool overlaps = known.begin < block.end && block.begin < known.end;
    (overlaps ? shared : others).push_back(std::move(known));
  }
  for (const Block &known : shared) {
    block.begin = std::min(block.begin, known.begin);
    block.end = std::max(block.end, known.end);
  }
  block.contents.resize(block.end - block.begin);
  auto copy = [&](const uint8_t *from, size_t size, const uint8_t *contents) {
    std::memcpy(block.contents.data() + (from - block.begin), contents, size);
  };
  copy(tensor.data(), tensor.byteSize(), tensor.data());
  for (const Block &known : shared)
    copy(known.begin, known.contents.size(), known.contents.data());
  others.push_back(std::move(block));
  blocks = std::move(others);
}

std::optional<size_t> Recording::blockOf(const RecordedTensor &tensor) const {
  for (auto [position, block] : llvm::enumerate(blocks))
    if (block.begin <= tensor.begin && tensor.begin < block.end &&
        runtime::countElements(tensor.type, tensor.shape).value_or(0) != 0)
      return position;
  return std::nullopt;
}

Recording::Recording(llvm::ArrayRef<check::PreparedLaunch> prepared) {
  for (const check::PreparedLaunch &launch : prepared) {
    RecordedLaunch &recorded = launches.emplace_back();
    recorded.kernel = launch.kernel;
    recorded.geometry = launch.geometry;
    for (const Argument &argument : launch.arguments) {
      if (auto *scalar = std::get_if<Scalar>(&argument))
        recorded.arguments.push_back(*scalar);
      else
        recorded.arguments.push_back(tensorFor(*std::get<Tensor *>(argument)));
    }
  }
}

uint64_t Recording::bindingBytes() const {
  uint64_t bytes = 0;
  for (const Block &block : blocks)
    bytes += block.contents.size();
  return bytes;
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

llvm::Expected<BindingSet> BindingSet::create(const Recording &recording) {
  BindingSet set(recording);
  for (const Recording::Block &block : recording.blocks) {
    int64_t count = block.contents.size() / runtime::elementBytes(block.type);
    llvm::Expected<Tensor> tensor = Tensor::create(block.type, {count});
    if (!tensor)
      return tensor.takeError();
    set.blocks.push_back(std::move(*tensor));
  }
  for (const Recording::RecordedTensor &recorded : recording.tensors) {
    std::optional<size_t> block = recording.blockOf(recorded);
    llvm::Expected<Tensor> tensor =
        block ? set.blocks[*block].view((recorded.begin - recording.blocks[*block].begin) /
                                            runtime::elementBytes(recorded.type),
                                        recorded.shape)
              : Tensor::create(recorded.type, recorded.shape);
    if (!tensor)
      return tensor.takeError();
    set.tensors.push_back(std::make_unique<Tensor>(std::move(*tensor)));
  }
  for (const Recording::RecordedLaunch &launch : recording.launches) {
    std::vector<Argument> &arguments = set.arguments.emplace_back();
    for (const Recording::Binding &binding : launch.arguments) {
      if (auto *scalar = std::get_if<Scalar>(&binding))
        arguments.push_back(*scalar);
      else
        arguments.push_back(set.tensors[std::get<size_t>(binding)].get());
    }
  }
  set.reset();
  return set;
}

void BindingSet::reset() {
  for (auto [tensor, block] : llvm::zip_equal(blocks, recording->blocks))
    std::memcpy(tensor.data(), block.contents.data(), block.contents.size());
}

std::optional<Issue> BindingSet::run(runtime::Device &device) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Recording::RecordedLaunch &launch = recording->launches[i];
    if (std::optional<Issue> issue = device.launch({launch.kernel, launch.geometry, arguments[i]}))
      return issue;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

uint64_t ringSize(const RingPolicy &policy, uint64_t batchSize, uint64_t setBytes) {
  if (policy.count != 0)
    return policy.count;
  if (policy.minBytes == 0 || setBytes == 0)
    return 1;
  uint64_t wanted = std::max(batchSize, llvm::divideCeil(policy.minBytes, setBytes));
  uint64_t affordable = std::min(RingPolicy::kMaxSets, policy.maxBytes / setBytes);
  return std::max<uint64_t>(std::min(wanted, affordable), 1);
}

llvm::Expected<BindingRing> BindingRing::create(const Recording &recording,
                                                const RingPolicy &policy, uint64_t batchSize) {
  uint64_t bytes = recording.bindingBytes(), count = ringSize(policy, batchSize, bytes);
  if (llvm::SaturatingMultiply(bytes, count) > policy.maxBytes)
    return llvm::createStringError(llvm::Twine(count) + " binding sets of " + llvm::Twine(bytes) +
                                   " bytes exceed the " + llvm::Twine(policy.maxBytes) +
                                   " bytes that a ring may have here (--input-ring-count)");
  BindingRing ring;
  for (uint64_t i = 0; i < count; ++i) {
    llvm::Expected<BindingSet> set = BindingSet::create(recording);
    if (!set)
      return set.takeError();
    ring.sets.push_back(std::move(*set));
  }
  return ring;
}

void BindingRing::reset() {
  for (BindingSet &set : sets)
    set.reset();
}

std::optional<Issue> BindingRing::runBatch(runtime::Device &device, uint64_t number,
                                           uint64_t batchSize) const {
  // Below 2^63: the flags that both come from are 32-bit numbers.
  uint64_t next = number * batchSize % sets.size();
  for (uint64_t i = 0; i < batchSize; ++i) {
    if (std::optional<Issue> issue = sets[next].run(device))
      return issue;
    if (++next == sets.size())
      next = 0;
  }
  return std::nullopt;
}

} // namespace loom::bench
