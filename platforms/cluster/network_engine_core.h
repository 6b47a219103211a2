#pragma once
/// NetworkEngineCore: the rules of a GPU's access to its NIC.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "modules/gpu/core/engine_seat.h"
#include "platforms/cluster/pcie_end.h"
#include "platforms/cluster/rail_tasks.h"

namespace tributary {

/// PcieEnd answers the NIC's reads and writes, RailTasks carries out the tasks of kind `network`. Events at one instant:
/// packets of the NIC in the order of their arrival, then tasks.
class NetworkEngineCore final : public GpuEngine, private RailTasks::Listener {
 public:
  struct Config {
    PcieFraming framing{};
    RailTasks::Config tasks{};
  };
  NetworkEngineCore(EngineSeat seat, const Config& config, PacketPool& pool, PcieEnd::Port& port);

  void set_memory(std::byte* memory) { tasks_.set_memory(memory); }
  /// A packet arrives from the NIC, its last byte at `tail`; takes over one reference.
  void receive(Packet* packet, Tick tail);
  const PcieEnd& end() const { return end_; }

  EngineScope scope() const override { return {0, 0, 0, 0, EngineScope::bit_of(DeviceTask::Kind::network)}; }
  bool load(const GpuProgram& program) override;
  void run(Tick now, EngineTimer timer) override;
  void packet(Packet* packet, Arrival, Tick) override { packet->release(); }
  NicAccess* nic() override { return &end_; }
  void task_ready(std::uint32_t task, Tick now) override;
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& name) override;
  void count(std::map<std::string, double>& counters) const override;

 private:
  // RailTasks::Listener
  void network_ended(std::uint32_t task, Tick now) override;
  void network_failed(Tick now, const std::string& why) override { seat_.fail(now, why); }
  void arm();
  void count_additions();

  EngineSeat seat_;
  PcieEnd end_;
  RailTasks tasks_;
  HostAdditions counted_;  // additions of tasks that the GPU has counted
  unsigned taken_ = 0;     // multiprocessors in use
};

}  // namespace tributary
