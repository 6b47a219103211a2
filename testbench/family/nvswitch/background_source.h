#pragma once
/// BackgroundSource: an engine of a GPU that sends random writes, in addition to the engines that execute operations.

#include <map>
#include <string>
#include <vector>

#include "modules/gpu/engine_module.h"
#include "testbench/workload/background_traffic.h"

namespace tributary {

/// Its writes enter the queues of the links without pacing, and the receiver recognises them by address. A write that finds
/// no room is dropped before it is sent, because an unbounded queue would show nothing. Writes are acknowledged like all
/// others and touch no memory.
class BackgroundEngine final : public GpuEngine {
 public:
  BackgroundEngine(EngineSeat seat, const BackgroundTraffic::Config& config) : seat_(seat), traffic_(config) {}

  /// Both times must be at least Windows::ahead after now.
  void start_traffic(Tick t0);
  /// Sends no write at `when` or later.
  void stop_traffic(Tick when) { traffic_.stop(when); }
  const BackgroundTraffic::Counts& counts() const { return traffic_.counts(); }

  EngineScope scope() const override { return {0, BackgroundTraffic::first_address, BackgroundTraffic::address_bytes}; }
  void run(Tick now, EngineTimer timer) override;
  void packet(Packet* packet, Arrival from, Tick now) override;
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override { traffic_.reset(); }
  void reseed(std::uint64_t seed) override { traffic_.reseed(seed); }
  void describe(ProbeDirectory& directory, const std::string& name) override;
  void count(std::map<std::string, double>& counters) const override;

  /// Fires when the last flit of a write has arrived.
  PacketProbe delivered;

 private:
  EngineSeat seat_;
  BackgroundTraffic traffic_;
};

class BackgroundSource final : public EngineModule {
 public:
  BackgroundSource(const sc_core::sc_module_name& name, EngineSeat seat, const BackgroundTraffic::Config& config)
      : EngineModule(name), core(seat, config) {}
  GpuEngine& engine() override { return core; }
  BackgroundEngine core;
};

}  // namespace tributary
