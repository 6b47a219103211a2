#pragma once
/// Modules of a user bound to the sockets of a NIC.

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "modules/nic/nic.h"

namespace tributary {

/// A table that keeps only written rows. A row is available 40 ns after its request; the table accepts the next request
/// `interval` later.
class SparseTable : public TargetModule<> {
 public:
  using TargetModule::TargetModule;
  std::map<std::uint64_t, EntryCode> rows;
  unsigned reads = 0, resets = 0;
  Tick interval = 0;
  std::string stuck;
  SignalProbe asked;

  std::vector<std::string> waiting() const override {
    return stuck.empty() ? std::vector<std::string>{} : std::vector<std::string>{stuck};
  }
  void reset() override { ++resets, rows.clear(); }
  void describe(ProbeDirectory& directory) override {
    directory.add_signal(std::string(name()) + ".asked", asked, SignalKind::strobe, 16, "row");
  }

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    EntryCode& row = rows[t.get_address() / sizeof(EntryCode)];
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    if (t.is_write()) {
      std::memcpy(row.data(), t.get_data_ptr(), sizeof row);
      return;
    }
    std::memcpy(t.get_data_ptr(), row.data(), sizeof row);
    ++reads;
    delay += sc_core::sc_time(40, sc_core::SC_NS);
    RequestInterval::add(t, interval);
  }
};

/// Adds one too much, and each sum is a microsecond later.
class OddUnit : public TargetModule<ReductionProtocol> {
 public:
  using TargetModule::TargetModule;

 private:
  void b_transport(ReductionOperand& o, sc_core::sc_time& delay) override {
    if (o.data == nullptr) return void(delay += sc_core::sc_time(1, sc_core::SC_US));
    for (std::size_t i = 0; i < o.elements; ++i) {
      std::int32_t sum, operand;
      std::memcpy(&sum, o.sum + 4 * i, 4), std::memcpy(&operand, o.data + 4 * i, 4);
      sum += operand + 1;
      std::memcpy(o.sum + 4 * i, &sum, 4);
    }
  }
};

/// Grants no direct access.
class ShyMemory : public MemoryModule {
 public:
  explicit ShyMemory(const sc_core::sc_module_name& name) : MemoryModule(name) {}
  void resize(std::uint64_t bytes) override { bytes_.assign(bytes, std::byte{0}); }
  std::uint64_t size() const override { return bytes_.size(); }
  std::byte* data() override { return bytes_.data(); }
  unsigned accesses = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    if (is_timing_only(t)) return void(delay += sc_core::sc_time(70, sc_core::SC_NS));
    ++accesses;
    std::byte* const place = bytes_.data() + t.get_address();
    if (t.is_read()) std::memcpy(t.get_data_ptr(), place, t.get_data_length());
    if (t.is_write()) std::memcpy(place, t.get_data_ptr(), t.get_data_length());
  }
  std::vector<std::byte> bytes_;
};

}  // namespace tributary
