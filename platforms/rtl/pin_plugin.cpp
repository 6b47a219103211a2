#include "platforms/rtl/pin_plugin.h"

#include <stdexcept>

#include "modules/base/nearest.h"
#include "modules/base/probe.h"
#include "modules/rtl/pin_arbiter.h"
#include "modules/rtl/pin_combinator.h"
#include "modules/rtl/pin_copy_engine.h"
#include "modules/rtl/pin_lookup.h"
#include "modules/rtl/pin_payload_buffer.h"
#include "modules/rtl/pin_reduction_table.h"
#include "modules/rtl/pin_reduction_unit.h"
#include "modules/rtl/pin_schedule_table.h"
#include "modules/rtl/pin_translation.h"
#include "platforms/blink/blocks.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/schedule_nic/blocks.h"

namespace tributary {
namespace {

const AcceleratorParams& params_of(const Accelerator::Config& config) { return config.params; }
const NicParams& params_of(const NicCore::Config& config) { return config.schedule.params; }

template <class Module, class Slot>
void add(BlockFactories& blocks, const Slot& slot, const PinBlock& pins) {
  blocks.add(slot, [pins](const char* name, const auto& config) {
    return std::make_unique<Module>(name, pins, params_of(config));
  });
}

/// A port without a table in the configuration has none with pins.
void add_reduction_table(BlockFactories& blocks, const PinBlock& pins) {
  blocks.add(reduction_table_slot,
             [pins](const char* name, const ReductionTableConfig& config) -> std::unique_ptr<ReductionTableModule> {
               const std::string& places = pins.rtl.places;
               const bool chosen = glob_match(places, config.port + ".table") || glob_match(places, config.port);
               if (config.bytes == 0 || !chosen) return make_reduction_table(name, config);
               return std::make_unique<PinReductionTable>(name, pins, config);
             });
}

void add_arbiter(BlockFactories& blocks, const PinBlock& pins) {
  blocks.add(switch_arbiter_slot, [pins](const CrossbarArbiterConfig& config) -> std::unique_ptr<CrossbarArbiter> {
    if (!glob_match(pins.rtl.places, config.device + ".arbiter")) return nullptr;
    return std::make_unique<PinArbiter>("arbiter", pins, config);
  });
}

/// Engines of servers, and of GPUs at NVSwitches.
void add_copy_engine(BlockFactories& blocks, const PinBlock& pins) {
  const CopyEngineFactory make = [pins](const char* name, const CopyParams& params) {
    return std::make_unique<PinCopyEngine>(name, pins, params);
  };
  blocks.add(stream_copy_engine_slot, make);
  blocks.add(copy_engine_slot, make);
}

}  // namespace

void add_pin_block(BlockFactories& blocks, const std::string& block, const PinBlock& pins) {
  if (block == "reduction_table") return add_reduction_table(blocks, pins);
  if (block == "arbiter") return add_arbiter(blocks, pins);
  if (pins.rtl.places != "*")
    throw std::invalid_argument("a plug-in replaces every " + block + " (legal with PLACES: arbiter, reduction_table)");
  if (block == "combinator") return add<PinCombinator>(blocks, combinator_slot, pins);
  if (block == "clt") return add<PinLookup>(blocks, connection_lookup_slot, pins);
  if (block == "ctt") return add<PinTranslation>(blocks, connection_translation_slot, pins);
  if (block == "payload_buffer") return add<PinPayloadBuffer>(blocks, payloads_slot, pins);
  if (block == "schedule_table") return add<PinScheduleTable>(blocks, schedule_table_slot, pins);
  if (block == "copy_engine") return add_copy_engine(blocks, pins);
  if (block == "reduction_unit") return add<PinReductionUnit>(blocks, reduction_unit_slot, pins);
  throw std::invalid_argument(unknown_name("block with pins in kernel time", block,
                                           {"combinator", "clt", "ctt", "payload_buffer", "schedule_table", "reduction_unit",
                                            "copy_engine", "reduction_table", "arbiter"}));
}

}  // namespace tributary
