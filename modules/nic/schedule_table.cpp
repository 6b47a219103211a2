#include "modules/nic/schedule_table.h"

namespace tributary {

void ScheduleTable::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  if (access.get_byte_enable_ptr() != nullptr) return access.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
  const bool done = access.is_write() ? rows_.write(access.get_address(), data, access.get_data_length(), now)
                                      : rows_.read(access.get_address(), data, access.get_data_length(), now);
  access.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace tributary
