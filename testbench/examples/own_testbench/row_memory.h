#pragma once
/// RowMemory: a memory with open rows.

#include <array>
#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

/// A memory whose banks have one open row each: a read takes 40 ns in an open row and 110 ns otherwise. Writes are
/// posted.
class RowMemory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<32> socket{"socket"};
  RowMemory(const sc_core::sc_module_name& name, std::size_t bytes) : sc_module(name), bytes_(bytes) { socket.bind(*this); }

  std::vector<std::int32_t> load() const {
    std::vector<std::int32_t> elements(bytes_.size() / 4);
    std::memcpy(elements.data(), bytes_.data(), bytes_.size());
    return elements;
  }
  void store(const std::vector<std::int32_t>& elements) { std::memcpy(bytes_.data(), elements.data(), bytes_.size()); }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  static constexpr std::uint64_t row_bytes = 1024, banks = 16;

  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    unsigned char* const place = bytes_.data() + access.get_address();
    if (access.is_write()) {
      std::memcpy(place, access.get_data_ptr(), access.get_data_length());
      return;
    }
    std::memcpy(access.get_data_ptr(), place, access.get_data_length());
    const std::uint64_t row = access.get_address() / row_bytes;
    std::uint64_t& open = open_[row % banks];
    const bool hit = open == row + 1;
    open = row + 1;
    ++(hit ? hits_ : misses_);
    delay += sc_core::sc_time(hit ? 40 : 110, sc_core::SC_NS);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  std::vector<unsigned char> bytes_;
  std::array<std::uint64_t, banks> open_{};  // number of the open row, from 1 on
  std::uint64_t hits_ = 0, misses_ = 0;
};
