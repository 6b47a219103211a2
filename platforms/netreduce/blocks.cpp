#include "platforms/netreduce/blocks.h"

namespace tributary {

std::vector<BlockInfo> netreduce_blocks() {
  const char* const accelerator = "modules/netreduce/accelerator.h";
  const auto part = [](const char* what, const char* transaction) {
    return std::string(what) + " of each accelerator (Accelerator::Factory<TableModule<" + transaction + ">>)";
  };
  return {
      {access_list_slot.name, "access list of each switch (AccessListFactory)", "modules/ethernet_switch/access_list.h"},
      {icrc_slot.name, part("ICRC unit", "IcrcTransaction"), accelerator},
      {connection_lookup_slot.name, part("connection lookup table", "ClTransaction"), accelerator},
      {state_slot.name, part("state manager", "SlotTransaction"), accelerator},
      {connection_translation_slot.name, part("connection translation table", "CtTransaction"), accelerator},
      {headers_slot.name, part("header manager", "HeaderTransaction"), accelerator},
      {combinator_slot.name, part("combinator", "CombineTransaction"), accelerator},
      {payloads_slot.name, "payload buffer of each accelerator (Accelerator::Factory<TargetModule<>>)", accelerator},
  };
}

void replace_blocks(NetReducePlatform::Config& config, const BlockFactories& blocks) {
  Accelerator::Parts& parts = config.accelerator_parts;
  const auto replace = [&blocks](const auto& slot, auto& factory) {
    if (const auto* make = blocks.find(slot)) factory = *make;
  };
  replace(access_list_slot, config.make_access_list);
  replace(icrc_slot, parts.icrc);
  replace(connection_lookup_slot, parts.connections);
  replace(state_slot, parts.slots);
  replace(connection_translation_slot, parts.translations);
  replace(headers_slot, parts.headers);
  replace(combinator_slot, parts.combinator);
  replace(payloads_slot, parts.payloads);
}

}  // namespace tributary
