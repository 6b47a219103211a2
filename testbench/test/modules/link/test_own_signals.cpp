// Signals of a user's own in the waveform, probes as signals, and waveforms in FST.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "testbench/observe/probe_signal.h"
#include "testbench/observe/signal_trace.h"
#include "testbench/observe/trace_error.h"
#include "testbench/test/harness/temporary_folder.h"

namespace tributary::test_own_signals {

using Catch::Matchers::Contains;

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A user's block: a counter and a vector that change at 5 and 10 ns.
struct Block : sc_core::sc_module {
  explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Block);
    SC_METHOD(work);
  }
  sc_core::sc_signal<bool> valid{"valid"};
  sc_core::sc_signal<sc_dt::sc_uint<12>> number{"number"};
  sc_core::sc_signal<sc_dt::sc_bv<80>> wide{"wide"};
  sc_core::sc_signal<double> load{"load"};
  sc_core::sc_signal<sc_dt::sc_int<4>> level{"level"};

 private:
  // No thread: AddressSanitizer takes a throw after the stack of a thread for an overflow.
  void work() {
    if (step_ == 1) {
      valid.write(true);
      number.write(2730);
    }
    if (step_ == 2) {
      valid.write(false);
      sc_dt::sc_bv<80> bits;
      bits[79] = true, bits[63] = true, bits[0] = true;
      wide.write(bits);
      load.write(0.5);
      level.write(5);  // sc_int shifts negative values, which the sanitizer reports
    }
    if (++step_ <= 2) next_trigger(5, sc_core::SC_NS);
  }

  unsigned step_ = 0;
};

/// Returns the part of a dump from one time to the next.
std::string changes_at(const std::string& dump, unsigned ps) {
  const std::size_t at = dump.find("\n#" + std::to_string(ps) + "\n");
  return at == std::string::npos ? "" : dump.substr(at, dump.find("\n#", at + 1) - at);
}

}  // namespace

TEST_CASE("own signals: they are in the waveform of the model, with their names and times", "[block][waveform]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("own.vcd");
  Block block("top");
  SignalProbe probe;
  ProbeDirectory probes;
  probes.add_signal("model.level", probe, SignalKind::level, 8, "a level");
  Waveform waveform(probes, {}, file);
  trace(waveform, block.valid);
  trace(waveform, block.number, "top.named");
  trace(waveform, block.wide);
  trace(waveform, block.load);
  trace(waveform, block.level);
  CHECK(waveform.signals() == 7);
  probe(5'000, 3);
  sc_core::sc_start();
  waveform.finish();
  const std::string dump = text_of(file);
  for (const char* scope : {"$scope module model $end", "$scope module top $end"}) CHECK_THAT(dump, Contains(scope));
  for (const char* name : {" valid $end", " named [11:0] $end", " wide_0 [63:0] $end", " wide_1 [15:0] $end", " load $end"})
    CHECK_THAT(dump, Contains(name));
  const std::string first = changes_at(dump, 5'000), second = changes_at(dump, 10'000);
  CHECK_THAT(first, Contains("b11 ") && Contains("\n1") && Contains("b101010101010 "));
  CHECK_THAT(second, Contains("\n0") && Contains("b1" + std::string(62, '0') + "1 ") && Contains("b1000000000000000 ") &&
                         Contains("r0.5 ") && Contains("b101 "));
  CHECK_THAT(text_of(file + ".gtkw"), Contains("top.valid") && Contains("top.named"));
  CHECK_THROWS_WITH(waveform.add("late", SignalKind::level, 1), Contains("that is being written"));
}

TEST_CASE("own signals: a probe becomes a signal whose changes have the times of the firings", "[block][waveform]") {
  const TemporaryFolder folder;
  SignalProbe level, delta;
  ProbeDirectory probes;
  probes.add_signal("model.level", level, SignalKind::level, 8, "a level");
  ProbeSignal shown("shown", probes, "model.level"), sum("sum", delta, SignalKind::delta);
  CHECK_THROWS_WITH(ProbeSignal("none", probes, "model.levle"), Contains("there is no signal probe 'model.levle'"));
  sc_core::sc_trace_file* const file = sc_core::sc_create_vcd_trace_file(folder.file("probe").c_str());
  file->set_time_unit(1, sc_core::SC_PS);
  sc_trace(file, shown, "level");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  level(3'000, 7), level(1'000, 5), level(3'000, 9);  // ahead of the kernel's time, in any order
  delta(2'000, 4), delta(4'000, minus(3));
  const auto at = [&](Tick time) {
    sc_core::sc_start(sc_core::sc_time::from_value(time) - sc_core::sc_time_stamp());
    return shown.value.read();
  };
  CHECK(at(500) == 0);
  CHECK(at(1'500) == 5);
  CHECK(at(2'500) == 5);
  CHECK(sum.value.read() == 4);
  CHECK(at(3'500) == 9);
  CHECK(shown.count.read() == 3);
  CHECK(at(4'500) == 9);
  CHECK(sum.value.read() == 1);
  CHECK(shown.late() == 0);
  level(4'000, 1);
  CHECK(at(5'000) == 1);
  CHECK(shown.late() == 1);
  sc_core::sc_close_vcd_trace_file(file);
  CHECK_THAT(text_of(folder.file("probe.vcd")), Contains("level") && Contains("#3000\n") && Contains("1001"));
}

TEST_CASE("own signals: a name that ends in .fst gives that format, or one line without its converter",
          "[block][waveform]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("own.fst");
  if (std::system("command -v vcd2fst > /dev/null && command -v fst2vcd > /dev/null") == 0) {
    VcdWriter writer(file);
    const VcdWriter::Signal s = writer.add("top.level", SignalKind::level, 8);
    writer.start();
    writer.change(s, 1'234, 9);
    writer.finish();
    CHECK(std::filesystem::file_size(file) > 0);
    CHECK_FALSE(std::filesystem::exists(file + ".vcd"));
    const std::string back = folder.file("back.vcd");
    REQUIRE(std::system(("fst2vcd -f " + file + " -o " + back + " > /dev/null").c_str()) == 0);
    CHECK_THAT(text_of(back), Contains("level [7:0] $end") && Contains("#1234\nb00001001 "));
  }
  const char* const searched = std::getenv("PATH");
  const std::string path = searched == nullptr ? "" : searched;
  ::setenv("PATH", folder.path().c_str(), 1);
  CHECK_THROWS_WITH(VcdWriter(file),
                    "cannot write '" + file + "': GTKWave's vcd2fst is not installed; legal: a name that ends in .vcd");
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace tributary::test_own_signals
