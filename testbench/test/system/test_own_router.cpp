// Routers of a user in all switches of a machine (docs/blocks/switch.md#router).
#include <catch2/catch.hpp>

#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_own_router {

using Catch::Matchers::Contains;

namespace {

using Choice = std::function<std::size_t(const SwitchRouter::Request&)>;

class Router : public SwitchRouter {
 public:
  explicit Router(Choice choice) : choice_(std::move(choice)) {}
  std::size_t choose(const Request& request) const override { return choice_(request); }

 private:
  Choice choice_;
};

std::size_t usual(const SwitchRouter::Request& r) { return r.usual; }
std::size_t next_one(const SwitchRouter::Request& r) { return (r.usual + 1) % r.ports.size(); }
std::size_t first(const SwitchRouter::Request&) { return 0; }
std::size_t beyond(const SwitchRouter::Request& r) { return r.ports.size(); }

RunSpec with(RunSpec spec, const Choice& choice, bool ethernet) {
  const auto make = [choice](const SwitchRouterConfig& config) {
    CHECK(config.ports > 1);
    return std::make_unique<Router>(choice);
  };
  ethernet ? spec.blocks.add(ethernet_router_slot, make) : spec.blocks.add(switch_router_slot, make);
  return spec;
}

RunSpec on_dgx2(const char* algorithm) { return run_spec(algorithm, first_gpus(16), {64_KiB}); }

/// Two racks of four hosts and two spines. Half of the connections of a ring over all hosts cross the spines.
RunSpec on_racks(const char* algorithm, Bytes size = 256_KiB) {
  RunSpec spec = run_spec(algorithm, first_gpus(8), {size}, {"netreduce.spines=2"});
  spec.platform = "spine_leaf:2x4";
  return spec;
}

}  // namespace

TEST_CASE("own router: the paths of the model give the packets of the model", "[system][router]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    CHECK(difference(run_all(with_hashes(with(on_dgx2(algorithm), usual, false))),
                     run_all(with_hashes(on_dgx2(algorithm)))) == "");
  }
  CHECK(run_one(with(on_racks("ring"), usual, true)).row.time == run_one(on_racks("ring")).row.time);
}

TEST_CASE("own router: over the next trunk the sums are right, and both modes agree", "[system][router]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    const std::vector<Run> own = check_modes(with(on_dgx2(algorithm), next_one, false));
    CHECK(own[0].hashes.trajectory != run_all(with_hashes(on_dgx2(algorithm)))[0].hashes.trajectory);
  }
}

TEST_CASE("own router: hosts reach each other over another spine", "[system][router]") {
  for (const char* algorithm : {"ring", "netreduce"})
    for (const Choice& choice : {Choice(next_one), Choice(first)}) {
      INFO(algorithm);
      const RunSpec spec = with(on_racks(algorithm), choice, true);
      const ResultRow row = run_one(spec).row;
      CHECK(row.status == Status::done);
      RunSpec event = spec;
      event.mode = SimulationMode::event;
      CHECK(run_one(event).row.time == row.time);
    }
}

TEST_CASE("own router: a choice out of range is named with its switch", "[system][router]") {
  const auto report = [](const RunSpec& spec) {
    const ResultRow row = run_one(spec).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(with(on_dgx2("push"), beyond, false)),
             Contains(".router breaks the rule `answer`: it chooses path 8 of 8 to "));
  CHECK_THAT(report(with(on_racks("ring"), beyond, true)),
             Contains(".router breaks the rule `answer`: it chooses path 2 of 2 to "));
}

}  // namespace tributary::test_own_router
