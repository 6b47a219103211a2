#include "platforms/nvswitch/blocks.h"

#include <algorithm>
#include <string>

#include "modules/base/element_limits.h"
#include "modules/base/host/wide.h"
#include "modules/blockcheck/observed_arbiter.h"
#include "modules/nvswitch/core/table_fields.h"
#include "modules/nvswitch/core/table_monitor.h"
#include "modules/protocol/nvlink.h"
#include "modules/streams/copy_engine.h"
#include "modules/switching/core/round_robin_arbiter.h"
#include "platforms/observed_blocks.h"

namespace tributary {
namespace {

struct Engine {
  BlockSlot<EngineFactory> slot;
  const char* name;  ///< name in GpuParts
};
constexpr std::uint64_t most_table_bytes = std::uint64_t{1} << 26;
constexpr Engine engines[] = {
    {dma_engine_slot, "dma"},         {command_executor_slot, "executor"},   {home_accumulator_slot, "home"},
    {compute_engine_slot, "compute"}, {operation_engine_slot, "operations"}, {nvls_engine_slot, "nvls"}};

/// Returns the time of a flit, rounded up.
Tick flit_time(const ReductionTableConfig& c) {
  if (c.line_rate.value == 0) return 0;
  return static_cast<Tick>((Wide{NvLink::flit_bytes} * 1'000'000'000'000u + c.line_rate.value - 1) / c.line_rate.value);
}

void table_fields(FieldVisitor& v, ReductionTableConfig& c) {
  v.text("port", c.port);
  v.number("bytes", c.bytes);
  v.time("timeout", c.timeout);
  v.flag("rank_order", c.rank_order);
  v.number("line_rate", c.line_rate.value);
  v.number("add_cycles", c.add_cycles);
  if (v.sets() && c.bytes > most_table_bytes)
    throw FieldError("field `bytes` is " + std::to_string(c.bytes) + " (legal: at most " + std::to_string(most_table_bytes) +
                     ")");
}

const ObservableBlock<TableKit<TableFields>, ReductionTableConfig>& observable_table() {
  static const ObservableBlock<TableKit<TableFields>, ReductionTableConfig> table{
      reduction_table_slot, make_reduction_table, flit_time, table_fields, monitor_of<TableMonitor>()};
  return table;
}

const ObservableBlock<CopyEngineKit, CopyParams>& observable_engine() {
  static const ObservableBlock<CopyEngineKit, CopyParams> engine{
      copy_engine_slot,
      [](const char* name, const CopyParams& params) { return std::make_unique<CopyEngine>(name, params); },
      [](const CopyParams& params) { return params.interface_clock().value; },
      [](FieldVisitor& v, CopyParams& params) { visit_parameters(v, ParameterSet(params)); }, monitor_of<CopyMonitor>()};
  return engine;
}

/// Returns the time of a flit in the crossbar, rounded up.
Tick crossbar_time(const CrossbarArbiterConfig& c) {
  ReductionTableConfig rate;
  rate.line_rate = c.crossbar;
  return flit_time(rate);
}

/// Makes the arbiter of `factories`, or the model's own if it is null, with a driver. Returns null if `factories` does not
/// have it. Throws UnfitBlock for an arbiter whose calls wait: a driver is called outside of a thread.
std::unique_ptr<BlockDriver> drive_arbiter(const std::string& name, const BlockFactories* factories,
                                           const CrossbarArbiterConfig& config) {
  std::unique_ptr<CrossbarArbiter> arbiter;
  if (factories != nullptr) {
    const auto* const make = factories->find(switch_arbiter_slot);
    if (make == nullptr) return nullptr;
    arbiter = (*make)(config);
    if (dynamic_cast<const KernelTimePart*>(arbiter.get()) != nullptr)
      throw UnfitBlock(name + ": a block that waits in calls can be neither a shadow nor replayed (legal: --plugin)");
  }
  if (arbiter == nullptr) arbiter = std::make_unique<RoundRobinArbiter>(config);
  return std::make_unique<ArbiterDriver>(name, config, std::move(arbiter));
}

CrossbarArbiterConfig arbiter_config(FieldValues values) {
  CrossbarArbiterConfig config;
  FieldSetter setter(values);
  arbiter_config_fields(setter, config);
  return config;
}

BlockPlace arbiter_place(CrossbarArbiterConfig config) {
  BlockPlace place{
      switch_arbiter_slot.name, config.device.empty() ? "" : config.device + ".arbiter", crossbar_time(config), {}};
  FieldReader reader(place.config);
  arbiter_config_fields(reader, config);
  return place;
}

/// Returns an arbiter that shows its calls to the taps; null, or `own`, if no tap observes it.
std::unique_ptr<CrossbarArbiter> observed_arbiter(std::unique_ptr<CrossbarArbiter> own,
                                                  const std::vector<std::shared_ptr<BlockTap>>& taps,
                                                  const CrossbarArbiterConfig& config) {
  const BlockPlace place = arbiter_place(config);
  BlockObservers observers;
  std::shared_ptr<ArbiterMonitor> monitor;
  for (const auto& tap : taps) {
    if (const std::optional<Tick> most = tap->monitors(); most && !monitor) {
      monitor = std::make_shared<ArbiterMonitor>(BlockMonitor::Setup{place.name, *most, place.config}, config.ports,
                                                 config.queues);
      tap->add(monitor);
    }
    const auto make = [&](const char* driver, const BlockFactories* factories) {
      return drive_arbiter(place.name + "_" + driver, factories, config);
    };
    if (auto observer = tap->attach(place, make)) observers.push_back(std::move(observer));
  }
  if (observers.empty() && !monitor) return own;
  if (own == nullptr) own = std::make_unique<RoundRobinArbiter>(config);
  return std::make_unique<ObservedArbiter>(config, std::move(own), std::move(observers), std::move(monitor));
}

/// Replaces `factory` by that of `blocks`, and then by one whose arbiters show their calls to the taps of `blocks`.
void replace_arbiter(CrossbarArbiterFactory& factory, const BlockFactories& blocks) {
  if (const auto* make = blocks.find(switch_arbiter_slot)) factory = *make;
  const std::vector<std::shared_ptr<BlockTap>> taps = blocks.taps_of(switch_arbiter_slot.name);
  if (taps.empty()) return;
  factory = [make = std::move(factory), taps](const CrossbarArbiterConfig& config) {
    return observed_arbiter(make ? make(config) : nullptr, taps, config);
  };
}

bool has(const GpuParts& parts, const std::string& name) {
  return std::any_of(parts.engines().begin(), parts.engines().end(), [&](const auto& e) { return e.name == name; });
}

}  // namespace

std::vector<BlockInfo> nvswitch_blocks() {
  return {
      {reduction_table_slot.name, "reduction table of each port of each switch (ReductionTableFactory)",
       "modules/nvswitch/reduction_table_module.h"},
      {switch_port_slot.name, "port of each switch, with its link and the table's socket (NvSwitchPortFactory)",
       "modules/nvswitch/nvswitch_port.h"},
      {switch_arbiter_slot.name, "arbiter of the crossbar of each switch (CrossbarArbiterFactory)",
       "modules/switching/core/crossbar_arbiter.h"},
      {switch_router_slot.name, "router of each switch, which chooses among shortest paths (SwitchRouterFactory)",
       "modules/switching/core/switch_router.h"},
      {gpu_memory_slot.name, "memory of each GPU (MemoryFactory)", "modules/gpu/gpu_parts.h"},
      {dma_engine_slot.name, "DMA engine of each GPU, with its wave controller (EngineFactory)", "modules/gpu/gpu_parts.h"},
      {command_executor_slot.name, "executor of software schedules of each GPU (EngineFactory)", "modules/gpu/gpu_parts.h"},
      {copy_engine_slot.name, "copy engines of each GPU, in algorithms of streams (CopyEngineFactory)",
       "modules/streams/copy_engine_module.h"},
      {compute_engine_slot.name, "compute engine of each GPU, in training steps by packets (EngineFactory)",
       "modules/gpu/gpu_parts.h"},
      {operation_engine_slot.name, "operation queues of each GPU, in training steps by packets (EngineFactory)",
       "modules/gpu/gpu_parts.h"},
      {nvls_engine_slot.name, "thread blocks of NVLS of each GPU, in the algorithm nvls (EngineFactory)",
       "modules/gpu/gpu_parts.h"},
      {home_accumulator_slot.name, "home accumulator of each GPU, which adds partial sums (EngineFactory)",
       "modules/gpu/gpu_parts.h"},
  };
}

std::unique_ptr<BlockDriver> drive_nvswitch_block(const std::string& block, const char* name,
                                                  const BlockFactories* factories, const FieldValues& config) {
  if (block == switch_arbiter_slot.name) return drive_arbiter(name, factories, arbiter_config(config));
  return drive_block(block, name, factories, config, observable_table(), observable_engine());
}

BlockPlace nvswitch_block_alone(const std::string& block) {
  if (block == switch_arbiter_slot.name) return arbiter_place({});
  return block_alone(block, observable_table(), observable_engine());
}

Tick nvswitch_block_clock(const std::string& block, const FieldValues& config) {
  if (block == switch_arbiter_slot.name) return crossbar_time(arbiter_config(config));
  return block_clock(block, config, observable_table(), observable_engine());
}

void replace_blocks(NvSwitchPlatform::Config& config, const BlockFactories& blocks) {
  observable_table().replace(config.make_table, blocks);
  if (const auto* make = blocks.find(switch_port_slot)) config.make_port = *make;
  replace_arbiter(config.make_arbiter, blocks);
  if (const auto* make = blocks.find(switch_router_slot)) config.make_router = *make;
  if (const auto* make = blocks.find(gpu_memory_slot)) config.gpu_parts.memory = *make;
  observable_engine().replace(config.make_copy_engine, blocks);
  for (const Engine& engine : engines)
    if (const auto* make = blocks.find(engine.slot); make != nullptr && has(config.gpu_parts, engine.name))
      config.gpu_parts.replace(engine.name, *make);
}

}  // namespace tributary
