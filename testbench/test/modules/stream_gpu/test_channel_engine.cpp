// Channels of NCCL alone: when steps that send nothing begin and end, what they do to memory, what is refused.
#include <catch2/catch.hpp>

#include <cstring>

#include "modules/stream_gpu/core/port_hub.h"
#include "modules/streams/core/channel_engine.h"
#include "testbench/test/harness/recorded_hub.h"

namespace tributary::test_channel_engine {
namespace {

struct NoWires : LinkOutput {
  void deliver(unsigned, Tick, const LinkArrival*, unsigned, Tick) override {}
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}
};

NcclParams rates() {
  NcclParams p;
  p.link_rate = 20_GBps;
  p.reduce_rate = 10_GBps;
  return p;
}

constexpr Tick acquire = 1'000'000, base = 8'400'000, hop = 3'400'000;

struct World {
  explicit World(const NcclParams& params = rates(), unsigned channels = ChannelEngine::standard_channels,
                 unsigned multiprocessors = KernelSequence::unlimited)
      : engine(params, acquire, {hub, semaphores, memory, nullptr, multiprocessors}, channels) {
    memory.set(reinterpret_cast<std::byte*>(values), sizeof values);
    ProbeDirectory probes;
    engine.describe(probes, "");
    probes.for_each<SignalProbe>([this](const std::string& name, SignalProbe& probe) {
      if (name == "channel0.step")
        probe.attach(this, [](void* self, Tick t, std::uint64_t step) {
          static_cast<World*>(self)->begun.push_back({t, step});
        });
      if (name == "channel_kernel")
        probe.attach(this, [](void* self, Tick t, std::uint64_t kernel) {
          static_cast<World*>(self)->kernels.push_back({t, kernel});
        });
    });
  }
  void post(StreamProgram p) {
    program = std::move(p);
    semaphores.begin(program.semaphores);
    engine.post(program, 0);
  }
  void run(Tick until = never) {
    while (engine.next() <= until && engine.next() != never) engine.handle(engine.next());
  }

  std::int32_t values[64] = {};
  PayloadViews views{};
  PacketPool pool{framing_of<ScheduleNicLink>(3840)};
  NoWires wires{};
  GpuMemory memory{views};
  PortHub hub{{0, {}}, {}, wires, pool, memory};
  SemaphoreTable semaphores{};
  StreamProgram program{};
  std::vector<std::pair<Tick, std::uint64_t>> begun{}, kernels{};
  ChannelEngine engine;
};

/// Takes 64 B from `input` to 0 when semaphore 0 is at `arrivals`.
ChannelStep take(std::uint64_t input, std::uint32_t arrivals) {
  ChannelStep s;
  s.reads_input = s.stores = true;
  s.input = input, s.bytes = 64, s.arrivals = arrivals;
  return s;
}

StreamProgram program_of(std::vector<ChannelStep> steps) {
  StreamProgram p;
  p.steps = std::move(steps);
  p.channels = 1, p.semaphores = 2, p.type = ElementType::i32;
  return p;
}

}  // namespace

TEST_CASE("channels: a step begins a hop after its slice has arrived, and after the previous step", "[pure]") {
  World w;
  w.post(program_of({take(64, 1), take(128, 2)}));
  CHECK(w.engine.next() == never);
  CHECK(w.engine.waiting() == std::vector<std::string>{"channel0: step 1 of 2 waits for data (semaphore 0 is 0, to be 1)"});
  const Tick there = 20'000'000;
  w.semaphores.add(0, there, there + acquire);
  CHECK(w.engine.next() == there + hop);
  w.semaphores.add(0, there + 100, there + 100 + acquire);  // its hop ends while the first step goes on
  w.run();
  CHECK(w.begun == std::vector<std::pair<Tick, std::uint64_t>>{
                       {there + hop, 1}, {there + hop + 3200, 2}, {there + hop + 6400, 0}});  // 64 B at 20 GB/s
  CHECK(w.engine.done());
  CHECK(w.engine.waiting().empty());
}

TEST_CASE("channels: what waits tells since when: the step before it, or its own beginning", "[pure]") {
  World w;
  w.post(program_of({take(64, 1), take(128, 2)}));
  const Tick there = 20'000'000, begun = there + hop;
  w.semaphores.add(0, there, there + acquire);
  w.run(begun);
  CHECK(w.engine.waiting() == std::vector<std::string>{"channel0: step 1 of 2 is in progress @" + std::to_string(begun)});
  w.run(begun + 3200);
  CHECK(w.engine.waiting() == std::vector<std::string>{"channel0: step 2 of 2 waits for data (semaphore 0 is 1, to be 2) @" +
                                                       std::to_string(begun + 3200)});
}

