// Every block that a platform lets its user replace by name is made by the user's factory, once for each instance.
#include <catch2/catch.hpp>
#include <map>

#include "modules/gpu/command_executor.h"
#include "modules/gpu/compute_engine.h"
#include "modules/gpu/dma_engine.h"
#include "modules/gpu/home_accumulator.h"
#include "modules/gpu/memory.h"
#include "modules/gpu/nvls_engine.h"
#include "modules/gpu/operation_engine.h"
#include "modules/streams/copy_engine.h"
#include "platforms/blink/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/run/family.h"
#include "testbench/run/replaced_blocks.h"
#include "testbench/run/resolve.h"
#include "testbench/run/session.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_replaced_blocks {

using Catch::Matchers::Contains;

namespace {

template <class Module>
EngineFactory engine(unsigned& made) {
  return [&made](const char* name, EngineSeat seat) { return ++made, std::make_unique<Module>(name, seat); };
}

void check_all_listed(const std::string& platform, const BlockFactories& blocks) {
  std::vector<std::string> listed;
  for (const BlockInfo& block : blocks_of(family_of(platform))) listed.push_back(block.name);
  std::sort(listed.begin(), listed.end());
  CHECK(blocks.names() == listed);
}

}  // namespace

TEST_CASE("replaced blocks: each block of a DGX-2 is made by the factory of its name", "[system][plugin]") {
  std::map<std::string, unsigned> made;
  RunSpec spec = run_spec("push", first_gpus(16), {8_KiB});
  spec.blocks.add(reduction_table_slot, [&](const char* name, const ReductionTableConfig& config) {
    return ++made["table"], make_reduction_table(name, config);
  });
  spec.blocks.add(switch_port_slot, [&](const char* name, LinkPortListener& host, const Tick& now, unsigned index,
                                        const NvSwitchPort::Config& config) {
    return ++made["port"], make_nvswitch_port(name, host, now, index, config);
  });
  spec.blocks.add(gpu_memory_slot, [&](const char* name, const GpuConfig& config) {
    return ++made["memory"], std::make_unique<Memory>(name, config.params.memory, config.seed, config.gpu);
  });
  spec.blocks.add(dma_engine_slot, engine<DmaEngine>(made["dma"]));
  spec.blocks.add(command_executor_slot, engine<CommandExecutor>(made["executor"]));
  spec.blocks.add(home_accumulator_slot, engine<HomeAccumulator>(made["home"]));
  spec.blocks.add(compute_engine_slot, engine<ComputeEngine>(made["compute"]));
  spec.blocks.add(operation_engine_slot, engine<OperationEngine>(made["operations"]));
  spec.blocks.add(nvls_engine_slot, engine<OperationEngine>(made["nvls"]));
  spec.blocks.add(copy_engine_slot, [&](const char* name, const CopyParams& params) {
    return ++made["copy"], std::make_unique<CopyEngine>(name, params);
  });
  spec.blocks.add(switch_arbiter_slot, [&](const CrossbarArbiterConfig& config) {
    CHECK((config.ports == 16 && config.queues > 0));
    return ++made["arbiter"], std::unique_ptr<CrossbarArbiter>();  // the model's own
  });
  spec.blocks.add(switch_router_slot, [&](const SwitchRouterConfig& config) {
    CHECK(config.ports == 16);
    return ++made["router"], std::unique_ptr<SwitchRouter>();  // the model's own
  });
  check_all_listed("dgx2", spec.blocks);
  Session session(spec);
  CHECK(session.run(0).front().wrong == 0u);
  CHECK((made["arbiter"] == 12 && made["router"] == 12));
  for (const char* block : {"memory", "dma", "executor", "home"}) CHECK(made[block] == 16);
  CHECK(made["compute"] + made["operations"] == 0);  // and no tasks
  CHECK(made["copy"] + made["nvls"] == 0);           // a push has no streams and no kernels
  // 12 switches: 8 ports to GPUs and 8 to the other board
  CHECK((made["table"] == 192 && made["port"] == 192));
}

