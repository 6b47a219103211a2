/// Automatic parameters, as used in the paper's figures (docs/systems/klenk.md#figures), and illegal combinations.
#include <catch2/catch.hpp>

#include "platforms/nvswitch/platform_params.h"
#include "platforms/schedule_nic/network_params.h"
#include "testbench/run/energy/prices.h"
#include "testbench/run/errors.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_resolve {
namespace {

NvSwitchPlatformParams resolved(const std::string& platform, const std::string& algorithm,
                                const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec(algorithm, first_gpus(16), {1_KiB}, settings);
  spec.platform = platform;
  return resolve_parameters(spec).of<NvSwitchPlatformParams>();
}

void check(const NvSwitchPlatformParams& p, std::uint32_t waves, Bytes table) {
  CHECK(p.gpu.dma.waves == waves);
  CHECK(p.gpu.dma.wave_bytes == 8_KiB);
  CHECK(p.switches.reduction_table.bytes == table);
  CHECK(p.switches.reduction_table.trunk_bytes == table);
}

}  // namespace

TEST_CASE("automatic parameters: tables and waves are those of a machine's figures", "[pure][resolve]") {
  check(resolved("dgx2", "push"), 16, 256_B);
  check(resolved("dgx2", "pull"), 4, 4_KiB);
  check(resolved("fat_tree:128", "push"), 64, 256_B);
  check(resolved("fat_tree:64", "push"), 64, 256_B);
  check(resolved("fat_tree:128", "pull"), 16, 1_KiB);
}

TEST_CASE("automatic parameters: explicit values are kept", "[pure][resolve]") {
  const NvSwitchPlatformParams p =
      resolved("fat_tree:64", "pull", {"nvswitch.gpu.dma.waves=3", "nvswitch.switch.reduction_table.bytes=256B"});
  check(p, 3, 256_B);
  CHECK(resolved("dgx2", "pull", {"nvswitch.switch.reduction_table.trunk_bytes=0B"}).switches.reduction_table.trunk_bytes ==
        0_B);
}

TEST_CASE("automatic parameters: push needs tables on trunks, which are home ports, too", "[pure][resolve]") {
  CHECK_THROWS_AS(resolved("dgx2", "push", {"nvswitch.switch.reduction_table.trunk_bytes=0B"}), SetupError);
  CHECK_NOTHROW(resolved("dgx2", "push", {"nvswitch.switch.reduction_table.trunk_bytes=128B"}));
}

TEST_CASE("automatic parameters: tables have two entries per node unless they are set", "[pure][resolve]") {
  const auto entries = [](const std::string& platform, const std::vector<std::string>& settings = {}) {
    RunSpec spec = run_spec("multitree", first_gpus(4), {1_KiB}, settings);
    spec.platform = platform;
    return resolve_parameters(spec).of<NetworkParams>().nic.table.entries;
  };
  CHECK(entries("torus:8x8") == 128u);  // 2N: MultiTree IV-A
  CHECK(entries("fat_tree_2level:64") == 128u);
  CHECK(entries("mesh:4x4") == 32u);
  CHECK(entries("bigraph:8x2", {"schedule_nic.nic.table.entries=auto"}) == 65535u);
  CHECK(entries("bigraph:8x2", {"schedule_nic.nic.table.entries=78"}) == 78u);
}

TEST_CASE("automatic parameters: a run that cannot be checked is refused or runs without data", "[pure][resolve]") {
  const auto checked = [](const std::string& collective, int ranks, ElementType type, DataMode data) {
    RunSpec spec = collective_spec(collective, "ring", first_gpus(ranks), {1_KiB}, {});
    spec.platform = "spine_leaf:32x32x2";
    spec.jobs[0].type = type;
    spec.data = data;
    resolve_parameters(spec);
  };
  constexpr ElementType f32 = ElementType::f32, bf16 = ElementType::bf16;
  CHECK_NOTHROW(checked("allreduce", 1024, f32, DataMode::exact));
  CHECK_THROWS_WITH(checked("allreduce", 1025, f32, DataMode::exact),
                    "results of 1025 ranks cannot be checked; legal: at most 1024 ranks, or --no-data");
  CHECK_THROWS_AS(checked("reduce_scatter", 1025, f32, DataMode::random), SetupError);
  CHECK_NOTHROW(checked("allreduce", 1025, f32, DataMode::none));
  CHECK_THROWS_AS(checked("allreduce", 129, bf16, DataMode::exact), SetupError);
  CHECK_NOTHROW(checked("allreduce", 129, bf16, DataMode::random));
  CHECK_NOTHROW(checked("allgather", 1025, bf16, DataMode::exact));  // no additions
}

TEST_CASE("parameters: those that a platform does not have cannot be set", "[pure][resolve]") {
  CHECK_THROWS_AS(resolved("dgx2", "push", {"schedule_nic.link.rate=1GB/s"}), SetupError);
  CHECK_THROWS_AS(resolved("torus:4x4", "multitree", {"nvswitch.switch.latency=5ns"}), SetupError);
  CHECK_NOTHROW(resolved("torus:4x4", "multitree", {"schedule_nic.link.rate=1GB/s", "watchdog.window=2ms"}));
  RunSpec spec = run_spec("push", {0, 1}, {1_KiB}, {"schedule_nic.link.rate=1GB/s"});
  CHECK_THROWS_WITH(resolve_parameters(spec),
                    "schedule_nic.link.rate is set, which dgx2 does not have; legal: nvswitch.*, watchdog.* and prices "
                    "(energy.*, area.*, technology.*)");
}

