#pragma once
/// The protocol between a copy engine and the port hub, on standard TLM-2.0 interfaces.
///
/// Forward: nb_transport_fw(burst, packets, delay). The burst may leave on its lane after `delay`. The hub holds up to two
/// bursts of a lane that have not begun to leave.
/// Backward: nb_transport_bw(burst, room, delay). The burst begins to leave after `delay`, and the hub has room for another
/// burst of the lane. After the last burst of a lane follows nb_transport_bw(burst, left, delay): its last flit has left.
/// The bursts of a lane are in order, and the last one is marked. Both calls return TLM_ACCEPTED and never wait. Arguments
/// are valid during the call. b_transport, DMI and debug transport are not supported.

#include <systemc>
#include <tlm>

#include "modules/streams/core/copy_command.h"

namespace tributary {

enum class BurstPhase : std::uint8_t { packets, room, left };

/// Protocol traits.
struct BurstProtocol {
  using tlm_payload_type = Burst;
  using tlm_phase_type = BurstPhase;
};

using BurstForward = tlm::tlm_fw_transport_if<BurstProtocol>;
using BurstBackward = tlm::tlm_bw_transport_if<BurstProtocol>;
using BurstInitiator = tlm::tlm_initiator_socket<32, BurstProtocol>;
using BurstTarget = tlm::tlm_target_socket<32, BurstProtocol>;

}  // namespace tributary
