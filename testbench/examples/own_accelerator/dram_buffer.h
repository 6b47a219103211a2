#pragma once
/// DramBuffer: a payload buffer with the timing of DRAM.

#include <array>
#include <cstring>
#include <vector>

#include "modules/base/sysc/request_interval.h"
#include "modules/base/sysc/target_module.h"

/// A payload buffer of DRAM whose banks have one open row each. The first beat of a read takes 20 ns in an open row and
/// 50 ns otherwise, when the bank is also busy for 30 ns more; writes are posted.
class DramBuffer : public tributary::TargetModule<> {
 public:
  explicit DramBuffer(const sc_core::sc_module_name& name) : TargetModule(name) {}

  std::uint64_t hits = 0, misses = 0;

 private:
  static constexpr std::uint64_t row_bytes = 2048, banks = 16;

  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    const std::uint64_t address = access.get_address(), end = address + access.get_data_length();
    if (end > bytes_.size()) bytes_.resize(end);
    if (access.is_write()) std::memcpy(bytes_.data() + address, access.get_data_ptr(), access.get_data_length());
    if (access.is_write()) return;
    std::memcpy(access.get_data_ptr(), bytes_.data() + address, access.get_data_length());
    const std::uint64_t row = address / row_bytes;
    std::uint64_t& open = open_[row % banks];
    const bool hit = open == row + 1;
    open = row + 1;
    ++(hit ? hits : misses);
    delay += sc_core::sc_time(hit ? 20 : 50, sc_core::SC_NS);
    if (!hit) tributary::RequestInterval::add(access, 30'000);
  }

  std::vector<unsigned char> bytes_;
  std::array<std::uint64_t, banks> open_{};  // number of the open row, from 1 on
};
