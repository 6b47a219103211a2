// Memories of NICs and servers that answer after the call: equal to the annotated form of the same latency to the
// picosecond, in both modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "platforms/blink/blocks.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/test/harness/deferred_memory.h"
#include "testbench/test/harness/network_specs.h"

namespace tributary::test_deferred_memories {
namespace {

LatencyRule constant(Tick latency) {
  return [latency](std::uint64_t, Tick) { return latency; };
}
/// 0 to 50 ns, by address and time.
Tick varying(std::uint64_t address, Tick begin) { return random_at(7, address, begin) % 50'000; }

using With = RunSpec (*)(RunSpec, const LatencyRule&, AnswerForm);

RunSpec at_nics(RunSpec spec, const LatencyRule& latency, AnswerForm form) {
  spec.blocks.add(nic_memory_slot, [=](const char* name, const NicCore::Config& nic) {
    return std::make_unique<DeferredMemory>(name, nic.schedule.node, latency, form);
  });
  return spec;
}
RunSpec at_servers(RunSpec spec, const LatencyRule& latency, AnswerForm form) {
  spec.blocks.add(stream_memory_slot, [=](const char* name, unsigned gpu) {
    return std::make_unique<DeferredMemory>(name, gpu, latency, form);
  });
  return spec;
}

/// Checks that both modes agree on memories that answer later, and that those that answer within the call give the same run.
void check(const RunSpec& spec, With with, const LatencyRule& latency, AnswerForm form = AnswerForm::deferred) {
  const std::vector<Run> later = check_modes(with(spec, latency, form));
  const std::vector<Run> at_once =
      run_all(with_hashes(with(spec, latency, AnswerForm::annotated), SimulationMode::windowed));
  CHECK(difference(later, at_once) == "");
}

RunSpec server_spec(const char* collective, const char* algorithm, const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, algorithm, first_gpus(4), {1_MiB}, settings);
  spec.platform = "dgx1v";
  return spec;
}

}  // namespace

TEST_CASE("deferred memories of NICs: constant latencies", "[system][deferred]") {
  const RunSpec spec = network_spec("torus:2x2", "allreduce", "multitree", {4_B, 40_KiB});
  for (const Tick latency : {Tick{0}, Tick{1}, Tick{1'000}, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    check(spec, at_nics, constant(latency));
    check(spec, at_nics, constant(latency), AnswerForm::unordered);
  }
  check(spec, at_nics, constant(10'000), AnswerForm::clocked);
}

TEST_CASE("deferred memories of NICs: latencies that depend on data", "[system][deferred]") {
  for (const char* algorithm : {"multitree", "ring_2d", "ring"}) {
    INFO(algorithm);
    const RunSpec spec = network_spec("torus:4x4", "allreduce", algorithm, {40_KiB});
    check(spec, at_nics, varying);
    check(spec, at_nics, varying, AnswerForm::clocked);
    check_modes(at_nics(spec, varying, AnswerForm::unordered));
  }
}

TEST_CASE("deferred memories of NICs: limited rate, queues and channels of an interface", "[system][deferred]") {
  check(network_spec("torus:4x4", "allreduce", "multitree", {40_KiB}, {"schedule_nic.nic.memory.rate=8GB/s"}), at_nics,
        varying);
  check(network_spec("torus:4x4", "allreduce", "ring", {40_KiB}, {"schedule_nic.nic.interfaces.queue=1"}), at_nics, varying);
  check(network_spec("bigraph:4x2", "allreduce", "hdrm", {40_KiB}), at_nics, varying);
}

TEST_CASE("deferred memories of servers: constant latencies", "[system][deferred]") {
  for (const Tick latency : {Tick{0}, Tick{1}, Tick{1'000}, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    check(server_spec("broadcast", "blink"), at_servers, constant(latency));
  }
  check(server_spec("broadcast", "blink"), at_servers, constant(10'000), AnswerForm::clocked);
}

TEST_CASE("deferred memories of servers: latencies that depend on data", "[system][deferred]") {
  const std::vector<std::string> limited{"blink.copy.window=64KiB", "blink.copy.rate=40GB/s"};
  for (const auto& settings : {std::vector<std::string>{}, limited, {"blink.copy.arbitration=in_turn"}}) {
    check(server_spec("allreduce", "blink", settings), at_servers, varying);
    check_modes(at_servers(server_spec("allreduce", "blink", settings), varying, AnswerForm::unordered));
  }
}

}  // namespace tributary::test_deferred_memories
