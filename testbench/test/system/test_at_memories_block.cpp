// Memories of the approximately timed style at NICs and copy engines (docs/tlm.md#targets-of-the-approximately-timed-style).
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "modules/base/sysc/base_protocol_checker.h"
#include "modules/base/sysc/controller_memory.h"
#include "testbench/harness/nic_pair.h"
#include "testbench/test/harness/at_memory.h"
#include "testbench/test/harness/stream_gpu_bench.h"

namespace tributary::test_at_memories_block {
namespace {

using Catch::Matchers::Contains;
using Style = ::AtMemory::Style;

constexpr Tick t0 = 1'000'000;
constexpr std::uint32_t chunk = 256;

/// A controller that has nb_transport_fw alone, behind a checker of the base protocol. Breaches are entries that wait.
class Controlled : public ControllerMemory {
 public:
  Controlled(const char* name, Style style, std::uint32_t burst, unsigned seed)
      : ControllerMemory(name, burst, seed), controller("dram", 1 << 24, style, seed) {
    out().bind(checker.in);
    checker.out.bind(controller.socket);
  }
  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines = ControllerMemory::waiting();
    if (!checker.breaches().empty()) lines.push_back(to_text(checker.breaches()));
    return lines;
  }
  BaseProtocolChecker checker{"checker"};
  ::AtMemory controller;
};

/// A NIC's memory socket, a checker, the adapter, a checker and a memory that holds the data.
template <class Memory>
struct Bound {
  Bound(const std::string& name, Style style, unsigned seed)
      : first((name + "_first").c_str()),
        adapter((name + "_adapter").c_str()),
        second((name + "_second").c_str()),
        memory(name.c_str(), 2 * chunk, style, seed) {
    first.out.bind(adapter.in);
    adapter.out.bind(second.in);
    second.out.bind(memory.socket);
  }
  void fill(std::int32_t value) {
    const std::vector<std::int32_t> values(2 * chunk / 4, value);
    std::memcpy(memory.bytes.data(), values.data(), 2 * chunk);
  }
  BaseProtocolChecker first;
  AtTarget adapter;
  BaseProtocolChecker second;
  Memory memory;
};

template <class Memory>
struct Nics {
  explicit Nics(Style style) : pair("node", external(), chunk) {
    for (unsigned n = 0; n < 2; ++n) {
      memories.push_back(std::make_unique<Bound<Memory>>("memory" + std::to_string(n), style, n + 1));
      pair.nic(n).memory_socket.bind(memories[n]->first.in);
      memories[n]->fill(static_cast<std::int32_t>(10 + n));
    }
  }
  static Nic::Parts external() {
    Nic::Parts parts;
    parts.memory = [](const char*, const NicCore::Config&) { return nullptr; };
    return parts;
  }
  void post() {
    for (std::uint16_t n = 0; n < 2; ++n) pair.node(n).post(pair.program(n), t0);
  }
  NicPair pair;
  std::vector<std::unique_ptr<Bound<Memory>>> memories;
};

/// Two NICs add their chunks in AT memories; returns the time by which the last NIC ends later than with memories of the
/// model.
Tick later_by(Style style) {
  NicPair plain("plain", {}, chunk);
  Nics<::OpenAtMemory> nics(style);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint16_t n = 0; n < 2; ++n) plain.fill(n, 10 + n);
  for (std::uint16_t n = 0; n < 2; ++n) plain.node(n).post(plain.program(n), t0);
  nics.post();
  sc_core::sc_start();
  Tick ours = 0, theirs = 0;
  for (unsigned n = 0; n < 2; ++n) {
    ours = std::max(ours, plain.finished().when(n));
    theirs = std::max(theirs, nics.pair.finished().when(n));
    Bound<::OpenAtMemory>& at = *nics.memories[n];
    std::vector<std::int32_t> values(2 * chunk / 4);
    std::memcpy(values.data(), at.memory.bytes.data(), 2 * chunk);
    CHECK(values == std::vector<std::int32_t>(2 * chunk / 4, 21));
    CHECK(at.memory.transactions == 8);  // two chunks of four bursts
    CHECK(at.adapter.in_flight() == 0);
    CHECK(at.adapter.unanswered() == 0);
    at.first.finish(), at.second.finish();
    CHECK(to_text(at.first.breaches()) == "");
    CHECK(to_text(at.second.breaches()) == "");
    CHECK(nics.pair.nic(n).waiting().empty());
  }
  return theirs - ours;
}

/// Two NICs whose memories are controlled add their chunks; returns the time by which the last one ends later than with
/// memories of the model.
Tick controlled_later_by(Style style) {
  Nic::Parts parts;
  parts.memory = [style](const char* name, const NicCore::Config& nic) {
    return std::make_unique<Controlled>(name, style, 64, nic.schedule.node + 1u);
  };
  NicPair plain("plain", {}, chunk), own("own", parts, chunk);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Tick ends[2] = {0, 0};
  for (NicPair* pair : {&plain, &own})
    for (std::uint16_t n = 0; n < 2; ++n) {
      pair->fill(n, 10 + n);
      pair->node(n).post(pair->program(n), t0);
    }
  sc_core::sc_start();
  for (NicPair* pair : {&plain, &own})
    for (unsigned n = 0; n < 2; ++n) {
      Tick& end = ends[pair == &own];
      end = std::max(end, pair->finished().when(n));
      CHECK(pair->nic(n).waiting().empty());  // and the checkers have seen no breach
      for (std::size_t e = 0; e < pair->elements(); ++e) REQUIRE(pair->value(n, e) == 21);
    }
  return ends[1] - ends[0];
}

