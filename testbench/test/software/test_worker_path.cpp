// Times of a worker's packets on an idle programmable switch, and the bottleneck that follows from them
// (docs/bottleneck.md).

#include <catch2/catch.hpp>
#include <numeric>

#include "testbench/family/tofino/bottlenecks.h"
#include "testbench/family/tofino/worker_path.h"

namespace tributary::test_worker_path {
namespace {

constexpr AggregationScheme switchml = AggregationScheme::switchml, rdma = AggregationScheme::switchml_rdma,
                            atp = AggregationScheme::atp;

double sum(const std::vector<PathPart>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0, [](double all, const PathPart& part) { return all + part.time; });
}

/// Returns the bottleneck of a run of a worker that has sent `sent` packets in `time` ps, with one link.
Bottleneck bottleneck_of_run(const char* algorithm, const TofinoPlatformParams& params, std::uint64_t bytes,
                             std::uint64_t sent, std::uint64_t wire, double time) {
  RunSpec spec;
  spec.jobs.front().algorithm = algorithm;
  spec.jobs.front().ranks = {0, 1};
  ResultRow row;
  row.size_bytes = bytes;
  row.links = {{"host0.port0>switch.port0", wire, static_cast<double>(wire) * 80 / time}};  // 80 ps a byte
  BottleneckInput in{row, time};
  in.seen.resize(3);
  in.seen[0].firings = sent;
  in.seen[0].module = "host0.worker";
  BottleneckAccount account;
  account.time = time;
  account.add({BottleneckCause::link, BottleneckKind::busy, row.links[0].name, "Link", "tofino.link.rate",
               row.links[0].utilisation});
  tofino_bottlenecks(spec, params).amend(in, account);
  return *bottleneck_of(account);
}

}  // namespace

TEST_CASE("worker path: a packet crosses two links, a switch and both ends of a host", "[bottleneck]") {
  TofinoPlatformParams p;
  p.switchml.scaling = Scaling::fixed;
  const WorkerPath path(switchml, p, 128);
  CHECK(path.packets() == 1);
  CHECK(path.round_trips() == 1);
  CHECK(path.round_trip() == Approx(1'600e3 + 1'300e3 + 300e3 + 2 * 10e3 + 2 * 203 * 80));
  CHECK(sum(path.parts()) == Approx(path.round_trip()));
}

TEST_CASE("worker path: a short message waits for the packets that agree on exponents", "[bottleneck]") {
  const TofinoPlatformParams p;
  const WorkerPath path(switchml, p, 1024);
  CHECK(path.packets() == 16);  // 8 without values
  CHECK(path.window() == 8);
  CHECK(std::string(path.window_parameter()).empty());
  CHECK(path.interval() == Approx(31'300));
  CHECK(path.round_trips() == Approx(2 - 8 * 31'300 / path.round_trip()));
  const WorkerPath longer(switchml, p, 128 * 1024);  // 1024 x 31.3 ns hide a round trip
  CHECK(longer.round_trips() == 1);
}

TEST_CASE("worker path: RDMA passes all pipelines, and has a turnaround", "[bottleneck]") {
  const TofinoPlatformParams p;
  const WorkerPath path(rdma, p, 1024 * 1024);
  CHECK(path.round_trip() == Approx(1'600e3 + 1'300e3 + 4 * 300e3 + 2 * 10e3 + 3'800e3 + 2 * 1126 * 80));
  CHECK(path.packets() == 1024 + 82);
  CHECK(path.window() == 82);
  CHECK(std::string(path.window_parameter()) == "tofino.switchml_rdma.window");
  CHECK(path.round_trips() == 1);  // the window counts
  TofinoPlatformParams few;
  few.tofino_switch.slots = 16;
  CHECK(std::string(WorkerPath(rdma, few, 1024 * 1024).window_parameter()) == "tofino.switch.slots");
}

TEST_CASE("worker path: ATP needs two passes, and crosses the parameter server", "[bottleneck]") {
  const TofinoPlatformParams p;
  const WorkerPath path(atp, p, 1024);
  CHECK(path.packets() == 4);
  CHECK(path.interval() == Approx(2 * 324 * 80));  // 64 values of 4 B; a pass has 48 registers
  CHECK(path.passing() == Approx(4 * 2 * 324 * 80));
  CHECK(path.round_trip() == Approx(2 * (1'600e3 + 1'300e3) + 3 * 300e3 + 4 * 10e3 + 3 * 344 * 80 + 2 * 324 * 80));
}

TEST_CASE("tofino bottleneck: passes through the pipelines bound ATP", "[bottleneck]") {
  const Bottleneck b = bottleneck_of_run("atp", {}, 1 << 20, 4096, 4096 * 344, 219.2e6);
  CHECK(b.claim == BottleneckClaim::named);
  CHECK(b.cause == BottleneckCause::crossbar);
  CHECK(b.module == "switch.port0.passes");
  CHECK(b.share == Approx(4096 * 2 * 324 * 80 / 219.2e6));
  CHECK(b.parameters == std::vector<std::string>{"tofino.link.rate"});
}

TEST_CASE("tofino bottleneck: a larger window needs faster links if its packets nearly fill a round trip", "[bottleneck]") {
  TofinoPlatformParams p;
  const std::uint64_t packets = 1024 + 82, wire = 1024 * 1126 + 82 * 102;
  const Bottleneck both = bottleneck_of_run("switchml_rdma", p, 1 << 20, packets, wire, 116.8e6);
  CHECK(both.claim == BottleneckClaim::together);
  CHECK(both.cause == BottleneckCause::window);
  CHECK(both.parameters == std::vector<std::string>{"tofino.switchml_rdma.window", "tofino.link.rate"});
  p.switchml_rdma.window = 16;  // 64 + 1 windows
  const Bottleneck window = bottleneck_of_run("switchml_rdma", p, 1 << 20, 1024 + 16, 1024 * 1126 + 16 * 102, 530e6);
  CHECK(window.claim == BottleneckClaim::named);
  CHECK(window.parameters == std::vector<std::string>{"tofino.switchml_rdma.window"});
}

}  // namespace tributary::test_worker_path
