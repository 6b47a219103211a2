#pragma once
/// NicDriver: networks of NICs.

#include <map>
#include <string>

#include "testbench/driver/machine_driver.h"
#include "testbench/driver/network_lowering.h"

namespace tributary {

class NicDriver : public MachineDriver {
 public:
  NicDriver(const RunSpec& spec, const SystemParams& params, Completion& completion);

  NicSystem& system() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return NicSystem::command_latency(params_); }
  double bound(const JobSpec& job, Bytes message) override;

 private:
  const collective::NetworkSchedule& schedule(const JobSpec& job, Bytes message);

  NetworkParams params_;
  NicSystem system_;
  std::map<std::string, collective::NetworkSchedule> schedules_;  ///< proved
};

}  // namespace tributary
