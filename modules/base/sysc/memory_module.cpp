#include "modules/base/sysc/memory_module.h"

#include <cstring>

#include "modules/base/sysc/payload_access.h"

namespace tributary {

template class TargetModule<>;

void DirectMemory::resize(std::uint64_t bytes) {
  storage_.reset();
  if (bytes != 0) storage_ = make_large_buffer(bytes + stagger_);
  size_ = bytes;
}

void DirectMemory::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  if (is_timing_only(access)) {
    if (access.is_read()) delay += sc_core::sc_time::from_value(latency_.value);
    return;
  }
  unsigned char* const bytes = access.get_data_ptr();
  const std::uint64_t length = access.get_data_length();
  if (storage_ == nullptr || length > size_ || access.get_address() > size_ - length)
    return access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  std::byte* const place = data() + access.get_address();
  if (access.is_read()) std::memcpy(bytes, place, length);
  if (access.is_write()) std::memcpy(place, bytes, length);
}

bool DirectMemory::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& direct) {
  if (storage_ == nullptr) return false;
  direct.set_dmi_ptr(reinterpret_cast<unsigned char*>(data()));
  direct.set_start_address(0);
  direct.set_end_address(size_ - 1);
  direct.allow_read_write();
  return true;
}

}  // namespace tributary
