#pragma once
/// Copy engine to port hub, on standard TLM-2.0 interfaces.
///
/// Forward: nb_transport_fw(burst, packets, delay): the burst may leave by its lane after `delay`. The hub holds two bursts
/// of a lane that have not begun. Backward: nb_transport_bw(burst, room, delay): that one has begun to leave after `delay`,
/// so that there is room for another; for the last one of a lane then nb_transport_bw(burst, left, delay): its last flit has
/// left. Bursts of a lane are in order, the last one marked. Both return TLM_ACCEPTED and never wait; what is passed is valid
/// during the call. b_transport, DMI and debug transport mean nothing here.

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
