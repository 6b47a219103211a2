/// Clusters by packets against bounds by hand, exact bytes on links, hosts without GPUs, and jobs on rails of their own.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "modules/protocol/roce.h"
#include "testbench/collective/fluid/ethernet_flows.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_cluster_acceptance {
namespace {

constexpr double KiB = 1024, MiB = 1024 * KiB;

RunSpec on(const std::string& platform, const std::string& algorithm, const std::vector<int>& ranks, Bytes size,
           const std::vector<std::string>& settings = {}) {
  RunSpec spec = with_hashes(run_spec(algorithm, ranks, {size}, settings));
  spec.platform = platform;
  return spec;
}

double us(const Run& run) { return static_cast<double>(run.row.time) / 1e6; }

/// Returns the bytes of all links from ports whose names begin with `from` to those that begin with `to`.
double bytes_of(const ResultRow& row, const std::string& from, const std::string& to) {
  double bytes = 0;
  for (const LinkUse& link : row.links)
    if (link.name.rfind(from, 0) == 0 && link.name.find(">" + to) != std::string::npos)
      bytes += static_cast<double>(link.bytes);
  return bytes;
}

}  // namespace

TEST_CASE("cluster acceptance: times lie between the bound and the bound with the latencies of a pipeline",
          "[system][cluster]") {
  struct Row {
    const char* platform;
    int gpus;
    const char* algorithm;
    Bytes size;
    double GBps;  // payload of the busiest link, by hand
    int steps;    // between the servers
  };
  // NVLinks carry 128 of 160 B, and by pull (144 + 32 (G-1)/G)/128 B for each byte; NICs carry 4096 of 4178 B.
  const Row row = GENERATE(
      Row{"cluster:2xh100", 16, "pull_netreduce", 4_MiB, 334.9, 1}, Row{"cluster:2xh100", 16, "pull_ring", 4_MiB, 334.9, 2},
      Row{"cluster:2xh100", 16, "pull_tree", 4_MiB, 334.9, 2}, Row{"cluster:2xh100", 16, "ring_ring", 4_MiB, 205.7, 2},
      Row{"cluster:2xh100", 16, "ring", 4_MiB, 209.1, 2}, Row{"cluster:2xa100", 16, "ring_ring", 4_MiB, 137.1, 2},
      Row{"cluster:2xdgx2", 32, "pull_netreduce", 1_MiB, 98.0, 1}, Row{"cluster:2xdgx2", 32, "pull_ring", 1_MiB, 98.0, 2});
  INFO(row.platform << " " << row.algorithm);
  const Run run = run_one(without_data(on(row.platform, row.algorithm, first_gpus(row.gpus), row.size)));
  const double bound = static_cast<double>(row.size.value) / row.GBps / 1e3;
  CHECK(run.row.bound_GBps == Approx(row.GBps).epsilon(0.002));
  CHECK(us(run) >= 0.998 * bound);
  CHECK(us(run) <= 1.15 * bound + (2 + row.steps) * 8);
}

TEST_CASE("cluster acceptance: bytes on all links are exact", "[system][cluster]") {
  const Run run = run_one(on("cluster:2xh100", "pull_ring", first_gpus(16), 1_MiB));
  // Two chunks of 512 KiB: a GPU sends and receives two parts of 32 KiB of each, one for each step of the ring. Each WRITE
  // has an ACK.
  constexpr double writes = 16 * 2 * 2, part = 32 * KiB, tlps = part / 256;
  const double frames = writes * (collective::write_wire_bytes(part, 4096) + EthernetFrame::wire_bytes(FrameKind::ack, 0));
  CHECK(bytes_of(run.row, "nic", "rail") == frames);
  CHECK(bytes_of(run.row, "rail", "nic") == frames);
  // A post or a notice has 64 B, a read none; the NIC reports a completion and an arrival for each WRITE.
  CHECK(bytes_of(run.row, "gpu", "nic") == writes * (part + 24 * tlps + 88));
  CHECK(bytes_of(run.row, "nic", "gpu") == writes * (part + 24 * tlps + 24 * part / 4096 + 2 * 88));
  CHECK(run.row.counters.at("pcie.read_bytes") == writes * part);
  CHECK(run.row.counters.at("pcie.written_bytes") == writes * part);
  // A GPU asks for its blocks, answers 7 others, multicasts its blocks, and acknowledges those of 7 others. The barrier is
  // one more block.
  constexpr double blocks = 16 * (MiB / 8 / 128 + 1);
  CHECK(bytes_of(run.row, "gpu", "server") == blocks * (16 + 7 * 144 + 144 + 7 * 16));
  CHECK(bytes_of(run.row, "server", "gpu") == blocks * (144 + 7 * 16 + 7 * 144 + 7 * 16));
}

