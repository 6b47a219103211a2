#pragma once
/// Parameters of the front end of a GPU: streams, copy engines and kernels (Wang et al., MLSys 2020, 4).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// The arbitration of copies for the links to a peer.
enum class CopyArbitration : std::uint8_t { first, in_turn, sticky };
/// The links that one copy engine may drive: all of its GPU, or those of its own paths.
enum class EngineLinks : std::uint8_t { all, own };
/// The stream of kernels: that of the copy that follows, or a separate one.
enum class KernelStream : std::uint8_t { shared, own };

template <>
struct EnumNames<CopyArbitration> {
  static const std::vector<std::pair<CopyArbitration, std::string>>& names() {
    static const std::vector<std::pair<CopyArbitration, std::string>> n{
        {CopyArbitration::first, "first"}, {CopyArbitration::in_turn, "in_turn"}, {CopyArbitration::sticky, "sticky"}};
    return n;
  }
};
template <>
struct EnumNames<EngineLinks> {
  static const std::vector<std::pair<EngineLinks, std::string>>& names() {
    static const std::vector<std::pair<EngineLinks, std::string>> n{{EngineLinks::all, "all"}, {EngineLinks::own, "own"}};
    return n;
  }
};
template <>
struct EnumNames<KernelStream> {
  static const std::vector<std::pair<KernelStream, std::string>>& names() {
    static const std::vector<std::pair<KernelStream, std::string>> n{{KernelStream::shared, "shared"},
                                                                     {KernelStream::own, "own"}};
    return n;
  }
};

struct StreamsParams {
  std::uint32_t queues = 32;
  Time acquire = 1_us;
  Time release = 1500_ns;
  Time issue = 0_ns;
  Time doorbell = 0_ns;
  std::uint32_t batch = 1;

  /// Returns the time from the start of a program until the GPU knows command `number`: the host issues commands one after
  /// another, and announces each batch of them, or the rest, with one doorbell. `commands`: number of all commands.
  Tick known_after(std::uint64_t number, std::uint64_t commands) const {
    const std::uint64_t batches = number / batch + 1;
    return std::min(batches * batch, commands) * issue.value + batches * doorbell.value;
  }
  /// Returns the host's time for a command, without end effects.
  Tick host_time() const { return issue.value + doorbell.value / batch; }
};
template <class V>
void visit(V& v, StreamsParams& p) {
  v.field("queues", p.queues,
          Note("hardware queues of a GPU; stream s uses queue s mod this number, a FIFO")
              .role(ParameterRole::room)
              .source("CUDA_DEVICE_MAX_CONNECTIONS, docs/blocks/stream_gpu.md#front-end [G]")
              .range("1", "128"));
  v.field("acquire", p.acquire,
          Note("time of a wait after its semaphore has reached the value; it is also the lookahead of GPUs: runs need more "
               "processor time below 1us")
              .role(ParameterRole::delay)
              .source("docs/blocks/stream_gpu.md#times-of-commands [G]")
              .range("0ns", "1ms"));
  v.field("release", p.release,
          Note("time of a record before its packet may leave")
              .role(ParameterRole::delay)
              .source("docs/blocks/stream_gpu.md#times-of-commands [G]")
              .range("0ns", "1ms"));
  v.field("issue", p.issue,
          Note("time of a GPU's host thread from one command to the next; 0: all are posted before the measured time")
              .role(ParameterRole::cycle)
              .source("docs/blocks/stream_gpu.md#times-of-commands [G]")
              .range("0ns", "1ms"));
  v.field("doorbell", p.doorbell,
          Note("time of a GPU's host thread to announce the commands of a batch, in addition to `issue`")
              .role(ParameterRole::cycle)
              .source("docs/blocks/stream_gpu.md#costs-of-the-host [G]")
              .range("0ns", "1ms"));
  v.field("batch", p.batch,
          Note("commands that the host announces with one doorbell")
              .role(ParameterRole::shape)
              .source("docs/blocks/stream_gpu.md#costs-of-the-host [G]")
              .range("1", "65536"));
}

struct CopyParams {
  std::optional<std::uint32_t> engines;
  Time launch = 2500_ns;
  std::uint32_t burst = 15;
  std::optional<CopyArbitration> arbitration;
  Bandwidth rate{};
  Bytes window{};
  Time fetch{};
  Time completion{};
  std::uint32_t physical = 0;
  EngineLinks links = EngineLinks::all;
  Time clock{};

