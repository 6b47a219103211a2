#pragma once
/// WRITEs of a message whose packets are sent one by one (docs/systems/netreduce.md#other-collectives).

#include <cstdint>

#include "modules/ethernet/core/verbs.h"
#include "modules/netreduce/core/flow_control_core.h"

namespace tributary {

/// Identifies a request whose completion completes no message.
constexpr std::uint64_t part_of_message = ~std::uint64_t{0};

/// Returns the WRITE of packet `offset` of a message. Its data are at the operand. The last packet completes the message and
/// notifies the receiver.
WriteRequest packet_request(const RingPlan& plan, std::uint32_t message, std::uint32_t offset);

}  // namespace tributary
