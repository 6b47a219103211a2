#include "platforms/netreduce/blocks.h"

namespace tributary {

std::vector<BlockInfo> netreduce_blocks() {
  const auto part = [](const char* what, const char* transaction) {
    return std::string(what) + " of each accelerator (Accelerator::Factory<TableModule<" + transaction + ">>)";
  };
  return {
      {access_list_slot.name, "access list of each switch (AccessListFactory)"},
      {icrc_slot.name, part("ICRC unit", "IcrcTransaction")},
      {connection_lookup_slot.name, part("connection lookup table", "ClTransaction")},
      {state_slot.name, part("state manager", "SlotTransaction")},
      {connection_translation_slot.name, part("connection translation table", "CtTransaction")},
      {headers_slot.name, part("header manager", "HeaderTransaction")},
      {combinator_slot.name, part("combinator", "CombineTransaction")},
      {payloads_slot.name, "payload buffer of each accelerator (Accelerator::Factory<TargetModule<>>)"},
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