TEST_CASE("replaced blocks: copy engines of a DGX-2 are made by the factory of their name if an algorithm has streams",
          "[system][plugin]") {
  unsigned made = 0;
  RunSpec spec = run_spec("blink", first_gpus(16), {64_KiB});
  spec.blocks.add(copy_engine_slot, [&](const char* name, const CopyParams& params) {
    return ++made, std::make_unique<CopyEngine>(name, params);
  });
  Session session(spec);
  CHECK(session.run(0).front().wrong == 0u);
  CHECK(made == 16 * 6);
}

TEST_CASE("replaced blocks: thread blocks of NVLS are made by the factory of their name", "[system][plugin]") {
  unsigned made = 0;
  RunSpec spec = run_spec("nvls", first_gpus(4), {8_KiB});
  NvlsParams params;
  params.base = 0_ns;
  spec.blocks.add(nvls_engine_slot, [&](const char* name, EngineSeat seat) {
    return ++made, std::make_unique<NvlsEngine>(name, seat, params);
  });
  Session session(spec);
  const ResultRow row = session.run(0).front();
  CHECK((row.wrong == 0u && made == 16));
  CHECK(row.time < 25'000'000);  // the model's own needs 25 us before its first copy
}

TEST_CASE("replaced blocks: each block of a torus is made by the factory of its name", "[system][plugin]") {
  std::map<std::string, unsigned> made;
  RunSpec spec = run_spec("multitree", first_gpus(16), {8_KiB});
  spec.platform = "torus:4x4";
  spec.blocks.add(schedule_table_slot, [&](const char* name, const NicCore::Config& config) {
    return ++made["table"], std::make_unique<ScheduleTable>(name, config.table_entries);
  });
  spec.blocks.add(reduction_unit_slot, [&](const char* name, const NicCore::Config& config) {
    return ++made["unit"], std::make_unique<ReductionUnit>(name, config.schedule.params.reduction);
  });
  spec.blocks.add(nic_memory_slot, [&](const char* name, const NicCore::Config& config) {
    return ++made["memory"],
           std::make_unique<DirectMemory>(name, config.schedule.params.memory.latency, config.schedule.node);
  });
  spec.blocks.add(nic_compute_slot, [&](const char* name, const NicCore::Config&) {
    return ++made["compute"], std::make_unique<NicComputeEngine>(name);
  });
  check_all_listed("torus:4x4", spec.blocks);
  Session session(spec);
  CHECK(session.run(0).front().wrong == 0u);
  for (const char* block : {"table", "unit", "memory"}) CHECK(made[block] == 16);
  CHECK(made["compute"] == 0);  // no training step
}

TEST_CASE("replaced blocks: a block that the platform does not have is refused before any module is made",
          "[pure][plugin]") {
  RunSpec spec = run_spec("multitree", first_gpus(16), {8_KiB});
  spec.platform = "torus:4x4";
  spec.blocks.add(reduction_table_slot, make_reduction_table);
  CHECK_THROWS_WITH(resolve_parameters(spec), Contains("torus:4x4 has no block nvswitch.switch.reduction_table"));
  spec.blocks = {};
  spec.blocks.add(BlockSlot<ReductionTableFactory>{"schedule_nic.nic.tabel"}, make_reduction_table);
  CHECK_THROWS_WITH(resolve_parameters(spec), Contains("did you mean schedule_nic.nic.table"));
}

TEST_CASE("replaced blocks: the same block of another family is left out", "[system]") {
  const CopyEngineFactory none = [](const char*, const CopyParams&) { return nullptr; };
  RunSpec spec;
  spec.platform = "dgx2";
  spec.blocks.add(copy_engine_slot, none);
  spec.blocks.add(stream_copy_engine_slot, none);
  const Family& family = family_of(spec.platform);
  CHECK(replaced_blocks(family, spec) == std::vector<std::string>{"nvswitch.gpu.copy_engine"});
  spec.platform = "torus:4x4";
  CHECK_THROWS_WITH(replaced_blocks(family_of(spec.platform), spec),
                    Contains("torus:4x4 has no block blink.gpu.copy_engine"));
}

}  // namespace tributary::test_replaced_blocks
