// Evictions and timeouts at random, both strategies: every sum right, every operand counted once, nothing left anywhere. The
// cores throw when a count is exceeded or a block comes twice; SmallSystem::run checks the rest (klenk.md 4 and 6, A16).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "testbench/harness/run_specs.h"
#include "testbench/harness/small_machine.h"
#include "testbench/observe/signal_counter.h"

using namespace tributary;

namespace {

struct Draw {
  std::uint64_t seed, index = 0;
  std::uint64_t operator()(std::uint64_t bound) { return below(random_at(seed, 77, index++), bound); }
};

std::string setting(const std::string& path, const std::string& value) { return path + "=" + value; }

/// Systems of one elaboration: each has other parameters.
std::unique_ptr<SmallSystem> random_system(unsigned i) {
  std::vector<std::string> settings{setting("switch.reduction_table.eviction", i % 2 == 0 ? "home_gpu" : "multicast"),
                                    setting("switch.reduction_table.bytes", i % 3 == 0 ? "128B" : "256B"),
                                    setting("switch.reduction_table.timeout", i % 4 < 2 ? "300ns" : "2us"),
                                    setting("fabric.hash", i % 3 == 1 ? "random" : "interleave")};
  if (i % 4 != 3) settings.push_back("gpu.dma.waves=0"), settings.push_back("gpu.dma.issue_order=shuffled:64");
  RunSpec spec = run_spec("push", {}, {}, settings);
  const bool two = i < 6;
  const Machine m = two ? two_boards(2, 2, 2) : leaf_spine(4, 2, 1, 2);
  spec.job.ranks = first_gpus(two ? 4 : 8);
  spec.job.type = ElementType::i32;
  return std::make_unique<SmallSystem>("system" + std::to_string(i), m, spec);
}

}  // namespace

TEST_CASE("random evictions and timeouts leave every sum right, over 1200 seeds", "[system][random]") {
  std::vector<std::unique_ptr<SmallSystem>> systems;
  for (unsigned i = 0; i < 12; ++i) systems.push_back(random_system(i));
  std::vector<SignalCounters> counters(systems.size());
  for (std::size_t i = 0; i < systems.size(); ++i)
    for (const char* event : {"evictions", "timeouts", "completions"})
      counters[i].add(systems[i]->probes, std::string("*.table.") + event, event);
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    Draw draw{seed};
    SmallSystem& s = *systems[seed % systems.size()];
    std::vector<Tick> skew;
    for (std::size_t r = 0; r < s.spec.job.ranks.size(); ++r) skew.push_back(draw(4) == 0 ? draw(3'000'000) : draw(100'000));
    REQUIRE_NOTHROW(s.run(bytes(4 + 4 * draw(1200)), seed, seed, skew));
  }
  for (const SignalCounters& c : counters)
    for (const SignalCounters::Counter& event : c.counters()) CHECK(event.count > 0);
}
