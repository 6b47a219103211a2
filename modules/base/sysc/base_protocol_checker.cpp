#include "modules/base/sysc/base_protocol_checker.h"

namespace tributary {

BaseProtocolChecker::BaseProtocolChecker(const sc_core::sc_module_name& name) : sc_module(name) {
  in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

void BaseProtocolChecker::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const sc_core::sc_time before = delay;
  rules_.b_transport_called(payload);
  out->b_transport(payload, delay);
  // A target that waits consumes the delay.
  const bool waited = sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_THREAD_PROC_ ||
                      sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_CTHREAD_PROC_;
  rules_.b_transport_returned(payload, delay < before && !waited);
}

tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
  const tlm::tlm_phase before = phase;
  rules_.forward_called(payload, before);
  const tlm::tlm_sync_enum answer = out->nb_transport_fw(payload, phase, delay);
  rules_.forward_returned(payload, before, answer, phase);
  return answer;
}

tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
  const tlm::tlm_phase before = phase;
  rules_.backward_called(payload, before);
  const tlm::tlm_sync_enum answer = in->nb_transport_bw(payload, phase, delay);
  rules_.backward_returned(payload, before, answer, phase);
  return answer;
}

bool BaseProtocolChecker::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& direct) {
  return out->get_direct_mem_ptr(payload, direct);
}

void BaseProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  in->invalidate_direct_mem_ptr(first, last);
}

}  // namespace tributary
