#pragma once
/// The protocol between the front end and a copy engine, on standard TLM-2.0 interfaces.
///
/// Forward: nb_transport_fw(command, submit, delay). The copy is granted after `delay`, and its links are held for it. The
/// call returns TLM_ACCEPTED if the engine accepts no other copy before one of its copies is done, and TLM_UPDATED if it
/// accepts another copy immediately. The command stays valid until the copy is done.
/// Backward: nb_transport_bw(command, done, delay). The last flit of the copy has left all its links after `delay`.
/// Times are exact and at or after the time of the SystemC kernel. A call never waits. b_transport, DMI and debug transport
/// are not supported.

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
