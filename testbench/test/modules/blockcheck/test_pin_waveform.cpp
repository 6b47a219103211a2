/// The pins of a block in RTL around the first difference of a shadow.
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "modules/base/probe.h"
#include "modules/base/wide_probe.h"
#include "modules/blockcheck/core/first_waveform.h"
#include "modules/blockcheck/core/pin_waveform.h"

namespace tributary::test_pin_waveform {

using Catch::Matchers::Contains;

/// A block with a clock of 100 ps that shows three pins as PinProbes does.
struct Block {
  SignalProbe clk, s_valid, other;
  WideProbe s_data;
  ProbeDirectory directory;
  PinWaveform wave;

  Block() {
    directory.add_signal("block.rtl.clk", clk, SignalKind::level, 1, "clock");
    directory.add_signal("block.rtl.s_valid", s_valid, SignalKind::level, 1, "valid");
    directory.add("block.rtl.s_data", s_data, "data", 68);
    directory.add_signal("block.busy", other, SignalKind::level, 1, "no pin");
    wave.attach(directory);
  }
  void edge(Tick number, bool valid, std::uint8_t lowest) {
    const Tick time = 100 * number;
    clk(time, 1), clk(time + 50, 0);
    s_valid(time, valid);
    const std::uint8_t data[9] = {lowest, 0, 0, 0, 0, 0, 0, 0, 0xA};
    s_data(time, data);
  }
  /// Rising edges by time, with the lowest byte of the data.
  std::map<Tick, unsigned> shown() const {
    std::map<Tick, unsigned> all;
    wave.show([&](const std::string& pin, unsigned, Tick time, const std::uint8_t* value) {
      if (pin == "s_data") all[time] = value[0];
    });
    return all;
  }
};

TEST_CASE("pin waveform: it keeps 64 edges up to the difference and 64 after it", "[pure][blockcheck]") {
  Block block;
  for (unsigned e = 0; e < 300; ++e) {
    block.edge(e, true, static_cast<std::uint8_t>(e));
    if (e == 100) block.wave.difference_found();
  }
  const std::map<Tick, unsigned> shown = block.shown();
  CHECK(shown.size() == 128);
  CHECK(shown.begin()->first == 100 * (100 - 63));
  CHECK(shown.rbegin()->first == 100 * (100 + 64));
  CHECK(shown.rbegin()->second == 164);
}

TEST_CASE("pin waveform: an edge that is evaluated again replaces those from its time on", "[pure][blockcheck]") {
  Block block;
  for (unsigned e = 0; e < 80; ++e) block.edge(e, true, 1);
  block.wave.difference_found();
  for (unsigned e = 70; e < 90; ++e) block.edge(e, true, 2);
  const std::map<Tick, unsigned> shown = block.shown();
  CHECK(shown.size() == 90 - 16);
  CHECK(shown.at(6900) == 1);
  CHECK(shown.at(7000) == 2);
}

TEST_CASE("pin waveform: pins are part of the dump, and no channel has a beat between requests", "[pure][blockcheck]") {
  Block block;
  block.edge(7, true, 5);
  block.s_valid(800, 0);  // the block is idle
  block.wave.difference_found();
  block.edge(12, true, 6);
  FirstWaveform wave;
  const std::string text = wave.vcd("rack.clt", &block.wave);
  CHECK_THAT(text, Contains("$var wire 1 ! rtl.clk $end\n") && Contains("$var wire 68 \" rtl.s_data $end\n") &&
                       Contains("$var wire 1 # rtl.s_valid $end\n") && !Contains("busy"));
  const std::string zeros(56, '0');
  CHECK_THAT(text, Contains("#700\n1!\nb1010" + zeros + "00000101 \"\n1#\n#750\n0!\n#800\n0#\n#1200\n1!\nb1010" + zeros +
                            "00000110 \"\n1#\n#1250\n0!\n"));
}

}  // namespace tributary::test_pin_waveform
