#include "testbench/test/harness/netreduce_runs.h"

#include <catch2/catch.hpp>

#include "platforms/topology/racks.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary {

RunSpec messages_of(const std::string& platform, unsigned message_packets, std::uint64_t messages,
                    const std::vector<std::string>& faults, const std::vector<std::string>& settings) {
  std::vector<std::string> all{"netreduce.flow_control.message_packets=" + std::to_string(message_packets)};
  all.insert(all.end(), settings.begin(), settings.end());
  const int hosts = topology::racks(platform).all_hosts();
  RunSpec spec = run_spec("netreduce", first_gpus(hosts), {Bytes{messages * (message_packets * 1024 - 16)}}, all);
  spec.platform = platform;
  for (const std::string& fault : faults) spec.frame_faults.push_back(fault);
  return spec;
}

RunSpec short_messages(const std::string& platform, std::uint64_t messages, const std::vector<std::string>& faults,
                       const std::vector<std::string>& settings) {
  return messages_of(platform, short_message, messages, faults, settings);
}

ResultRow run_with_both(const RunSpec& spec) {
  const Run windowed = run_one(with_hashes(spec, SimulationMode::windowed));
  CHECK(difference(windowed, run_one(with_hashes(spec, SimulationMode::event))) == "");
  return windowed.row;
}

std::uint64_t count_of(const ResultRow& row, const std::string& counter) {
  return static_cast<std::uint64_t>(row.counters.at(counter));
}

}  // namespace tributary
