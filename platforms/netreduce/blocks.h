#pragma once
/// Blocks of a NetReducePlatform that can be replaced by name.

#include "platforms/block_factories.h"
#include "platforms/netreduce/netreduce_platform.h"

namespace tributary {

inline constexpr BlockSlot<AccessListFactory> access_list_slot{"netreduce.switch.access_list"};
template <class Transaction>
using AcceleratorSlot = BlockSlot<Accelerator::Factory<TableModule<Transaction>>>;
inline constexpr AcceleratorSlot<IcrcTransaction> icrc_slot{"netreduce.accelerator.icrc"};
inline constexpr AcceleratorSlot<ClTransaction> connection_lookup_slot{"netreduce.accelerator.clt"};
inline constexpr AcceleratorSlot<SlotTransaction> state_slot{"netreduce.accelerator.state"};
inline constexpr AcceleratorSlot<CtTransaction> connection_translation_slot{"netreduce.accelerator.ctt"};
inline constexpr AcceleratorSlot<HeaderTransaction> headers_slot{"netreduce.accelerator.headers"};
inline constexpr AcceleratorSlot<CombineTransaction> combinator_slot{"netreduce.accelerator.combinator"};
inline constexpr BlockSlot<Accelerator::Factory<TargetModule<>>> payloads_slot{"netreduce.accelerator.payloads"};

/// Returns all replaceable blocks.
std::vector<BlockInfo> netreduce_blocks();
/// Makes `config` use the factories in `blocks`. Throws as BlockFactories::find does.
void replace_blocks(NetReducePlatform::Config& config, const BlockFactories& blocks);

}  // namespace tributary
