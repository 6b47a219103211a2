/// Rates under incasts: DCQCN in rings of NetReduce, lost pauses, gathers by software
/// (docs/systems/netreduce.md#congestion).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <utility>

#include "modules/protocol/roce.h"
#include "testbench/test/harness/congested_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_congestion_control {
namespace {

/// Rates of DCQCN in Mb/s: the lowest of all queue pairs, and the lowest of their last ones.
struct Rates {
  std::uint64_t least = 0, last = 0;
};
Rates rates_of(const RunSpec& spec) {
  const std::string text = in_child([&] {
    Session session(spec);
    struct Seen {
      std::uint64_t least = 100'000, last = 100'000;
    };
    std::map<std::string, Seen> seen;
    session.probes().for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
      if (name.find(".nic.qp") == std::string::npos || name.substr(name.rfind('.')) != ".rate") return;
      probe.attach(&seen[name], [](void* p, Tick, std::uint64_t rate) {
        auto& s = *static_cast<Seen*>(p);
        s.least = std::min(s.least, rate), s.last = rate;
      });
    });
    session.run(0);
    Seen all;
    for (const auto& [name, s] : seen) all.least = std::min(all.least, s.least), all.last = std::min(all.last, s.last);
    return std::to_string(all.least) + " " + std::to_string(all.last);
  });
  return {std::stoull(text), std::stoull(text.substr(text.find(' ')))};
}

/// The number of the first pause frame on a link, among all its frames, in a run without faults.
std::uint64_t first_pause(const RunSpec& spec, const std::string& port) {
  return std::stoull(in_child([&] {
    Session session(spec);
    struct Seen {
      std::uint64_t frames = 0, pause = ~std::uint64_t{0};
    } seen;
    bool found = false;
    session.probes().for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
      if (name.size() < port.size() || name.substr(name.size() - port.size()) != port) return;
      found = true;
      probe.attach(&seen, [](void* p, Tick, const PacketView& frame) {
        auto& s = *static_cast<Seen*>(p);
        if (frame.opcode == static_cast<unsigned>(FrameKind::pause)) s.pause = std::min(s.pause, s.frames);
        ++s.frames;
      });
    });
    if (!found) throw std::runtime_error("no link " + port);
    session.run(0);
    return std::to_string(seen.pause);
  }));
}

RunSpec software(const std::string& machine, int hosts, const std::string& collective, Bytes size,
                 const std::vector<std::string>& settings) {
  RunSpec spec = collective_spec(collective, "direct", first_gpus(hosts), {size}, settings);
  spec.platform = machine;
  return spec;
}

}  // namespace

// A sender that receives CNPs slows down and, through the window, slows the ring. After the incast it returns to the
// line rate, with increases that end within the run.
TEST_CASE("congestion control: rates fall by CNPs and rise again after the incast", "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    INFO(incast.machine);
    const std::vector<std::string> timers{"netreduce.switch.buffer=512KiB", "netreduce.nic.dcqcn.increase_timer=20us",
                                          "netreduce.nic.dcqcn.ai=10Gb/s", "netreduce.background.duration=100us"};
    const RunSpec spec = incast_spec(incast, 8_MiB, with(dcqcn, timers));
    const ResultRow row = run_with_both(spec);
    check_healed(incast, 8_MiB, row);
    CHECK(count_of(row, "switch.ecn_marks") > 0);
    CHECK(count_of(row, "nic.cnps") > 0);
    CHECK(count_of(row, "nic.cnps") == count_of(row, "nic.cnps_sent"));
    const Rates rates = rates_of(spec);
    CHECK(rates.least <= 50'000);  // the first cut alone halves it
    CHECK(rates.last == 100'000);
    CHECK(row.counters.at("nic.rate_gbps.min") * 1000 == Approx(static_cast<double>(rates.least)).margin(1));
  }
}

TEST_CASE("congestion control: with it nothing of the ring is dropped, and without it many packets are",
          "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    INFO(incast.machine);
    const std::vector<std::string> buffer{"netreduce.switch.buffer=512KiB"};
    const ResultRow off = run_with_both(incast_spec(incast, 2_MiB, buffer));
    const ResultRow on = run_with_both(incast_spec(incast, 2_MiB, with(buffer, dcqcn)));
    check_healed(incast, 2_MiB, off);
    check_healed(incast, 2_MiB, on);
    CHECK(roce_drops(off) > 500);
    CHECK(roce_drops(on) < roce_drops(off) / 100);
    CHECK(on.time < off.time);
    CHECK(count_of(off, "switch.ecn_marks") == 0);  // no flow requests marks
    CHECK(off.counters.count("nic.cnps") == 0);
  }
}

