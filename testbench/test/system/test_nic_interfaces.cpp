/// Number, bandwidth and queues of a NIC's network interfaces, and the queue of its reduction unit: right sums, and
/// times by arithmetic.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>

#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/network_specs.h"

namespace tributary::test_nic_interfaces {
namespace {

double time_with(const std::string& algorithm, const Bytes& size, const std::vector<std::string>& settings = {}) {
  return ns(network_spec("torus:4x4", "allreduce", algorithm, {size}, settings));
}
constexpr double flits = 17.0 / 16;  // flits of a packet, divided by the flits of its payload

}  // namespace

// Each NIC sends (N-1)/N of the message up the trees and the same down; the ten steps of a chunk use 10/16 of each of
// the four links of a 4x4 torus.
TEST_CASE("interfaces: their number and bandwidth determine the time", "[system][networks]") {
  const double D = 4 << 20, one = 2 * 15.0 / 16 * D / 16 * flits, link = 0.625 * D / 16 * flits;
  const std::string path = "schedule_nic.nic.interfaces.";
  const double with_one = time_with("multitree", 4_MiB, {path + "count=1"});
  CHECK((with_one >= one && with_one <= 1.03 * one));
  const double with_two = time_with("multitree", 4_MiB, {path + "count=2"});
  CHECK((with_two >= one / 2 && with_two < 0.75 * one));
  // four of half the bandwidth need twice the time; one of four times the bandwidth equals four
  const double slow = time_with("multitree", 4_MiB, {path + "rate=8GB/s"});
  CHECK((slow >= 2 * link && slow <= 1.03 * 2 * link));
  for (const char* count : {"1", "2"}) {
    const std::string rate = *count == '1' ? "64GB/s" : "32GB/s";
    const double fast = time_with("multitree", 4_MiB, {path + "count=" + count, path + "rate=" + rate});
    CHECK((fast >= link && fast <= 1.03 * link));
  }
}

TEST_CASE("interfaces: a row names as many children as its interfaces can supply links", "[pure][networks]") {
  const topology::Network torus = topology::network("torus:4x4"), tree = topology::network("fat_tree_2level:16");
  const auto children = [](const topology::Network& network, std::optional<std::uint32_t> count,
                           std::optional<Bandwidth> rate) {
    NetworkParams p;
    p.nic.interfaces.count = count;
    p.nic.interfaces.rate = rate;
    return ScheduleNicPlatform::row_children(network, p);
  };
  CHECK(children(torus, {}, {}) == 4);  // IV-A: four on a torus
  CHECK(children(tree, {}, {}) == 1);
  CHECK(children(torus, 1, {}) == 1);
  CHECK(children(torus, 2, {}) == 2);
  CHECK(children(torus, 9, {}) == 4);  // no more interfaces than links
  CHECK(children(torus, 1, 48_GBps) == 3);
  CHECK(children(torus, 2, 8_GBps) == 1);
  CHECK(children(torus, 1, 1_GBps) == 1);
  CHECK(children(torus, 4, 160_GBps) == 4);  // the capacity of a row
}

// A NIC at a switch has one link, and its rows name one child, so that in a reduce-scatter NOPs name the others.
// They cost no time: 31 steps of 2 KiB, which are 8 packets of 17 flits, and the path of the last chunk through up to
// three switches.
TEST_CASE("interfaces: rows of one child cost no time", "[system][networks]") {
  const double time = ns(network_spec("bigraph:4x8", "reduce_scatter", "multitree", {64_KiB}));
  CHECK((time >= 31 * 8 * 17 && time <= 31 * 8 * 17 + 600));
}

// One chunk in the queue is enough to keep an interface busy: its last two packets are in the router when the next one
// arrives.
TEST_CASE("interfaces: with one interface for each link, a queue of one chunk costs almost nothing", "[system][networks]") {
  for (const char* algorithm : {"multitree", "ring", "ring_2d"}) {
    INFO(algorithm);
    const double free = time_with(algorithm, 1_MiB);
    const double queue = time_with(algorithm, 1_MiB, {"schedule_nic.nic.interfaces.queue=1"});
    CHECK(queue >= 0.99 * free);
    CHECK(queue <= 1.02 * free);
  }
}

namespace {

class Finished : public CompletionListener {
 public:
  void done(unsigned nic, Tick when) override { when_[nic] = when; }
  void failed(unsigned, Tick, const std::string&) override {}
  Tick when(unsigned nic) const { return when_.at(nic); }

