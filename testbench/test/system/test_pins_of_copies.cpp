// Copy engines as modules with pins in kernel time, which decide: equal to the form that is called to the picosecond, in
// both modes (docs/rtl.md#pins-in-kernel-time).
#include <catch2/catch.hpp>
#include <cstring>
#include <systemc>

#include "modules/rtl/pin_copy_engine.h"
#include "modules/rtl/rtl_copy_engine.h"
#include "platforms/blink/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/test/harness/engine_model.h"
#include "testbench/test/harness/pin_runs.h"
#include "testbench/test/harness/recorded_lines.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_pins_of_copies {

using Catch::Matchers::Contains;

namespace {

using Faults = EngineModel::Faults;
constexpr unsigned lanes = EngineModel::lane_count;

/// The engine in C++ as a module: its outputs follow its inputs.
SC_MODULE(PinnedEngine) {
  template <class T>
  using In = sc_core::sc_in<T>;
  template <class T>
  using Out = sc_core::sc_out<T>;
  using Offsets = sc_dt::sc_bv<64 * lanes>;
  In<bool> clk, rst_n, s_valid, rd_ready, mem_valid, room_valid, left_valid;
  In<std::uint32_t> s_copy, mem_copy;
  In<std::uint64_t> s_source, s_destination, s_bytes;
  In<std::uint16_t> s_payload, s_overhead, s_burst;
  In<std::uint8_t> s_lanes, room_lanes, left_lanes;
  Out<bool> s_ready, rd_valid, m_valid, done_valid;
  Out<std::uint64_t> rd_address, rd_bytes, m_bytes;
  Out<std::uint32_t> m_copy, m_flits, done_copy;
  Out<std::uint8_t> m_lanes, m_end;
  Out<Offsets> m_offset;

  SC_HAS_PROCESS(PinnedEngine);
  PinnedEngine(const sc_core::sc_module_name& name, unsigned fetch, const Faults& faults)
      : sc_module(name), model_(fetch, faults) {
    SC_METHOD(follow);
    each([this](const char*, auto& port) { listen(port); });
    dont_initialize();
  }
  /// Calls f(pin, port) for each port.
  template <class F>
  void each(F && f) {
    f("clk", clk), f("rst_n", rst_n), f("s_valid", s_valid), f("s_ready", s_ready), f("s_copy", s_copy);
    f("s_source", s_source), f("s_destination", s_destination), f("s_bytes", s_bytes), f("s_lanes", s_lanes);
    f("s_payload", s_payload), f("s_overhead", s_overhead), f("s_burst", s_burst), f("rd_valid", rd_valid);
    f("rd_ready", rd_ready), f("rd_address", rd_address), f("rd_bytes", rd_bytes), f("mem_valid", mem_valid);
    f("mem_copy", mem_copy), f("m_valid", m_valid), f("m_lanes", m_lanes), f("m_end", m_end), f("m_copy", m_copy);
    f("m_flits", m_flits), f("m_bytes", m_bytes), f("m_offset", m_offset), f("room_valid", room_valid);
    f("room_lanes", room_lanes), f("left_valid", left_valid), f("left_lanes", left_lanes);
    f("done_valid", done_valid), f("done_copy", done_copy);
  }

 private:
  template <class T>
  void listen(In<T> & port) {
    sensitive << port;
  }
  template <class T>
  void listen(Out<T>&) {}
  template <class T>
  void copy(const char* pin, In<T>& port) {
    const PinBytes bytes = model_.pins.find(pin);
    PinValue<T>::set(port.read(), bytes.data, bytes.size);
  }
  template <class T>
  void copy(const char*, Out<T>&) {}
  template <class T>
  void show(const char*, In<T>&) {}
  template <class T>
  void show(const char* pin, Out<T>& port) {
    const PinBytes bytes = model_.pins.find(pin);
    port.write(PinValue<T>::get(bytes.data, bytes.size));
  }
  void follow() {
    each([this](const char* pin, auto& port) { copy(pin, port); });
    model_.eval();
    each([this](const char* pin, auto& port) { show(pin, port); });
  }

  EngineModel model_;
};

template <class Engine>
RunSpec with(RunSpec spec, Engine engine) {
  const CopyEngineFactory make = [=](const char* name, const CopyParams& params) { return engine(name, params); };
  spec.blocks.add(stream_copy_engine_slot, make);
  spec.blocks.add(copy_engine_slot, make);
  return spec;
}
RunSpec pinned(const RunSpec& spec, unsigned fetch, const Faults& faults = {}, unsigned latency = 0) {
  return with(spec, [=](const char* name, const CopyParams& params) {
    const auto make = [=](SignalPins& signals) -> std::unique_ptr<sc_core::sc_module> {
      auto module = std::make_unique<PinnedEngine>("block", fetch, faults);
      module->each([&](const char* pin, auto& port) { signals(pin, port); });
      return module;
    };
    return std::make_unique<PinCopyEngine>(name, PinBlock{make, rtl_block({}, "LANES=2", "", ""), latency}, params);
  });
}
RunSpec called(const RunSpec& spec, unsigned fetch) {
  return with(spec, [=](const char* name, const CopyParams& params) {
    const RtlBlock block = rtl_block([=] { return std::make_unique<EngineModel>(fetch, Faults{}); }, "LANES=2", "", "");
    return std::make_unique<RtlCopyEngine>(name, block, params);
  });
}

RunSpec server(const char* collective, Bytes size, const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, "blink", first_gpus(4), {size}, settings);
  spec.platform = "dgx1v";
  return spec;
}

}  // namespace

