#pragma once
/// What a GPU with copy engines does for one collective: streams of commands, as CUDA has them (Wang et al., MLSys 2020, 4),
/// and channels, as NCCL has them.

#include <cstdint>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"

namespace tributary {

/// Which way a copy to a peer takes.
enum class CopyPath : std::uint8_t { nvlink, pcie, network };

/// One command of a stream. A stream is carried out in order: a command begins when the one before it has ended.
struct StreamCommand {
  enum class Kind : std::uint8_t {
    copy,         ///< `bytes` from the own memory at `source` to that of `peer` at `destination`, by a copy engine
    record,       ///< adds 1 to `semaphore` of `peer` (the own number: here), behind all earlier copies of its stream there
    wait,         ///< until the own `semaphore` is at least `value`; `peer` adds to it (told where it waits for ever)
    kernel,       ///< adds `inputs` addresses in the own memory to `bytes` at `destination`, element by element
    peer_switch,  ///< the host turns peer access of `value` GPUs (at least one) from NVLink to PCIe, once
  };
  static constexpr unsigned max_inputs = 8;
  static constexpr std::uint32_t no_chunk = ~std::uint32_t{0};

  Kind kind = Kind::copy;
  CopyPath path = CopyPath::nvlink;  ///< of a copy, and of a record behind it
  std::uint8_t input_count = 0;
  std::uint16_t stream = 0;
  std::uint16_t peer = 0;
  std::uint32_t semaphore = 0;
  std::uint32_t value = 0;
  std::uint32_t chunk = no_chunk;  ///< for observers: number of the chunk that it serves
  std::uint64_t source = 0, destination = 0, bytes = 0;
  std::uint64_t inputs[max_inputs] = {};
};

/// One step of a channel: the fused receive, reduce, store and send of a persistent kernel. It begins when the step before
/// it in its channel has ended, `arrived` has come to `arrivals`, and `granted` to `grants`: 0 of either asks for nothing.
/// What is sent: the own data at `own`, or what lies at `input`, or their sum; stored at `own` if it says so. At its end it
/// adds 1 to semaphore `tell` of `peer`, behind the data, and 1 to semaphore `grant` of `giver`: the slot is free again.
struct ChannelStep {
  static constexpr std::uint16_t none = 0xFFFF;

  std::uint16_t channel = 0;
  CopyPath path = CopyPath::nvlink;
  bool reads_own = false, reads_input = false, stores = false;
  std::uint32_t arrived = 0, arrivals = 0;  ///< semaphore, value
  std::uint32_t granted = 0, grants = 0;    ///< semaphore, value
  std::uint64_t own = 0, input = 0, bytes = 0;
  std::uint16_t peer = none;  ///< it sends to that one
  std::uint64_t destination = 0;
  std::uint32_t tell = 0;
  std::uint16_t giver = none;  ///< whose slot it has emptied
  std::uint32_t grant = 0;
  CopyPath arrived_by = CopyPath::nvlink;  ///< way of what lies at `input`
  bool direct = false;                     ///< its sender has put it at `own`, too: taking it alone costs no time
  bool low_latency = false;                ///< flags among its data: seen sooner, moved more slowly
};

/// All that one GPU does for one collective: posted whole, before the measured time begins. It is done when all has ended.
struct StreamProgram {
  std::vector<StreamCommand> commands = {};  ///< in the order of issue, over all streams
  std::vector<ChannelStep> steps = {};       ///< in the order of each channel
  std::uint32_t streams = 0, channels = 0, semaphores = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

}  // namespace tributary