 private:
  std::map<unsigned, Tick> when_;
};

/// nic0 has two Reduces to send in one step, to nic1 and nic2.
std::vector<Tick> issue_times(std::optional<std::uint32_t> queue) {
  Finished host;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  config.params.nic.interfaces.count = 1;
  config.params.nic.interfaces.queue = queue;
  config.with_data = false;
  ScheduleNicPlatform system("mesh", topology::network("mesh:2x2"), config, host);
  std::vector<Tick> times;
  ProbeDirectory directory;
  system.describe(directory);
  directory.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    if (name == "mesh.nic0.nic.issued")
      probe.attach(&times, [](void* self, Tick t, std::uint64_t) { static_cast<std::vector<Tick>*>(self)->push_back(t); });
  });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick t0 = ScheduleNicPlatform::command_latency(config.params);
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  constexpr std::uint32_t chunk = 4096;
  NicProgram send, receive;
  for (const std::uint16_t to : {std::uint16_t{1}, std::uint16_t{2}}) {
    send.table.entries.push_back({ScheduleEntry::Op::reduce, to, to, {nil, nil, nil, nil}, 1, to * chunk, chunk});
    receive.table.entries = {{ScheduleEntry::Op::gather, to, nil, {0, nil, nil, nil}, 2, to * chunk, chunk}};
    receive.table.reduces = 1;
    system.node(to).post(receive, t0);
  }
  send.table.gathers = 2;
  system.node(0).post(send, t0);
  sc_core::sc_start(to_sc_time(20'000'000));
  CHECK(system.waiting().empty());
  for (unsigned n = 0; n < 3; ++n) CHECK(host.when(n) > t0);
  for (Tick& t : times) t -= t0;
  return times;
}

}  // namespace

// 4 KiB are 16 packets of 17 flits of 1 ns. Two are in the router from the beginning, and another follows when one
// begins to cross, 3 ns after the start and then every 17 ns: the sixteenth follows the fourteenth, and then the queue
// has room.
TEST_CASE("interfaces: a full queue holds back the next row until the last packet has left it", "[system][networks]") {
  CHECK(issue_times(1) == std::vector<Tick>{0, (3 + 13 * 17) * 1000});
}
TEST_CASE("interfaces: an unbounded queue accepts a row in each cycle", "[system][networks]") {
  CHECK(issue_times(std::nullopt) == std::vector<Tick>{0, 1000});
}

namespace {

/// Runs every algorithm of a platform with the shortest legal queues.
void check_short_queues(const std::string& platform) {
  for (const std::string count : {"count=auto", "count=1"})
    for (const std::string issue : {"table", "commands"})
      check_platform(
          platform,
          {"schedule_nic.nic.interfaces." + count, "schedule_nic.nic.interfaces.queue=1",
           "schedule_nic.nic.reduction.queue=1", "schedule_nic.nic.reduction.cycles=50", "schedule_nic.nic.issue=" + issue},
          {3000_B, 40_KiB});
}

}  // namespace

TEST_CASE("queues of one chunk: a torus is right", "[system][networks]") { check_short_queues("torus:4x4"); }
TEST_CASE("queues of one chunk: a torus of odd sides is right", "[system][networks]") { check_short_queues("torus:3x5"); }
TEST_CASE("queues of one chunk: a mesh is right", "[system][networks]") { check_short_queues("mesh:3x4"); }
TEST_CASE("queues of one chunk: a fat tree is right", "[system][networks]") { check_short_queues("fat_tree_2level:16"); }
TEST_CASE("queues of one chunk: a BiGraph is right", "[system][networks]") { check_short_queues("bigraph:2x8"); }
TEST_CASE("queues of one chunk: messages are right", "[system][networks]") {
  for (const char* platform : {"torus:4x4", "bigraph:2x4"})
    check_platform(platform,
                   {"schedule_nic.nic.interfaces.count=1", "schedule_nic.nic.interfaces.queue=1",
                    "schedule_nic.nic.reduction.queue=1", "schedule_nic.flow_control.kind=message"},
                   {40_KiB});
}

