#include "platforms/rtl/rtl_plugin.h"

#include <map>
#include <stdexcept>
#include <vector>

#include "modules/base/nearest.h"
#include "modules/base/probe.h"
#include "modules/rtl/core/arbiter_beats.h"
#include "modules/rtl/rtl_accelerator_parts.h"
#include "modules/rtl/rtl_copy_engine.h"
#include "modules/rtl/rtl_nic_parts.h"
#include "modules/rtl/rtl_reduction_table.h"
#include "platforms/blink/blocks.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/schedule_nic/blocks.h"

namespace tributary {
namespace {

using Add = void (*)(BlockFactories& blocks, const RtlBlock& rtl);

void add_combinator(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(combinator_slot, [rtl](const char* name, const Accelerator::Config& config) {
    return std::make_unique<RtlCombinator>(name, rtl, config.params);
  });
}

void add_payload_buffer(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(payloads_slot, [rtl](const char* name, const Accelerator::Config& config) {
    return std::make_unique<RtlPayloadBuffer>(name, rtl, config.params);
  });
}

void add_clt(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(connection_lookup_slot, [rtl](const char* name, const Accelerator::Config& config) {
    return std::make_unique<RtlConnectionLookup>(name, rtl, config.params);
  });
}

void add_ctt(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(connection_translation_slot, [rtl](const char* name, const Accelerator::Config& config) {
    return std::make_unique<RtlConnectionTranslation>(name, rtl, config.params);
  });
}

void add_schedule_table(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(schedule_table_slot, [rtl](const char* name, const NicCore::Config& config) {
    return std::make_unique<RtlScheduleTable>(name, rtl, config.schedule.params);
  });
}

void add_reduction_unit(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(reduction_unit_slot, [rtl](const char* name, const NicCore::Config& config) {
    return std::make_unique<RtlReductionUnit>(name, rtl, config.schedule.params);
  });
}

/// A port without a table in the configuration has none in RTL.
void add_reduction_table(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(reduction_table_slot,
             [rtl](const char* name, const ReductionTableConfig& config) -> std::unique_ptr<ReductionTableModule> {
               const bool chosen = glob_match(rtl.places, config.port + ".table") || glob_match(rtl.places, config.port);
               if (config.bytes == 0 || !chosen) return make_reduction_table(name, config);
               return std::make_unique<RtlReductionTable>(name, rtl, config);
             });
}

void add_arbiter(BlockFactories& blocks, const RtlBlock& rtl) {
  blocks.add(switch_arbiter_slot, [rtl](const CrossbarArbiterConfig& config) -> std::unique_ptr<CrossbarArbiter> {
    if (!glob_match(rtl.places, config.device + ".arbiter")) return nullptr;
    return std::make_unique<ArbiterBeats>(rtl, config);
  });
}

/// Engines of servers, and of GPUs at NVSwitches.
void add_copy_engine(BlockFactories& blocks, const RtlBlock& rtl) {
  const CopyEngineFactory make = [rtl](const char* name, const CopyParams& params) {
    return std::make_unique<RtlCopyEngine>(name, rtl, params);
  };
  blocks.add(stream_copy_engine_slot, make);
  blocks.add(copy_engine_slot, make);
}

}  // namespace

void add_rtl_block(BlockFactories& blocks, const std::string& block, const RtlBlock& rtl) {
  static const std::map<std::string, Add> adapters{{"combinator", add_combinator},
                                                   {"payload_buffer", add_payload_buffer},
                                                   {"clt", add_clt},
                                                   {"ctt", add_ctt},
                                                   {"schedule_table", add_schedule_table},
                                                   {"reduction_unit", add_reduction_unit},
                                                   {"reduction_table", add_reduction_table},
                                                   {"arbiter", add_arbiter},
                                                   {"copy_engine", add_copy_engine}};
  if (rtl.places != "*" && block != "arbiter" && block != "reduction_table")
    throw std::invalid_argument("a plug-in replaces every " + block + " (legal with PLACES: arbiter, reduction_table)");
  const auto found = adapters.find(block);
  if (found != adapters.end()) return found->second(blocks, rtl);
  std::vector<std::string> names;
  for (const auto& [name, add] : adapters) names.push_back(name);
  throw std::invalid_argument(unknown_name("block in RTL", block, names));
}

}  // namespace tributary
