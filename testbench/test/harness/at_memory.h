#pragma once
/// AtMemory: a memory of the approximately timed style, as a DRAM controller. It knows nothing of this project.

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

/// Accepts a request after `accept`, and responds `latency` after its begin, with one response at a time.
struct AtMemory : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  /// Answers to BEGIN_REQ.
  enum class Style {
    four_phases,  ///< END_REQ and BEGIN_RESP on the backward path
    no_end_req,   ///< BEGIN_RESP on the backward path
    updated,      ///< TLM_UPDATED with END_REQ, BEGIN_RESP on the backward path
    responds,     ///< TLM_UPDATED with BEGIN_RESP
    completes,    ///< TLM_COMPLETED
    any,          ///< one of these at random, and a random latency: responses out of order
  };
  tlm::tlm_target_socket<32> socket{"socket"};
  std::vector<unsigned char> bytes;
  sc_core::sc_time accept{10, sc_core::SC_NS}, latency{50, sc_core::SC_NS};
  unsigned transactions = 0, most = 0, overtakes = 0;  ///< most: of payloads held

  AtMemory(const sc_core::sc_module_name& name, std::size_t size, Style style, unsigned seed = 1)
      : sc_module(name), bytes(size), style_(style), random_(seed) {
    socket.bind(*this);
    SC_HAS_PROCESS(AtMemory);
    SC_METHOD(act);
    sensitive << act_;
    dont_initialize();
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum nb_transport_fw(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      p.release();
      responding_ = nullptr;
      act_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    ++transactions;
    Style style = style_;
    sc_core::sc_time answer = latency;
    if (style == Style::any) {
      style = static_cast<Style>(random_() % 5);
      answer = sc_core::sc_time(20 + static_cast<double>(random_() % 100), sc_core::SC_NS);
      if (style == Style::responds && (responding_ != nullptr || !due_.empty())) style = Style::four_phases;
    }
    if (style == Style::completes) {
      access(p);
      delay += answer;
      return tlm::TLM_COMPLETED;
    }
    p.acquire();
    if (style == Style::responds) {
      access(p);
      responding_ = &p;
      delay += answer;
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    const sc_core::sc_time now = sc_core::sc_time_stamp() + delay;
    for (const auto& [time, held] : due_) overtakes += held.second == Kind::response && time > now + answer;
    due_.emplace(now + answer, std::pair(&p, Kind::response));
    if (style == Style::four_phases) due_.emplace(now + accept, std::pair(&p, Kind::end_of_request));
    most = std::max(most, static_cast<unsigned>(due_.size()));
    act_.notify(sc_core::SC_ZERO_TIME);
    if (style != Style::updated) return tlm::TLM_ACCEPTED;
    delay += accept;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  enum class Kind { end_of_request, response };

  /// Sends what is due, in order of time; a response waits for END_RESP of the one before.
  void act() {
    for (auto at = due_.begin(); at != due_.end() && at->first <= sc_core::sc_time_stamp();) {
      const auto [p, kind] = at->second;
      if (kind == Kind::response && responding_ != nullptr) {
        ++at;
        continue;
      }
      due_.erase(at);
      send(*p, kind);
      at = due_.begin();
    }
    for (const auto& [time, what] : due_)
      if (time > sc_core::sc_time_stamp()) return act_.notify(time - sc_core::sc_time_stamp());
  }
  void send(Payload& p, Kind kind) {
    tlm::tlm_phase phase = kind == Kind::response ? tlm::BEGIN_RESP : tlm::END_REQ;
    sc_core::sc_time delay;
    if (kind == Kind::response) access(p), responding_ = &p;
    const tlm::tlm_sync_enum answer = socket->nb_transport_bw(p, phase, delay);
    if (kind == Kind::response && answer != tlm::TLM_ACCEPTED) p.release(), responding_ = nullptr;
  }
  void access(Payload& p) {
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (p.get_address() + p.get_data_length() > bytes.size()) return;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (p.is_read()) std::memcpy(p.get_data_ptr(), &bytes[p.get_address()], p.get_data_length());
    if (p.is_write()) std::memcpy(&bytes[p.get_address()], p.get_data_ptr(), p.get_data_length());
  }
  void b_transport(Payload&, sc_core::sc_time&) override { throw std::logic_error("an AT target"); }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Payload&) override { return 0; }

  Style style_;
  std::mt19937 random_;
  std::multimap<sc_core::sc_time, std::pair<Payload*, Kind>> due_;
  Payload* responding_ = nullptr;
  sc_core::sc_event act_;
};

/// An AtMemory that also has debug access.
struct OpenAtMemory : AtMemory {
  using AtMemory::AtMemory;
  unsigned transport_dbg(tlm::tlm_generic_payload& p) override {
    if (p.get_address() + p.get_data_length() > bytes.size()) return 0;
    if (p.is_read()) std::memcpy(p.get_data_ptr(), &bytes[p.get_address()], p.get_data_length());
    if (p.is_write()) std::memcpy(&bytes[p.get_address()], p.get_data_ptr(), p.get_data_length());
    return p.get_data_length();
  }
};