// nic1 sends one packet and nic2 a chunk of 64 KiB, both to be added at nic0, where a chunk takes 100 us. During the
// first addition, packets of the second wait in the router; its first packets crossed before.
TEST_CASE("queues: while the reduction unit's queue is full, packets wait in the router and none is lost",
          "[system][networks]") {
  Finished host;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  config.params.nic.reduction.queue = 1;
  config.params.nic.reduction.cycles = 100'000;
  ScheduleNicPlatform system("mesh", topology::network("mesh:2x2"), config, host);
  constexpr std::uint32_t size = 64 << 10;
  for (unsigned n = 0; n < 3; ++n) {
    system.resize_memory(n, size);
    for (std::uint32_t i = 0; i < size; ++i) system.memory_of(n)[i] = static_cast<std::byte>(n + 1);
  }
  std::vector<Tick> delivered;
  system.node(0).nic()->core().delivered.attach(
      &delivered, [](void* self, Tick when, const PacketView&) { static_cast<std::vector<Tick>*>(self)->push_back(when); });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick t0 = ScheduleNicPlatform::command_latency(config.params);
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  const auto reduce = [&](std::uint16_t tree, std::uint64_t at, std::uint32_t bytes) {
    NicProgram p;
    p.table.entries = {{ScheduleEntry::Op::reduce, tree, 0, {nil, nil, nil, nil}, 1, at, bytes}};
    p.type = ElementType::i32;
    return p;
  };
  NicProgram sum;
  sum.type = ElementType::i32;
  sum.table.reduces = 2;
  sum.table.entries = {{ScheduleEntry::Op::nop, 1, nil, {1, nil, nil, nil}, 1, 0, 256},
                       {ScheduleEntry::Op::nop, 2, nil, {2, nil, nil, nil}, 1, 256, size - 256}};
  system.node(0).post(sum, t0);
  system.node(1).post(reduce(1, 0, 256), t0);
  system.node(2).post(reduce(2, 256, size - 256), t0);
  sc_core::sc_start(to_sc_time(50'000'000));
  const std::vector<std::string> lines = system.waiting();
  const auto says = [&](const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return l.find(text) != std::string::npos; });
  };
  CHECK(says("nic0.nic.reduction: its queue is full, packets stay in the router"));
  CHECK(says("the first for this node"));
  sc_core::sc_start(to_sc_time(1'000'000'000));
  REQUIRE(delivered.size() == 256);
  // the last packet of the first chunk, and those that cross meanwhile; then nothing for the 100 us of a pass
  std::size_t gaps = 0;
  for (std::size_t i = 1; i < delivered.size(); ++i) gaps += delivered[i] - delivered[i - 1] > 90'000'000 ? 1 : 0;
  CHECK(gaps == 1);
  CHECK(delivered[3] - delivered[0] > 90'000'000);
  CHECK((system.waiting().empty() && system.live_packets() == 0));
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < size; ++i)
    wrong += system.memory_of(0)[i] != static_cast<std::byte>(i < 256 ? 3 : 4) ? 1 : 0;
  CHECK(wrong == 0);
}

// An adder that needs 2 us per chunk is slower than the links. Without a limit all operands accumulate in the NIC; with
// a limit they wait in the routers, and packets are in flight longer.
TEST_CASE("queues: packets whose operands wait have a longer latency", "[system][networks]") {
  const std::string slow = "schedule_nic.nic.reduction.cycles=2000";
  const auto latency = [](const Run& run) { return run.row.counters.at("packet_latency_ns.mean"); };
  const Run free = run_one(network_spec("torus:4x4", "allreduce", "multitree", {256_KiB}, {slow}));
  const std::vector<Run> limited = check_modes(
      network_spec("torus:4x4", "allreduce", "multitree", {256_KiB}, {slow, "schedule_nic.nic.reduction.queue=1"}));
  CHECK(latency(limited.front()) > 1.2 * latency(free));
}

}  // namespace tributary::test_nic_interfaces