TEST_CASE("pins of a copy engine: the run is that of an engine that is called", "[system][pins]") {
  for (const unsigned fetch : {1u, 500u}) {
    INFO(fetch << " clocks");
    const RunSpec spec = server("allreduce", 256_KiB);
    check_pins(pinned(spec, fetch), called(spec, fetch));
  }
  const RunSpec late = server("broadcast", 100'000_B, {"blink.memory.latency=333ns", "blink.copy.clock=3ns"});
  check_pins(pinned(late, 20), called(late, 20));
  check_pins(pinned(without_data(late), 20), called(without_data(late), 20));
}

TEST_CASE("pins of a copy engine: at GPUs of NVSwitches", "[system][pins]") {
  RunSpec spec = collective_spec("allreduce", "blink", first_gpus(4), {64_KiB},
                                 {"nvswitch.gpu.memory.latency=200ns", "nvswitch.gpu.memory.jitter=0ns"});
  check_pins(pinned(spec, 20), called(spec, 20));
}

TEST_CASE("pins of a copy engine: wrong answers are named", "[system][pins]") {
  const auto report = [&](const Faults& faults) {
    const ResultRow row = run_one(pinned(server("broadcast", 256_KiB), 10, faults)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  Faults third, address, ends;
  third.third = address.address = ends.ends = true;
  CHECK_THAT(report(third), Contains("breaks the rule `answer`: sends a burst on lane "));
  CHECK_THAT(report(address), Contains("breaks the rule `answer`: requests "));
  CHECK_THAT(report(ends), Contains("breaks the rule `answer`: ends copy "));
}

TEST_CASE("pins of a copy engine: a stated latency is refused", "[block][pins]") {
  CHECK_THROWS_WITH(run_one(pinned(server("broadcast", 4_KiB), 10, {}, 4)), Contains("(legal: no LATENCY)"));
}

TEST_CASE("pins of a copy engine: an engine that decides is not recorded", "[block][pins]") {
  RunSpec spec = pinned(server("broadcast", 4_KiB), 10);
  spec.blocks.observe(std::make_shared<RecordedLines>(stream_copy_engine_slot.name, "/dev/null"));
  CHECK_THROWS_WITH(run_one(spec), Contains("neither recorded nor compared"));
}

}  // namespace tributary::test_pins_of_copies
