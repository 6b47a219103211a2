#include "modules/roce/roce_nic.h"

#include <cstring>
#include <stdexcept>

#include "modules/base/sysc/wait_error.h"

namespace tributary {

RoceNic::RoceNic(const sc_core::sc_module_name& name, const RoceNicCore::Config& config, bool with_data,
                 EthernetLinks& links, PacketPool& pool)
    : sc_module(name),
      with_data_(with_data),
      core_(config, links, pool, static_cast<HostMemoryPort&>(*this), static_cast<VerbsListener&>(*this)) {
  verbs.bind(static_cast<VerbsForward&>(*this));
  memory_socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

void RoceNic::find_memory(std::uint64_t bytes) {
  bytes_ = bytes;
  direct_ = nullptr;
  if (!holds_data()) return;
  tlm::tlm_generic_payload whole;
  tlm::tlm_dmi direct;
  whole.set_command(tlm::TLM_WRITE_COMMAND);
  whole.set_address(0);
  if (memory_socket->get_direct_mem_ptr(whole, direct) && direct.is_read_write_allowed() &&
      direct.get_start_address() == 0 && direct.get_end_address() >= bytes - 1)
    direct_ = reinterpret_cast<std::byte*>(direct.get_dmi_ptr());
}

void RoceNic::b_transport(VerbsTransaction& t, sc_core::sc_time& delay) {
  core_.post_write(t.queue_pair, t.request, kernel_now() + delay.value());
  if (wake_) wake_(core_.next());
}

void RoceNic::read(std::uint64_t address, std::byte* to, unsigned bytes) {
  if (direct_ != nullptr)
    std::memcpy(to, direct_ + address, bytes);
  else
    access(tlm::TLM_READ_COMMAND, address, to, bytes);
}

void RoceNic::write(std::uint64_t address, const std::byte* from, unsigned bytes) {
  if (direct_ != nullptr)
    std::memcpy(direct_ + address, from, bytes);
  else
    access(tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(from), bytes);
}

void RoceNic::access(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes) {
  tlm::tlm_generic_payload t;
  t.set_command(command);
  t.set_address(address);
  t.set_data_ptr(reinterpret_cast<unsigned char*>(data));
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  t.set_byte_enable_ptr(nullptr);
  t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  try {
    memory_socket->b_transport(t, delay);
  } catch (const sc_core::sc_report& report) {
    report_wait(report, "memory", memory_socket.name());
  }
  if (!t.is_response_ok())
    throw std::runtime_error("the memory bound to " + std::string(memory_socket.name()) + " refused an access");
}

}  // namespace tributary
