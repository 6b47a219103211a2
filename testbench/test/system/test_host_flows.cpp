/// Flows of the collectives of NetReduce, against closed forms and against packets (docs/systems/netreduce.md).
#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "testbench/run/fluid_session.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_host_flows {
namespace {

/// Returns the time of a run, in ns. A process can make one platform.
double ns_of(const std::string& platform, const std::string& collective, int ranks, Bytes size, SimulationMode mode) {
  RunSpec spec = without_data(collective_spec(collective, "netreduce", first_gpus(ranks), {size}));
  spec.platform = platform;
  spec.mode = mode;
  const std::string time = in_child([&] {
    if (mode == SimulationMode::fluid) return std::to_string(FluidSession(spec).run(0).front().time);
    return std::to_string(Session(spec).run(0).front().time);
  });
  return std::stod(time) * 1e-3;
}

/// Messages of 169 data packets of 1 KiB, without padding.
Bytes whole_messages(unsigned count) { return Bytes{count * 169 * 1024ull}; }

/// Bytes of one message at a host: header, data packets of which `share` have their data, and the immediate.
double at_host(double share) { return 98 + 16 + 169 * (98 + 1024 * share) + 4; }
/// Bytes of one message between switches, all with data but the first packet, which is a frame of 64 B.
constexpr double at_spine = 84 + 169 * (82 + 1024);

}  // namespace

TEST_CASE("host flows: each message of a collective takes the time of its busiest link", "[system][netreduce][fluid]") {
  struct Case {
    const char *platform, *collective;
    double bytes;  ///< bytes of a message on the busiest link
  };
  const double rate = 12.5;  // bytes per ns
  for (const Case& c : std::vector<Case>{{"rack:8", "reduce_scatter", at_host(1)},
                                         {"rack:8", "reduce", at_host(1)},
                                         {"rack:8", "broadcast", at_host(1)},
                                         {"rack:8", "allgather", at_host(7. / 8)},
                                         {"spine_leaf:2x4", "allgather", at_spine},
                                         {"spine_leaf:2x4", "broadcast", at_host(1)}}) {
    INFO(c.platform << " " << c.collective);
    const auto flows = [&](unsigned messages) {
      return ns_of(c.platform, c.collective, 8, whole_messages(messages), SimulationMode::fluid);
    };
    CHECK(flows(64) - flows(32) == Approx(32 * c.bytes / rate).epsilon(1e-6));
    const double packets = ns_of(c.platform, c.collective, 8, whole_messages(32), SimulationMode::windowed);
    CHECK(std::abs(flows(32) / packets - 1) < 0.01);
  }
}

TEST_CASE("host flows: the accelerator's additions bound an all-gather of two hosts", "[system][netreduce][fluid]") {
  const auto flows = [](unsigned messages) {
    return ns_of("rack:2", "allgather", 2, whole_messages(messages), SimulationMode::fluid);
  };
  CHECK(flows(64) - flows(32) == Approx(32 * 169 * 17 * 3.103).epsilon(1e-6));
  CHECK(std::abs(flows(32) / ns_of("rack:2", "allgather", 2, whole_messages(32), SimulationMode::windowed) - 1) < 0.01);
  const Bytes padded = 1_MiB;  // 159 of 1183 data packets are empty
  const double packets = ns_of("rack:2", "allgather", 2, padded, SimulationMode::windowed);
  CHECK(std::abs(ns_of("rack:2", "allgather", 2, padded, SimulationMode::fluid) / packets - 1) < 0.03);
}

}  // namespace tributary::test_host_flows
