#pragma once
/// Front end to copy engine, on standard TLM-2.0 interfaces.
///
/// Forward: nb_transport_fw(command, submit, delay): the copy is granted after `delay`; its links wait for it. Returns
/// TLM_ACCEPTED: the engine takes no other before one of its copies is done; or TLM_UPDATED: it takes another one at once.
/// The command stays valid until the copy is done. Backward: nb_transport_bw(command, done, delay): its last flit has left
/// all its links, after `delay`. Times are exact, lie ahead of the kernel's, and a call never waits. b_transport, DMI and
/// debug transport mean nothing here.

#include <systemc>
#include <tlm>

#include "modules/streams/core/copy_command.h"

namespace tributary {

enum class CopyPhase : std::uint8_t { submit, done };

/// Protocol traits.
struct CopyProtocol {
  using tlm_payload_type = CopyCommand;
  using tlm_phase_type = CopyPhase;
};

using CopyForward = tlm::tlm_fw_transport_if<CopyProtocol>;
using CopyBackward = tlm::tlm_bw_transport_if<CopyProtocol>;
using CopyInitiator = tlm::tlm_initiator_socket<32, CopyProtocol>;
using CopyTarget = tlm::tlm_target_socket<32, CopyProtocol>;

}  // namespace tributary
