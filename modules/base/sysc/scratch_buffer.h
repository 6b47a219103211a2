#pragma once
/// ScratchBuffer: memory that may be written and is never read.

#include <cstddef>
#include <cstdint>

namespace tributary {

/// Grows to the longest access so far. Pages that are never written occupy no memory of the simulating machine.
class ScratchBuffer {
 public:
  ScratchBuffer() = default;
  ScratchBuffer(const ScratchBuffer&) = delete;
  ScratchBuffer& operator=(const ScratchBuffer&) = delete;
  ~ScratchBuffer();

  /// Returns a place of at least `bytes`; it stays until the next longer one. Throws std::bad_alloc, after a call of the
  /// new-handler.
  std::byte* of(std::uint64_t bytes) {
    if (bytes > size_) grow(bytes);
    return data_;
  }

 private:
  void grow(std::uint64_t bytes);

  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace tributary
