#pragma once
/// StreamProgram: the work of a GPU with copy engines for one collective, as CUDA streams of commands (Wang et al., MLSys
/// 2020, 4) and as steps of NCCL's channels.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"

namespace tributary {

/// The path of a copy to a peer.
enum class CopyPath : std::uint8_t { nvlink, pcie, network };

/// One command of a stream. A stream runs in order: a command begins when the previous one has ended.
struct StreamCommand {
  enum class Kind : std::uint8_t {
    copy,         ///< a copy engine copies `bytes` from local memory at `source` to `destination` in the memory of `peer`;
                  ///< with `reads`, from `source` in the memory of `peer` to local memory at `destination`
    record,       ///< adds 1 to `semaphore` of `peer` or of this GPU, after the earlier copies of its stream to it
    wait,         ///< waits until the local `semaphore` is at least `value`; `peer`, which adds to it, is for reports only
    kernel,       ///< adds the arrays at `inputs` in local memory to the `bytes` at `destination`, element by element
    peer_switch,  ///< the host switches peer access of `value` GPUs (at least one) once from NVLink to PCIe
  };
  static constexpr unsigned max_inputs = 8;
  static constexpr std::uint32_t no_chunk = ~std::uint32_t{0};

  Kind kind = Kind::copy;
  CopyPath path = CopyPath::nvlink;  ///< path of a copy, and of a record that follows it
  std::uint8_t input_count = 0;
  bool reads = false;  ///< direction of a copy
  std::uint16_t stream = 0;
  std::uint16_t peer = 0;
  std::uint32_t semaphore = 0;
  std::uint32_t value = 0;
  std::uint32_t chunk = no_chunk;  ///< number of the chunk, for observers
  std::uint64_t source = 0, destination = 0, bytes = 0;
  std::uint64_t inputs[max_inputs] = {};
};

/// One step of a channel: the fused receive, reduce, store and send of a persistent kernel. It begins when the previous step
/// of its channel has ended, semaphore `arrived` is at least `arrivals`, and semaphore `granted` is at least `grants`. The
/// value 0 needs no wait. The step sends the local data at `own`, the data at `input`, or their sum, and stores that at
/// `own` if `stores` is set. At its end it adds 1 to semaphore `tell` of `peer`, after the data, and 1 to semaphore `grant`
/// of `giver`, whose slot is free again.
struct ChannelStep {
  static constexpr std::uint16_t none = 0xFFFF;

  std::uint16_t channel = 0;
  CopyPath path = CopyPath::nvlink;
  bool reads_own = false, reads_input = false, stores = false;
  std::uint16_t kernel = 0;                 ///< number of its kernel; all of a channel are in order
  std::uint32_t arrived = 0, arrivals = 0;  ///< semaphore, value
  std::uint32_t granted = 0, grants = 0;    ///< semaphore, value
  std::uint64_t own = 0, input = 0, bytes = 0;
  std::uint16_t peer = none;  ///< receiver of the data
  std::uint64_t destination = 0;
  std::uint32_t tell = 0;
  std::uint16_t giver = none;  ///< sender of the data at `input`, whose slot the step empties
  std::uint32_t grant = 0;
  CopyPath arrived_by = CopyPath::nvlink;  ///< path of the data at `input`
  bool direct = false;                     ///< the sender has also written the data to `own`: receiving alone costs no time
  bool low_latency = false;                ///< the data contain flags: seen sooner, moved more slowly
  bool from_host = false;                  ///< `input` is in host memory: StreamProgram::host_rate limits the step
  bool continues = false;                  ///< the block goes on with the data of the step before: no overhead
  std::uint8_t warps = 1, of_warps = 1;    ///< part of the rate of ChannelTimes that the step has
};

/// Times of the steps of a program whose channels follow a protocol of NCCL 2.21 or later (docs/blocks/nccl_protocols.md).
struct ChannelTimes {
  const char* group = "";      ///< group of the protocol's parameters: `nccl.ll`
  Tick base = 0;               ///< from the start of the program to the first step
  std::array<Tick, 3> step{};  ///< by CopyPath: from the arrival of a slice to the step that uses it, at the earliest
  Tick overhead = 0;           ///< before the bytes of a step with an input move
  std::uint64_t rate = 0;      ///< at which a channel moves data, bytes/s; 0: no limit
  const char* of_rate = "channel_rate";  ///< parameter of the group that sets `rate`
  std::uint64_t send_rate = 0;           ///< at which it sends data, bytes/s, if that is lower; 0: no limit
  std::uint8_t two_packets = 0;  ///< one of so many blocks needs two packets, as flags fill part of each; 0: no block does

  /// Returns true if `send_rate` determines the rate of a step.
  bool limits(bool sends) const { return sends && send_rate != 0 && (rate == 0 || send_rate < rate); }
  std::uint64_t rate_of(bool sends) const { return limits(sends) ? send_rate : rate; }
  /// Returns the parameter of the group that sets rate_of().
  const char* bound(bool sends) const { return limits(sends) ? "rate" : of_rate; }
};

/// All commands and steps of one GPU for one collective. It is posted as a whole before the measured time begins, and is
/// done when all commands and steps have ended.
struct StreamProgram {
  std::vector<StreamCommand> commands = {};  ///< in the order of issue, over all streams
  std::vector<ChannelStep> steps = {};       ///< in the order of each channel
  std::uint32_t streams = 0, channels = 0, semaphores = 0;
  /// Groups of warps of a thread block, 1 or 2, which run at once, each as a channel: channel c is group c mod `groups` of
  /// block c / `groups`.
  std::uint32_t groups = 1;
  /// Channels up to the end of each thread block, ascending; empty: each block has `groups` channels.
  std::vector<std::uint32_t> block_ends = {};
  /// Rate of a channel as a fraction of the rate of a link, where several channels share links.
  std::uint32_t rate_of = 1, rate_over = 1;
  std::uint64_t host_rate = 0;             ///< rate at which a step reads host memory, bytes/s; 0: no limit
  std::optional<ChannelTimes> times = {};  ///< nothing: NcclParams has the times of all steps
  /// Times of the launches of the kernels of the channels, after the start; empty: one kernel, launched at the start.
  std::vector<Tick> launches = {};
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

}  // namespace tributary
