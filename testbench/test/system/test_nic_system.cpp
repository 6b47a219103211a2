/// Networks of schedule NICs, end to end: right data, both modes agree, times by arithmetic.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/network_specs.h"

namespace tributary::test_nic_system {
namespace {

/// The 99th percentile, exact to 1/128.
double wire_ns(const std::string& platform, SimulationMode mode) {
  RunSpec spec = network_spec(platform, "allreduce", "multitree", {32_KiB});
  spec.wire_latency = true;
  spec.mode = mode;
  return run_one(spec).row.counters.at("wire_latency_ns.p99");
}

}  // namespace

TEST_CASE("networks: a torus is right", "[system][networks]") { check_platform("torus:4x4"); }
TEST_CASE("networks: a torus of odd sides is right", "[system][networks]") { check_platform("torus:3x5"); }
TEST_CASE("networks: a mesh is right", "[system][networks]") { check_platform("mesh:3x4"); }
TEST_CASE("networks: a fat tree is right", "[system][networks]") { check_platform("fat_tree_2level:16"); }
TEST_CASE("networks: a BiGraph is right", "[system][networks]") { check_platform("bigraph:2x8"); }
// Switches of 21 and of 41 ports: NICs, and a switch of the other half.
TEST_CASE("networks: switches with more than 16 ports are right", "[system][networks][ports]") {
  check_modes(network_spec("bigraph:20x2", "allreduce", "multitree", {4_B, 40_KiB}));
  check_modes(network_spec("bigraph:20x2", "allreduce", "ring", {40_KiB}));
  check_modes(network_spec("bigraph:40x2", "allreduce", "ring", {4_B}));
}
TEST_CASE("networks: messages are right", "[system][networks]") {
  for (const char* platform : {"torus:4x4", "mesh:3x3", "bigraph:2x4"})
    check_platform(platform, {"schedule_nic.flow_control.kind=message"});
}
// A packet of 256 B goes one hop, and no two chunks of a step share a link: 1 ns for its head flit, 150 ns of wire, 3
// ns in the router, and its 17 flits through the router.
TEST_CASE("networks: a packet of MultiTree is 171 ns on the wire in both modes", "[system][networks]") {
  for (const SimulationMode mode : {SimulationMode::windowed, SimulationMode::event})
    CHECK(wire_ns("torus:4x4", mode) == Approx(171).epsilon(1.0 / 128));
}
TEST_CASE("networks: other parameters of router and NIC are right", "[system][networks]") {
  for (const char* setting :
       {"schedule_nic.nic.issue=commands", "schedule_nic.router.credits=packet", "schedule_nic.router.buffer_flits=40",
        "schedule_nic.flow_control.payload=64B", "schedule_nic.nic.lockstep.kind=off", "schedule_nic.nic.vc=packet",
        "schedule_nic.nic.table.inspection=step", "schedule_nic.nic.memory.rate=10GB/s",
        "schedule_nic.nic.interfaces.count=1", "schedule_nic.nic.interfaces.rate=8GB/s",
        "schedule_nic.nic.interfaces.queue=1", "schedule_nic.link.latency=20ns", "schedule_nic.link.rate=7GB/s"}) {
    INFO(setting);
    for (const char* algorithm : {"multitree", "double_binary_tree"})
      check_modes(network_spec("torus:4x4", "allreduce", algorithm, {20_KiB}, {setting}));
  }
}

// A ring of 2(N-1) steps: a chunk of 2 KiB is 8 packets of 17 flits; then the link, the router, and the reduction.
TEST_CASE("networks: a ring takes the time of its arithmetic", "[system][networks]") {
  const double time = ns(network_spec("torus:4x4", "allreduce", "ring", {32_KiB}));
  // 30 steps of 136 flits of 1 ns, 150 ns of wire and 3 ns in each of two routers, and 15 reductions of 1 ns; the head
  // flit of a packet must have arrived before the packet can leave
  CHECK(time >= 30 * (136 + 150 + 2 * 3) + 15);
  CHECK(time <= 30 * (136 + 150 + 2 * 3 + 2) + 15);
}

// Two NICs and one link: in each of two steps a packet of 1 + 512 flits, the link, two routers, and in one step a
// reduction.
TEST_CASE("networks: packets of 8 KiB take the time of their arithmetic", "[system][networks]") {
  const std::vector<std::string> settings{"schedule_nic.flow_control.payload=8KiB", "schedule_nic.router.buffer_flits=1026"};
  const double time = ns(network_spec("torus:1x2", "allreduce", "ring", {16_KiB}, settings));
  CHECK(time >= 2 * (513 + 150 + 2 * 3) + 1);
  CHECK(time <= 2 * (513 + 150 + 2 * 3 + 2) + 1);
  // The eight packets of a chunk follow each other without a gap.
  const double longer = ns(network_spec("torus:1x2", "allreduce", "ring", {128_KiB}, settings));
  CHECK(longer - time == Approx(2 * 7 * 513).margin(1));
  check_modes(network_spec("torus:1x2", "allreduce", "ring", {16_KiB, 100'000_B}, settings));
  check_modes(network_spec("torus:4x4", "allreduce", "multitree", {1_MiB}, settings));
  check_modes(network_spec("torus:1x2", "allreduce", "ring", {100'000_B},
                           {"schedule_nic.flow_control.payload=9KiB", "schedule_nic.router.buffer_flits=577"}));
}

// A ring's data arrive 290 ns after the previous step began, and its chunk occupies a link for 136 ns: the counter
// never delays it. The 2D ring of a mesh sends in four directions simultaneously, and the data for one of them arrive
// over all links of a row: a table that is inspected only at its head delays the other three, data alone do not.
TEST_CASE("networks: tables issue the transfers of baselines in lockstep", "[system][networks]") {
  const auto time = [](const char* platform, const char* algorithm, const char* issue) {
    return ns(network_spec(platform, "allreduce", algorithm, {32_KiB}, {std::string("schedule_nic.nic.issue=") + issue}));
  };
  CHECK(time("torus:4x4", "ring", "table") == time("torus:4x4", "ring", "commands"));
  CHECK(time("mesh:4x4", "ring_2d", "table") > 1.1 * time("mesh:4x4", "ring_2d", "commands"));
  CHECK(time("bigraph:4x8", "hdrm", "table") >= time("bigraph:4x8", "hdrm", "commands"));
}

TEST_CASE("networks: MultiTree at large sizes is within 8 % of the ideal", "[system][networks]") {
  // Ideal times (docs/systems/multitree.md#trees): 0.625 D/B on the 4x4 torus, 1 D/B on the 4x4 mesh
  const double D = 4 << 20;
  CHECK(ns(network_spec("torus:4x4", "allreduce", "multitree", {4_MiB})) <= 1.08 * 0.625 * D / 16);
  CHECK(ns(network_spec("mesh:4x4", "allreduce", "multitree", {4_MiB})) <= 1.08 * 1.0 * D / 16);
}

// If all chunks of a NIC share one link, a chunk that waits must not delay the next one.
TEST_CASE("networks: through switches MultiTree is no slower than a ring", "[system][networks]") {
  for (const char* platform : {"fat_tree_2level:16", "bigraph:4x8"})
    for (const Bytes size : {32_KiB, 256_KiB, 4_MiB}) {
      INFO(platform << " " << size.value);
      const double tree = ns(network_spec(platform, "allreduce", "multitree", {size}));
      const double ring = ns(network_spec(platform, "allreduce", "ring", {size}));
      CHECK(tree < (size < 1_MiB ? 0.9 : 1.03) * ring);
    }
}

TEST_CASE("networks: messages save the head flits", "[system][networks]") {
  for (const char* algorithm : {"multitree", "ring"}) {
    const double packets = ns(network_spec("torus:4x4", "allreduce", algorithm, {8_MiB}));
    const double messages =
        ns(network_spec("torus:4x4", "allreduce", algorithm, {8_MiB}, {"schedule_nic.flow_control.kind=message"}));
    CHECK(packets / messages > 1.05);
    CHECK(packets / messages <= 1.0625);
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

struct Short {
  std::uint64_t count = 0;
  Tick longest = 0;
};

}  // namespace

// The message occupies the link for 65.5 us; a short packet sent meanwhile waits for the previous sub-packet at most
// twice: at the input of the crossbar, and at the wire.
TEST_CASE("networks: short packets are not delayed by a long message", "[system][networks]") {
  Finished host;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  config.params.flow_control.kind = FlowControl::message;
  config.with_data = false;
  ScheduleNicPlatform system("torus", topology::network("torus:4x4"), config, host);
  Short seen;
  system.node(1).nic()->core().short_delivered.attach(&seen, [](void* self, Tick when, const PacketView& packet) {
    auto& s = *static_cast<Short*>(self);
    ++s.count;
    s.longest = std::max(s.longest, when - packet.born);
  });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick t0 = ScheduleNicPlatform::command_latency(config.params);
  constexpr std::uint32_t message = 1 << 20;
  NicCommand send, receive;
  send.bytes = receive.bytes = message;
  send.send = NicTarget{1, 0, 0};
  receive.receives = true;
  NicProgram sender, receiver;
  sender.commands = {send};
  receiver.commands = {receive};
  system.node(0).post(sender, t0);
  system.node(1).post(receiver, t0);
  for (Tick when = t0 + 1'000'000; when < t0 + 61'000'000; when += 1'234'567) system.node(0).post_short(1, 16, when);
  sc_core::sc_start(to_sc_time(200'000'000));
  CHECK(seen.count == 49);
  // two routers of 3 ns, the wire, its own two flits at both ends, and two sub-packets of 16 flits
  CHECK(seen.longest <= (2 * 3 + 150 + 2 * 2 + 2 * 17) * 1000);
  CHECK(host.when(1) - t0 >= (message / 16) * 1000);
  CHECK(host.when(1) - t0 <= (message / 16) * 1004 + 200'000);
  CHECK(system.waiting().empty());
  CHECK(system.live_packets() == 0);
}

// nic0 of a mesh has neighbours in the south (port 1) and in the east (port 3), and none elsewhere.
TEST_CASE("networks: a router's ports have the names of the graph", "[system][networks]") {
  Finished host;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  config.with_data = false;
  ScheduleNicPlatform system("mesh", topology::network("mesh:2x3"), config, host);
  std::set<std::string> links;
  for (const DirectedLink& link : system.links()) links.insert(link.name.substr(0, link.name.find('>')));
  ProbeDirectory directory;
  system.describe(directory);
  std::set<std::string> probes;
  for (const auto& [name, entry] : directory.entries())
    if (const auto at = name.find(".input.vc0"); at != std::string::npos && name.find(".port") != std::string::npos)
      probes.insert(name.substr(name.find('.') + 1, at - name.find('.') - 1)
                        .replace(name.find(".router") - name.find('.') - 1, 7, ""));
  CHECK(probes == links);
  CHECK(probes.count("nic0.port1") + probes.count("nic0.port3") == 2);
  CHECK(probes.count("nic0.port0") + probes.count("nic0.port2") == 0);
}

// A baseline, driven by commands: nic0 sends 128 KiB, nic1 adds them to its own.
TEST_CASE("networks: commands are visible on the probes of reduction unit and DMA reader", "[system][networks]") {
  Finished host;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  config.with_data = false;
  ScheduleNicPlatform system("mesh", topology::network("mesh:2x2"), config, host);
  ProbeDirectory directory;
  system.describe(directory);
  using Changes = std::vector<std::pair<Tick, std::uint64_t>>;
  Changes busy, requests;
  const auto append = [](void* self, Tick when, std::uint64_t value) {
    static_cast<Changes*>(self)->push_back({when, value});
  };
  directory.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    if (name == "mesh.nic1.nic.reduction.busy") probe.attach(&busy, append);
    if (name == "mesh.nic0.nic.dma.request") probe.attach(&requests, append);
  });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick t0 = ScheduleNicPlatform::command_latency(config.params);
  NicCommand send, receive;
  send.bytes = receive.bytes = 128 << 10;
  send.send = NicTarget{1, 0, 0};
  receive.receives = receive.reduce = true;
  NicProgram sender, receiver;
  sender.commands = {send};
  receiver.commands = {receive};
  system.node(0).post(sender, t0);
  system.node(1).post(receiver, t0);
  sc_core::sc_start(to_sc_time(20'000'000));
  CHECK(requests == Changes{{t0, 128 << 10}});
  // 32768 elements in 16 units are two passes of 1024, each of 1 ns
  REQUIRE(host.when(1) > t0);
  CHECK(busy == Changes{{host.when(1) - 2000, 1}, {host.when(1), 0}});
}

// Two NICs send each other the same bytes simultaneously. A packet arrives 173 ns after it was sent, in memory that has
// partly been sent: data in flight must not change with the memory.
TEST_CASE("networks: packets in flight keep their data while the sender's memory changes", "[system][networks]") {
  Finished host;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  ScheduleNicPlatform system("mesh", topology::network("mesh:2x2"), config, host);
  constexpr std::uint32_t bytes = 64 << 10;
  for (unsigned n : {0u, 1u}) {
    system.resize_memory(n, bytes);
    for (std::uint32_t i = 0; i < bytes; ++i) system.memory_of(n)[i] = static_cast<std::byte>(i / 256 + 100 * n);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Tick t0 = ScheduleNicPlatform::command_latency(config.params);
  for (unsigned n : {0u, 1u}) {
    NicCommand send, receive;
    send.bytes = receive.bytes = bytes;
    send.send = NicTarget{static_cast<std::uint16_t>(1 - n), 1, 0};
    receive.receives = true;
    NicProgram work;
    work.commands = {send, receive};
    system.node(n).post(work, t0);
  }
  sc_core::sc_start(to_sc_time(20'000'000));
  CHECK((host.when(0) > t0 && host.when(1) > t0));
  for (unsigned n : {0u, 1u}) {
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < bytes; ++i)
      wrong += system.memory_of(n)[i] != static_cast<std::byte>(i / 256 + 100 * (1 - n)) ? 1 : 0;
    CHECK(wrong == 0);
  }
}

// upper0 has 60 links to NICs, and one to each of 5 lower switches.
TEST_CASE("networks: unsupported networks are refused", "[system][networks]") {
  Finished host;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  CHECK_THROWS_WITH(ScheduleNicPlatform("bigraph", topology::network("bigraph:60x10"), config, host),
                    Catch::Contains("upper0 has 65 links (legal: a switch has at most 64"));
}

}  // namespace tributary::test_nic_system
