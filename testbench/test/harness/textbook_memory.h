#pragma once
/// TextbookMemory: a memory as in tutorials of TLM-2.0. It knows nothing of this project.

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

struct TextbookMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<TextbookMemory> socket{"socket"};
  std::vector<unsigned char> bytes;
  sc_core::sc_time latency;
  unsigned reads = 0, writes = 0;

  TextbookMemory(const sc_core::sc_module_name& name, std::size_t size, const sc_core::sc_time& latency_)
      : sc_module(name), bytes(size), latency(latency_) {
    socket.register_b_transport(this, &TextbookMemory::b_transport);
  }

  void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const sc_dt::uint64 address = trans.get_address();
    unsigned char* const data = trans.get_data_ptr();
    const unsigned length = trans.get_data_length();
    if (trans.get_byte_enable_ptr() != nullptr) return trans.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    if (trans.get_streaming_width() < length) return trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    if (address + length > bytes.size()) return trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (trans.is_read()) ++reads, std::memcpy(data, &bytes[address], length);
    if (trans.is_write()) ++writes, std::memcpy(&bytes[address], data, length);
    delay += latency;
    trans.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};
