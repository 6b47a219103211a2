#include "modules/netreduce/accelerator_modules.h"

namespace tributary {

void PayloadBufferModule::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
  const std::uint64_t address = access.get_address();
  const unsigned bytes = access.get_data_length();
  if (data == nullptr || access.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  if (access.is_read() && (bytes > core.size() || address > core.size() - bytes))
    return access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  const Tick takes = access.is_read() ? core.read(address, data, bytes, now) : core.write(address, data, bytes, now);
  delay += sc_core::sc_time::from_value(takes);
}

}  // namespace tributary
