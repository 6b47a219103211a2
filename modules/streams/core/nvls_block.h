#pragma once
/// NvlsBlock: a thread block of NCCL's NVLS kernel: scatter, reduce and gather, which run concurrently
/// (docs/blocks/nvls.md).

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/streams/core/nvls_plan.h"

namespace tributary {

/// Receives the actions of a thread block.
class NvlsHost {
 public:
  virtual ~NvlsHost() = default;
  /// Copy the data of a step between the message and the slots, in zero time.
  virtual void scatter(std::uint32_t block, const NvlsStep& step) = 0;
  virtual void gather(std::uint32_t block, const NvlsStep& step) = 0;
  /// Posts a flag to the other ranks.
  virtual void post(const NvlsFlag& flag, Tick now) = 0;
};

/// All times are exact, in picoseconds. Each group of warps runs the steps one after another. Scatter and gather wait for
/// the flags of all heads, copy at the rate of the block, and post. Reduce waits for the flags of all ranks, polls for
/// `peer` of each of them, and requests its range in units of the payload, within the window. When all units of a block of
/// 128 B are answered, it is stored to all ranks. When the stores of a step are acknowledged by all ranks its flag is
/// posted, and reduce is in a later step by then. Without acks the flag is posted after the last store, and gather counts
/// the stores as well. A reduce-scatter has no stores and no gather, and an all-gather has no scatter: reduce reads the
/// message.
class NvlsBlock {
 public:
  struct Config {
    std::uint64_t copy_rate = 0;  ///< bytes per second; 0: copies need no time
    Tick peer = 0;
    bool acks = true;  ///< stores are acknowledged; if not, gather counts those that arrive
  };
  /// Part of a range that one load-reduce requests.
  struct Unit {
    std::uint64_t address = 0;  ///< first slot of its operands
    std::uint64_t sum = 0;      ///< address of its sum
    std::uint32_t bytes = 0;
    std::uint32_t slot = 0;  ///< slot of its step
  };

  NvlsBlock(const Config& config, NvlsHost& host) : config_(config), host_(&host) {}

  /// Loads block `number` of a plan, which must outlive its last step. Each of its kernels waits for start().
  void load(const NvlsPlan& plan, std::uint32_t number, std::uint32_t rank);
  void start(Tick when);

  // inputs; handle() follows at that time
  void flag(const NvlsFlag& flag, Tick now);
  /// Returns true if reduce can request a unit.
  bool ready() const { return next_unit_ < units_.size() && room(); }
  const Unit& unit() const { return units_[next_unit_]; }
  /// Requests the unit.
  void requested();
  /// Accepts the sum for the operands at `address`, and returns its unit. Throws std::logic_error if it was not requested.
  const Unit& answered(std::uint64_t address, Tick now);
  /// Returns true if all units of the block of this unit are answered.
  bool complete(const Unit& unit) const;
  /// Returns the block of 128 B of a unit, which is shorter at the end of the range.
  Unit block_of(const Unit& unit) const;
  /// Returns the offset of a unit in the range of its step.
  std::uint64_t offset_of(const Unit& unit) const { return unit.address - units_.front().address; }
  /// Counts a store of rank `head` in this GPU, of the step with that slot. Not used with acks.
  void stored(std::uint32_t head, std::uint32_t slot, Tick now);
  /// Counts the acks of `count` copies of stores of the step with that slot.
  void acknowledged(std::uint32_t slot, std::uint32_t count, Tick now);

  /// Returns the time of the next decision.
  Tick next() const;
  /// Makes all decisions up to `now`.
  void handle(Tick now);
  /// True if the results are in the message, or in the messages of all kernels.
  bool done() const { return has_ended(steps()); }
  /// True if the kernel that started last has begun, and all of its steps have ended.
  bool kernel_done() const { return begun_ && has_ended(limit_); }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

  /// Values of the level `stage`: work of the reduce group.
  enum Stage : std::uint8_t { ended, waits, polls, moves };
  /// Bits of the level `busy`.
  enum Busy : std::uint8_t { scatters = 1, reduces = 2, gathers = 4 };

 private:
  using Flags = std::vector<std::uint32_t>;  // by rank: steps
  struct Copies {
    std::uint32_t step = 0;
    Tick ends = never;  // never: it waits
  };
  struct Fence {  // stores of a step that are not acknowledged
    std::uint32_t step, slot;
    std::uint64_t missing;
  };

  std::uint32_t steps() const { return plan_ == nullptr ? 0 : static_cast<std::uint32_t>(plan_->blocks[number_].size()); }
  bool has_ended(std::uint32_t steps) const { return stores() ? gather_.step == steps : step_ == steps && fences_.empty(); }
  bool loads() const { return plan_ != nullptr && plan_->loads; }
  bool stores() const { return plan_ != nullptr && plan_->stores; }
  const NvlsStep& at(std::uint32_t step) const { return plan_->blocks[number_][step]; }
  static bool reach(const Flags& flags, std::uint32_t steps);
  bool room() const { return in_flight_ + units_[next_unit_].bytes <= plan_->window; }
  Tick copy_time(std::uint32_t step) const;
  bool sums_present() const;
  void post(NvlsFlag::Kind kind, std::uint32_t steps, Flags& own, Tick now);
  bool scatter(Tick now);
  bool reduce(Tick now);
  bool gather(Tick now);
  bool end_fences(Tick now);
  std::uint32_t unit_bytes() const { return loads() ? plan_->payload : static_cast<std::uint32_t>(block_bytes); }
  std::uint8_t part_of(std::uint64_t offset) const {
    return static_cast<std::uint8_t>(1u << offset % block_bytes / unit_bytes());
  }
  void begin_units();
  void enter(Stage stage, Tick now);
  void show_busy(Busy group, bool on, Tick now);
  std::string missing(const Flags& flags, std::uint32_t steps) const;

  Config config_;
  NvlsHost* host_;
  const NvlsPlan* plan_ = nullptr;
  std::uint32_t number_ = 0, rank_ = 0;
  Tick start_ = never;       // of the latest kernel
  std::uint32_t limit_ = 0;  // steps of the kernels that have started
  bool begun_ = false;       // the latest kernel has
  Tick due_ = never;         // an input has changed, or the kernel begins
  Copies scatter_, gather_;
  Flags filled_, summed_, taken_;
  std::vector<std::uint32_t> stores_;  // without acks: by head, slot

  // reduce
  std::uint32_t step_ = 0;
  Stage stage_at_ = waits;
  Tick polled_ = never;
  std::vector<Unit> units_;               // units of the step
  std::vector<std::uint8_t> answers_;     // by block of 128 B: a bit per unit of it that is answered
  std::size_t next_unit_ = 0, open_ = 0;  // units to request; units without an answer
  std::uint64_t in_flight_ = 0;           // bytes
  std::deque<Fence> fences_;              // in order of steps

  unsigned busy_ = 0;
  SignalProbe stage_level_, step_level_, busy_level_;
};

}  // namespace tributary
