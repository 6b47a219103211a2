/// Incasts into one host of a ring: buffers of switches overflow, pauses prevent that, marks slow senders down
/// (docs/systems/netreduce.md#congestion).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>
#include <utility>

#include "modules/protocol/roce.h"
#include "testbench/test/harness/congested_runs.h"

namespace tributary::test_netreduce_congestion {
namespace {

constexpr unsigned window = 2, message_packets = 170;
constexpr Bytes size = 2_MiB;

/// 6 to 8 hosts fill such a buffer within 30 us; a queue gets a third of it.
const std::vector<std::string> small{"netreduce.switch.buffer=256KiB"};
/// Room for the reserves and headrooms of all ports and classes, and some more.
const std::vector<std::string> paused{"netreduce.switch.buffer=1MiB", "netreduce.switch.pfc.on=true",
                                      "netreduce.switch.pfc.classes=data"};
/// The most packets that a queue pair had sent without an ACK, from its probes.
class InFlight {
 public:
  void attach(const ProbeDirectory& probes) {
    probes.for_each<SignalProbe>([this](const std::string& name, SignalProbe& probe) {
      const std::size_t dot = name.rfind('.');
      if (name.find(".nic.qp") == std::string::npos) return;
      Pair& pair = pairs_[name.substr(0, dot)];
      pair.most = &most;
      if (name.substr(dot) == ".psn") probe.attach(&pair, [](void* p, Tick, std::uint64_t v) { sent(p, v); });
      if (name.substr(dot) == ".una")
        probe.attach(&pair,
                     [](void* p, Tick, std::uint64_t v) { static_cast<Pair*>(p)->una = static_cast<std::uint32_t>(v); });
    });
  }
  std::int32_t most = 0;

 private:
  struct Pair {
    bool begun = false;
    std::uint32_t una = 0;
    std::int32_t* most = nullptr;
  };
  static void sent(void* p, std::uint64_t value) {
    Pair& pair = *static_cast<Pair*>(p);
    const auto psn = static_cast<std::uint32_t>(value);
    if (!std::exchange(pair.begun, true)) pair.una = psn;
    *pair.most = std::max(*pair.most, Psn::minus(psn, pair.una) + 1);
  }
  std::map<std::string, Pair> pairs_;
};

std::int32_t most_in_flight(const RunSpec& spec) {
  return std::stoi(in_child([&] {
    Session session(spec);
    InFlight observer;
    observer.attach(session.probes());
    if (session.run(0).front().status != Status::done) throw std::runtime_error("not done");
    return std::to_string(observer.most);
  }));
}

}  // namespace

TEST_CASE("congestion: a buffer that overflows loses packets of the ring, which are retransmitted",
          "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    INFO(incast.machine);
    const ResultRow row = run_with_both(incast_spec(incast, size, small));
    check_healed(incast, size, row);
    CHECK(roce_drops(row) > 100);
    CHECK(count_of(row, "background.dropped") > 100);
    CHECK(count_of(row, "nic.rewinds") > 0);
    CHECK(count_of(row, "nic.retries") >= roce_drops(row) / 2);  // in a tree, a lost sum consists of many
    CHECK(count_of(row, "switch.pauses") == 0);
  }
}

// The maximum of a ring's queue follows from the window: N messages, less the bytes in flight elsewhere.
TEST_CASE("congestion: a queue that holds the window loses nothing of the ring and runs at half the rate",
          "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    INFO(incast.machine);
    const ResultRow row = run_with_both(incast_spec(incast, size, {"netreduce.switch.buffer=1250kB"}));  // a third: 417 kB
    check_healed(incast, size, row);
    CHECK(roce_drops(row) == 0);
    CHECK(count_of(row, "background.dropped") > 0);
    CHECK(count_of(row, "nic.retries") == 0);
    const double messages = 13, message_ps = 188'040 * 80;  // for 2 MiB
    CHECK(static_cast<double>(row.time) > messages * message_ps);
    CHECK(static_cast<double>(row.time) < messages * message_ps * (1106 + 1090) / 1106 + 6e6);
  }
}

TEST_CASE("congestion: never more than 2N messages of a sender are in flight", "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    INFO(incast.machine);
    for (const auto& settings : {small, paused, with(small, dcqcn)}) {
      const std::int32_t most = most_in_flight(incast_spec(incast, size, settings));
      CHECK(most <= static_cast<std::int32_t>(2 * window * message_packets));
      CHECK(most >= static_cast<std::int32_t>(window * message_packets));
    }
  }
}

TEST_CASE("congestion: with pauses and the headroom of the path nothing is lost", "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts())
    for (const char* forwarding : {"cut_through", "store_and_forward"}) {
      INFO(incast.machine << " " << forwarding);
      const ResultRow row =
          run_with_both(incast_spec(incast, size, with(paused, {std::string("netreduce.switch.forwarding=") + forwarding})));
      check_healed(incast, size, row);
      CHECK(count_of(row, "switch.drops") == 0);
      CHECK(count_of(row, "switch.pauses") > 10);
      CHECK(count_of(row, "nic.retries") == 0);
      CHECK(count_of(row, "background.skipped") > 0);  // pauses propagate to the sources
    }
}

TEST_CASE("congestion: pauses of the ring's class alone let other classes be dropped", "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    INFO(incast.machine);
    const ResultRow row = run_with_both(incast_spec(
        incast, size,
        {"netreduce.switch.buffer=512KiB", "netreduce.switch.pfc.on=true", "netreduce.switch.pfc.classes=roce"}));
    check_healed(incast, size, row);
    CHECK(roce_drops(row) == 0);
    CHECK(count_of(row, "background.dropped") > 100);
    CHECK(count_of(row, "switch.pauses") > 10);
    CHECK(count_of(row, "nic.retries") == 0);
  }
}

TEST_CASE("congestion: without headroom, or with pauses that act too late, packets are lost",
          "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts())
    for (const auto& late : {std::vector<std::string>{"netreduce.switch.pfc.headroom=0B"},
                             {"netreduce.switch.pfc.headroom=13724B", "netreduce.switch.pfc.reaction=3230ns"}}) {
      INFO(incast.machine << " " << late.back());
      const ResultRow row = run_with_both(incast_spec(incast, 1_MiB, with(paused, late)));
      check_healed(incast, 1_MiB, row);
      CHECK(count_of(row, "switch.pauses") > 10);
      CHECK(count_of(row, "switch.drops") > 10);
      CHECK(roce_drops(row) > 0);
    }
}

}  // namespace tributary::test_netreduce_congestion
