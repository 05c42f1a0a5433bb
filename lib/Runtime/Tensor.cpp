//===- Tensor.cpp - Host arrays that kernels read and write ---------------===//
//
// Guard pages are made with mmap and mprotect (POSIX); the page size is asked of the host.
//
//===----------------------------------------------------------------------===//
#include "loom/Runtime/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace llvm;

namespace loom::runtime {

static constexpr size_t kAlignment = 64;

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

Tensor::Storage Tensor::allocateHeap(uint64_t size, uint64_t alignment) {
  alignment = std::max<uint64_t>(alignment, kAlignment);
  // A tensor without elements still has an address of its own.
  size_t rounded = alignTo(std::max<uint64_t>(size, 1), alignment);
  auto *data = static_cast<uint8_t *>(std::aligned_alloc(alignment, rounded));
  if (!data)
    return nullptr;
  std::memset(data, 0, rounded);
  return Storage(data, std::free);
}

/// Addresses without memory: `bytes` of them with the start of `inner` bytes in `first`, which is a
/// multiple of `alignment` and has at least `guard` bytes on both sides. Null when there are none.
static void *reserve(uint64_t inner, uint64_t guard, uint64_t alignment, uint64_t &bytes,
                     uint8_t *&first) {
  bytes = inner + 2 * guard + alignment;
  void *mapping = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       /*fd=*/-1, /*offset=*/0);
  if (mapping == MAP_FAILED)
    return nullptr;
  uint64_t begin = reinterpret_cast<uintptr_t>(mapping);
  first = static_cast<uint8_t *>(mapping) + (alignTo(begin + guard, alignment) - begin);
  return mapping;
}

Tensor::Storage Tensor::allocateGuarded(uint64_t size, uint64_t alignment, Pages &pages) {
  uint64_t page = sys::Process::getPageSizeEstimate();
  uint64_t coarse = std::max(page, alignment);
  uint64_t inner = alignTo(std::max<uint64_t>(size, 1), coarse);
  uint64_t mappedBytes;
  uint8_t *first;
  void *mapping = reserve(inner, std::max(kGuardBytes, page), coarse, mappedBytes, first);
  if (!mapping) // a process may be short of addresses
    mapping = reserve(inner, page, coarse, mappedBytes, first);
  if (!mapping)
    return nullptr;
  // `first` and `inner` are multiples of the alignment.
  uint8_t *data = first + alignDown(inner - size, alignment);
  Storage storage(data, [mapping, mappedBytes](uint8_t *) { munmap(mapping, mappedBytes); });
  if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  pages = {first, first + inner, data, size};
  std::memset(first, kFill, data - first);
  std::memset(data + size, kFill, pages.end - (data + size));
  return storage;
}

std::optional<int64_t> Tensor::takeStrayWrite() {
  auto isFill = [](uint8_t byte) { return byte == kFill; };
  std::optional<int64_t> place;
  auto look = [&](uint8_t *begin, uint8_t *end) {
    uint8_t *written = std::find_if_not(begin, end, isFill);
    if (written == end)
      return;
    if (!place)
      place = written - bytes.get();
    std::memset(written, kFill, end - written);
  };
  look(pages.begin, pages.data);
  look(pages.data + pages.size, pages.end);
  return place;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<uint64_t> countElements(ElementType type, ArrayRef<int64_t> shape,
                                      std::string *reason) {
  bool tooLarge = false, empty = false;
  uint64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0) {
      if (reason)
        *reason = "an extent of " + std::to_string(extent) + " is negative";
      return std::nullopt;
    }
    // Any extent may still be zero, so the limit is applied at the end.
    if (extent == 0)
      empty = true;
    else if (count > Tensor::kMaxBytes / extent)
      tooLarge = true;
    else
      count *= extent;
  }
  if (empty)
    return 0;
  if (!tooLarge && count * elementBytes(type) <= Tensor::kMaxBytes)
    return count;
  if (reason)
    *reason = "a tensor has at most " + std::to_string(Tensor::kMaxBytes) + " bytes";
  return std::nullopt;
}

Expected<Tensor> Tensor::create(ElementType type, ArrayRef<int64_t> shape, Placement placement,
                                uint64_t alignment) {
  assert(type != ElementType::I1 && "no tensors of i1");
  assert(isPowerOf2_64(alignment) && "alignments are powers of two");
  std::string reason;
  std::optional<uint64_t> count = countElements(type, shape, &reason);
  if (!count)
    return createStringError(reason);
  uint64_t size = *count * elementBytes(type);
  Pages pages;
  Storage storage = placement == Placement::Heap ? allocateHeap(size, alignment)
                                                 : allocateGuarded(size, alignment, pages);
  if (!storage)
    return createStringError("no memory for a tensor of " + std::to_string(size) + " bytes");
  return Tensor(type, shape, *count, std::move(storage), pages, alignment);
}

Expected<Tensor> Tensor::view(uint64_t first, ArrayRef<int64_t> shape) const {
  std::string reason;
  std::optional<uint64_t> seen = countElements(elementType, shape, &reason);
  if (!seen)
    return createStringError(reason);
  if (first > count || *seen > count - first)
    return createStringError(std::to_string(*seen) + " elements from element " +
                             std::to_string(first) + " on do not fit into " +
                             std::to_string(count));
  return Tensor(elementType, shape, *seen,
                Storage(bytes, bytes.get() + first * elementBytes(elementType)), pages, alignment);
}

Expected<Tensor> Tensor::clone(Placement placement) const {
  Expected<Tensor> copy = create(elementType, extents, placement, alignment);
  if (copy)
    std::memcpy(copy->data(), data(), byteSize());
  return copy;
}

Scalar Tensor::get(uint64_t flat) const {
  assert(flat < count && "element outside of the tensor");
  unsigned size = elementBytes(elementType);
  uint64_t bits = 0;
  // Elements are stored as on the devices, least significant byte first.
  for (unsigned i = 0; i < size; ++i)
    bits |= uint64_t(data()[flat * size + i]) << (8 * i);
  return Scalar::fromBits(elementType, bits);
}

void Tensor::set(uint64_t flat, const Scalar &value) {
  assert(flat < count && "element outside of the tensor");
  assert(value.type() == elementType && "value of another type");
  unsigned size = elementBytes(elementType);
  for (unsigned i = 0; i < size; ++i)
    data()[flat * size + i] = static_cast<uint8_t>(value.bits() >> (8 * i));
}

std::string Tensor::position(uint64_t flat) const {
  SmallVector<uint64_t, 4> coordinates(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    coordinates[i] = flat % extents[i];
    flat /= extents[i];
  }
  std::string text;
  raw_string_ostream os(text);
  os << '[';
  for (size_t i = 0; i < coordinates.size(); ++i)
    os << (i ? ", " : "") << coordinates[i];
  os << ']';
  return text;
}

} // namespace loom::runtime
