#pragma once
/// A copy engine of a user: half the rate, two concurrent copies.

#include <algorithm>

#include "modules/streams/copy_engine_module.h"
#include "modules/streams/core/copy_engine_core.h"

namespace tributary {

/// Two of the model's cores at one socket, each with gaps as long as its bursts.
class SlowEngine : public CopyEngineModule {
 public:
  /// `flit`: time of a flit on a link, or on all links together that a copy uses concurrently.
  SlowEngine(const sc_core::sc_module_name& name, Tick launch, Tick flit)
      : CopyEngineModule(name), flit_(flit), cores_{{launch, seats_[0]}, {launch, seats_[1]}} {}

 private:
  struct Seat : CopyEnginePort {
    explicit Seat(SlowEngine& e) : engine(e) {}
    Tick memory_latency(const CopyCommand& c, Tick now) override { return engine.request(c, now); }
    void send(const Burst& burst, Tick ready) override {
      ready = std::max(ready, next);
      next = ready + 2 * burst.flits * engine.flit_;
      engine.CopyEngineModule::send(burst, ready);
    }
    void done(const CopyCommand& c, Tick when) override {
      command = nullptr;
      engine.CopyEngineModule::done(c, when);
    }
    SlowEngine& engine;
    const CopyCommand* command = nullptr;
    Tick next = 0;
  };
  bool submit(CopyCommand& command, Tick now) override {
    const unsigned i = seats_[0].command == nullptr ? 0 : 1;
    seats_[i].command = &command;
    cores_[i].submit(command, now);
    return seats_[0].command == nullptr || seats_[1].command == nullptr;
  }
  unsigned seat(const Burst& burst) const {
    return seats_[0].command != nullptr && seats_[0].command->copy == burst.copy ? 0 : 1;
  }
  void room(const Burst& burst, Tick now) override { cores_[seat(burst)].room(burst.lane, now); }
  void left(const Burst& burst, Tick now) override { cores_[seat(burst)].left(burst.lane, now); }

  Tick flit_;
  Seat seats_[2] = {Seat(*this), Seat(*this)};
  CopyEngineCore cores_[2];
};

}  // namespace tributary
