#pragma once
/// A request generator, and requests for it.

#include <cstdint>
#include <vector>

#include "modules/gpu/core/request_generator.h"

namespace tributary {

inline DmaParams dma_params(std::uint32_t shuffle = 0, std::uint32_t retry_limit = 0) {
  DmaParams p;
  p.issue_order.window = shuffle;
  p.retry_delay = 100_ns;
  p.retry_limit = retry_limit;
  return p;
}
inline RequestGenerator::Request request(std::uint64_t first, std::uint64_t count, std::uint32_t wave = 64,
                                         std::uint32_t tag = 0) {
  RequestGenerator::Request r;
  r.first_block = first;
  r.block_count = count;
  r.wave_blocks = wave;
  r.tag = tag;
  return r;
}
/// Issues all blocks that the credits allow.
inline std::vector<std::uint64_t> issue(RequestGenerator& e, Tick now, std::size_t most = ~std::size_t{0}) {
  std::vector<std::uint64_t> blocks;
  while (e.ready() && blocks.size() < most) {
    blocks.push_back(e.next_block());
    e.issued(now);
  }
  return blocks;
}
inline std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> r;
  for (std::uint64_t i = 0; i < count; ++i) r.push_back(first + i);
  return r;
}
/// Issues all blocks; each one is answered immediately.
inline std::vector<std::uint64_t> issue_all(RequestGenerator& e) {
  std::vector<std::uint64_t> order;
  for (Tick now = 0; e.ready(); ++now) {
    order.push_back(e.next_block());
    e.issued(now);
    e.arrived(order.back(), now);
  }
  return order;
}

}  // namespace tributary
