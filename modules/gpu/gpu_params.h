#pragma once
/// Parameters of a GPU: memory, DMA engine with wave controller, command executor.

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/gpu/core/issue_order.h"

namespace tributary {

struct MemoryParams {
  Time latency = 115'200_ps;
  Time jitter = 115'200_ps;
};
template <class V>
void visit(V& v, MemoryParams& p) {
  v.field("latency", p.latency,
          Note("fixed part of a read: 180 cycles of 0.64 ns").source("Klenk V [P], klenk.md 2.3 [G]").range("0ns", "1ms"));
  v.field("jitter", p.jitter,
          Note("width of the uniform random part of a read: 180 cycles of 0.64 ns")
              .source("Klenk V [P], klenk.md 2.3 [G]")
              .range("0ns", "1ms"));
}

struct DmaParams {
  std::optional<std::uint32_t> waves;
  Bytes wave_bytes = 8_KiB;
  IssueOrder issue_order;
  Time retry_delay = 100_ns;
  std::uint32_t retry_limit = 0;
  std::uint32_t tx_queue = 64;
};
template <class V>
void visit(V& v, DmaParams& p) {
  v.field("waves", p.waves,
          Note("wave counters: waves in flight; 0 means no limit")
              .source("Klenk VI-A [P]")
              .range("0", "4096")
              .automatic("on dgx2 4 for pull and 16 otherwise, on fat_tree 16 and 64"));
  v.field("wave_bytes", p.wave_bytes,
          Note("bytes of a wave").source("Klenk VI-A [P]").range("128B", "1GiB").multiple_of("128B"));
  v.field("issue_order", p.issue_order,
          Note("order in which blocks are requested; shuffled:N permutes windows of N blocks, each GPU on its own")
              .source("klenk.md 7 [G]"));
  v.field(
      "retry_delay", p.retry_delay,
      Note("a DMA request that finds no free counter tries again after this").source("Klenk IV-D [P]").range("1ns", "1s"));
  v.field("retry_limit", p.retry_limit,
          Note("tries before the engine reports an error to the host; 0 means no limit").source("Klenk IV-D [P]"));
  v.field("tx_queue", p.tx_queue,
          Note("packets that wait or are being read for one link before the request generator pauses")
              .source("klenk.md 7 [G]")
              .range("1", "1000000"));
}

struct GpuParams {
  Time doorbell_latency = 1_us;
  MemoryParams memory;
  DmaParams dma;
};
template <class V>
void visit(V& v, GpuParams& p) {
  v.field("doorbell_latency", p.doorbell_latency,
          Note("host to GPU, before the measured time begins; at least the lookahead")
              .source("architecture.md")
              .range("1ns", "1s"));
  v.group("memory", p.memory);
  v.group("dma", p.dma);
}

}  // namespace tributary
