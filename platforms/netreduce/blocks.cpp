#include "platforms/netreduce/blocks.h"

#include "modules/base/sysc/payload_fields.h"
#include "modules/ethernet_switch/core/access_fields.h"
#include "modules/ethernet_switch/core/access_monitor.h"
#include "modules/netreduce/core/part_fields.h"
#include "modules/netreduce/core/part_monitors.h"
#include "platforms/observed_blocks.h"

namespace tributary {
namespace {

Tick part_clock(const Accelerator::Config& c) { return c.params.clock.value; }

void part_fields(FieldVisitor& v, Accelerator::Config& c) {
  v.number("window", c.window);
  if (v.sets() && (c.window < 1 || c.window > 64))
    throw FieldError("field `window` is " + std::to_string(c.window) + " (legal: 1 to 64)");
  std::string checking = FieldType<FrameChecking>::print(c.checking);
  v.text("checking", checking);
  try {
    c.checking = FieldType<FrameChecking>::parse(checking);
  } catch (const UnitError& error) {
    throw FieldError(std::string("field `checking`: ") + error.what());
  }
  visit_parameters(v, ParameterSet(c.params, "accelerator."));
  visit_parameters(v, ParameterSet(c.rules, "rules."));
}

template <class Fields>
using Part = ObservableBlock<TableKit<Fields>, Accelerator::Config>;

/// Describes a part of the model's, made by `make`.
template <class Fields, class Monitor, class Make>
Part<Fields> part(const AcceleratorSlot<typename Fields::Transaction>& slot, Make make) {
  return {slot, make, part_clock, part_fields, monitor_of<Monitor>()};
}

/// All blocks that can be observed and driven alone.
struct ObservableParts {
  Part<IcrcFields> icrc = part<IcrcFields, IcrcMonitor>(icrc_slot, [](const char* name, const Accelerator::Config& c) {
    return std::make_unique<IcrcUnit>(name, c.checking, c.format);
  });
  Part<ClFields> connections =
      part<ClFields, ClMonitor>(connection_lookup_slot, [](const char* name, const Accelerator::Config& c) {
        return std::make_unique<ConnectionLookupTable>(name, c.window, c.rules);
      });
  Part<SlotFields> slots = part<SlotFields, SlotMonitor>(state_slot, [](const char* name, const Accelerator::Config& c) {
    return std::make_unique<StateManager>(name, c.rules);
  });
  Part<CtFields> translations =
      part<CtFields, CtMonitor>(connection_translation_slot, [](const char* name, const Accelerator::Config& c) {
        return std::make_unique<ConnectionTranslationTable>(name, translation_config(c.params));
      });
  Part<HeaderFields> headers = part<HeaderFields, HeaderMonitor>(
      headers_slot, [](const char* name, const Accelerator::Config&) { return std::make_unique<HeaderManager>(name); });
  Part<CombineFields> combinator = part<CombineFields, CombineMonitor>(
      combinator_slot,
      [](const char* name, const Accelerator::Config& c) { return std::make_unique<CombinatorModule>(name, c.params); });
  ObservableBlock<TargetKit<tlm::tlm_base_protocol_types, PayloadFields>, Accelerator::Config> payloads{
      payloads_slot,
      [](const char* name, const Accelerator::Config&) { return std::make_unique<PayloadBufferModule>(name); }, part_clock,
      part_fields, monitor_of<MemoryMonitor>()};
  // A list that is driven alone has room for all rules of a record.
  ObservableBlock<TableKit<AccessFields>> access_list{
      access_list_slot, [](const char* name) { return std::make_unique<AccessList>(name, 1u << 20); },
      [] { return Tick{0}; }, [](FieldVisitor&) {}, monitor_of<AccessMonitor>()};
};

const ObservableParts& observable_parts() {
  static const ObservableParts parts;
  return parts;
}

}  // namespace

std::vector<BlockInfo> netreduce_blocks() {
  const char* const accelerator = "modules/netreduce/accelerator.h";
  const auto part = [](const char* what, const char* transaction) {
    return std::string(what) + " of each accelerator (Accelerator::Factory<TableModule<" + transaction + ">>)";
  };
  return {
      {access_list_slot.name, "access list of each switch (AccessListFactory)", "modules/ethernet_switch/access_list.h"},
      {ethernet_router_slot.name, "router of each switch, which chooses among shortest paths (SwitchRouterFactory)",
       "modules/switching/core/switch_router.h"},
      {icrc_slot.name, part("ICRC unit", "IcrcTransaction"), accelerator},
      {connection_lookup_slot.name, part("connection lookup table", "ClTransaction"), accelerator},
      {state_slot.name, part("state manager", "SlotTransaction"), accelerator},
      {connection_translation_slot.name, part("connection translation table", "CtTransaction"), accelerator},
      {headers_slot.name, part("header manager", "HeaderTransaction"), accelerator},
      {combinator_slot.name, part("combinator", "CombineTransaction"), accelerator},
      {payloads_slot.name, "payload buffer of each accelerator (Accelerator::Factory<TargetModule<>>)", accelerator},
  };
}

std::unique_ptr<BlockDriver> drive_netreduce_block(const std::string& block, const char* name,
                                                   const BlockFactories* factories, const FieldValues& config) {
  const ObservableParts& p = observable_parts();
  return drive_block(block, name, factories, config, p.icrc, p.connections, p.slots, p.translations, p.headers, p.combinator,
                     p.payloads, p.access_list);
}

BlockPlace netreduce_block_alone(const std::string& block) {
  const ObservableParts& p = observable_parts();
  return block_alone(block, p.icrc, p.connections, p.slots, p.translations, p.headers, p.combinator, p.payloads,
                     p.access_list);
}

Tick netreduce_block_clock(const std::string& block, const FieldValues& config) {
  const ObservableParts& p = observable_parts();
  return block_clock(block, config, p.icrc, p.connections, p.slots, p.translations, p.headers, p.combinator, p.payloads,
                     p.access_list);
}

void replace_blocks(NetReducePlatform::Config& config, const BlockFactories& blocks) {
  Accelerator::Parts& parts = config.accelerator_parts;
  const ObservableParts& p = observable_parts();
  if (!config.make_access_list && !blocks.taps_of(access_list_slot.name).empty())
    config.make_access_list = [rules = config.params.ethernet_switch.access_rules](const char* name) {
      return std::make_unique<AccessList>(name, rules);
    };
  p.access_list.replace(config.make_access_list, blocks);
  if (const auto* make = blocks.find(ethernet_router_slot)) config.make_router = *make;
  p.icrc.replace(parts.icrc, blocks);
  p.connections.replace(parts.connections, blocks);
  p.slots.replace(parts.slots, blocks);
  p.translations.replace(parts.translations, blocks);
  p.headers.replace(parts.headers, blocks);
  p.combinator.replace(parts.combinator, blocks);
  p.payloads.replace(parts.payloads, blocks);
}

}  // namespace tributary
