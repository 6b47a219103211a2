// Random evictions, timeouts and link errors, push and pull: every sum is right, every operand is counted once, and
// nothing is left over. The cores throw when a count is exceeded or a block arrives twice; SmallSystem::run checks the
// rest (docs/systems/klenk.md#push).
#include <catch2/catch.hpp>
#include <map>

#include "modules/base/random.h"
#include "platforms/nvswitch/platform_params.h"
#include "testbench/observe/signal_counter.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_random_evictions {
namespace {

struct Draw {
  std::uint64_t seed, index = 0;
  std::uint64_t operator()(std::uint64_t bound) { return below(random_at(seed, 77, index++), bound); }
};

std::string setting(const std::string& path, const std::string& value) { return path + "=" + value; }

/// Bit errors on all links, scripted faults on some, or both.
void add_faults(RunSpec& spec, const topology::Graph& graph, unsigned i) {
  Draw draw{1000 + i};
  spec.parameters.of<NvSwitchPlatformParams>().link.bit_error_rate = i % 3 == 0 ? 0 : i % 3 == 1 ? 3e-5 : 3e-4;
  if (i % 4 == 1) spec.parameters.of<NvSwitchPlatformParams>().link.replay_buffer = i % 8 == 1 ? 144_B : 400_B;
  if (i % 3 == 1) return;
  const std::vector<std::string> links = link_names(graph);
  for (unsigned f = 0; f < 20; ++f)
    spec.faults.push_back(
        {draw(2) == 0 ? LinkFault::Kind::corrupt : LinkFault::Kind::duplicate, links[draw(links.size())], draw(12), {}});
}

/// Systems of one elaboration, each with different parameters.
std::unique_ptr<SmallSystem> random_system(unsigned i, bool faulty = false) {
  std::vector<std::string> settings{
      setting("nvswitch.switch.reduction_table.eviction", i % 2 == 0 ? "home_gpu" : "multicast"),
      setting("nvswitch.switch.reduction_table.bytes", i % 3 == 0 ? "128B" : "256B"),
      setting("nvswitch.switch.reduction_table.timeout", i % 4 < 2 ? "300ns" : "2us"),
      setting("nvswitch.fabric.hash", i % 3 == 1 ? "random" : "interleave"),
      setting("nvswitch.acks", i % 5 == 0   ? "merged"
                               : i % 5 == 1 ? "none"
                                            : "separate"),
      setting("nvswitch.switch.ack_table.entries", i % 10 == 0 ? "2" : "64")};
  if (i >= 4 && i % 3 == 2) settings[1] = setting("nvswitch.switch.reduction_table.bytes", "768B");
  if (i >= 4 && i % 3 == 2) settings.push_back("nvswitch.switch.reduction_table.order=rank");
  if (i % 4 != 3)
    settings.push_back("nvswitch.gpu.dma.waves=0"), settings.push_back("nvswitch.gpu.dma.issue_order=shuffled:64");
  RunSpec spec = run_spec("push", {}, {}, settings);
  const bool two = i < 6;
  const Machine m = two ? two_boards(2, 2, 2) : leaf_spine(4, 2, 1, 2);
  spec.jobs[0].ranks = first_gpus(two ? 4 : 8);
  spec.jobs[0].type = ElementType::i32;
  if (faulty) add_faults(spec, m.graph, i);
  return std::make_unique<SmallSystem>("system" + std::to_string(i), m, spec);
}

/// Systems for pull: tables that are full or absent on trunks, acks merged or not.
std::unique_ptr<SmallSystem> random_pull_system(unsigned i, bool faulty = false) {
  const bool in_order = i % 3 == 2;
  std::vector<std::string> settings{setting("nvswitch.switch.reduction_table.bytes", in_order     ? "1KiB"
                                                                                     : i % 2 == 0 ? "128B"
                                                                                                  : "512B"),
                                    setting("nvswitch.switch.reduction_table.order", in_order ? "rank" : "arrival"),
                                    setting("nvswitch.switch.reduction_table.trunk_bytes", i % 4 == 0 ? "0B" : "128B"),
                                    setting("nvswitch.acks", i % 2 == 0 ? "merged" : "separate"),
                                    setting("nvswitch.pull.wave_done", i % 4 < 2 ? "ack" : "response"),
                                    setting("nvswitch.pull.barrier_kind", i % 5 == 0 ? "flags" : "allreduce"),
                                    setting("nvswitch.switch.ack_table.entries", i % 4 == 0 ? "3" : "64"),
                                    setting("nvswitch.gpu.dma.wave_bytes", "512B")};
  RunSpec spec = run_spec("pull", {}, {}, settings);
  const bool two = i < 2;
  const Machine m = two ? two_boards(2, 2, 2) : leaf_spine(4, 2, 1, 2);
  spec.jobs[0].ranks = first_gpus(two ? 4 : 8);
  spec.jobs[0].type = ElementType::i32;
  if (faulty) add_faults(spec, m.graph, i);
  return std::make_unique<SmallSystem>("pull" + std::to_string(i), m, spec);
}

std::vector<Tick> random_skew(Draw& draw, std::size_t ranks) {
  std::vector<Tick> skew;
  for (std::size_t r = 0; r < ranks; ++r) skew.push_back(draw(4) == 0 ? draw(3'000'000) : draw(100'000));
  return skew;
}

}  // namespace

TEST_CASE("random runs: evictions and timeouts leave every sum right over 1200 seeds", "[system][random]") {
  std::vector<std::unique_ptr<SmallSystem>> systems;
  for (unsigned i = 0; i < 12; ++i) systems.push_back(random_system(i));
  std::vector<SignalCounters> counters(systems.size());
  for (std::size_t i = 0; i < systems.size(); ++i)
    for (const char* event : {"evictions", "timeouts", "completions"})
      counters[i].add(systems[i]->probes, {{std::string("*.table.") + event, event}});
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    Draw draw{seed};
    SmallSystem& s = *systems[seed % systems.size()];
    const std::vector<Tick> skew = random_skew(draw, s.spec.jobs[0].ranks.size());
    REQUIRE_NOTHROW(s.run(bytes(4 + 4 * draw(1200)), seed, seed, skew));
  }
  for (const std::size_t strategy : {0, 1})
    for (std::size_t event = 0; event < 3; ++event) {
      std::uint64_t sum = 0;
      for (std::size_t i = strategy; i < systems.size(); i += 2) sum += counters[i].counters()[event].count;
      CHECK(sum > 1000);
    }
}

TEST_CASE("random runs: pulls through tables that are full or absent leave every sum right over 300 seeds",
          "[system][random]") {
  std::vector<std::unique_ptr<SmallSystem>> systems;
  for (unsigned i = 0; i < 6; ++i) systems.push_back(random_pull_system(i));
  SignalCounters counters;
  for (const auto& s : systems)
    for (const char* event : {"stalls", "misses"}) counters.add(s->probes, {{std::string("*.table.") + event, event}});
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Draw draw{seed};
    SmallSystem& s = *systems[seed % systems.size()];
    const std::vector<Tick> skew = random_skew(draw, s.spec.jobs[0].ranks.size());
    REQUIRE_NOTHROW(s.run(bytes(4 + 4 * draw(1200)), seed, seed, skew));
  }
  std::uint64_t events = 0;
  for (const SignalCounters::Counter& c : counters.counters()) events += c.count;
  CHECK(events > 10'000);
}

TEST_CASE("random runs: additional link errors leave every sum right over 1000 seeds", "[system][random][llr]") {
  std::vector<std::unique_ptr<SmallSystem>> systems;
  for (unsigned i = 0; i < 12; ++i) systems.push_back(random_system(i, true));
  for (unsigned i = 0; i < 6; ++i) systems.push_back(random_pull_system(i, true));
  SignalCounters counters;
  for (const auto& s : systems)
    for (const char* event : {"crc_errors", "retransmissions", "duplicates_dropped"})
      counters.add(s->probes, {{std::string("*.link.") + event, s->spec.jobs[0].algorithm + " " + event}});
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Draw draw{seed};
    SmallSystem& s = *systems[seed % systems.size()];
    const std::vector<Tick> skew = random_skew(draw, s.spec.jobs[0].ranks.size());
    REQUIRE_NOTHROW(s.run(bytes(4 + 4 * draw(800)), seed, seed, skew));
  }
  std::map<std::string, std::uint64_t> sums;
  for (const SignalCounters::Counter& c : counters.counters()) sums[c.name] += c.count;
  CHECK(sums.size() == 6);
  for (const auto& [event, sum] : sums) {
    INFO(event);
    CHECK(sum > 1000);
  }
}

}  // namespace tributary::test_random_evictions
