// PortHub alone: turns on a link, semaphores between bursts, room at the far end, ways that are refused.
#include <catch2/catch.hpp>
#include <memory>

#include "modules/stream_gpu/core/port_hub.h"
#include "modules/streams/core/burst_cutter.h"

namespace tributary::test_port_hub {
namespace {

constexpr Tick flit = 640, latency = 20'000;

/// A GPU with two links and a way over each, to GPUs 1 and 2.
struct HubBench : LinkOutput, BurstSource {
  struct Sent {
    unsigned port;
    Tick head;
    ChunkKind kind;
    std::uint16_t stream;
  };
  struct Call {
    std::uint32_t copy;
    bool left;
    Tick when;
    bool operator==(const Call& o) const { return copy == o.copy && left == o.left && when == o.when; }
  };

  explicit HubBench(unsigned far_flits = 10'000) {
    StreamTransmitter::Config config;
    config.link.rate = 25_GBps;
    config.link.latency = 20_ns;
    config.flow_control = far_flits;
    config.max_flits = 255;
    for (auto& link : links) link = std::make_unique<StreamTransmitter>(config);
    PortHub::Config hub_config;
    for (const std::uint16_t peer : {std::uint16_t{1}, std::uint16_t{2}}) {
      CopyRoute route;
      route.peer = peer;
      route.ports = {static_cast<std::uint8_t>(peer - 1)};
      hub_config.routes.push_back(route);
    }
    hub = std::make_unique<PortHub>(hub_config, std::vector<StreamTransmitter*>{links[0].get(), links[1].get()}, *this, pool,
                                    memory);
  }
  ~HubBench() override { hub->reset(); }

  CopyCommand open(std::uint16_t peer, std::uint64_t bytes, std::uint16_t stream) {
    CopyCommand c;
    c.peer = peer, c.bytes = bytes, c.stream = stream;
    hub->open(c, *this);
    return c;
  }
  /// All bursts of a copy of at most two.
  void push(const CopyCommand& c, Tick ready) {
    for (BurstCutter cutter(c, 0); !cutter.empty();) hub->push(cutter.next(), ready, ready);
  }
  void run() {
    for (Tick now = hub->next(); now != never; now = hub->next()) {
      hub->end_bursts(now);
      hub->serve(now);
      hub->finish(now);
    }
  }

  void room(std::uint32_t copy, unsigned, Tick now) override { calls.push_back({copy, false, now}); }
  void left(std::uint32_t copy, unsigned, Tick now) override { calls.push_back({copy, true, now}); }
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
    for (unsigned i = 0; i < count; ++i) {
      const RouterHeader& h = router_header(*packets[i].packet);
      sent.push_back({port, first + packets[i].after, h.kind, h.tag});
      packets[i].packet->release();
    }
  }
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}

  PacketPool pool{framing_of<ScheduleNicLink>(3840)};
  PayloadViews views;
  GpuMemory memory{views};
  std::unique_ptr<StreamTransmitter> links[2];
  std::unique_ptr<PortHub> hub;
  std::vector<Sent> sent;
  std::vector<Call> calls;
};

