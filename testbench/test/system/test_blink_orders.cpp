/// Servers of GPUs: no time depends on the order in which devices are made, on the mode, or on the size of bursts.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/family/blink/channel_algorithms.h"
#include "testbench/family/blink/channel_rings.h"
#include "testbench/family/blink/job_trees.h"
#include "testbench/family/blink/resolve.h"
#include "testbench/family/blink/servers.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_blink_orders {
namespace {

struct Route {
  bool backwards = false, windowed = true;
  int burst = 15;
};

/// When each GPU ends.
class Ends : public CompletionListener {
 public:
  explicit Ends(unsigned gpus) : at_(gpus, never) {}
  void done(unsigned endpoint, Tick when) override { at_.at(endpoint) = when; }
  void failed(unsigned endpoint, Tick, const std::string& why) override { text_ += std::to_string(endpoint) + ": " + why; }

  std::string text() const {
    std::string all = text_;
    for (const Tick when : at_) all += (when == never ? "-" : std::to_string(when)) + " ";
    return all;
  }

 private:
  std::vector<Tick> at_;
  std::string text_;
};

/// Whole packets of 256 B: a channel is paced, so its end may differ by a part of a packet if the last one is not
/// whole.
constexpr std::uint64_t whole_packets = 1'234'432;

RunSpec spec_of(const std::string& platform, const std::string& collective, const std::string& algorithm,
                const std::vector<int>& gpus, const std::vector<std::string>& settings) {
  const Bytes message = bytes(algorithm == "nccl" ? whole_packets : 1'234'564);
  RunSpec spec = collective_spec(collective, algorithm, gpus, {message}, settings);
  spec.platform = platform;
  return spec;
}

std::vector<StreamProgram> programs_of(const RunSpec& spec, const BlinkParams& params, const topology::ServerGraph& servers,
                                       const ServerWires& wires) {
  const JobSpec& job = spec.jobs.front();
  const Bytes message = job.items.front().size;
  if (has_channels(job))
    return lower_channels(job, message, channel_rings(servers.server(), job.ranks, 1).rings, params.platform.nccl).programs;
  const TreeAlgorithm& algorithm = tree_algorithm(job.collective, job.algorithm);
  StreamOptions options;
  options.chunk = *params.codegen.chunk;
  if (servers.servers() > 1)
    for (const int gpu : job.ranks) options.server_of.push_back(servers.server_of(gpu));
  collective::KeptTrees kept;
  const JobTrees trees = trees_of(algorithm, job, wires, params.codegen, kept);
  options.island_of = trees.islands;
  return plan_streams(job, message, on_routes(trees, algorithm, job, message, wires, params.codegen), algorithm.use, options)
      .programs;
}

/// Runs in a process of its own; returns when each GPU ended, and what is pending.
std::string ends(const RunSpec& spec, const Route& route) {
  return in_child([&] {
    BlinkParams params = resolve_blink(spec, spec.parameters.of<BlinkParams>());
    params.platform.gpu.copy.burst = static_cast<unsigned>(route.burst);
    BlinkPlatform::Config config;
    config.params = params.platform;
    config.with_data = false, config.windowed = route.windowed, config.backwards = route.backwards;
    config.delay = std::min(params.platform.gpu.streams.acquire, params.platform.nccl.low_latency.step.nvlink).value;
    const topology::ServerGraph servers = servers_of(spec.platform, params.platform);
    Ends done(static_cast<unsigned>(servers.gpus()));
    BlinkPlatform platform("platform", servers, config, done);
    const std::vector<int>& gpus = spec.jobs.front().ranks;
    std::vector<StreamProgram> programs = programs_of(spec, params, servers, platform.wires());
    const Tick t0 = BlinkPlatform::command_latency(params.platform);
    platform.begin(t0);
    for (std::size_t r = 0; r < gpus.size(); ++r) platform.post(static_cast<unsigned>(gpus[r]), std::move(programs[r]), t0);
    sc_core::sc_start();
    std::string text = done.text();
    for (const std::string& line : platform.waiting()) text += line;
    return text;
  });
}

void check_orders(const RunSpec& spec, const std::vector<int>& bursts) {
  INFO(spec.platform.name() << ": " << spec.jobs.front().collective << " " << spec.jobs.front().algorithm);
  const std::string usual = ends(spec, {});
  CHECK(std::count(usual.begin(), usual.end(), '-') + static_cast<long>(spec.jobs.front().ranks.size()) ==
        std::count(usual.begin(), usual.end(), ' '));  // all have ended, and nothing is pending
  for (const Route route : {Route{false, false}, Route{true, false}, Route{true, true}}) CHECK(ends(spec, route) == usual);
  for (const int burst : bursts) {
    INFO("bursts of " << burst);
    CHECK(ends(spec, {burst % 2 == 0, burst % 4 < 2, burst}) == usual);
  }
}

const std::vector<int> all_bursts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

}  // namespace

TEST_CASE("blink orders: links with one copy at a time have the same times with bursts of any size", "[system][blink]") {
  const std::vector<std::string> settings{"blink.chunk=100kB", "blink.host.peer_switch=1us"};
  for (const char* collective : {"broadcast", "reduce"}) {
    check_orders(spec_of("dgx1v", collective, "blink", {0, 3, 4}, settings), all_bursts);
    check_orders(spec_of("dgx1v", collective, "blink_hybrid", {0, 3, 4}, settings), all_bursts);
    check_orders(spec_of("dgx1v", collective, "blink", {6, 1, 3, 4}, settings), all_bursts);  // pairs, PCIe
    check_orders(spec_of("servers:2xdgx1v", collective, "blink", {0, 3, 8}, settings), all_bursts);
  }
}

TEST_CASE("blink orders: rings with one copy at a time on a link have the same times with bursts of any size",
          "[system][nccl]") {
  check_orders(spec_of("dgx1v", "broadcast", "nccl", {6, 1, 4, 5}, {}), all_bursts);  // one ring, over PCIe
  check_orders(spec_of("servers:2xdgx1v", "broadcast", "nccl", {0, 3, 8}, {}), all_bursts);
}

TEST_CASE("blink orders: links that trees and rings share have the same times in any order", "[system][blink]") {
  const std::vector<std::string> settings{"blink.chunk=50kB", "blink.host.peer_switch=1us"};
  for (const char* collective : {"broadcast", "allreduce"})
    for (const char* algorithm : {"blink", "blink_hybrid", "nccl"}) {
      check_orders(spec_of("dgx1v", collective, algorithm, first_gpus(8), settings), {});
      if (std::string(algorithm) != "blink_hybrid")
        check_orders(spec_of("servers:2xdgx1v", collective, algorithm, {0, 1, 2, 8, 9, 10, 11, 12}, settings), {});
    }
}

}  // namespace tributary::test_blink_orders
