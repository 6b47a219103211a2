#pragma once
/// ChannelEngine: channels of NCCL: persistent kernels that receive, add, store and send piece by piece
/// (docs/blocks/nccl_channels.md).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/timing/core/event_slots.h"
#include "modules/streams/core/array_memory.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/copy_hub.h"
#include "modules/streams/core/program_part.h"
#include "modules/streams/core/semaphore_table.h"
#include "modules/streams/nccl_params.h"

namespace tributary {

/// Each channel does its steps one after another. A step begins when what it takes has been there for the time of a hop and
/// the slot that it fills is free; it lasts its bytes over the channel's rate, or until its last flit has left, if that is
/// later; then its semaphores leave. Where it takes only what lies in its place already, it takes no time.
class ChannelEngine : public ProgramPart, private BurstSource, private SemaphoreWaiter {
 public:
  static constexpr unsigned max_channels = 16;  // as NCCL's MAXCHANNELS
  struct Around {
    CopyHub& hub;
    SemaphoreTable& semaphores;
    ArrayMemory& memory;
  };
  /// `params` without automatic values; a slot that has come free is seen after `acquire`.
  ChannelEngine(const NcclParams& params, Tick acquire, const Around& around)
      : params_(params), acquire_(acquire), around_(around) {}

  // ProgramPart
  void post(const StreamProgram& program, Tick t0) override;
  Tick next() const override { return events_.next(); }
  void handle(Tick now) override;
  bool done() const override { return left_ == 0; }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

  /// From begin to end of a step, unless its links take longer.
  Tick duration(const ChannelStep& step) const;

 private:
  struct Pending {
    Tick ready = 0;        // what has come so far matters from then on
    unsigned missing = 0;  // semaphores that are not there
  };
  /// What goes over one of the links of a step's way.
  struct Lane {
    BurstCutter bursts = {};
    std::uint64_t bytes = 0;
  };
  struct Channel {
    std::vector<std::uint32_t> steps = {};  // numbers in the program
    std::size_t head = 0;
    Tick free_at = 0;  // its step before the head has ended
    bool running = false;
    Tick begun = 0, ends = 0;
    CopyCommand copy = {};
    std::vector<Lane> lanes = {};
    unsigned lanes_left = 0;
    SignalProbe step = {};
  };
  // BurstSource
  void room(std::uint32_t copy, unsigned lane, Tick now) override;
  void left(std::uint32_t copy, unsigned lane, Tick now) override;
  // SemaphoreWaiter
  void reached(std::uint32_t token, Tick there, Tick now) override;

  const ChannelStep& head(const Channel& c) const { return program_->steps[c.steps[c.head]]; }
  void await(std::uint32_t step, Tick t0);
  void look(unsigned channel);
  void begin(unsigned channel, Tick now);
  std::uint64_t move_data(const ChannelStep& step);
  void send(Channel& c, const ChannelStep& step, std::uint64_t source);
  void push(Channel& c, unsigned lane);
  void end(unsigned channel, Tick now);
  unsigned sender(std::uint32_t copy) const;

  NcclParams params_;
  Tick acquire_;
  Around around_;
  const StreamProgram* program_ = nullptr;
  std::array<Channel, max_channels> channels_;
  std::vector<Pending> pending_;  // by step
  std::size_t left_ = 0;
  EventSlots<4> events_;  // by channel
};

}  // namespace tributary
