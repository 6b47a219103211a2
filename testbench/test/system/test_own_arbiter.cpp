// Arbiters of a user in all switches of a machine.
#include <catch2/catch.hpp>

#include "platforms/nvswitch/machine.h"
#include "testbench/observe/trajectory_hash.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/own_arbiters.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_own_arbiter {

using Catch::Matchers::Contains;

namespace {

/// A DGX-2 with such arbiters that hashes every packet on every link.
struct Hashed : SmallSystem {
  Hashed(const std::string& name, const RunSpec& s, const CrossbarArbiterFactory& make_arbiter)
      : SmallSystem(name, machine("dgx2"), s, make_reduction_table, {}, make_arbiter) {
    for (const DirectedLink& link : system.links()) hash.add(link.transmitter->sent);
  }
  std::pair<Tick, std::uint64_t> measure(Bytes message) {
    hash.reset(kernel_now() + params.gpu.doorbell_latency.value);
    run(message, 1, 1);
    return {completion.last() - t0, hash.trajectory()};
  }
  TrajectoryHash hash;
};

RunSpec push(SimulationMode mode) {
  RunSpec spec = run_spec("push", first_gpus(16), {});
  spec.mode = mode;
  return spec;
}

template <class Arbiter>
CrossbarArbiterFactory make() {
  return [](const CrossbarArbiterConfig&) { return std::make_unique<Arbiter>(); };
}

class OutOfRange : public FixedPriority {
 public:
  std::size_t choose(unsigned, const std::vector<Request>& requests, Tick) override { return requests.size() + 3; }
};

}  // namespace

TEST_CASE("own arbiter: the rules of the switch give a push its packets at the same picoseconds", "[system][arbiter]") {
  Hashed ours("ours", push(SimulationMode::windowed), {});
  Hashed own("own", push(SimulationMode::windowed), make<OwnRoundRobin>());
  CHECK(own.measure(64_KiB) == ours.measure(64_KiB));
}

TEST_CASE("own arbiter: with fixed priority the sums are right, and both modes agree", "[system][arbiter]") {
  Hashed ours("ours", push(SimulationMode::windowed), {});
  Hashed windowed("windowed", push(SimulationMode::windowed), make<FixedPriority>());
  Hashed event("event", push(SimulationMode::event), make<FixedPriority>());
  const auto [time, hash] = windowed.measure(64_KiB);
  CHECK(event.measure(64_KiB) == std::pair(time, hash));
  CHECK(ours.measure(64_KiB).second != hash);
}

TEST_CASE("own arbiter: a choice out of range is named with its switch", "[system][arbiter]") {
  Hashed wrong("dgx2", push(SimulationMode::windowed), make<OutOfRange>());
  CHECK_THROWS_WITH(wrong.measure(1_KiB),
                    Contains(".arbiter breaks the rule `answer` at ") && Contains("it chooses request "));
}

}  // namespace tributary::test_own_arbiter
