#pragma once
/// PinnedArbiter: an arbiter as an sc_module with pins, which has the rules of the model.

#include <systemc>
#include <vector>

#include "modules/switching/core/round_robin_arbiter.h"

namespace tributary {

enum class ArbiterFault { none, other, silent };

/// An arbiter of a switch of 16 ports. `registered`: it grants a clock after the requests.
class PinnedArbiter : public sc_core::sc_module {
 public:
  static constexpr unsigned inputs = 16, requesters = 3 * inputs;
  sc_core::sc_in<bool> clk, rst_n, s_valid, take_valid;
  sc_core::sc_in<sc_dt::sc_uint<6>> s_output, take_output;
  sc_core::sc_in<sc_dt::sc_uint<requesters>> s_req;
  sc_core::sc_in<sc_dt::sc_bv<2 * requesters>> s_resource;
  sc_core::sc_in<sc_dt::sc_uint<3>> s_room;
  sc_core::sc_in<sc_dt::sc_uint<8>> take_requester;
  sc_core::sc_in<sc_dt::sc_uint<2>> take_resource;
  sc_core::sc_out<bool> grant_valid;
  sc_core::sc_out<sc_dt::sc_uint<8>> grant_requester;

  explicit PinnedArbiter(const sc_core::sc_module_name& name, bool registered = false,
                         ArbiterFault fault = ArbiterFault::none)
      : sc_module(name), fault_(fault), registered_(registered) {
    SC_HAS_PROCESS(PinnedArbiter);
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
    if (registered) return;
    SC_METHOD(decide);
    sensitive << s_valid << s_output << s_req << s_resource << turns_;
  }

 private:
  void rise() {
    if (registered_) decide();
    if (!rst_n.read()) return rules_.reset();
    if (!take_valid.read()) return;
    const unsigned requester = take_requester.read().to_uint();
    rules_.granted(take_output.read().to_uint(), {requester % inputs, requester / inputs, take_resource.read().to_uint()},
                   0);
    turns_.write(turns_.read() + 1);
  }
  void decide() {
    std::vector<CrossbarArbiter::Request> all;
    for (unsigned r = 0; r < requesters; ++r)
      if (s_req.read()[static_cast<int>(r)]) {
        const int low = 2 * static_cast<int>(r);
        all.push_back({r % inputs, r / inputs, s_resource.read().range(low + 1, low).to_uint()});
      }
    grant_valid.write(s_valid.read() && !all.empty() && fault_ != ArbiterFault::silent);
    if (all.empty()) return;
    const CrossbarArbiter::Request winner = all[rules_.choose(s_output.read().to_uint(), all, 0)];
    const unsigned number = winner.queue * inputs + winner.input;
    grant_requester.write(fault_ == ArbiterFault::other ? (number + 1) % requesters : number);
  }

  RoundRobinArbiter rules_{{"", inputs, 3, {}}};
  sc_core::sc_signal<unsigned> turns_{"turns"};  // number of grants that have been taken
  ArbiterFault fault_;
  bool registered_;
};

/// Binds all ports.
template <class Pins>
void bind(Pins& set, PinnedArbiter& m) {
  set("clk", m.clk), set("rst_n", m.rst_n), set("s_valid", m.s_valid), set("s_output", m.s_output), set("s_req", m.s_req);
  set("s_resource", m.s_resource), set("s_room", m.s_room), set("take_valid", m.take_valid);
  set("take_output", m.take_output), set("take_requester", m.take_requester), set("take_resource", m.take_resource);
  set("grant_valid", m.grant_valid), set("grant_requester", m.grant_requester);
}

}  // namespace tributary
