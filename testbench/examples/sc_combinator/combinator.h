// The combinator of a NetReduce accelerator as an sc_module with pins: adders of i32, 16 lanes of each of six ranks in a
// clock. The sum of a beat leaves DEPTH clocks after its operands.
#pragma once
#include <array>
#include <systemc>

#ifndef DEPTH
#define DEPTH 34
#endif

SC_MODULE(Combinator) {
  static constexpr int ranks = 6, lanes = 16;

  sc_core::sc_in<bool> clk{"clk"}, rst_n{"rst_n"};
  sc_core::sc_in<bool> s_valid{"s_valid"}, s_last{"s_last"};
  sc_core::sc_out<bool> s_ready{"s_ready"};
  sc_core::sc_in<sc_dt::sc_bv<512 * ranks>> s_data{"s_data"};
  sc_core::sc_in<sc_dt::sc_uint<7>> s_skip{"s_skip"};
  sc_core::sc_in<sc_dt::sc_uint<16>> s_ring{"s_ring"}, s_id{"s_id"};
  sc_core::sc_in<sc_dt::sc_uint<3>> s_type{"s_type"};
  sc_core::sc_in<sc_dt::sc_uint<2>> s_op{"s_op"};
  sc_core::sc_out<bool> m_valid{"m_valid"}, m_last{"m_last"};
  sc_core::sc_in<bool> m_ready{"m_ready"};
  sc_core::sc_out<sc_dt::sc_bv<512>> m_data{"m_data"};
  sc_core::sc_out<sc_dt::sc_uint<16>> m_id{"m_id"};

  SC_CTOR(Combinator) {
    SC_CTHREAD(run, clk.pos());
    reset_signal_is(rst_n, false);
  }

 private:
  struct Stage {
    bool valid = false, last = false;
    sc_dt::sc_uint<16> id = 0;
    sc_dt::sc_bv<512> sum;
  };

  void run() {
    std::array<Stage, DEPTH> stages;
    s_ready.write(true);
    m_valid.write(false);
    for (int now = 0;; now = (now + 1) % DEPTH) {
      wait();
      // The stage that has gone round is the output register, and takes the next input after that.
      stages[now] = input();
      const Stage& out = stages[(now + 1) % DEPTH];
      m_valid.write(out.valid);
      m_last.write(out.last);
      m_id.write(out.id);
      if (out.valid) m_data.write(out.sum);
    }
  }
  Stage input() const {
    Stage in;
    if (!s_valid.read()) return in;
    in.valid = true;
    in.last = s_last.read();
    in.id = s_id.read();
    const sc_dt::sc_bv<512 * ranks>& data = s_data.read();
    for (int lane = 0; lane < lanes; ++lane) {
      sc_dt::sc_digit sum = 0;
      for (int rank = 0; rank < ranks; ++rank) sum += data.get_word(lanes * rank + lane);
      in.sum.set_word(lane, sum);
    }
    return in;
  }
};
