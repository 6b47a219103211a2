#include "modules/roce/roce_nic.h"

#include <cstring>

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
  direct_ = holds_data() ? access_.direct_memory(memory_socket, bytes) : nullptr;
}

void RoceNic::connect(NicDataPath& path) {
  core_.connect(path.nic_memory(), path.nic_feed());
  path.connect(core_);
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
  access_.transport(memory_socket, command, address, data, bytes, 0);
  access_.check(memory_socket, "an access");
}

}  // namespace tributary
