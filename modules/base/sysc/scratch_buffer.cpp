#include "modules/base/sysc/scratch_buffer.h"

#include <sys/mman.h>

#include <new>

namespace tributary {
namespace {

void release(std::byte* data, std::uint64_t size) {
  if (data != nullptr) munmap(data, size);
}

}  // namespace

ScratchBuffer::~ScratchBuffer() { release(data_, size_); }

void ScratchBuffer::grow(std::uint64_t bytes) {
  constexpr std::uint64_t page = 4096;
  const std::uint64_t size = (bytes + page - 1) / page * page;
  void* const place = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    if (const std::new_handler handler = std::get_new_handler()) handler();
    throw std::bad_alloc();
  }
  release(data_, size_);
  data_ = static_cast<std::byte*>(place);
  size_ = size;
}

}  // namespace tributary
