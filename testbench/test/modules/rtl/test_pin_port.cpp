// PinPort: a module with pins in the kernel: its clock, the order of calls and edges, and ports that do not fit.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <systemc>
#include <vector>

#include "modules/link/link_protocol.h"
#include "modules/netreduce/core/combinator_pins.h"
#include "modules/rtl/pin_port.h"

namespace tributary::test_pin_port {

using Catch::Matchers::Contains;

namespace {

enum Channel : unsigned { request, answer };
constexpr Tick period = 3103;

/// Answers a beat two clocks later. `s_ready` depends on `s_valid` over two processes, without a clock.
SC_MODULE(Registers) {
  sc_core::sc_in<bool> clk, rst_n, s_valid, s_last, m_ready;
  sc_core::sc_out<bool> s_ready, m_valid, m_last;
  sc_core::sc_in<sc_dt::sc_bv<1024>> s_data;
  sc_core::sc_in<std::uint32_t> s_skip, s_ring, s_id, s_type, s_op;  // as `verilator --sc` declares them
  sc_core::sc_out<sc_dt::sc_bv<512>> m_data;
  sc_core::sc_out<sc_dt::sc_uint<16>> m_id;
  sc_core::sc_signal<bool> between{"between"}, valid{"valid"};
  sc_core::sc_signal<sc_dt::sc_uint<16>> id{"id"};
  sc_core::sc_signal<sc_dt::sc_bv<512>> sum{"sum"};
  std::vector<Tick> edges, falls;

  SC_CTOR(Registers) {
    SC_METHOD(enter);
    sensitive << s_valid;
    SC_METHOD(accept);
    sensitive << between;
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
    SC_METHOD(fall);
    sensitive << clk.neg();
    dont_initialize();
  }
  void enter() { between.write(s_valid.read()); }
  void accept() { s_ready.write(between.read()); }
  void fall() { falls.push_back(kernel_now()); }
  void rise() {
    edges.push_back(kernel_now());
    valid.write(rst_n.read() && s_valid.read() && s_ready.read());
    id.write(s_id.read());
    sum.write(s_data.read().range(511, 0));
    m_valid.write(rst_n.read() && valid.read());
    m_last.write(true);
    m_id.write(id.read());
    m_data.write(sum.read());
  }
};

template <class Module>
MakePinned maker(Module*& made, const std::string& without = "") {
  return [&made, without](SignalPins& set) {
    auto module = std::make_unique<Module>("block");
    Module& m = *module;
    made = module.get();
    const auto pins = [&](const char* name, auto& port) {
      if (name != without) set(name, port);
    };
    pins("clk", m.clk), pins("rst_n", m.rst_n), pins("s_valid", m.s_valid), pins("s_ready", m.s_ready);
    pins("s_last", m.s_last), pins("s_data", m.s_data), pins("s_skip", m.s_skip), pins("s_ring", m.s_ring);
    pins("s_id", m.s_id), pins("s_type", m.s_type), pins("s_op", m.s_op), pins("m_valid", m.m_valid);
    pins("m_ready", m.m_ready), pins("m_last", m.m_last), pins("m_data", m.m_data), pins("m_id", m.m_id);
    return module;
  };
}

/// A device that calls at the time of an edge.
struct Caller : sc_core::sc_module {
  Caller(const sc_core::sc_module_name& name, PinPort& port, const std::vector<Tick>& times) : sc_module(name), port_(port) {
    SC_HAS_PROCESS(Caller);
    SC_METHOD(call);
    for (const Tick t : times) events_.emplace_back(new sc_core::sc_event), events_.back()->notify(to_sc_time(t));
    for (const auto& e : events_) sensitive << *e;
    dont_initialize();
  }
  void call() {
    PinUnit& unit = port_.unit();
    RtlBeat beat = unit.channel(request).make_beat();
    beat.edge = unit.edge_of(kernel_now());
    unit.channel(request).set(beat, 3, ++number_);
    unit.channel(request).bytes(beat, 0)[63] = static_cast<std::uint8_t>(number_);
    unit.offer(request, std::move(beat));
    unit.expect(answer, 1, unit.clock().edge_at(kernel_now()), 2, "request",
                [this, &unit, n = number_](std::uint64_t first) {
                  const RtlBeat& got = unit.runner().beat(answer, first);
                  CHECK(unit.channel(answer).get(got, 1) == n);
                  CHECK(unit.channel(answer).bytes(got, 0)[63] == n);
                  answered.push_back(kernel_now());
                });
    port_.schedule();
  }
  std::vector<Tick> answered;

 private:
  PinPort& port_;
  std::vector<std::unique_ptr<sc_core::sc_event>> events_;
  std::uint8_t number_ = 0;
};

}  // namespace

TEST_CASE("pin port: requests at the time of an edge are in that edge, and odd periods are exact", "[pure][rtl]") {
  Registers* block = nullptr;
  PinPort port("port", combinator_pins(), {{"RANKS", 2}}, period, maker(block));
  const Tick t0 = 20'000;
  Caller caller("caller", port, {t0, t0 + period, t0 + 2 * period, t0 + 100 * period});
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(caller.answered == std::vector<Tick>{t0 + 2 * period, t0 + 3 * period, t0 + 4 * period, t0 + 102 * period});
  // Two edges of the reset, and edges from the first request on until 64 clocks after the answer.
  REQUIRE(block->edges.size() == 2 + (2 + 3 + 64) + (3 + 64));
  CHECK(block->edges[0] == period);
  CHECK(block->edges[2] == t0);
  for (std::size_t i = 3; i < 2 + 69; ++i) {
    CHECK(block->edges[i] == t0 + (i - 2) * period);
    CHECK(block->edges[i] - block->falls[i - 1] == (period + 1) / 2);
  }
}

TEST_CASE("pin port: a request after its edge has risen ends the run with the name", "[pure][rtl]") {
  Registers* block = nullptr;
  PinPort port("port", combinator_pins(), {{"RANKS", 2}}, period, maker(block));
  Caller caller("caller", port, {20'000});
  struct Late : sc_core::sc_module {
    Late(const sc_core::sc_module_name& name, Registers& block, Caller& caller) : sc_module(name), caller_(caller) {
      SC_HAS_PROCESS(Late);
      SC_METHOD(call);
      sensitive << block.clk.pos();
      dont_initialize();
    }
    void call() {
      if (kernel_now() >= 20'000) caller_.call();
    }
    Caller& caller_;
  } late("late", *block, caller);
  CHECK_THROWS_WITH(sc_core::sc_start(1, sc_core::SC_US), Contains("port: a request for edge"));
}

TEST_CASE("pin port: a module without a pin, or with one of another width, is refused by the pin's name", "[pure][rtl]") {
  Registers* block = nullptr;
  CHECK_THROWS_WITH(PinPort("a", combinator_pins(), {{"RANKS", 2}}, period, maker(block, "m_id")),
                    Contains("has no pin `m_id` of 16 bits"));
  CHECK_THROWS_WITH(PinPort("b", combinator_pins(), {{"RANKS", 6}}, period, maker(block)),
                    Contains("pin `s_data` has another width than 3072 bits"));
}

}  // namespace tributary::test_pin_port
