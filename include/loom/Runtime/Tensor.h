//===- Tensor.h - Host arrays that kernels read and write -------*- C++ -*-===//
#ifndef LOOM_RUNTIME_TENSOR_H
#define LOOM_RUNTIME_TENSOR_H

#include "loom/Runtime/Scalar.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace loom::runtime {

/// Where the bytes of a tensor lie.
enum class Placement {
  /// Anywhere, with 64-byte alignment.
  Heap,
  /// Alone on its pages, between memory that can be neither read nor written, with the last byte as
  /// near to its end as the alignment allows: an access past the end faults at once. The alignment
  /// is that of the byte size, at most 64 (a size that is a multiple of 64 gives 64, an odd one
  /// gives 1 byte), or what was asked for. The other bytes of the pages are filled with kFill; see
  /// takeStrayWrite().
  Guarded,
};

/// A dense row-major array, zero when created. It can be moved; its bytes are its own unless it is
/// a view() of another tensor, with which it then shares them.
class Tensor {
public:
  /// The largest tensor that is created.
  static constexpr uint64_t kMaxBytes = uint64_t(1) << 32;
  /// Bytes around a guarded tensor that can be neither read nor written, in front and behind, where
  /// the process may have so many addresses: offsets that a compiler computes in 32 bits end there.
  static constexpr uint64_t kGuardBytes = uint64_t(1) << 32;
  /// What lies on the pages of a guarded tensor beside it.
  static constexpr uint8_t kFill = 0xc7;

  /// Fails on a negative extent, on more than kMaxBytes and when the host has no memory left.
  /// I1 is not an element type of tensors. A tensor without elements is fine. `alignment`, a power
  /// of two, is the least that the address is a multiple of.
  static llvm::Expected<Tensor> create(ElementType type, llvm::ArrayRef<int64_t> shape,
                                       Placement placement = Placement::Heap,
                                       uint64_t alignment = 1);
  static llvm::Expected<Tensor> guarded(ElementType type, llvm::ArrayRef<int64_t> shape) {
    return create(type, shape, Placement::Guarded);
  }

  Tensor(Tensor &&) = default;
  Tensor &operator=(Tensor &&) = default;

  /// The elements from `first` on in another shape, on the same bytes, which live as long as one of
  /// the tensors does. Fails when they do not fit into this tensor.
  llvm::Expected<Tensor> view(uint64_t first, llvm::ArrayRef<int64_t> shape) const;
  /// A tensor of its own with the same contents and the same alignment.
  llvm::Expected<Tensor> clone(Placement placement = Placement::Heap) const;

  ElementType type() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  uint64_t elementCount() const { return count; }
  uint64_t byteSize() const { return count * elementBytes(elementType); }

  /// Whether somebody wrote beside a guarded tensor, on its pages: the distance of the first such
  /// byte from data(), negative in front of it. What was written is forgotten.
  std::optional<int64_t> takeStrayWrite();

  uint8_t *data() { return bytes.get(); }
  const uint8_t *data() const { return bytes.get(); }

  /// All elements in flat row-major order; `T` is how the element type is stored (Elements.h).
  template <typename T> llvm::MutableArrayRef<T> elements() {
    return {reinterpret_cast<T *>(data()), static_cast<size_t>(count)};
  }
  template <typename T> llvm::ArrayRef<T> elements() const {
    return {reinterpret_cast<const T *>(data()), static_cast<size_t>(count)};
  }

  /// Elements in flat row-major order; `flat` is below elementCount().
  Scalar get(uint64_t flat) const;
  /// `value` has the element type.
  void set(uint64_t flat, const Scalar &value);

  /// The coordinates of a flat position: "[3, 5]"; "[]" for a tensor of rank 0.
  std::string position(uint64_t flat) const;

private:
  using Storage = std::shared_ptr<uint8_t>;

  /// What belongs to a guarded tensor: its own bytes and those beside it.
  struct Pages {
    uint8_t *begin = nullptr, *end = nullptr; ///< null on the heap
    uint8_t *data = nullptr;
    uint64_t size = 0;
  };

  Tensor(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t count, Storage bytes,
         const Pages &pages, uint64_t alignment)
      : elementType(type), extents(shape), count(count), bytes(std::move(bytes)), pages(pages),
        alignment(alignment) {}

  static Storage allocateHeap(uint64_t size, uint64_t alignment);
  static Storage allocateGuarded(uint64_t size, uint64_t alignment, Pages &pages);

  ElementType elementType;
  llvm::SmallVector<int64_t, 4> extents;
  uint64_t count;
  Storage bytes;
  Pages pages;
  uint64_t alignment; ///< that was asked for
};

/// The number of elements of a shape; nothing when an extent is negative or the bytes of the tensor
/// exceed Tensor::kMaxBytes. `reason`, if given, receives a sentence.
std::optional<uint64_t> countElements(ElementType type, llvm::ArrayRef<int64_t> shape,
                                      std::string *reason = nullptr);

} // namespace loom::runtime

#endif // LOOM_RUNTIME_TENSOR_H
