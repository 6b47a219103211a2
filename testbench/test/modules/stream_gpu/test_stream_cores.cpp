// The cores of a GPU with copy engines, each alone: cutting, engine, semaphores, kernels, memory.
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "modules/protocol/schedule_nic.h"
#include "modules/stream_gpu/core/gpu_memory.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/copy_engine_core.h"
#include "modules/streams/core/copy_rules.h"
#include "modules/streams/core/kernel_unit.h"
#include "modules/streams/core/semaphore_table.h"

namespace tributary::test_stream_cores {
namespace {

CopyCommand command(std::uint64_t bytes, unsigned links, CopyFraming framing = {}) {
  CopyCommand c;
  c.bytes = bytes;
  c.framing = framing;
  c.lanes = static_cast<std::uint8_t>(copy_lanes(bytes, links, framing));
  return c;
}
std::vector<Burst> bursts(const CopyCommand& c, unsigned lane) {
  std::vector<Burst> all;
  for (BurstCutter cutter(c, lane); !cutter.empty();) all.push_back(cutter.next());
  return all;
}
unsigned flits(const std::vector<Burst>& all) {
  return std::accumulate(all.begin(), all.end(), 0u, [](unsigned sum, const Burst& b) { return sum + b.flits; });
}

/// What an engine does.
struct EngineWorld : CopyEnginePort {
  struct Sent {
    Burst burst;
    Tick ready;
  };
  std::vector<Sent> sent{};
  std::vector<Tick> done_at{};
  Tick latency = 0;
  Tick memory_latency(const CopyCommand&, Tick) override { return latency; }
  void send(const Burst& burst, Tick ready) override { sent.push_back({burst, ready}); }
  void done(const CopyCommand&, Tick when) override { done_at.push_back(when); }
};

struct Waiters : SemaphoreWaiter {
  struct Call {
    std::uint32_t token;
    Tick there, now;
    bool operator==(const Call& o) const { return token == o.token && there == o.there && now == o.now; }
  };
  std::vector<Call> calls{};
  void reached(std::uint32_t token, Tick there, Tick now) override { calls.push_back({token, there, now}); }
};

struct Kernels : KernelListener {
  std::vector<std::pair<std::uint32_t, Tick>> ended{};
  void kernel_ended(std::uint32_t token, Tick now) override { ended.push_back({token, now}); }
};
StreamCommand kernel(std::uint64_t bytes, unsigned inputs, unsigned stream = 0) {
  StreamCommand c;
  c.kind = StreamCommand::Kind::kernel;
  c.bytes = bytes, c.stream = static_cast<std::uint16_t>(stream);
  c.input_count = static_cast<std::uint8_t>(inputs);
  for (unsigned i = 0; i < inputs; ++i) c.inputs[i] = (i + 1) * bytes;
  return c;
}
void run(KernelUnit& unit) {
  for (Tick now = unit.next(); now != never; now = unit.next()) unit.end_kernels(now), unit.serve(now);
}

}  // namespace

TEST_CASE("burst cutter: parts are contiguous, of equally many packets, and cover the copy") {
  for (const std::uint64_t bytes : {1ull, 256ull, 257ull, 1000ull, 3840ull, 3841ull, 1'000'003ull})
    for (unsigned links = 1; links <= 4; ++links) {
      const CopyCommand c = command(bytes, links);
      const std::uint64_t packets = (bytes + 255) / 256;
      CHECK(c.lanes == std::min<std::uint64_t>(links, packets));
      std::uint64_t at = 0;
      for (unsigned lane = 0; lane < c.lanes; ++lane) {
        const CopyPart part = copy_part(bytes, c.lanes, lane, c.framing);
        CHECK(part.begin == at);
        const std::uint64_t of_lane = (part.bytes + 255) / 256;
        CHECK(of_lane >= packets / c.lanes);
        CHECK(of_lane <= packets / c.lanes + 1);
        for (const Burst& b : bursts(c, lane)) {
          CHECK(b.offset == at);
          CHECK(b.flits <= largest_burst_flits);
          at += b.bytes;
        }
        CHECK(at == part.begin + part.bytes);
        CHECK(bursts(c, lane).back().last);
      }
      CHECK(at == bytes);
    }
  CHECK(copy_lanes(0, 4, {}) == 0);
}

TEST_CASE("burst cutter: flits do not depend on the size of bursts") {
  // NVLink: a header flit each; PCIe: 24 B beside 256, 17.5 flits; through a CPU: 4 x 24 B
  for (const CopyFraming framing : {CopyFraming{256, 16, 15}, CopyFraming{256, 24, 14}, CopyFraming{256, 96, 11}})
    for (const std::uint64_t bytes : {40ull, 256ull, 4096ull, 100'000ull}) {
      const std::uint64_t packets = (bytes + 255) / 256;
      const std::uint64_t expected = (bytes + packets * framing.overhead + 15) / 16;
      for (std::uint16_t burst = 1; burst <= framing.burst; ++burst)
        CHECK(flits(bursts(command(bytes, 1, {framing.payload, framing.overhead, burst}), 0)) == expected);
    }
  CHECK(bursts(command(3840, 1), 0).front().flits == 255);
  CHECK(bursts(command(3584, 1, {256, 24, 14}), 0).front().flits == 245);
  CHECK(bursts(command(2816, 1, {256, 96, 11}), 0).front().flits == 242);
}

TEST_CASE("rules of copy engines: the bursts of the cutter pass, and the first breach names engine and rule") {
  CopyCommand command;
  command.copy = 3, command.lanes = 2, command.bytes = 10'000;
  CopyRules rules("gpu0.engine1");
  rules.submit(command);
  for (unsigned lane = 0; lane < 2; ++lane)
    for (BurstCutter cutter(command, lane); !cutter.empty();) CHECK_NOTHROW(rules.burst(cutter.next()));
  CHECK_THROWS_WITH(rules.done(command),
                    "gpu0.engine1 breaks the rule `done`: copy 3 is reported as done before lane 0 has left");
  rules.left(3, 0), rules.left(3, 1);
  CHECK_NOTHROW(rules.done(command));
  CHECK_THROWS_WITH(rules.done(command), Catch::Contains("copy 3 is not granted, and is reported as done"));
  CHECK_THROWS_WITH(rules.burst(BurstCutter(command, 0).next()), Catch::Contains("is not granted, and has a burst"));
  const auto breach = [&](void (*spoil)(Burst&)) {
    rules.submit(command);
    Burst burst = BurstCutter(command, 0).next();
    spoil(burst);
    try {
      rules.burst(burst);
    } catch (const std::logic_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(breach([](Burst&) {}).empty());
  CHECK(breach([](Burst& b) { b.lane = 2; }) ==
        "gpu0.engine1 breaks the rule `burst`: copy 3 has a burst on lane 2; legal: below 2");
  CHECK_THAT(breach([](Burst& b) { b.bytes = 20'000; }), Catch::Contains("its lane has 5120 B left"));
  CHECK_THAT(breach([](Burst& b) { b.flits = 1; }), Catch::Contains("in 1 flits; legal: at least "));
  CHECK_THAT(breach([](Burst& b) { b.last = true; }), Catch::Contains("is marked as the last"));
}

TEST_CASE("copy engine: two bursts of each lane lie ahead, and the last lane ends the copy") {
  EngineWorld world;
  world.latency = 300;
  CopyEngineCore engine(2000, world);
  const CopyCommand c = command(5 * 3840, 2);  // 75 packets: 38 and 37, three bursts each
  engine.submit(c, 10'000);
  REQUIRE(world.sent.size() == 4);
  for (const auto& s : world.sent) CHECK(s.ready == 12'300);
  CHECK(engine.waiting().front() == "copy of stream 0 to gpu0: 3840 of 19200 B to send");
  CHECK_THROWS_AS(engine.submit(c, 10'000), std::logic_error);
  engine.room(1, 20'000);
  REQUIRE(world.sent.size() == 5);
  CHECK(world.sent[4].burst.lane == 1);
  CHECK(world.sent[4].burst.last);
  CHECK(world.sent[4].ready == 20'000);
  engine.room(1, 21'000);  // nothing is left of that lane
  engine.room(0, 22'000);
  CHECK(world.sent.size() == 6);
  engine.left(0, 30'000);
  CHECK(world.done_at.empty());
  engine.left(1, 31'000);
  CHECK(world.done_at == std::vector<Tick>{31'000});
  CHECK(engine.waiting().empty());
  const CopyCommand empty = command(0, 2);
  engine.submit(empty, 40'000);
  CHECK(world.done_at.back() == 42'300);
}

TEST_CASE("copy engine: with a clock a copy is launched and ends at edges") {
  EngineWorld world;
  CopyEngineCore engine({2000, 0, 0, 1000}, world);
  const CopyCommand c = command(256, 1), empty = command(0, 1);
  engine.submit(c, 10'001);
  REQUIRE(world.sent.size() == 1);
  CHECK(world.sent[0].ready == 13'000);
  engine.left(0, 24'000);
  CHECK(world.done_at == std::vector<Tick>{24'000});
  world.latency = 300;
  engine.submit(empty, 25'000);
  CHECK(world.done_at.back() == 28'000);
  engine.submit(c, 28'000);
  CHECK(world.sent[1].ready == 30'300);
  engine.left(0, 40'999);
  CHECK(world.done_at.back() == 41'000);
}

TEST_CASE("copy engine: its rate holds back bursts of all lanes together") {
  EngineWorld world;
  CopyEngineCore engine({2000, 10'000'000'000, 0}, world);  // 100 ps a byte
  const CopyCommand c = command(8 * 3840, 2);
  engine.submit(c, 10'000);
  REQUIRE(world.sent.size() == 4);
  for (unsigned i = 0; i < 4; ++i) CHECK(world.sent[i].ready == 12'000 + i * 384'000);
  CHECK(world.sent[0].burst.lane == 0);
  CHECK(world.sent[1].burst.lane == 1);
  engine.room(0, 12'000);
  CHECK(world.sent[4].ready == 12'000 + 4 * 384'000);
  engine.room(0, 9'000'000);  // the engine has waited for the link
  CHECK(world.sent[5].ready == 9'000'000);
}

TEST_CASE("copy engine: a window bounds the bytes that are requested and have not begun to leave") {
  EngineWorld world;
  world.latency = 1000;
  CopyEngineCore engine({2000, 0, 3 * 3840}, world);
  const CopyCommand c = command(6 * 3840, 1);
  engine.submit(c, 10'000);  // three bursts are requested, and the hub holds two of them
  REQUIRE(world.sent.size() == 2);
  CHECK(world.sent[1].ready == 13'000);
  engine.room(0, 13'000);
  REQUIRE(world.sent.size() == 3);
  CHECK(world.sent[2].ready == 13'000);  // its data have arrived
  engine.room(0, 20'000);                // the fourth one was requested when the first one left
  CHECK(world.sent.at(3).ready == 20'000);
  engine.room(0, 20'100);  // the fifth one was requested 100 ps ago
  CHECK(world.sent.at(4).ready == 21'000);
  engine.room(0, 30'000);
  CHECK(world.sent.at(5).ready == 30'000);
  CHECK(world.sent.at(5).burst.last);
  engine.room(0, 31'000), engine.left(0, 32'000);
  CHECK(world.done_at == std::vector<Tick>{32'000});
  CHECK(world.sent.size() == 6);
}

TEST_CASE("copy engine: a window smaller than a burst admits one burst at a time, over all lanes in turn") {
  EngineWorld world;
  world.latency = 1000;
  CopyEngineCore engine({0, 0, 1}, world);
  const CopyCommand c = command(4 * 3840, 2);
  engine.submit(c, 0);
  REQUIRE(world.sent.size() == 1);
  engine.room(0, 1000);
  REQUIRE(world.sent.size() == 2);
  CHECK(world.sent[1].burst.lane == 1);
  CHECK(world.sent[1].ready == 2000);
  engine.room(1, 2000);
  CHECK(world.sent.at(2).burst.last);
  engine.left(0, 3000);  // the last burst of a lane leaves the window when it has left
  REQUIRE(world.sent.size() == 4);
  CHECK(world.sent[3].ready == 4000);
  engine.left(1, 5000);
  CHECK(world.done_at == std::vector<Tick>{5000});
}

TEST_CASE("copy engine: a copy that reads requests a window of bursts at once, and no data of its own memory") {
  EngineWorld world;
  world.latency = 1000;  // of this memory, which the copy does not read
  CopyEngineCore engine(2000, world), narrow({2000, 0, 3840}, world);
  CopyCommand c = command(40 * 3840, 1);
  c.reads = true;
  engine.submit(c, 10'000);
  REQUIRE(world.sent.size() == CopyEngineCore::read_window / 3840);
  for (const auto& s : world.sent) CHECK(s.ready == 12'000);
  CHECK_THAT(engine.waiting().front(), Catch::Contains("copy of stream 0 from gpu0: "));
  engine.room(0, 50'000);  // the data of one burst have arrived
  CHECK(world.sent.size() == CopyEngineCore::read_window / 3840 + 1);
  CHECK(world.sent.back().ready == 50'000);
  world.sent.clear();
  narrow.submit(c, 0);
  CHECK(world.sent.size() == 1);
}

TEST_CASE("semaphores: each waiter hears once that its value is there") {
  SemaphoreTable table;
  Waiters waiters;
  table.begin(2);
  table.wait(1, 2, waiters, 7);
  table.wait(1, 1, waiters, 8);
  table.wait(1, 2, waiters, 9);
  table.add(0, 100, 100);
  CHECK(waiters.calls.empty());
  table.add(1, 200, 1200);
  CHECK(waiters.calls == std::vector<Waiters::Call>{{8, 200, 1200}});
  CHECK(table.reached(1, 1));
  CHECK_FALSE(table.reached(1, 2));
  table.add(1, 300, 1300);
  CHECK(waiters.calls == std::vector<Waiters::Call>{{8, 200, 1200}, {7, 300, 1300}, {9, 300, 1300}});
  CHECK_THROWS_AS(table.add(2, 1, 1), std::logic_error);
  table.begin(1);
  CHECK(table.value(0) == 0);
}

TEST_CASE("semaphores: waiters of any order are called by value, those of one value in the order in which they wait") {
  SemaphoreTable table;
  Waiters waiters;
  table.begin(1);
  constexpr std::uint32_t values = 500, each = 4;
  std::vector<std::vector<std::uint32_t>> expected(values + 1);  // tokens, by value
  for (std::uint32_t token = 0; token < values * each; ++token) {
    const std::uint32_t value = 1 + token * 7919 % values;  // coprime: each value comes four times
    table.wait(0, value, waiters, token);
    expected[value].push_back(token);
  }
  for (std::uint32_t value = 1; value <= values; ++value) {
    waiters.calls.clear();
    table.add(0, value, value);
    REQUIRE(waiters.calls.size() == each);
    for (std::uint32_t i = 0; i < each; ++i) CHECK(waiters.calls[i].token == expected[value][i]);
  }
}

TEST_CASE("semaphores: what is called may wait for a later value at once") {
  struct Again : SemaphoreWaiter {
    explicit Again(SemaphoreTable& t) : table(t) {}
    void reached(std::uint32_t token, Tick, Tick now) override {
      calls.push_back(now);
      table.wait(0, table.value(0) + 2, *this, token);
    }
    SemaphoreTable& table;
    std::vector<Tick> calls{};
  };
  SemaphoreTable table;
  table.begin(1);
  Again again(table);
  table.wait(0, 1, again, 0);
  for (Tick now = 1; now <= 6; ++now) table.add(0, now, now);
  CHECK(again.calls == std::vector<Tick>{1, 3, 5});
}

TEST_CASE("kernels: launches overlap, the unit takes one after another in the order of their launch") {
  PayloadViews views;
  GpuMemory memory(views);
  Kernels listener;
  KernelParams params;
  params.launch = 1_us;
  params.rate = 300_GBps;  // 300 B in a nanosecond
  KernelUnit unit(params, memory, listener);
  CHECK(unit.duration(300'000, 1) == 1'000'000);
  CHECK(unit.duration(300'000, 4) == 2'000'000);
  CHECK(unit.duration(1, 1) == 4);  // 3.33 ps, rounded up
  const StreamCommand a = kernel(300'000, 1, 5), b = kernel(300'000, 1, 2), c = kernel(30'000, 1, 9);
  unit.launch(a, 0, 0);
  unit.launch(b, 1, 0);  // the lower stream of one instant
  unit.launch(c, 2, 100'000);
  run(unit);
  CHECK(listener.ended == std::vector<std::pair<std::uint32_t, Tick>>{{1, 2'000'000}, {0, 3'000'000}, {2, 3'100'000}});
}

TEST_CASE("memory of a stream gpu: what leaves shows the data of that time, by view or by copy") {
  for (const std::size_t most : {std::size_t{0}, std::size_t{10}}) {
    PayloadViews views(most);
    PacketPool pool(framing_of<ScheduleNicLink>(3840));
    GpuMemory from(views), to(views);
    std::vector<std::byte> source(1024, std::byte{1}), target(1024);
    from.set(source.data(), source.size());
    to.set(target.data(), target.size());
    const unsigned number = from.open(0, 512, 512);
    Packet* packets[2];
    for (unsigned p = 0; p < 2; ++p) {
      packets[p] = from.load(number, 256 * p, 256, pool);
      RouterHeader& h = router_header(*packets[p]);
      h.address = 512 + 256 * p;
      CHECK((h.payload_view != PayloadViews::none) == (most != 0));
      // the first packet is on its way when all of it changes
      if (p == 0) from.move(0, 512, 512), std::fill_n(source.begin(), 512, std::byte{2});
    }
    from.close(number);
    for (Packet* p : packets) to.unload(*p), p->release();
    CHECK(std::count(target.begin(), target.end(), std::byte{1}) == 256);
    CHECK(target[512] == std::byte{1});
    CHECK(target[768] == std::byte{2});
    CHECK(views.size() == 0);
    CHECK(pool.live() == 0);
  }
}

TEST_CASE("memory of a stream gpu: a packet beyond its end is an error") {
  PayloadViews views;
  PacketPool pool(framing_of<ScheduleNicLink>(3840));
  GpuMemory from(views), to(views);
  std::vector<std::byte> source(512), target(512);
  from.set(source.data(), source.size());
  to.set(target.data(), target.size());
  const unsigned number = from.open(0, 300, 256);
  Packet* const packet = from.load(number, 0, 256, pool);
  router_header(*packet).address = 300;
  CHECK_THROWS_WITH(to.unload(*packet), "gpu0 writes to address 300 of a memory of 512 B");
  packet->release();
}

}  // namespace tributary::test_stream_cores