std::string refused(const std::vector<CopyRoute>& routes) {
  HubBench bench;
  PortHub::Config config;
  config.gpu = 7;
  config.routes = routes;
  try {
    PortHub hub(config, {bench.links[0].get()}, bench, bench.pool, bench.memory);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("port hub: a burst that waited for room is queued from the time of its push on") {
  HubBench bench;
  ProbeDirectory probes;
  bench.hub->describe(probes, "");
  std::vector<Tick> queued;
  static_cast<SignalProbe*>(probes.entries().at("peer1.queued").probe)
      ->attach(&queued,
               [](void* times, Tick time, std::uint64_t) { static_cast<std::vector<Tick>*>(times)->push_back(time); });
  const CopyCommand c = bench.open(1, 2 * 3840, 10);
  BurstCutter cutter(c, 0);
  bench.hub->push(cutter.next(), 700, 400);  // paced: it may leave later
  bench.hub->push(cutter.next(), 700, 900);  // it could have left, but the pace of the lane was ahead
  CHECK(queued == std::vector<Tick>{700, 900});
  bench.run();
}

TEST_CASE("port hub: bursts of copies take turns on a link, and say when there is room and when they have left") {
  HubBench bench;
  const CopyCommand a = bench.open(1, 2 * 3840, 10), b = bench.open(1, 2 * 3840, 20), other = bench.open(2, 256, 30);
  bench.push(a, 1000), bench.push(b, 1000), bench.push(other, 5000);
  bench.run();
  const Tick burst = 255 * flit, head = flit + latency;
  REQUIRE(bench.sent.size() == 5);
  std::vector<std::uint16_t> streams;
  std::vector<Tick> heads;
  for (const HubBench::Sent& s : bench.sent)
    if (s.port == 0) streams.push_back(s.stream), heads.push_back(s.head);
  CHECK(streams == std::vector<std::uint16_t>{10, 20, 10, 20});
  CHECK(heads == std::vector<Tick>{1000 + head, 1000 + burst + head, 1000 + 2 * burst + head, 1000 + 3 * burst + head});
  CHECK(bench.calls == std::vector<HubBench::Call>{{a.copy, false, 1000},
                                                   {other.copy, true, 5000 + 17 * flit},
                                                   {b.copy, false, 1000 + burst},
                                                   {a.copy, true, 1000 + 3 * burst},
                                                   {b.copy, true, 1000 + 4 * burst}});
  for (const CopyCommand& c : {a, b, other}) bench.hub->close(c.copy);
  CHECK(bench.open(1, 256, 1).copy == other.copy);  // numbers are used again
}

TEST_CASE("port hub: a semaphore goes before bursts that wait, and not into one") {
  HubBench bench;
  const CopyCommand a = bench.open(1, 2 * 3840, 10);
  bench.push(a, 0);
  bench.hub->tell(1, CopyPath::nvlink, 0, 5, 3000);
  bench.run();
  REQUIRE(bench.sent.size() == 3);
  CHECK(bench.sent[1].kind == ChunkKind::semaphore);
  CHECK(bench.sent[1].head == 255 * flit + flit + latency);
  CHECK(bench.sent[2].head == 257 * flit + flit + latency);
}

TEST_CASE("port hub: what finds no room at the far end leaves when that comes back") {
  HubBench bench(300);
  const CopyCommand a = bench.open(1, 2 * 3840, 10);
  bench.push(a, 0);
  bench.run();
  REQUIRE(bench.sent.size() == 1);
  CHECK(bench.hub->waiting() == std::vector<std::string>{"port0.output: vc0: 1 packets queued, 255 of 300 credits held"});
  const LinkCredit back{0, 0, 255};
  bench.hub->credit(0, 500'000, &back, 1);
  bench.run();
  REQUIRE(bench.sent.size() == 2);
  CHECK(bench.sent[1].head == 500'000 + flit + latency);
  CHECK(bench.calls.back() == HubBench::Call{a.copy, true, 500'000 + 255 * flit});
}

TEST_CASE("port hub: an engine that does not wait for room is an error") {
  HubBench bench;
  const CopyCommand a = bench.open(1, 3 * 3840, 10);
  CHECK_THROWS_AS(bench.push(a, 0), std::logic_error);
  CopyCommand nowhere;
  nowhere.peer = 9;
  CHECK_THROWS_AS(bench.hub->open(nowhere, bench), std::logic_error);
}

TEST_CASE("port hub: ways that cannot be are refused with one line") {
  CopyRoute route;
  route.peer = 3;
  CHECK(refused({route}) == "gpu7, path to peer3: no port");
  route.ports = {1};
  CHECK(refused({route}) == "gpu7, path to peer3: port 1 of 1");
  route.ports = {0};
  CHECK(refused({route, route}) == "gpu7, path to peer3: given twice");
  route.path = CopyPath::pcie;
  route.framing = {256, 24, 15};
  CHECK(refused({route}) == "gpu7, path to peer3.pcie: a burst of 263 flits (legal: at most 255)");
  route.framing.burst = 0;
  CHECK(refused({route}) == "gpu7, path to peer3.pcie: packets or bursts without payload");
}

}  // namespace tributary::test_port_hub
