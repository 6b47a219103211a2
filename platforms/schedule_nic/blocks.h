#pragma once
/// The blocks of networks of schedule NICs that can be replaced by name.

#include "platforms/block_factories.h"
#include "platforms/schedule_nic/schedule_nic_platform.h"

namespace tributary {

/// Of each NIC: the schedule table; the reduction unit, which gets the data, too, and adds them; the memory; in training
/// steps what its node computes with.
inline constexpr BlockSlot<Nic::Factory<TargetModule<>>> schedule_table_slot{"schedule_nic.nic.table"};
inline constexpr BlockSlot<Nic::Factory<TargetModule<ReductionProtocol>>> reduction_unit_slot{"schedule_nic.nic.reduction"};
inline constexpr BlockSlot<Nic::Factory<TargetModule<>>> nic_memory_slot{"schedule_nic.nic.memory"};
inline constexpr BlockSlot<Nic::Factory<ComputeModule>> nic_compute_slot{"schedule_nic.nic.compute"};

/// All of them.
std::vector<BlockInfo> schedule_nic_blocks();
/// Blocks that `blocks` has are made by it. Throws as BlockFactories::find does.
void replace_blocks(Nic::Parts& parts, const BlockFactories& blocks);

}  // namespace tributary
