#pragma once
/// TableLoader: the software that writes a schedule table through its socket.

#include <string>

#include "modules/nic/core/entry_code.h"
#include "modules/nic/schedule_table.h"

namespace tributary {

class TableLoader : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<32> socket{"socket"};
  explicit TableLoader(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }

  /// Writes row r of 200 bits at address r x 25. Returns false if the table has no such row.
  bool write(std::uint64_t row, const ScheduleEntry& entry) {
    EntryCode code = encode(entry);
    tlm::tlm_generic_payload access;
    access.set_write();
    access.set_address(row * sizeof code);
    access.set_data_ptr(reinterpret_cast<unsigned char*>(code.data()));
    access.set_data_length(sizeof code);
    access.set_streaming_width(sizeof code);
    sc_core::sc_time delay;
    socket->b_transport(access, delay);
    return access.is_response_ok();
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

}  // namespace tributary
