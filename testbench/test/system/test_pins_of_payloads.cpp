// Payload buffers with pins in kernel time, which decide: equal to the model's own to the picosecond, in both modes
// (docs/rtl.md#pins-in-kernel-time).
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <systemc>

#include "modules/base/sysc/payload_access.h"
#include "modules/netreduce/core/payload_buffer_pins.h"
#include "modules/rtl/pin_payload_buffer.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/test/harness/pin_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_pins_of_payloads {

using Catch::Matchers::Contains;

namespace {

constexpr Tick cycle = 3103;

enum class Fault { none, bit, gap, silent };

/// A bank whose rows leave `depth` clocks after their requests.
SC_MODULE(PinnedBank) {
  sc_core::sc_in<bool> clk, rst_n, w_valid, r_valid;
  sc_core::sc_out<bool> w_ready, r_ready, m_valid;
  sc_core::sc_in<sc_dt::sc_bv<512>> w_data;
  sc_core::sc_in<sc_dt::sc_uint<32>> w_row, r_row;
  sc_core::sc_out<sc_dt::sc_bv<512>> m_data;

  SC_HAS_PROCESS(PinnedBank);
  PinnedBank(const sc_core::sc_module_name& name, unsigned depth, Fault fault)
      : sc_module(name), depth_(depth), fault_(fault), stages_(depth - 1) {
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  struct Stage {
    bool valid = false;
    sc_dt::sc_bv<512> data;
  };
  void rise() {
    w_ready.write(true), r_ready.write(true);
    if (!rst_n.read()) rows_.clear(), stages_.assign(depth_ - 1, {});
    if (rst_n.read() && w_valid.read()) rows_[w_row.read()] = w_data.read();
    Stage in;
    if (rst_n.read() && r_valid.read() && fault_ != Fault::silent) {
      in.valid = true;
      in.data = rows_[r_row.read()];
      if (fault_ == Fault::bit) in.data.set_word(9, in.data.get_word(9) ^ 1u);
      if (fault_ == Fault::gap && r_row.read() % 16 == 5) stages_.push_back({});
    }
    stages_.push_back(in);
    m_valid.write(stages_.front().valid);
    m_data.write(stages_.front().data);
    stages_.pop_front();
  }

  unsigned depth_;
  Fault fault_;
  std::map<std::uint64_t, sc_dt::sc_bv<512>> rows_;
  std::deque<Stage> stages_;
};

void bind(SignalPins& set, PinnedBank& m) {
  set("clk", m.clk), set("rst_n", m.rst_n), set("w_valid", m.w_valid), set("w_ready", m.w_ready);
  set("w_data", m.w_data), set("w_row", m.w_row), set("r_valid", m.r_valid), set("r_ready", m.r_ready);
  set("r_row", m.r_row), set("m_valid", m.m_valid), set("m_data", m.m_data);
}

RunSpec pinned(RunSpec spec, unsigned depth, unsigned latency = 0, Fault fault = Fault::none) {
  spec.blocks.add(payloads_slot, [=](const char* name, const Accelerator::Config& config) {
    const auto make = [=](SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {
      auto module = std::make_unique<PinnedBank>("block", depth, fault);
      bind(signals, *module);
      return module;
    };
    PinBlock block{make, {}, latency};
    block.rtl.parameters = {{"RANKS", 6}};
    return std::make_unique<PinPayloadBuffer>(name, block, config.params);
  });
  return spec;
}

/// Carries out an access of the model's buffer.
void carry_out(PayloadBuffer& buffer, tlm::tlm_generic_payload& access, Tick now) {
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  if (is_timing_only(access)) return;
  auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
  if (access.is_read())
    buffer.read(access.get_address(), data, access.get_data_length(), now);
  else
    buffer.write(access.get_address(), data, access.get_data_length(), now);
}

/// The model's buffer with a latency of reads.
class SlowPayloads : public PayloadBufferModule {
 public:
  SlowPayloads(const char* name, Tick latency) : PayloadBufferModule(name), latency_(latency) {}

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    carry_out(core, access, (sc_core::sc_time_stamp() + delay).value());
    if (access.is_read()) delay += sc_core::sc_time::from_value(latency_);
  }
  Tick latency_;
};
RunSpec slow(RunSpec spec, Tick latency) {
  spec.blocks.add(payloads_slot, [=](const char* name, const Accelerator::Config&) {
    return std::make_unique<SlowPayloads>(name, latency);
  });
  return spec;
}

RunSpec on(const char* platform, int ranks, Bytes size, const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec("netreduce", first_gpus(ranks), {size}, settings);
  spec.platform = platform;
  return spec;
}

}  // namespace

TEST_CASE("pins of a payload buffer: a register is the clock of the model", "[system][pins]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB);
  check_pins(pinned(spec, 1), spec);
  check_pins(pinned(spec, 1, 1), spec);
  check_pins(pinned(without_data(spec), 1), without_data(spec));
  for (const char* value : {"netreduce.accelerator.value=stored", "netreduce.accelerator.value=recomputed"}) {
    const RunSpec lossy = on("rack:6", 6, 64_KiB, {value, "netreduce.link.loss_rate=0.002"});
    check_pins(pinned(lossy, 1), lossy);
  }
}

TEST_CASE("pins of a payload buffer: further registers are a latency", "[system][pins]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB);
  check_pins(pinned(spec, 4), slow(spec, 3 * cycle));
}

TEST_CASE("pins of a payload buffer: wrong answers are named, and wrong data at the ranks", "[system][pins]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB);
  const auto row = [&](Fault fault) { return run_one(pinned(spec, 1, 0, fault)).row; };
  CHECK(row(Fault::bit).status == Status::wrong);
  const ResultRow gap = row(Fault::gap), silent = row(Fault::silent);
  CHECK((gap.status == Status::block_wrong && silent.status == Status::block_wrong));
  CHECK_THAT(gap.report, Contains("breaks the rule `late`: beat 5 of the read of row "));
  CHECK_THAT(silent.report, Contains("breaks the rule `patience`: the read of row 0 has no answer after 65536 clocks"));
}

}  // namespace tributary::test_pins_of_payloads