/// Two GPUs with engines whose memories are controlled.
StreamBenchSpec controlled(Style style) {
  StreamBenchSpec spec;
  spec.windowed = false;
  spec.memory = 1 << 16;
  spec.parts.memory = [style](const char* name, unsigned gpu) {
    return std::make_unique<Controlled>(name, style, 0, gpu + 1);  // a transaction for each copy
  };
  return spec;
}

/// Such GPUs exchange copies; returns their ends.
std::vector<Tick> controlled_copies(Style style) {
  StreamBench bench(controlled(style));
  for (unsigned i = 0; i < 1 << 15; ++i) bench.data<unsigned char>(0)[i] = static_cast<unsigned char>(i / 7);
  std::vector<StreamScript> scripts(2);
  scripts[0].copy(0, 1, 20'000, 0, 32'768).record(0, 1, 0);
  scripts[1].wait(0, 0, 1).copy(0, 0, 1'000, 32'768, 40'000).record(0, 0, 0);
  scripts[0].wait(0, 0, 1);
  std::vector<Tick> ends = bench.run(scripts);
  CHECK(bench.waiting().empty());
  CHECK(std::memcmp(bench.data<std::byte>(1) + 32'768, bench.data<std::byte>(0), 20'000) == 0);
  return ends;
}

}  // namespace

// A chunk is requested in each of two steps, and its first burst responds after 50 ns.
TEST_CASE("AT memory: two NICs add their chunks in it", "[block][at]") { CHECK(later_by(Style::four_phases) == 100'000); }
TEST_CASE("AT memory: NICs accept a response in place of END_REQ", "[block][at]") {
  CHECK(later_by(Style::no_end_req) == 100'000);
}
TEST_CASE("AT memory: NICs accept TLM_UPDATED with END_REQ", "[block][at]") { CHECK(later_by(Style::updated) == 100'000); }
TEST_CASE("AT memory: NICs accept a response within the call", "[block][at]") {
  CHECK(later_by(Style::responds) == 100'000);
}
TEST_CASE("AT memory: NICs accept TLM_COMPLETED", "[block][at]") { CHECK(later_by(Style::completes) == 100'000); }
TEST_CASE("AT memory: NICs accept any phases and responses out of order", "[block][at]") {
  const Tick later = later_by(Style::any);
  CHECK(later >= 2 * 20'000);
  CHECK(later <= 2 * 120'000);
}

TEST_CASE("AT memory: a memory without debug access is refused in one line", "[block][at]") {
  Nics<::AtMemory> nics(Style::four_phases);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  nics.post();
  CHECK_THROWS_WITH(sc_core::sc_start(),
                    Contains("answers after nb_transport_fw has returned") && Contains("data by transport_dbg"));
}

TEST_CASE("AT memory: a device that runs ahead of the kernel's time is refused in one line", "[block][at]") {
  Nics<::OpenAtMemory> nics(Style::four_phases);
  for (unsigned n = 0; n < 2; ++n) nics.pair.node(n).set_windows({20'000, 20'000, 0, 20'000});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  nics.post();
  CHECK_THROWS_WITH(sc_core::sc_start(), Contains("in kernel time also an answer to a request"));
}

// The model's memory has no latency here; 50 ns count once for each of the two steps.
TEST_CASE("AT memory: a controller with nb_transport_fw alone gives NICs the times", "[block][at]") {
  CHECK(controlled_later_by(Style::four_phases) == 100'000);
}
TEST_CASE("AT memory: a controller of NICs skips phases and responds out of order", "[block][at]") {
  const Tick later = controlled_later_by(Style::any);
  CHECK(later >= 2 * 20'000);
  CHECK(later <= 2 * 120'000);
}

// Copies of 20 000 B and 1000 B, one after the other: each waits 50 ns for the memory.
TEST_CASE("AT memory: a controller with nb_transport_fw alone gives copy engines the times", "[block][at]") {
  StreamBench plain({}, "plain");
  StreamBenchSpec late;
  late.params.memory.latency = 50_ns;
  StreamBench known(late, "known");
  std::vector<StreamScript> scripts(2);
  scripts[0].copy(0, 1, 20'000).record(0, 1, 0).wait(0, 0, 1);
  scripts[1].wait(0, 0, 1).copy(0, 0, 1'000).record(0, 0, 0);
  StreamBench at(controlled(Style::four_phases), "at");
  const std::vector<Tick> before = plain.run(scripts), expected = known.run(scripts), ends = at.run(scripts);
  CHECK(ends == expected);
  CHECK(ends[0] == before[0] + 100'000);
  CHECK(at.waiting().empty());
}
TEST_CASE("AT memory: a controller of copy engines skips phases and responds out of order", "[block][at]") {
  const std::vector<Tick> ends = controlled_copies(Style::any);
  CHECK(ends[0] != never);
}

}  // namespace tributary::test_at_memories_block