TEST_CASE("an endpoint of two concurrent jobs is reported by its name on the platform", "[pure][resolve]") {
  RunSpec spec = run_spec("push", {0, 1, 2, 3}, {1_KiB});
  spec.jobs.push_back(spec.jobs[0]);
  spec.jobs[1].ranks = {3, 7};
  CHECK_THROWS_WITH(resolve_parameters(spec), "jobs 0 and 1 both use gpu3; legal: concurrent jobs on disjoint GPUs (ranks)");
  spec.platform = "torus:4x4";
  spec.jobs[0].algorithm = spec.jobs[1].algorithm = "multitree";
  CHECK_THROWS_WITH(resolve_parameters(spec),
                    "jobs 0 and 1 both use nic3; legal: concurrent jobs on disjoint nodes (ranks)");
}

TEST_CASE("parameter names from before families had names are known, with their present names", "[pure][resolve]") {
  RunParameters params;
  const ParameterSet set = params.fields();
  std::size_t checked = 0, later = 0,
              run = 0;  // names of later families; of the watchdog, energy and area, without a family
  for (const ParameterField& field : set.fields()) {
    CHECK(set.current(field.path) == field.path);
    run += is_price(field.path) || field.path.rfind("watchdog.", 0) == 0 ? 1 : 0;
    for (const Family* family : families())
      later += !family->parameters()->old_prefix && field.path.rfind(family->name() + ".", 0) == 0 ? 1 : 0;
    for (const auto& [old, now] : {std::pair<std::string, std::string>{"", "nvswitch."}, {"network.", "schedule_nic."}}) {
      if (field.path.rfind(now, 0) != 0) continue;
      const std::string before = old + field.path.substr(now.size());
      const bool taken = before.rfind("blink.", 0) == 0;  // names of the family blink, which NVSwitch machines share since
      CHECK(set.current(before) == (taken ? before : field.path));
      ++checked;
    }
  }
  CHECK(checked + later + run == set.fields().size());
  set.set("link.latency", "30ns");
  set.set("network.link.latency", "40ns");
  CHECK(params.of<NvSwitchPlatformParams>().link.latency == 30_ns);
  CHECK(params.of<NetworkParams>().link.latency == 40_ns);
  for (const char* tail : {"table.bytes", "table.byte", "reduction_table.bytes", "nvswitch.reduction_table.bytes"})
    CHECK_THROWS_WITH(set.set(tail, "1KiB"),
                      Catch::Matchers::Contains("did you mean nvswitch.switch.reduction_table.bytes?"));
  CHECK_THROWS_WITH(set.set("link.latancy", "1ns"), Catch::Matchers::Contains("did you mean nvswitch.link.latency?"));
  CHECK_THROWS_WITH(set.set("network.link.latancy", "1ns"),
                    Catch::Matchers::Contains("did you mean schedule_nic.link.latency?"));
}

TEST_CASE("parameters: a copy is independent", "[pure][resolve]") {
  RunParameters first;
  RunParameters second = first;
  second.of<NvSwitchPlatformParams>().link.latency = 1_us;
  CHECK(first.of<NvSwitchPlatformParams>().link.latency == 20_ns);
  first = second;
  CHECK(first.of<NvSwitchPlatformParams>().link.latency == 1_us);
}

TEST_CASE("parameters: rings that an accelerator has no room for are refused before the run", "[pure][resolve]") {
  const auto refused = [](const std::string& platform, int hosts, const std::vector<std::string>& settings) -> std::string {
    RunSpec spec = run_spec("netreduce", first_gpus(hosts), {1_KiB}, settings);
    spec.platform = platform;
    try {
      resolve_parameters(spec);
    } catch (const SetupError& error) {
      return error.what();
    }
    return "";
  };
  using Catch::Matchers::Contains;
  // 680 slots: payloads of six hosts, headers, states, sums; 4.58 MB are those of the prototype
  // (docs/blocks/accelerator.md).
  const std::string memory = "netreduce.accelerator.memory=", recomputed = "netreduce.accelerator.value=recomputed";
  CHECK_THAT(refused("rack:6", 6, {memory + "4580000B"}),
             Contains("accelerator need 5163665 B, and netreduce.accelerator.memory=4580kB") && Contains("fewer hosts") &&
                 Contains("netreduce.flow_control.window") && Contains(recomputed));
  CHECK(refused("rack:6", 6, {memory + "4580000B", recomputed}) == "");
  CHECK(refused("rack:6", 6, {memory + "5163665B"}) == "");
  CHECK(refused("rack:6", 5, {memory + "4580000B"}) == "");
  // A leaf of four hosts, and the spine with ten racks, which holds more.
  CHECK_THAT(refused("spine_leaf:10x4", 40, {memory + "5MiB"}), Contains("the rings of spine_accelerator need"));
  CHECK(refused("spine_leaf:2x4", 8, {memory + "5MiB"}) == "");
}

TEST_CASE("parameters: background traffic requires an endpoint of the platform", "[pure][resolve]") {
  const auto incast = [](int target) {
    RunSpec spec = run_spec("ring", first_gpus(2), {1_KiB}, {});
    spec.platform = "rack:4";
    spec.background_load = 0.1;
    spec.background_target = target;
    resolve_parameters(spec);
  };
  CHECK_NOTHROW(incast(0));
  CHECK_NOTHROW(incast(3));
  CHECK_THROWS_WITH(incast(4), "background traffic into host4, which rack:4 does not have; legal: 0 to 3");
  CHECK_THROWS_AS(incast(-1), SetupError);
}

}  // namespace tributary::test_resolve
