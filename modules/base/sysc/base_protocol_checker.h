#pragma once
/// BaseProtocolChecker: checks the base protocol of TLM-2.0 between an initiator and a target.

#include "modules/base/sysc/base_protocol_rules.h"

namespace tributary {

/// Passes every call on unchanged, and records what breaks BaseProtocolRules. Bind the initiator to `in`, and `out` to the
/// target.
class BaseProtocolChecker : public sc_core::sc_module,
                            private tlm::tlm_fw_transport_if<>,
                            private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<32> in{"in"};
  tlm::tlm_initiator_socket<32> out{"out"};

  explicit BaseProtocolChecker(const sc_core::sc_module_name& name);

  /// Call when all transactions have ended.
  void finish() { rules_.finish(); }
  const std::vector<BaseProtocolRules::Breach>& breaches() const { return rules_.breaches(); }
  std::uint64_t transactions() const { return rules_.transactions(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& direct) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return out->transport_dbg(payload); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  BaseProtocolRules rules_;
};

}  // namespace tributary
