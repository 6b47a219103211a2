#pragma once
/// BackgroundSource: random writes that load the fabric beside the operations, as an engine that stands beside those of a
/// GPU.

#include <map>
#include <string>
#include <vector>

#include "modules/gpu/engine_module.h"
#include "testbench/workload/background_traffic.h"

namespace tributary {

/// Its writes go straight to the queues of the links, unpaced, and are known at the receiver by their address. A write that
/// finds no room is dropped before it is sent, for a queue that grows without end would tell nothing. They are acknowledged
/// as all writes are, and touch no memory.
class BackgroundEngine final : public GpuEngine {
 public:
  BackgroundEngine(EngineSeat seat, const BackgroundTraffic::Config& config) : seat_(seat), traffic_(config) {}

  /// Both times lie at least Windows::ahead after now.
  void start_traffic(Tick t0);
  /// No write at `when` or later.
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

  /// A write whose last flit has come in.
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