TEST_CASE("channels: groups of a thread block run at once, each at its rate", "[pure]") {
  constexpr unsigned channels = 64;
  World w(rates(), channels);
  std::vector<ChannelStep> steps;
  for (const unsigned channel : {62u, 63u, 62u, 63u}) {
    steps.push_back(take(64, 0));
    steps.back().channel = static_cast<std::uint16_t>(channel);
    steps.back().warps = channel == 62 ? 4 : 1, steps.back().of_warps = 5;
  }
  StreamProgram p = program_of(steps);
  p.channels = channels, p.groups = 2;
  p.times = ChannelTimes{};
  p.times->base = base, p.times->rate = 25'000'000'000;
  w.post(p);
  std::vector<Tick> events;
  while (!w.engine.done()) events.push_back(w.engine.next()), w.engine.handle(events.back());
  CHECK(events == std::vector<Tick>{base, base + 3200, base + 6400, base + 12800, base + 25600});
}

// A step lasts 64 B / 20 GB/s. On one multiprocessor the second block begins with both of its channels when both channels of
// the first one have ended, which have two steps and one.
TEST_CASE("channels: a thread block has one multiprocessor for all of its channels", "[pure]") {
  World w(rates(), ChannelEngine::standard_channels, 1);
  std::vector<ChannelStep> steps;
  for (const unsigned channel : {0u, 0u, 1u, 2u, 3u}) {
    steps.push_back(take(64, 0));
    steps.back().channel = static_cast<std::uint16_t>(channel);
  }
  StreamProgram p = program_of(steps);
  p.channels = 4;
  const auto end = [&](std::uint32_t groups, std::vector<std::uint32_t> block_ends) {
    p.groups = groups, p.block_ends = std::move(block_ends);
    w.post(p);
    Tick last = 0;
    while (!w.engine.done()) last = w.engine.next(), w.engine.handle(last);
    return last;
  };
  CHECK(end(2, {}) == 2 * base + 3 * 3200);
  CHECK(end(1, {2, 4}) == 2 * base + 3 * 3200);
  CHECK(end(1, {1, 4}) == 2 * base + 3 * 3200);
  CHECK(end(4, {}) == base + 2 * 3200);
  CHECK(end(1, {}) == 4 * base + 5 * 3200);
  CHECK_THROWS_WITH(end(3, {}), "channels of no thread block");
  CHECK_THROWS_WITH(end(1, {2, 2, 4}), "a thread block without channels");
}

TEST_CASE("channels: nothing begins before the base, of small messages a shorter one", "[pure]") {
  for (const bool small : {false, true}) {
    World w;
    ChannelStep s = take(64, 0);
    s.low_latency = small;
    w.post(program_of({s}));
    CHECK(w.engine.next() == (small ? 3'600'000 : base));
    w.run();
    CHECK(w.begun.back() == std::pair<Tick, std::uint64_t>{small ? 3'600'000 + 4 * 3200 : base + 3200, 0});
  }
}

TEST_CASE("channels: a kernel begins when it is launched and all channels have ended the one before, and has its base",
          "[pure]") {
  World w;
  StreamProgram p = program_of({take(64, 0), take(128, 0), take(64, 0), take(128, 0), take(64, 0)});
  p.channels = 2;
  p.steps[1].channel = p.steps[3].channel = 1;
  p.steps[1].bytes = 32;  // this channel ends first, and waits for the other one
  p.steps[2].kernel = p.steps[3].kernel = 1, p.steps[4].kernel = 2;
  const Tick first = 2'000'000, third = 40'000'000;
  p.launches = {first, first, third};
  w.post(p);
  CHECK(w.engine.waiting() == std::vector<std::string>{"channel0: step 1 of 3 of kernel 1 waits for the host's launch",
                                                       "channel1: step 1 of 2 of kernel 1 waits for the host's launch"});
  w.run(first + base + 1600);
  CHECK(w.engine.waiting().at(1) ==
        "channel1: step 2 of 2 of kernel 2 waits for the end of kernel 1 @" + std::to_string(first + base + 1600));
  w.run();
  const Tick second = first + base + 3200;
  CHECK(w.begun == std::vector<std::pair<Tick, std::uint64_t>>{
                       {first + base, 1}, {second + base, 2}, {third + base, 3}, {third + base + 3200, 0}});
  CHECK(w.kernels ==
        std::vector<std::pair<Tick, std::uint64_t>>{{first, 1}, {second, 2}, {third, 3}, {third + base + 3200, 0}});
  CHECK(w.engine.done());
}

TEST_CASE("channels: data that arrive before a kernel begins are used after its base", "[pure]") {
  World w;
  StreamProgram p = program_of({take(64, 1), take(128, 2)});
  p.steps[1].kernel = 1, p.launches = {0, 0};
  w.post(p);
  for (const Tick there : {5'000'000, 5'100'000}) w.semaphores.add(0, there, there + acquire);
  w.run();
  const Tick ended = base + 3200;  // the first slice is seen at 8.4 us, which is the base as well
  CHECK(w.begun == std::vector<std::pair<Tick, std::uint64_t>>{{base, 1}, {ended + base, 2}, {ended + base + 3200, 0}});
}