TEST_CASE("cluster acceptance: a GPU in each server is a host whose NIC has a burst of PCIe more at both ends",
          "[system][cluster]") {
  // A burst of 4096 B, as 4480 B at 57.6 GB/s, crosses PCIe before its frame leaves, and after it has arrived.
  constexpr double burst = 0.0778;
  const auto [size, bursts] = GENERATE(std::pair{2_KiB, 0.0}, std::pair{64_KiB, 2.0});
  const Run hosts =
      run_one(on("rack:4", "ring", first_gpus(4), size,
                 {"netreduce.link.rate=400Gb/s", "netreduce.nic.mtu=4096B", "netreduce.host.reduction_rate=300GB/s"}));
  const Run gpus = run_one(on("cluster:4xh100", "pull_ring", {0, 8, 16, 24}, size, {"cluster.chunk=" + to_string(size)}));
  CHECK(gpus.row.wrong == 0);
  CHECK(us(gpus) == Approx(us(hosts) + 6 * bursts * burst).epsilon(0.02));
  CHECK(bytes_of(gpus.row, "nic", "rail") == bytes_of(hosts.row, "host", "switch"));
  CHECK(bytes_of(gpus.row, "rail", "nic") == bytes_of(hosts.row, "switch", "host"));
}

TEST_CASE("cluster acceptance: two jobs on two rails run as if alone", "[system][cluster]") {
  const std::string algorithm = GENERATE("pull_ring", "pull_netreduce");
  INFO(algorithm);
  const RunSpec first = on("cluster:2xh100", algorithm, {0, 8}, 256_KiB),
                second = on("cluster:2xh100", algorithm, {1, 9}, 256_KiB);
  RunSpec both = first;
  both.jobs.push_back(second.jobs.front());
  const std::vector<Run> runs = run_all(both);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].row.time == run_one(first).row.time);
  CHECK(runs[1].row.time == run_one(second).row.time);
}

TEST_CASE("cluster acceptance: other servers and fabrics are right, and equal in both modes", "[system][cluster]") {
  struct Case {
    const char *platform, *setting, *algorithm;
  };
  const Case c = GENERATE(Case{"cluster:2xdgx2", "cluster.pxn=true", "pull_ring"},
                          Case{"cluster:2xdgx2", "cluster.pxn=true", "ring_ring"},
                          Case{"cluster:2xdgx2", "cluster.pxn=true", "pull_netreduce"},
                          Case{"cluster:2xh100", "cluster.fabric=rail_leaf_spine", "ring"},
                          Case{"cluster:2xh100", "cluster.fabric=rail_leaf_spine", "pull_netreduce"},
                          Case{"cluster:2xh100", "cluster.fabric=leaf_spine", "pull_ring"},
                          Case{"cluster:2xh100", "cluster.fabric=switch", "pull_netreduce"},
                          Case{"cluster:2xh100", "cluster.fabric=switch", "ring"});
  INFO(c.platform << " " << c.setting << " " << c.algorithm);
  const int gpus = std::string(c.platform) == "cluster:2xdgx2" ? 32 : 16;
  RunSpec spec = on(c.platform, c.algorithm, first_gpus(gpus), 128_KiB, {c.setting});
  const Run windowed = run_one(spec);
  CHECK(windowed.row.wrong == 0);
  CHECK(windowed.row.algbw_GBps() <= windowed.row.bound_GBps);
  spec.mode = SimulationMode::event;
  CHECK(difference(windowed, run_one(spec)) == "");
}

}  // namespace tributary::test_cluster_acceptance
