#include "modules/gpu/core/array_access.h"

#include <array>

namespace tributary {
namespace {

using Block = std::array<std::byte, block_bytes>;

/// Calls `each(offset, bytes)` for each block of an array.
template <class Each>
void for_blocks(std::uint64_t bytes, Each each) {
  for (std::uint64_t offset = 0; offset < bytes; offset += block_bytes)
    each(offset, cut_block(block_bytes, bytes - offset, 0));
}

}  // namespace

void ArrayAccess::add(std::uint64_t destination, const std::uint64_t* inputs, unsigned count, std::uint64_t bytes,
                      ReduceOp op, ElementType type) {
  alignas(16) Block sum, input;
  seat_.count_kernel(bytes * (count + 1), bytes, bytes * count / element_size(type));
  MemoryAccess& memory = seat_.memory();
  const bool with_data = seat_.config().with_data;
  std::byte *const s = with_data ? sum.data() : nullptr, *const d = with_data ? input.data() : nullptr;
  for_blocks(bytes, [&](std::uint64_t offset, unsigned length) {
    memory.load(destination + offset, s, length);
    for (unsigned i = 0; i < count; ++i) {
      memory.load(inputs[i] + offset, d, length);
      if (with_data) apply(op, type, s, d, length);
    }
    memory.store(destination + offset, s, length);
  });
}

void ArrayAccess::move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) {
  alignas(16) Block block;
  seat_.count_kernel(bytes, bytes, 0);
  MemoryAccess& memory = seat_.memory();
  std::byte* const data = seat_.config().with_data ? block.data() : nullptr;
  for_blocks(bytes, [&](std::uint64_t offset, unsigned length) {
    memory.load(source + offset, data, length);
    memory.store(destination + offset, data, length);
  });
}

}  // namespace tributary