// In a tree each marked sum reaches all hosts: more CNPs than marks. In a rack one sender has one CNP for many marks.
TEST_CASE("congestion control: a mark on the path up slows all senders of a tree", "[system][netreduce][congestion]") {
  const std::vector<std::string> settings = with(dcqcn, {"netreduce.switch.buffer=512KiB", "netreduce.nic.rto=67ms",
                                                         "netreduce.nic.retry_count=0", "watchdog.window=300ms"});
  const ResultRow rack = run_with_both(incast_spec(incasts()[0], 4_MiB, settings));
  check_healed(incasts()[0], 4_MiB, rack);
  CHECK(count_of(rack, "nic.cnps") > 0);
  CHECK(count_of(rack, "nic.cnps") <= count_of(rack, "switch.ecn_marks"));
  // The incast of other racks' datagrams fills the port of a leaf to its spine, through which that leaf's sums leave.
  RunSpec up = incast_spec(incasts()[1], 4_MiB, settings);
  const ResultRow tree = run_with_both(up);
  check_healed(incasts()[1], 4_MiB, tree);
  CHECK(count_of(tree, "nic.cnps") > 0);
  CHECK(count_of(tree, "switch.ecn_marks.leaf1") > 0);
  CHECK(count_of(tree, "nic.cnps") % 8 == 0);  // eight hosts, each with marked results
  CHECK(count_of(tree, "nic.timeouts") == 0);
}

// The input continues sending until the pause is repeated, half of its duration later; there is no room for these
// frames.
TEST_CASE("congestion control: a lost pause costs frames, and the ring recovers", "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    const bool rack = incast.hosts == 6;
    const std::string from = rack ? "switch.port0" : "leaf0.port0";
    RunSpec spec =
        incast_spec(incast, 2_MiB,
                    {"netreduce.switch.buffer=1MiB", "netreduce.switch.pfc.on=true", "netreduce.switch.pfc.classes=data"});
    const std::uint64_t number = first_pause(spec, "." + from + ".link.sent");
    INFO(incast.machine << " frame " << number);
    CHECK(count_of(run_one(spec).row, "switch.drops") == 0);
    spec.frame_faults = {"drop:" + from + ">host0.port0:" + std::to_string(number)};
    const ResultRow row = run_with_both(spec);
    check_healed(incast, 2_MiB, row);
    CHECK(count_of(row, "switch.drops") > 0);
  }
}

// All bytes of a gather enter one port: bytes divided by the line rate are the minimum time, and a buffer that
// overflows adds to it.
TEST_CASE("congestion control: a gather by RDMA is right with pauses, without, and with DCQCN",
          "[system][netreduce][congestion]") {
  for (const auto& [machine, hosts] : {std::pair{"rack:6", 6}, {"spine_leaf:2x4", 8}}) {
    INFO(machine);
    const std::vector<std::string> buffer{"netreduce.switch.buffer=1MiB"}, pfc{"netreduce.switch.pfc.on=true"};
    const ResultRow lossy = run_with_both(software(machine, hosts, "gather", 4_MiB, buffer));
    const ResultRow paused = run_with_both(software(machine, hosts, "gather", 4_MiB, with(buffer, pfc)));
    const ResultRow marked = run_with_both(software(machine, hosts, "gather", 4_MiB, with(with(buffer, pfc), dcqcn)));
    for (const ResultRow* row : {&lossy, &paused, &marked}) {
      CHECK(row->status == Status::done);
      CHECK(row->wrong == 0u);
    }
    CHECK(count_of(lossy, "switch.drops") > 1000);
    CHECK(count_of(lossy, "nic.retries") > count_of(lossy, "switch.drops"));
    CHECK(count_of(paused, "switch.drops") == 0);
    CHECK(count_of(paused, "nic.retries") == 0);
    CHECK(count_of(paused, "switch.pauses") > 0);
    const double line_ps = 4194304.0 * (hosts - 1) / hosts * 1106 / 1024 * 80;
    CHECK(static_cast<double>(paused.time) > line_ps);
    CHECK(static_cast<double>(paused.time) < line_ps * 1.01 + 6e6);
    CHECK(lossy.time > paused.time);
    CHECK(count_of(marked, "switch.drops") == 0);
    CHECK(count_of(marked, "nic.cnps") > 0);
    CHECK(count_of(marked, "switch.pauses") < count_of(paused, "switch.pauses"));
  }
}

TEST_CASE("congestion control: an all-to-all of a rack is not an incast, and in a tree it is one into the spine",
          "[system][netreduce][congestion]") {
  const std::vector<std::string> buffer{"netreduce.switch.buffer=256KiB"},
      pfc{"netreduce.switch.buffer=1MiB", "netreduce.switch.pfc.on=true"};
  const ResultRow rack = run_with_both(software("rack:6", 6, "alltoall", 2_MiB, buffer));
  CHECK(count_of(rack, "switch.drops") == 0);
  const ResultRow lossy = run_with_both(software("spine_leaf:2x4", 8, "alltoall", 2_MiB, buffer));
  const ResultRow paused = run_with_both(software("spine_leaf:2x4", 8, "alltoall", 2_MiB, pfc));
  for (const ResultRow* row : {&rack, &lossy, &paused}) {
    CHECK(row->status == Status::done);
    CHECK(row->wrong == 0u);
  }
  CHECK(count_of(lossy, "switch.drops") > 100);
  CHECK(count_of(paused, "switch.drops") == 0);
  CHECK(count_of(paused, "nic.retries") == 0);
  CHECK(lossy.time > paused.time);
}

}  // namespace tributary::test_netreduce_congestion_control
