#pragma once
/// LargeBuffer: uninitialised memory for large data with scattered accesses, on huge pages if the system offers them.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tributary {

struct FreeBuffer {
  void operator()(std::byte* p) const { std::free(p); }
};
using LargeBuffer = std::unique_ptr<std::byte[], FreeBuffer>;

inline constexpr std::size_t huge_page = 2u << 20;

/// Throws std::bad_alloc, after a call of the new-handler.
inline LargeBuffer make_large_buffer(std::size_t bytes) {
  const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
  LargeBuffer buffer(static_cast<std::byte*>(std::aligned_alloc(huge_page, whole)));
  if (buffer == nullptr) {
    if (const std::new_handler handler = std::get_new_handler()) handler();
    throw std::bad_alloc();
  }
  // Only a hint: without huge pages, more address translations miss. A partial last page would cost a whole huge page.
  madvise(buffer.get(), bytes / huge_page * huge_page, MADV_HUGEPAGE);
  return buffer;
}

}  // namespace tributary
