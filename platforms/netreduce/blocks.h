#pragma once
/// Blocks of a NetReducePlatform that can be replaced by name.

#include <memory>
#include <string>

#include "modules/blockcheck/core/block_access.h"
#include "platforms/block_factories.h"
#include "platforms/netreduce/netreduce_platform.h"

namespace tributary {

inline constexpr BlockSlot<AccessListFactory> access_list_slot{"netreduce.switch.access_list"};
/// Router of each Ethernet switch.
inline constexpr BlockSlot<SwitchRouterFactory> ethernet_router_slot{"netreduce.switch.router"};
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
/// Returns a driver of one block; null if it cannot be driven alone, or `factories` does not have it. Throws FieldError.
std::unique_ptr<BlockDriver> drive_netreduce_block(const std::string& block, const char* name,
                                                   const BlockFactories* factories, const FieldValues& config);
/// Returns the default configuration of such a block; an empty name for another one.
BlockPlace netreduce_block_alone(const std::string& block);
/// Returns the period of its interface, in ps. Throws FieldError.
Tick netreduce_block_clock(const std::string& block, const FieldValues& config);
/// Makes `config` use the factories in `blocks`. Throws as BlockFactories::find does.
void replace_blocks(NetReducePlatform::Config& config, const BlockFactories& blocks);

}  // namespace tributary
