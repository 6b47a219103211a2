#pragma once
/// The replaceable blocks of networks of schedule NICs, by name.

#include <memory>
#include <string>

#include "modules/blockcheck/core/block_access.h"
#include "platforms/block_factories.h"
#include "platforms/schedule_nic/schedule_nic_platform.h"

namespace tributary {

/// Blocks of each NIC: the schedule table; the reduction unit, which also receives and adds the data; the memory; and
/// the compute engine of its node in training steps.
inline constexpr BlockSlot<Nic::Factory<TargetModule<>>> schedule_table_slot{"schedule_nic.nic.table"};
inline constexpr BlockSlot<Nic::Factory<TargetModule<ReductionProtocol>>> reduction_unit_slot{"schedule_nic.nic.reduction"};
inline constexpr BlockSlot<Nic::Factory<TargetModule<>>> nic_memory_slot{"schedule_nic.nic.memory"};
inline constexpr BlockSlot<Nic::Factory<ComputeModule>> nic_compute_slot{"schedule_nic.nic.compute"};

/// Returns all of these blocks.
std::vector<BlockInfo> schedule_nic_blocks();
/// Returns a driver of one block; null if it cannot be driven alone, or `factories` does not have it. Throws FieldError.
std::unique_ptr<BlockDriver> drive_schedule_nic_block(const std::string& block, const char* name,
                                                      const BlockFactories* factories, const FieldValues& config);
/// Returns the default configuration of such a block; an empty name for another one.
BlockPlace schedule_nic_block_alone(const std::string& block);
/// Returns the period of its interface, in ps. Throws FieldError.
Tick schedule_nic_block_clock(const std::string& block, const FieldValues& config);
/// Replaces the blocks that `blocks` contains. Throws as BlockFactories::find() does.
void replace_blocks(Nic::Parts& parts, const BlockFactories& blocks);

}  // namespace tributary
