#pragma once
/// HalfRateEngine: a user-defined copy engine.

#include <array>
#include <stdexcept>
#include <vector>

#include "modules/streams/copy_engine_module.h"
#include "modules/streams/core/burst_cutter.h"

/// A copy engine that sends at half the rate of a link and handles two copies simultaneously.
class HalfRateEngine : public tributary::CopyEngineModule {
 public:
  HalfRateEngine(const sc_core::sc_module_name& name, tributary::Tick launch, tributary::Tick flit_time)
      : CopyEngineModule(name), launch_(launch), flit_time_(flit_time) {}

  void reset() override { copies_ = {}; }

 private:
  using Tick = tributary::Tick;
  using Burst = tributary::Burst;
  struct Lane {
    tributary::BurstCutter cutter;
    Tick next = 0;  ///< earliest time of its next burst
  };
  struct Copy {
    const tributary::CopyCommand* command = nullptr;
    std::vector<Lane> lanes = {};
    std::size_t left = 0;
  };

  bool submit(tributary::CopyCommand& command, Tick now) override {
    Copy& copy = copies_[copies_[0].command == nullptr ? 0 : 1];
    const Tick start = now + launch_ + request(command, now);
    copy = {&command, {}, command.lanes};
    for (unsigned lane = 0; lane < command.lanes; ++lane) copy.lanes.push_back({{command, lane}, start});
    if (command.lanes == 0) finish(copy, start);
    for (Lane& lane : copy.lanes)
      for (unsigned ahead = 0; ahead < 2; ++ahead) send_next(lane, start);
    return copies_[0].command == nullptr || copies_[1].command == nullptr;
  }
  void room(const Burst& burst, Tick now) override { send_next(copy_of(burst).lanes[burst.lane], now); }
  void left(const Burst& burst, Tick now) override {
    Copy& copy = copy_of(burst);
    if (--copy.left == 0) finish(copy, now);
  }

  void send_next(Lane& lane, Tick now) {
    if (lane.cutter.empty()) return;
    const Burst burst = lane.cutter.next();
    const Tick ready = std::max(now, lane.next);
    lane.next = ready + 2 * burst.flits * flit_time_;
    send(burst, ready);
  }
  void finish(Copy& copy, Tick when) {
    const tributary::CopyCommand& command = *copy.command;
    copy.command = nullptr;
    done(command, when);
  }
  Copy& copy_of(const Burst& burst) {
    for (Copy& copy : copies_)
      if (copy.command != nullptr && copy.command->copy == burst.copy) return copy;
    throw std::logic_error("a burst without a copy");
  }

  Tick launch_, flit_time_;
  std::array<Copy, 2> copies_ = {};
};
