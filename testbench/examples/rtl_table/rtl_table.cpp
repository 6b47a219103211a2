#include "rtl_table.h"

#include <Vreduction_table.h>
#include <stdexcept>

namespace tributary {

struct RtlTable::Rtl {
  VerilatedContext context;
  Vreduction_table pins{&context};
};

namespace {
constexpr Tick flit_time = 640;  // 16 B at 25 GB/s

void set(VlWide<4>& pins, const Beat& beat) {
  for (unsigned i = 0; i < 4; ++i) pins[i] = static_cast<std::uint32_t>(beat.word[i / 2] >> 32 * (i % 2));
}
Beat get(const VlWide<4>& pins) {
  Beat beat;
  for (unsigned i = 0; i < 4; ++i) beat.word[i / 2] |= std::uint64_t{pins[i]} << 32 * (i % 2);
  return beat;
}
}  // namespace

RtlTable::RtlTable() : rtl_(std::make_unique<Rtl>()) { reset(); }
RtlTable::~RtlTable() = default;

void RtlTable::edge() {
  rtl_->pins.clk = 0;
  rtl_->pins.eval();
  rtl_->pins.clk = 1;
  rtl_->pins.eval();
}

BeatTable::Out RtlTable::clock(const In& in) {
  Vreduction_table& pins = rtl_->pins;
  const BeatHeader& h = in.header;
  pins.header_valid = in.header_valid;
  pins.data_valid = in.data_valid;
  if (in.header_valid) {
    if (h.count != 0 && (h.type != ElementType::i32 || h.op != ReduceOp::sum))
      throw std::invalid_argument("the reduction table in RTL adds only i32");
    pins.command = static_cast<std::uint8_t>(h.command);
    pins.tag = h.tag;
    pins.requester = h.requester, pins.operands = h.count, pins.expected = h.expected;
    pins.beats = h.beats;
    pins.now = now_ = h.time;
  } else {
    now_ += flit_time;
  }
  set(pins.data, in.data);
  edge();

  Out out;
  out.answer_valid = pins.answer_valid;
  out.answer = {static_cast<TableTransaction::Answer>(pins.answer),
                pins.entry,
                pins.evicts != 0,
                pins.evicted_entry,
                pins.leaving_operands,
                pins.deadline};
  out.data_valid = pins.out_valid;
  out.data = get(pins.out_data);
  occupancy_(now_, pins.occupancy);
  if (out.data_valid) lane0_(now_, static_cast<std::uint32_t>(out.data.word[0]));
  return out;
}

void RtlTable::reset() {
  rtl_->pins.reset = 1;
  rtl_->pins.header_valid = rtl_->pins.data_valid = 0;
  edge();
  rtl_->pins.reset = 0;
  now_ = 0;
}

void RtlTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "rtl.occupancy", occupancy_, SignalKind::level, 16, "entries in use in the RTL");
  directory.add_signal(prefix + "rtl.lane0", lane0_, SignalKind::strobe, 32, "lane 0 of an output beat of the RTL");
}

}  // namespace tributary
