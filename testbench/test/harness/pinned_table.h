#pragma once
/// PinnedTable: a reduction table as an sc_module with pins, at whose rising edges the reference table in C++ acts.

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <systemc>

#include "modules/nvswitch/core/reference_beat_table.h"

namespace tributary {

enum class TableFault { none, number, silent, leaves_out, stuck };

/// A decision is registered. The adders have one register: a sum leaves a clock after its last operand, as with
/// nvswitch.switch.reduction_table.add_cycles=1. An entry that is evicted leaves from the clock after the header on.
class PinnedTable : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk, rst_n, s_valid, s_last, s_header, s_first_hop, m_ready;
  sc_core::sc_in<sc_dt::sc_bv<128>> s_data;
  sc_core::sc_in<sc_dt::sc_uint<3>> s_command, s_type;
  sc_core::sc_in<sc_dt::sc_uint<41>> s_tag;
  sc_core::sc_in<sc_dt::sc_uint<16>> s_requester, s_operands, s_expected;
  sc_core::sc_in<sc_dt::sc_uint<4>> s_beats;
  sc_core::sc_in<sc_dt::sc_uint<2>> s_op;
  sc_core::sc_in<sc_dt::sc_uint<8>> s_id;
  sc_core::sc_in<std::uint64_t> s_now;
  sc_core::sc_out<bool> s_ready, a_valid, a_evicts, m_valid, m_last;
  sc_core::sc_out<sc_dt::sc_uint<8>> a_id, m_id;
  sc_core::sc_out<sc_dt::sc_uint<3>> a_answer;
  sc_core::sc_out<sc_dt::sc_uint<16>> a_entry, a_evicted_entry, a_operands;
  sc_core::sc_out<std::uint64_t> a_deadline;
  sc_core::sc_out<sc_dt::sc_bv<128>> m_data;

  explicit PinnedTable(const sc_core::sc_module_name& name, std::uint32_t entries = 32, Tick timeout = 2'000'000,
                       TableFault fault = TableFault::none)
      : sc_module(name), table_(entries, timeout), fault_(fault) {
    SC_HAS_PROCESS(PinnedTable);
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  using Answer = TableTransaction::Answer;
  struct Sum {
    Beat data;
    std::uint8_t id;
    bool last;
  };

  void rise() {
    a_valid.write(false);
    s_ready.write(fault_ != TableFault::stuck);
    if (!rst_n.read()) {
      table_.reset();
      sums_.clear();
      lengths_.clear();
      keeps_ = false;
      leaving_ = 0;
    } else if (s_valid.read() && s_ready.read()) {
      s_header.read() ? begin() : add();
    } else if (leaving_ != 0) {
      clock({});
    }
    const bool leaves = !sums_.empty();
    m_valid.write(leaves);
    if (!leaves) return;
    const Sum& sum = sums_.front();
    sc_dt::sc_bv<128> data;
    for (int word = 0; word < 4; ++word)
      data.set_word(word, static_cast<sc_dt::sc_digit>(sum.data.word[static_cast<unsigned>(word) / 2] >> word % 2 * 32));
    m_data.write(data);
    m_id.write(sum.id);
    m_last.write(sum.last);
    sums_.pop_front();
  }
  void begin() {
    BeatTable::In in;
    in.header_valid = true;
    in.header = {static_cast<TableTransaction::Command>(s_command.read().to_uint()),
                 s_first_hop.read(),
                 static_cast<ElementType>(s_type.read().to_uint()),
                 static_cast<ReduceOp>(s_op.read().to_uint()),
                 s_tag.read(),
                 static_cast<std::uint16_t>(s_requester.read()),
                 static_cast<std::uint16_t>(s_operands.read()),
                 static_cast<std::uint16_t>(s_expected.read()),
                 static_cast<std::uint8_t>(s_beats.read()),
                 s_now.read()};
    const BeatAnswer a = table_.clock(in).answer;
    id_ = static_cast<std::uint8_t>(s_id.read());
    const bool operand = in.header.beats != 0;
    keeps_ = operand && a.answer <= Answer::completed;
    leaving_ = a.evicts ? lengths_[a.evicted_entry] : a.answer == Answer::completed ? in.header.beats : 0;
    if (a.evicts) clock({});
    if (keeps_) lengths_[a.entry] = in.header.beats;
    a_valid.write(fault_ != TableFault::silent);
    a_id.write(id_);
    a_answer.write(static_cast<unsigned>(a.answer));
    a_entry.write(a.entry);
    a_evicts.write(a.evicts);
    a_evicted_entry.write(a.evicted_entry);
    a_operands.write(a.count);
    a_deadline.write(a.deadline);
  }
  void add() {
    BeatTable::In in;
    in.data_valid = keeps_;
    for (unsigned word = 0; word < 4; ++word)
      in.data.word[word / 2] |= std::uint64_t{s_data.read().get_word(static_cast<int>(word))} << word % 2 * 32;
    clock(in);
  }
  void clock(const BeatTable::In& in) {
    const BeatTable::Out out = table_.clock(in);
    if (!out.data_valid) return;
    const std::uint8_t wrong = fault_ == TableFault::number ? 1 : 0;
    sums_.push_back({out.data, static_cast<std::uint8_t>(id_ ^ wrong), --leaving_ == 0});
    if (fault_ == TableFault::leaves_out) sums_.back().data.word[0] ^= 1;
  }

  ReferenceBeatTable table_;
  TableFault fault_;
  std::deque<Sum> sums_;
  std::map<std::uint32_t, unsigned> lengths_;  // beats by entry
  std::uint8_t id_ = 0;
  bool keeps_ = false;
  unsigned leaving_ = 0;  // beats that leave by the latest header
};

/// Binds all ports.
template <class Pins>
void bind(Pins& set, PinnedTable& m) {
  set("clk", m.clk), set("rst_n", m.rst_n), set("s_valid", m.s_valid), set("s_ready", m.s_ready), set("s_last", m.s_last);
  set("s_data", m.s_data), set("s_header", m.s_header), set("s_command", m.s_command), set("s_first_hop", m.s_first_hop);
  set("s_tag", m.s_tag), set("s_requester", m.s_requester), set("s_operands", m.s_operands);
  set("s_expected", m.s_expected), set("s_beats", m.s_beats), set("s_type", m.s_type), set("s_op", m.s_op);
  set("s_id", m.s_id), set("s_now", m.s_now), set("a_valid", m.a_valid), set("a_id", m.a_id);
  set("a_answer", m.a_answer), set("a_entry", m.a_entry), set("a_evicts", m.a_evicts);
  set("a_evicted_entry", m.a_evicted_entry), set("a_operands", m.a_operands), set("a_deadline", m.a_deadline);
  set("m_valid", m.m_valid), set("m_ready", m.m_ready), set("m_last", m.m_last), set("m_data", m.m_data);
  set("m_id", m.m_id);
}

}  // namespace tributary
