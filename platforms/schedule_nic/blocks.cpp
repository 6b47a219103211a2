#include "platforms/schedule_nic/blocks.h"

namespace tributary {

std::vector<BlockInfo> schedule_nic_blocks() {
  return {
      {schedule_table_slot.name, "schedule table of each NIC (Nic::Factory<TargetModule<>>)", "modules/nic/nic.h"},
      {reduction_unit_slot.name,
       "reduction unit of each NIC, which also adds the data (Nic::Factory<TargetModule<ReductionProtocol>>)",
       "modules/nic/nic.h"},
      {nic_memory_slot.name, "memory of each NIC, a MemoryModule (Nic::Factory<TargetModule<>>)", "modules/nic/nic.h"},
      {nic_compute_slot.name,
       "compute engine of each NIC's node, in training steps by packets (Nic::Factory<ComputeModule>)", "modules/nic/nic.h"},
  };
}

void replace_blocks(Nic::Parts& parts, const BlockFactories& blocks) {
  if (const auto* make = blocks.find(schedule_table_slot)) parts.table = *make;
  if (const auto* make = blocks.find(nic_memory_slot)) parts.memory = *make;
  if (const auto* make = blocks.find(nic_compute_slot)) parts.compute = *make;
  if (const auto* make = blocks.find(reduction_unit_slot)) {
    parts.reduction_unit = *make;
    parts.unit_adds_data = true;
  }
}

}  // namespace tributary
