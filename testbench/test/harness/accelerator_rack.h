#pragma once

#include <cstring>
#include <vector>

#include "modules/base/random.h"
#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary {

using Payload = std::vector<std::byte>;

/// Operands whose sum depends on the order of addition.
inline Payload floats(unsigned rank, std::uint32_t message, std::uint32_t offset) {
  Payload data(1024);
  for (unsigned i = 0; i < 256; ++i) {
    const std::uint64_t r = random_at(7, rank, (std::uint64_t{message} << 32) + offset * 256 + i);
    const float x = static_cast<float>(below(r, 1'000'003)) * (r & 1u ? 1e-3F : 1e4F);
    std::memcpy(&data[4 * i], &x, 4);
  }
  return data;
}
inline float at(const std::byte* data, unsigned i) {
  float x;
  std::memcpy(&x, data + 4 * i, 4);
  return x;
}

/// One accelerator and its workers: six, or the number of hosts of the ring.
struct AcceleratorRack {
  explicit AcceleratorRack(const RingFrames& frames, const AcceleratorParams& params = {},
                           const AggregationParams& rules = {}, bool with_data = true)
      : ring(frames), bench(frames.hosts, params, rules, frames.window), data(with_data) {
    bench.core->begin({ring.ring()}, with_data);
  }
  void send(unsigned rank, std::uint32_t message, std::uint32_t offset, Tick tail) {
    const Payload payload = floats(rank, message, offset);
    bench.receive(rank, ring.gradient(bench.pool, rank, message, offset, data ? payload.data() : nullptr), tail);
  }
  void send_all(std::uint32_t message, std::uint32_t offset, Tick tail) {
    for (unsigned r = 0; r < ring.hosts; ++r) send(r, message, offset, tail);
  }

  RingFrames ring;
  AcceleratorBench bench;
  bool data;
};

}  // namespace tributary
