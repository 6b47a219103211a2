/// Bytes on the links of racks and trees, and the bound that follows from the busiest one.
#include <catch2/catch.hpp>

#include "testbench/family/netreduce/host_loads.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_host_loads {
namespace {

RingPattern pattern_of(RingCollective collective, unsigned ranks) {
  RingPattern p;
  p.collective = collective, p.ranks = ranks;
  p.message_packets = 16, p.mtu = 1024;
  p.long_bytes = p.short_bytes = p.pitch = 8192, p.longer = ranks;
  return p;
}

std::vector<int> hosts(int n) { return first_gpus(n); }

double bound_of(const std::string& platform, const std::string& collective, const std::string& algorithm,
                const std::vector<std::string>& settings = {}) {
  RunSpec spec = without_data(collective_spec(collective, algorithm, first_gpus(8), {1_MiB}, settings));
  spec.platform = platform;
  return run_one(spec).row.bound_GBps;
}

}  // namespace

TEST_CASE("loads: hosts of a rack share its links to spines", "[pure][netreduce]") {
  for (int spines : {1, 2}) {
    const topology::Racks racks = topology::racks("spine_leaf:2x4", 0, spines);
    HostLoads loads(racks);
    for (int h = 0; h < 4; ++h) loads.add(h, 4 + h, 1000);
    CHECK(loads.busiest() == (spines == 1 ? 4000u : 2000u));
    loads.add(1, 0, 5000);
    CHECK(loads.busiest() == 6000u);
    loads.add(2, 2, 1 << 20);  // within a host
    CHECK(loads.busiest() == 6000u);
  }
}

// 64 KiB in 5 messages of a header and 15 data packets: 64 full and 11 empty ones. Packets of hosts have 98 B of headers and
// gaps, the last of a message 4 B more; between switches 82 B, and 64 B with 20 B of gaps are the smallest frame.
TEST_CASE("loads: packets of an all-gather in a tree", "[pure][netreduce]") {
  const RingPattern pattern = pattern_of(RingCollective::allgather, 8);
  REQUIRE(pattern.messages() == 5);
  const RingBytes bytes(pattern, 5);
  const std::uint64_t at_host = 5 * (98 + 16) + 70 * 98 + 5 * 102, at_spine = 80 * 84, full = 8 * (1106 - 84);
  CHECK(bytes.sent(3) == at_host + 8192);
  CHECK(bytes.received(3) == at_host + 7 * 8192);
  CHECK(bytes.up({0, 1, 2, 3}) == at_spine + 4 * full);
  CHECK(bytes.down({0, 1, 2, 3}) == at_spine + 8 * full);
  CHECK(bytes.down({5}) == at_spine + 7 * full);
  const topology::Racks tree = topology::racks("spine_leaf:2x4");
  HostLoads loads(tree);
  loads.add_ring(bytes, hosts(8));
  CHECK(loads.busiest() == at_spine + 8 * full);
  const topology::Racks rack = topology::racks("rack:8");
  HostLoads alone(rack);
  alone.add_ring(bytes, hosts(8));
  CHECK(alone.busiest() == at_host + 7 * 8192);
}

TEST_CASE("loads: a reduce-scatter loads what its owners receive", "[pure][netreduce]") {
  const RingBytes bytes(pattern_of(RingCollective::reduce_scatter, 8), 5);
  const std::uint64_t at_host = 5 * (98 + 16) + 70 * 98 + 5 * 102, at_spine = 80 * 84, full = 8 * (1106 - 84);
  CHECK(bytes.sent(0) == at_host + 8 * 8192);
  CHECK(bytes.received(0) == at_host + 8192);
  CHECK(bytes.up({0, 1}) == at_spine + 8 * full);
  CHECK(bytes.down({0, 1}) == at_spine + 2 * full);
}

TEST_CASE("loads: hosts that share a port of the accelerator share its rate", "[pure][netreduce]") {
  RingPattern all;
  all.ranks = 4, all.message_packets = 2;
  const RingBytes bytes(all, 10);
  CHECK(bytes.sent(0) == 10 * (1122 + 1110));
  for (int ports : {4, 2}) {
    const topology::Racks racks = topology::racks("rack:4", ports);
    HostLoads loads(racks);
    loads.add_ring(bytes, hosts(4));
    CHECK(loads.busiest() == (ports == 4 ? 1u : 2u) * 22'320);
  }
}

// In an all-to-all of 1 MiB each of 4 hosts sends 4 parts of 128 KiB over the link to the spine.
TEST_CASE("loads: the link between switches bounds an oversubscribed tree", "[system][netreduce]") {
  const double part = 1122 + 126 * 1106 + 1110, size = 1 << 20;
  CHECK(bound_of("rack:8", "alltoall", "direct") == Approx(size / (7 * part) * 12.5));
  CHECK(bound_of("spine_leaf:2x4", "alltoall", "direct") == Approx(size / (16 * part) * 12.5));
  CHECK(bound_of("spine_leaf:2x4", "alltoall", "direct", {"netreduce.spines=2"}) == Approx(size / (8 * part) * 12.5));
}

TEST_CASE("loads: a ring between hosts of several GPUs is bound as one of single GPUs", "[system][netreduce]") {
  const auto bound = [](const std::string& platform, const std::vector<int>& ranks) {
    RunSpec spec = without_data(collective_spec("allreduce", "netreduce", ranks, {1_MiB}, {}));
    spec.platform = platform;
    return run_one(spec).row.bound_GBps;
  };
  CHECK(bound("rack:4x2", {0, 3, 5, 6}) == bound("rack:4", {0, 1, 2, 3}));
}

}  // namespace tributary::test_host_loads