  /// Returns the most copies that a GPU runs simultaneously. It needs a value of `engines`; so does of_engine().
  std::uint32_t concurrent() const { return physical == 0 ? *engines : std::min(physical, *engines); }
  /// Returns the clock of an engine in RTL.
  Time interface_clock() const { return clock.value == 0 ? 1_ns : clock; }
  /// Returns the parameters of a logical engine, with the rate and window of its physical engines together.
  CopyParams of_engine(std::uint32_t engine) const {
    CopyParams own = *this;
    const std::uint32_t count = physical <= *engines ? 1 : (physical - engine - 1) / *engines + 1;
    own.rate = bytes_per_second(rate.value * count);
    own.window = bytes(window.value * count);
    return own;
  }
};
template <class V>
void visit(V& v, CopyParams& p) {
  v.field("engines", p.engines,
          Note("logical copy engines of a GPU: copies that it runs simultaneously")
              .role(ParameterRole::room)
              .source("asyncEngineCount of deviceQuery, docs/blocks/copy_engine.md#engines [G]")
              .range("1", "16")
              .automatic("by the kind of GPU, docs/systems/blink.md#gpus"));
  v.field("launch", p.launch,
          Note("time from the grant of a copy's engine and links to its first packet")
              .role(ParameterRole::delay)
              .source("docs/blocks/stream_gpu.md#times-of-commands [G]")
              .range("0ns", "1ms"));
  v.field("fetch", p.fetch,
          Note("time to fetch a copy's descriptor at its turn in its queue, before an engine and links are granted")
              .role(ParameterRole::delay)
              .source("docs/blocks/stream_gpu.md#times-of-commands [G]")
              .range("0ns", "1ms"));
  v.field("completion", p.completion,
          Note("time from the last flit of a copy to its end, in which its engine is not free")
              .role(ParameterRole::delay)
              .source("docs/blocks/stream_gpu.md#times-of-commands [G]")
              .range("0ns", "1ms"));
  v.field("burst", p.burst,
          Note("packets that are simulated as one; no time depends on it on links that carry one copy at a time")
              .role(ParameterRole::shape)
              .source("docs/blocks/copy_engine.md#bursts [D]")
              .range("1", "15"));
  v.field(
      "arbitration", p.arbitration,
      Note("arbitration of copies for the links to a peer: the copy that was ready first, all running copies in turn, or "
           "the stream that last held the links")
          .source("Blink 4 [P], docs/blocks/stream_gpu.md#arbitration [G]")
          .automatic("first; in_turn if GPUs reach their peers through NVSwitches"));
  v.field("rate", p.rate,
          Note("highest rate of one physical copy engine over all links of a copy; 0GB/s: no limit")
              .role(ParameterRole::rate)
              .source("docs/blocks/copy_engine.md#rate-and-window [G]")
              .range("0GB/s", "100TB/s"));
  v.field(
      "window", p.window,
      Note("bytes that a physical copy engine has requested from the memory and that have not begun to leave, at least one "
           "burst; 0B: no limit")
          .role(ParameterRole::room)
          .source("docs/blocks/copy_engine.md#rate-and-window [G]")
          .range("0B", "1GiB"));
  v.field("physical", p.physical,
          Note("physical copy engines of a GPU, which are distributed over its logical engines in turn; 0: as many as "
               "logical engines")
              .role(ParameterRole::room)
              .source("docs/blocks/copy_engine.md#logical-and-physical-engines [G]")
              .range("0", "64"));
  v.field("links", p.links,
          Note("links that a copy engine may drive: all of its GPU, or those of paths whose first port has the engine's "
               "number modulo the number of engines")
              .source("docs/blocks/copy_engine.md#logical-and-physical-engines [G]"));
  v.field(
      "clock", p.clock,
      Note("clock of an engine, at whose edges a copy is launched and ends; 0ns: at any time, and 1 ns for an engine in RTL")
          .role(ParameterRole::delay)
          .source("docs/blocks/copy_engine.md#clock [D]")
          .range("0ns", "1us"));
}

struct KernelParams {
  Time launch = 5_us;
  std::optional<Bandwidth> rate;
  std::uint32_t fan_in = 4;
  KernelStream stream = KernelStream::shared;
  std::optional<std::uint32_t> multiprocessors = {};
};
template <class V>
void visit(V& v, KernelParams& p) {
  v.field("launch", p.launch,
          Note("time from a kernel's turn in its stream to its start")
              .role(ParameterRole::delay)
              .source("docs/blocks/stream_gpu.md#kernels [G]")
              .range("0ns", "1ms"));
  v.field("rate", p.rate,
          Note("rate of a sum of two arrays (three accesses per byte); kernels run one after another")
              .role(ParameterRole::rate)
              .source("docs/blocks/stream_gpu.md#kernels [G]")
              .range("1MB/s", "100TB/s")
              .automatic("by the kind of GPU, docs/systems/blink.md#gpus"));
  v.field("fan_in", p.fan_in,
          Note("inputs that one kernel adds to its destination")
              .role(ParameterRole::shape)
              .source("docs/blocks/stream_gpu.md#kernels [G]")
              .range("1", "8"));
  v.field("stream", p.stream,
          Note("stream of a kernel: that of the copy that follows it, or a separate stream")
              .source("docs/blocks/stream_gpu.md#kernels [G]"));
  v.field("multiprocessors", p.multiprocessors,
          Note("multiprocessors of a GPU; each runs one thread block of a kernel of NCCL")
              .role(ParameterRole::room)
              .source("white papers of NVIDIA, docs/blocks/nccl_protocols.md#multiprocessors")
              .range("1", "1024")
              .automatic("by the kind of GPU, docs/blocks/nccl_protocols.md#multiprocessors"));
}

}  // namespace tributary
