#pragma once
/// ChannelEngine: NCCL's channels, which are persistent kernels that receive, add, store and send a message slice by slice
/// (docs/blocks/nccl_channels.md).

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/streams/core/array_memory.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/channel_event.h"
#include "modules/streams/core/copy_hub.h"
#include "modules/streams/core/kernel_sequence.h"
#include "modules/streams/core/paced_access.h"
#include "modules/streams/core/program_part.h"
#include "modules/streams/core/semaphore_table.h"
#include "modules/streams/nccl_params.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

/// Each channel runs its steps one after another. A step begins when the time of a hop has passed since its input arrived
/// and the slot that it fills is free. It lasts bytes / rate of the channel, or until its last flit has left if that is
/// later. Then its semaphores leave. A step whose input is already at its final address lasts no time. A channel is a thread
/// block of each kernel of the program, or a group of its warps (KernelSequence).
class ChannelEngine : public ProgramPart, private BurstSource, private SemaphoreWaiter {
 public:
  static constexpr unsigned max_channels = 32;       // NCCL's MAXCHANNELS since 2.5
  static constexpr unsigned standard_channels = 16;  // NCCL 2.4
  static constexpr unsigned most_groups = 1024;      // groups of warps, each a channel of the engine
  struct Around {
    CopyHub& hub;
    SemaphoreTable& semaphores;
    ArrayMemory& memory;
    MemoryRate* rate = nullptr;  ///< shared by all users of the memory; null without a limit
    unsigned multiprocessors = KernelSequence::unlimited;
  };
  /// `params` has no automatic values. The engine sees a freed slot after `acquire`. It has `channels` channels, at
  /// most most_groups.
  ChannelEngine(const NcclParams& params, Tick acquire, const Around& around, unsigned channels = standard_channels)
      : params_(params), acquire_(acquire), around_(around), channels_(channels) {}

  // ProgramPart
  void post(const StreamProgram& program, Tick t0) override;
  Tick next() const override { return events_.next(); }
  void handle(Tick now) override;
  bool done() const override { return left_ == 0; }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

  /// Values of the level `busy`: rate that a channel moves its bytes at.
  static constexpr std::uint64_t at_link_rate = 1, at_reduce_rate = 2, at_host_rate = 3;
  /// Returns the time from the begin of a step to its end, unless its links need longer.
  Tick duration(const ChannelStep& step) const { return overhead(step) + moves(step); }

 private:
  struct Pending {
    Tick ready = 0;        // earliest begin, from the semaphores that have reached their values
    unsigned missing = 0;  // semaphores that have not reached their values
    Tick seen = 0;         // time from the condition that determines `ready`
    ChannelWait wait = ChannelWait::base;
  };
  /// The range of a step that crosses one of the links of its path.
  struct Lane {
    BurstCutter bursts = {};
    std::uint64_t bytes = 0;
  };
  struct Channel {
    std::vector<std::uint32_t> steps = {};  // numbers in the program
    std::size_t head = 0;
    Tick free_at = 0;  // end of the step before the head
    unsigned block = 0;
    bool resident = false;  // its block of the current kernel has begun and not ended
    bool running = false;
    Tick begun = 0, moves_at = 0, ends = 0;  // `moves_at`: its first byte moves
    CopyCommand copy = {};
    std::vector<Lane> lanes = {};
    unsigned lanes_left = 0;
    PacedAccess access = {};  // of a step that sends nothing
    SignalProbe step = {}, busy = {};
  };
  /// A thread block: channels `first` to `end` - 1, which run at once; `running` have not ended in the kernel.
  struct Block {
    unsigned first = 0, end = 0, running = 0;
  };
  // BurstSource
  void room(std::uint32_t copy, unsigned lane, Tick now) override;
  void left(std::uint32_t copy, unsigned lane, Tick now) override;
  // SemaphoreWaiter
  void reached(std::uint32_t token, Tick there, Tick now) override;

  /// Returns the bytes of traffic of the memory for each byte of a step.
  static unsigned accesses(const ChannelStep& s) { return 0u + s.reads_own + s.reads_input + s.stores; }
  /// Returns the times of the program's protocol; null: NcclParams has them.
  const ChannelTimes* times() const { return program_ != nullptr && program_->times ? &*program_->times : nullptr; }
  /// Returns the time of a step before its bytes move: the barrier of the block's threads, the fence and the post.
  Tick overhead(const ChannelStep& step) const {
    return times() != nullptr && step.reads_input && !step.continues ? times()->overhead : 0;
  }
  Tick moves(const ChannelStep& step) const { return std::max(of_channel(step), of_host(step)); }
  /// Returns the time of the step's bytes at the rate of the channel.
  Tick of_channel(const ChannelStep& step) const;
  /// Returns the time to read its input in host memory; 0 for any other input.
  Tick of_host(const ChannelStep& step) const;
  bool by_host(const ChannelStep& step) const { return of_host(step) > of_channel(step); }
  std::uint64_t level(const ChannelStep& step) const {
    return by_host(step) ? at_host_rate : adds(step) ? at_reduce_rate : at_link_rate;
  }
  static bool adds(const ChannelStep& step) { return step.reads_own && step.reads_input; }
  const ChannelStep& head(const Channel& c) const { return program_->steps[c.steps[c.head]]; }
  void await(std::uint32_t step, Tick t0);
  void begin_blocks(const KernelSequence::Begun& begun, Tick now);
  void begin_channel(unsigned channel, Tick now);
  void end_channel(unsigned channel, Tick now);
  void load_blocks(const StreamProgram& program);
  bool has_ended(const Channel& c) const { return c.head == c.steps.size() || head(c).kernel != kernels_.kernel(); }
  Tick launched() const;
  std::string awaited_kernel(unsigned channel) const;
  void look(unsigned channel);
  void begin(unsigned channel, Tick now);
  void show(const Channel& c, bool begins, Tick now) const;
  Tick seen_after(const ChannelStep& step, ChannelWait wait) const;
  std::uint64_t move_data(const ChannelStep& step);
  void send(Channel& c, const ChannelStep& step, std::uint64_t source, Tick now);
  void push(Channel& c, unsigned lane, Tick now);
  void access(unsigned channel);
  void end(unsigned channel, Tick now);

  NcclParams params_;
  Tick acquire_;
  Around around_;
  const StreamProgram* program_ = nullptr;
  KernelSequence kernels_;
  std::vector<Block> blocks_;
  std::vector<Channel> channels_;       // of constant size, as their probes keep their addresses
  std::vector<std::uint16_t> senders_;  // by the number of a copy: its channel
  std::vector<Pending> pending_;        // by step
  std::size_t left_ = 0;
  EventSlots<10> events_;  // by channel
  static_assert(most_groups <= EventSlots<10>::count);
  ChannelStepProbe steps_;
  SignalProbe kernel_;
};

}  // namespace tributary
