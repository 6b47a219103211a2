#include "testbench/test/harness/congested_runs.h"

#include <catch2/catch.hpp>

#include "testbench/test/harness/run_specs.h"

namespace tributary {
namespace {

constexpr std::uint64_t message_packets = 170, slice = message_packets * 1024 - 16;

}  // namespace

const std::vector<Incast>& incasts() {
  static const std::vector<Incast> all{{"rack:6", 6, 2}, {"spine_leaf:2x4", 8, 2}};
  return all;
}

const std::vector<std::string> dcqcn{"netreduce.switch.ecn.on=true", "netreduce.switch.ecn.kmin=20kB",
                                     "netreduce.switch.ecn.kmax=80kB", "netreduce.nic.dcqcn.on=true"};

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

RunSpec incast_spec(const Incast& incast, Bytes size, const std::vector<std::string>& settings) {
  RunSpec spec = run_spec("netreduce", first_gpus(incast.hosts), {size}, settings);
  spec.platform = incast.machine;
  spec.background_load = incast_load;
  spec.background_target = incast.target;
  return spec;
}

void check_healed(const Incast& incast, Bytes size, const ResultRow& row) {
  INFO(row.report);
  CHECK(row.status == Status::done);
  CHECK(row.wrong == 0u);
  const std::uint64_t messages = (size.value + slice - 1) / slice;
  CHECK(count_of(row, "nic.accepted") == static_cast<std::uint64_t>(incast.hosts) * messages * message_packets);
  CHECK(count_of(row, "background.sent") == count_of(row, "background.delivered") + count_of(row, "background.dropped"));
  for (const std::string name : {"switch.drops", "switch.ecn_marks", "switch.pauses"}) {
    double sum = 0, parts = 0;
    for (const auto& [counter, count] : row.counters)
      if (counter.rfind(name + ".", 0) == 0) sum += count, ++parts;
    if (parts != 0) CHECK(sum == row.counters.at(name));
  }
}

std::uint64_t roce_drops(const ResultRow& row) {
  return count_of(row, "switch.drops") - count_of(row, "background.dropped");
}

}  // namespace tributary
