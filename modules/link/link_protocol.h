#pragma once
/// The link protocol on standard TLM-2.0 interfaces.
///
/// Forward: nb_transport_fw(packet, {packet, duration}, delay) hands over a packet whose header flit arrives after `delay`,
/// and whose last flit `duration` later; the caller's reference goes with it. Backward:
/// nb_transport_bw(token, {credit, 0, credits, count}, delay) gives back room in the buffers of the VCs: each of the credits
/// `after` the first, which comes after `delay` (the token is no packet: those that held the room may be gone already). Both
/// return TLM_ACCEPTED. b_transport, DMI and debug transport mean nothing here.

#include <systemc>
#include <tlm>

#include "modules/link/core/credit_batch.h"
#include "modules/link/packet.h"

namespace tributary {

struct LinkPhase {
  enum Kind : std::uint8_t { packet, credit } kind = packet;
  Tick duration = 0;                    ///< packet: from the arrival of the header flit to that of the last flit
  const LinkCredit* credits = nullptr;  ///< credit: valid during the call
  unsigned count = 0;
};

/// Protocol traits.
struct LinkProtocol {
  using tlm_payload_type = Packet;
  using tlm_phase_type = LinkPhase;
};

using LinkForward = tlm::tlm_fw_transport_if<LinkProtocol>;
using LinkBackward = tlm::tlm_bw_transport_if<LinkProtocol>;
using LinkInitiator = tlm::tlm_initiator_socket<32, LinkProtocol>;
using LinkTarget = tlm::tlm_target_socket<32, LinkProtocol>;

inline Tick kernel_now() { return sc_core::sc_time_stamp().value(); }
inline sc_core::sc_time to_sc_time(Tick t) { return sc_core::sc_time::from_value(t); }

}  // namespace tributary
