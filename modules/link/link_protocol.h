#pragma once
/// LinkProtocol: the link protocol on standard TLM-2.0 interfaces.
///
/// Forward: nb_transport_fw(transfer, packets, delay) delivers packets in their order on the wire; the first header flit
/// arrives after `delay`; the caller's references are transferred. Backward: nb_transport_bw(transfer, credits, delay)
/// returns room in the buffers of the VCs, the first of it after `delay`. A device makes one or a few calls per link and
/// window. After a call with `safe_until`, no later call of its kind carries an arrival before that time (a null message);
/// such a call may be empty, and its delay then refers to `safe_until`. Both return TLM_ACCEPTED. b_transport, DMI and
/// debug transport are not used.

#include <systemc>
#include <tlm>

#include "modules/link/core/link_transfer.h"

namespace tributary {

enum class LinkPhase : std::uint8_t { packets, credits };

/// TLM protocol traits.
struct LinkProtocol {
  using tlm_payload_type = LinkTransfer;
  using tlm_phase_type = LinkPhase;
};

using LinkForward = tlm::tlm_fw_transport_if<LinkProtocol>;
using LinkBackward = tlm::tlm_bw_transport_if<LinkProtocol>;
using LinkInitiator = tlm::tlm_initiator_socket<32, LinkProtocol>;
using LinkTarget = tlm::tlm_target_socket<32, LinkProtocol>;

inline Tick kernel_now() { return sc_core::sc_time_stamp().value(); }
/// Returns the time from the kernel's time to `now`; 0 for a time that has passed.
inline Tick ahead_of_kernel(Tick now) {
  const Tick kernel = kernel_now();
  return now > kernel ? now - kernel : 0;
}
inline sc_core::sc_time to_sc_time(Tick t) { return sc_core::sc_time::from_value(t); }

}  // namespace tributary
