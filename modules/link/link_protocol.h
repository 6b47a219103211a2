#pragma once
/// The link protocol on standard TLM-2.0 interfaces.
///
/// Forward: nb_transport_fw(transfer, packets, delay) hands over packets in the order in which they are on the wire, the
/// first of whose header flits arrives after `delay`; the caller's references go with them. Backward:
/// nb_transport_bw(transfer, credits, delay) gives back room in the buffers of the VCs, the first of it after `delay`. A
/// device calls once or a few times per link and window. After a call with `safe_until` no later one of its kind brings
/// what arrives before then (a null message); such a call may carry nothing, and its delay means that time. Both return
/// TLM_ACCEPTED. b_transport, DMI and debug transport mean nothing here.

#include <systemc>
#include <tlm>

#include "modules/link/core/link_transfer.h"

namespace tributary {

enum class LinkPhase : std::uint8_t { packets, credits };

/// Protocol traits.
struct LinkProtocol {
  using tlm_payload_type = LinkTransfer;
  using tlm_phase_type = LinkPhase;
};

using LinkForward = tlm::tlm_fw_transport_if<LinkProtocol>;
using LinkBackward = tlm::tlm_bw_transport_if<LinkProtocol>;
using LinkInitiator = tlm::tlm_initiator_socket<32, LinkProtocol>;
using LinkTarget = tlm::tlm_target_socket<32, LinkProtocol>;

inline Tick kernel_now() { return sc_core::sc_time_stamp().value(); }
inline sc_core::sc_time to_sc_time(Tick t) { return sc_core::sc_time::from_value(t); }

}  // namespace tributary
