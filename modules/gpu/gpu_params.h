#pragma once
/// GpuParams: parameters of a GPU: memory, DMA engine with wave controller, command executor.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/gpu/core/issue_order.h"

namespace tributary {

enum class Initiator : std::uint8_t { dma, cores };
enum class CounterLookup : std::uint8_t { address, id };

template <>
struct EnumNames<Initiator> {
  static const std::vector<std::pair<Initiator, std::string>>& names() {
    static const std::vector<std::pair<Initiator, std::string>> n{{Initiator::dma, "dma"}, {Initiator::cores, "cores"}};
    return n;
  }
};
template <>
struct EnumNames<CounterLookup> {
  static const std::vector<std::pair<CounterLookup, std::string>>& names() {
    static const std::vector<std::pair<CounterLookup, std::string>> n{{CounterLookup::address, "address"},
                                                                      {CounterLookup::id, "id"}};
    return n;
  }
};

struct MemoryParams {
  Time latency = 115'200_ps;
  Time jitter = 115'200_ps;
};
template <class V>
void visit(V& v, MemoryParams& p) {
  v.field("latency", p.latency,
          Note("fixed part of a read: 180 cycles of 0.64 ns")
              .role(ParameterRole::delay)
              .source("Klenk V [P], docs/systems/klenk.md#delays [G]")
              .range("0ns", "1ms"));
  v.field("jitter", p.jitter,
          Note("width of the uniform random part of a read: 180 cycles of 0.64 ns")
              .role(ParameterRole::delay)
              .source("Klenk V [P], docs/systems/klenk.md#delays [G]")
              .range("0ns", "1ms"));
}

struct DmaParams {
  std::optional<std::uint32_t> waves;
  Bytes wave_bytes = 8_KiB;
  IssueOrder issue_order;
  Time retry_delay = 100_ns;
  std::uint32_t retry_limit = 0;
  std::uint32_t tx_queue = 64;
  CounterLookup counter_lookup = CounterLookup::address;
  Time request_delay = 172'800_ps;
  std::optional<std::uint32_t> multicast_waves;
};
template <class V>
void visit(V& v, DmaParams& p) {
  v.field("waves", p.waves,
          Note("wave counters, the maximum waves in flight; 0: unlimited")
              .role(ParameterRole::room)
              .source("Klenk VI-A [P]")
              .range("0", "4096")
              .automatic("on dgx2 4 for pull and 16 otherwise, on fat_tree 16 and 64"));
  v.field(
      "wave_bytes", p.wave_bytes,
      Note("bytes of a wave").role(ParameterRole::shape).source("Klenk VI-A [P]").range("128B", "1GiB").multiple_of("128B"));
  v.field("issue_order", p.issue_order,
          Note("order of requests; shuffled:N permutes windows of N blocks, independently on each GPU")
              .source("docs/systems/klenk.md#issue-order [G]"));
  v.field("retry_delay", p.retry_delay,
          Note("delay after which a DMA request without a free counter tries again")
              .role(ParameterRole::delay)
              .source("Klenk IV-D [P]")
              .range("1ns", "1s"));
  v.field("retry_limit", p.retry_limit,
          Note("tries before the engine reports an error to the host; 0: unlimited")
              .role(ParameterRole::shape)
              .source("Klenk IV-D [P]"));
  v.field("tx_queue", p.tx_queue,
          Note("packets queued or being read for one link at which the request generator pauses")
              .role(ParameterRole::room)
              .source("docs/systems/klenk.md#issue-order [G]")
              .range("1", "1000000"));
  v.field("counter_lookup", p.counter_lookup,
          Note("a response selects its wave counter by address, or by the counter's number, which packets then carry")
              .source("Klenk IV-D [P]"));
  v.field(
      "request_delay", p.request_delay,
      Note("nvswitch.pull.segmentation=requests: delay from the last response of a DMA request to the first block of the "
           "next; software "
           "sees a flag in memory, 270 cycles of 0.64 ns")
          .role(ParameterRole::delay)
          .source("docs/systems/klenk.md#segmentation [G]")
          .range("0ns", "1ms"));
  v.field("multicast_waves", p.multicast_waves,
          Note("on clusters: wave counters of the multicasts that are in flight with pulls of other chunks; 0: unlimited")
              .role(ParameterRole::room)
              .source("docs/blocks/dma_engine.md#several-queues [G]")
              .range("0", "4096")
              .automatic("as nvswitch.gpu.dma.waves"));
}

/// Requests by the GPU's cores instead of its DMA engine: many small ones, in arbitrary order
/// (docs/systems/klenk.md#cores).
struct CoresParams {
  std::uint32_t outstanding = 512;
  std::uint32_t window = 4096;
};
template <class V>
void visit(V& v, CoresParams& p) {
  v.field("outstanding", p.outstanding,
          Note("nvswitch.gpu.initiator=cores: maximum outstanding loads (pull) of all threads of a GPU; the stores of a "
               "push are posted")
              .role(ParameterRole::room)
              .source("docs/systems/klenk.md#cores [G]")
              .range("1", "1000000"));
  v.field(
      "window", p.window,
      Note("nvswitch.gpu.initiator=cores: requests are in random order within windows of this many blocks, independently on "
           "each GPU")
          .role(ParameterRole::shape)
          .source("docs/systems/klenk.md#cores [G]")
          .range("1", "16777216"));
}

struct ExecutorParams {
  Bandwidth local_rate = 300_GBps;
};
template <class V>
void visit(V& v, ExecutorParams& p) {
  v.field("local_rate", p.local_rate,
          Note("rate of chunks that are reduced or copied but not sent, in parallel to sends: a third of the 900 GB/s of a "
               "V100's "
               "memory, which is read twice and written")
              .role(ParameterRole::rate)
              .source("docs/blocks/command_executor.md [G]")
              .range("1GB/s", "100TB/s"));
}

struct GpuParams {
  Time doorbell_latency = 1_us;
  Initiator initiator = Initiator::dma;
  MemoryParams memory;
  DmaParams dma;
  CoresParams cores;
  ExecutorParams executor;
};
template <class V>
void visit(V& v, GpuParams& p) {
  v.field("doorbell_latency", p.doorbell_latency,
          Note("latency from host to GPU, before the measured time begins; at least the lookahead")
              .role(ParameterRole::delay)
              .source("docs/architecture.md#a-run")
              .range("1ns", "1s"));
  v.field("initiator", p.initiator,
          Note("unit that requests the blocks of an in-network reduction: the DMA engine, in waves, or the cores, in "
               "arbitrary order")
              .source("Klenk IV-F [P]"));
  v.group("memory", p.memory);
  v.group("dma", p.dma);
  v.group("cores", p.cores);
  v.group("executor", p.executor);
}

}  // namespace tributary
