// Connection translation tables with pins in kernel time, which decide: equal to the model's own to the picosecond, in both
// modes (docs/rtl.md#pins-in-kernel-time).
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <systemc>

#include "modules/netreduce/core/ctt_pins.h"
#include "modules/rtl/pin_translation.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/test/harness/pin_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_pins_of_translations {

using Catch::Matchers::Contains;

namespace {

enum class Fault { none, number, no_last, silent };

/// A connection translation table that returns a target in a clock, the first `depth` clocks after the request.
SC_MODULE(PinnedTable) {
  sc_core::sc_in<bool> clk, rst_n, s_valid, s_direction, s_first_valid;
  sc_core::sc_in<sc_dt::sc_uint<2>> s_command;
  sc_core::sc_in<sc_dt::sc_uint<56>> s_from, s_to;
  sc_core::sc_in<sc_dt::sc_uint<32>> s_first_message;
  sc_core::sc_in<sc_dt::sc_uint<24>> s_first_psn;
  sc_core::sc_in<sc_dt::sc_uint<64>> s_first_address;
  sc_core::sc_in<sc_dt::sc_uint<16>> s_first_rank, s_first_port, s_messages;
  sc_core::sc_in<sc_dt::sc_uint<8>> s_id;
  sc_core::sc_out<bool> s_ready, m_valid, m_last, m_known, m_direction, m_preset, m_first_valid;
  sc_core::sc_out<sc_dt::sc_uint<56>> m_to;
  sc_core::sc_out<sc_dt::sc_uint<32>> m_first_message;
  sc_core::sc_out<sc_dt::sc_uint<24>> m_first_psn;
  sc_core::sc_out<sc_dt::sc_uint<64>> m_first_address;
  sc_core::sc_out<sc_dt::sc_uint<16>> m_first_rank, m_first_port;
  sc_core::sc_out<sc_dt::sc_uint<8>> m_id;

  SC_HAS_PROCESS(PinnedTable);
  PinnedTable(const sc_core::sc_module_name& name, unsigned depth, Fault fault)
      : sc_module(name), depth_(depth), fault_(fault), stages_(depth - 1) {
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  struct Beat {
    bool valid = false, last = false, known = false, direction = false, preset = false;
    unsigned id = 0;
    ConnectionKey to{};
    FirstPacket first{};
  };
  static ConnectionKey key_of(std::uint64_t bits) {
    return {static_cast<std::uint16_t>(bits >> 40), static_cast<std::uint16_t>(bits >> 24),
            static_cast<std::uint32_t>(bits & 0xFFFFFF)};
  }
  CtTransaction command() const {
    CtTransaction t;
    t.command = static_cast<CtTransaction::Command>(s_command.read().to_uint());
    t.from = key_of(s_from.read());
    t.to = key_of(s_to.read());
    t.direction = static_cast<CtDirection>(s_direction.read());
    t.known_messages = s_messages.read().to_uint();
    t.first = {static_cast<std::uint32_t>(s_first_message.read()),
               static_cast<std::uint32_t>(s_first_psn.read()),
               s_first_address.read(),
               static_cast<std::uint16_t>(s_first_rank.read()),
               static_cast<std::uint16_t>(s_first_port.read()),
               s_first_valid.read()};
    return t;
  }
  void accept() {
    CtTransaction t = command();
    table_->access(t);
    Beat beat;
    beat.valid = fault_ != Fault::silent;
    beat.id = s_id.read().to_uint() + (fault_ == Fault::number ? 1 : 0);
    beat.known = t.entry != nullptr || t.added;
    if (t.entry == nullptr) return entering_.push_back(beat), end();
    for (const CtTarget& target : t.entry->to) {
      beat.direction = t.entry->direction == CtDirection::multicast;
      beat.preset = t.entry->preset;
      beat.to = target.connection;
      beat.first = target.firsts.empty() ? FirstPacket{} : target.firsts.front();
      entering_.push_back(beat);
    }
    end();
  }
  void end() { entering_.back().last = fault_ != Fault::no_last; }
  void rise() {
    if (!rst_n.read()) table_ = std::make_unique<CtTable>(), entering_.clear(), stages_.assign(depth_ - 1, {});
    if (rst_n.read() && s_valid.read() && s_ready.read()) accept();
    stages_.push_back(entering_.empty() ? Beat{} : entering_.front());
    if (!entering_.empty()) entering_.pop_front();
    s_ready.write(entering_.empty());
    leave(stages_.front());
    stages_.pop_front();
  }
  void leave(const Beat& b) {
    m_valid.write(b.valid), m_last.write(b.last), m_known.write(b.known), m_direction.write(b.direction);
    m_preset.write(b.preset), m_id.write(b.id), m_first_valid.write(b.first.valid);
    m_to.write(std::uint64_t{b.to.source} << 40 | std::uint64_t{b.to.destination} << 24 | (b.to.queue_pair & 0xFFFFFFu));
    m_first_message.write(b.first.message), m_first_psn.write(b.first.psn), m_first_address.write(b.first.address);
    m_first_rank.write(b.first.rank), m_first_port.write(b.first.udp_port);
  }

  std::unique_ptr<CtTable> table_ = std::make_unique<CtTable>();
  unsigned depth_;
  Fault fault_;
  std::deque<Beat> entering_, stages_;
};

void bind(SignalPins& set, PinnedTable& m) {
  set("clk", m.clk), set("rst_n", m.rst_n), set("s_valid", m.s_valid), set("s_ready", m.s_ready);
  set("s_command", m.s_command), set("s_from", m.s_from), set("s_to", m.s_to), set("s_direction", m.s_direction);
  set("s_first_valid", m.s_first_valid), set("s_first_message", m.s_first_message), set("s_first_psn", m.s_first_psn);
  set("s_first_address", m.s_first_address), set("s_first_rank", m.s_first_rank), set("s_first_port", m.s_first_port);
  set("s_messages", m.s_messages), set("s_id", m.s_id), set("m_valid", m.m_valid), set("m_last", m.m_last);
  set("m_known", m.m_known), set("m_direction", m.m_direction), set("m_preset", m.m_preset), set("m_to", m.m_to);
  set("m_first_valid", m.m_first_valid), set("m_first_message", m.m_first_message), set("m_first_psn", m.m_first_psn);
  set("m_first_address", m.m_first_address), set("m_first_rank", m.m_first_rank), set("m_first_port", m.m_first_port);
  set("m_id", m.m_id);
}

RunSpec pinned(RunSpec spec, unsigned depth, Fault fault = Fault::none, unsigned latency = 0) {
  spec.blocks.add(connection_translation_slot, [=](const char* name, const Accelerator::Config& config) {
    const auto make = [=](SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {
      auto module = std::make_unique<PinnedTable>("block", depth, fault);
      bind(signals, *module);
      return module;
    };
    return std::make_unique<PinTranslation>(name, PinBlock{make, {}, latency}, config.params);
  });
  return spec;
}

/// The model with a target in a clock.
RunSpec on(const char* platform, int ranks, Bytes size, std::vector<std::string> settings = {}) {
  settings.emplace_back("netreduce.accelerator.ctt.targets=1");
  RunSpec spec = run_spec("netreduce", first_gpus(ranks), {size}, settings);
  spec.platform = platform;
  return spec;
}

}  // namespace

TEST_CASE("pins of a translation table: two registers are the two clocks of the model", "[system][pins]") {
  const RunSpec spec = on("spine_leaf:2x2", 4, 64_KiB);
  check_pins(pinned(spec, 2), spec);
  const RunSpec wide = on("spine_leaf:2x3", 6, 64_KiB);
  check_pins(pinned(wide, 2), wide);
}

TEST_CASE("pins of a translation table: both modes agree with losses", "[system][pins]") {
  // A result from above may wait for a sum that was requested ahead of it, which the model's table does not let it do.
  check_modes(pinned(on("spine_leaf:2x2", 4, 64_KiB, {"netreduce.link.loss_rate=0.002"}), 2));
}

TEST_CASE("pins of a translation table: wrong answers are named", "[system][pins]") {
  const RunSpec spec = on("spine_leaf:2x2", 4, 64_KiB);
  const auto report = [&](Fault fault) {
    const ResultRow row = run_one(pinned(spec, 2, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(Fault::number), Contains("ctt.unit breaks the rule `answer`: answers request 2 in place of 1"));
  CHECK_THAT(report(Fault::silent),
             Contains("ctt.unit breaks the rule `patience`: request 1 has no answer after 65536 clocks"));
  CHECK_THAT(report(Fault::no_last), Contains("ctt.unit breaks the rule `"));
}

}  // namespace tributary::test_pins_of_translations