TEST_CASE("channels: a hop takes as long as its way, and no less than until it is seen", "[pure]") {
  const auto begins = [](CopyPath path, bool small) {
    World w;
    ChannelStep s = take(64, 1);
    s.arrived_by = path, s.low_latency = small;
    w.post(program_of({s}));
    w.semaphores.add(0, 20'000'000, 20'000'000 + acquire);
    return w.engine.next() - 20'000'000;
  };
  CHECK(begins(CopyPath::nvlink, false) == 3'400'000);
  CHECK(begins(CopyPath::pcie, false) == 5'700'000);
  CHECK(begins(CopyPath::network, false) == 9'600'000);
  CHECK(begins(CopyPath::nvlink, true) == acquire);  // 0.47 us, were it seen by then
  CHECK(begins(CopyPath::network, true) == 2'700'000);
}

TEST_CASE("channels: sums go at reduce_rate, into the own data or into the slot", "[pure]") {
  for (const bool stores : {true, false}) {
    World w;
    for (int i = 0; i < 32; ++i) w.values[i] = i < 16 ? 100 : i;
    ChannelStep s = take(64, 0);
    s.reads_own = true, s.stores = stores;
    w.post(program_of({s}));
    w.run();
    CHECK(w.begun.back().first == base + 6400);
    CHECK(w.values[3] == (stores ? 119 : 100));
    CHECK(w.values[19] == (stores ? 19 : 119));
  }
}

TEST_CASE("channels: a step of some warps has their part of the rate", "[pure]") {
  World w;
  StreamProgram program = program_of({take(64, 0)});
  program.times = ChannelTimes{};
  program.times->rate = 1'000'000'000;
  for (const unsigned warps : {1u, 2u, 8u}) {
    program.steps[0].warps = static_cast<std::uint8_t>(warps), program.steps[0].of_warps = 8;
    w.post(program);
    w.run();
    CHECK(w.begun.back().first == 64'000 * 8 / warps);
  }
  program.steps[0].warps = 9;
  CHECK_THROWS_WITH(w.post(program), "a step of a channel without warps");
}

TEST_CASE("channels: what lies in its place already is taken at once", "[pure]") {
  World w;
  ChannelStep s = take(64, 0);
  s.direct = true;
  w.values[16] = 7;
  w.post(program_of({s}));
  w.run();
  CHECK(w.begun.back() == std::pair<Tick, std::uint64_t>{base, 0});
  CHECK(w.values[0] == 7);
}

TEST_CASE("channels: a step ends with its kernel or its last flit, whichever is later, and frees its slot at that time",
          "[pure]") {
  constexpr Tick kernel = 6400;  // 64 B at 10 GB/s
  for (const Tick wire : {Tick{1000}, kernel, Tick{10'000}}) {
    RecordedHub hub;
    SemaphoreTable semaphores;
    PayloadViews views;
    GpuMemory memory(views);
    std::int32_t values[64] = {};
    memory.set(reinterpret_cast<std::byte*>(values), sizeof values);
    ChannelEngine engine(rates(), acquire, {hub, semaphores, memory});
    ChannelStep s = take(64, 0);
    s.reads_own = true;
    s.peer = 1, s.tell = 0;    // its data leave to GPU 1
    s.giver = 2, s.grant = 1;  // and its input lies in a slot that GPU 2 fills
    const StreamProgram program = program_of({s});
    semaphores.begin(program.semaphores);
    engine.post(program, 0);
    engine.handle(base);
    REQUIRE(hub.sources.size() == 1);
    while (engine.next() < base + wire) engine.handle(engine.next());
    hub.leave(0, base + wire);
    const Tick end = base + std::max(kernel, wire);
    CHECK((hub.told.empty() && engine.next() == end));
    engine.handle(end);
    CHECK(hub.told == std::vector<RecordedHub::Told>{{1, 0, end}, {2, 1, end}});
    CHECK(engine.done());
  }
}

TEST_CASE("channels: what cannot be carried out is refused, and a reset forgets all", "[pure]") {
  World bare{NcclParams{}};
  CHECK_THROWS_WITH(bare.post(program_of({take(64, 0)})), "channels without rates");
  World w;
  StreamProgram many = program_of({take(64, 0)});
  many.channels = 17;
  CHECK_THROWS_WITH(w.post(many), "17 channels on a GPU (legal: at most 16)");
  ChannelStep empty = take(64, 0);
  empty.bytes = 0;
  CHECK_THROWS_WITH(w.post(program_of({empty})), "a step of a channel without bytes");
  w.post(program_of({take(64, 0)}));
  w.engine.reset();
  CHECK(w.engine.next() == never);
  CHECK(w.engine.done());
  CHECK(w.engine.waiting().empty());
}

}  // namespace tributary::test_channel_engine
