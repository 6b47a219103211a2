// The front end of a GPU alone: the copies that it grants, under each arbitration (docs/blocks/stream_gpu.md#arbitration).
#include <catch2/catch.hpp>
#include <vector>

#include "modules/streams/core/stream_processor.h"
#include "testbench/test/harness/recorded_hub.h"

namespace tributary::test_stream_processor {
namespace {

using Kind = StreamCommand::Kind;
using Streams = std::vector<unsigned>;

struct NoMemory : ArrayMemory {
  void add(std::uint64_t, const std::uint64_t*, unsigned, std::uint64_t, ReduceOp, ElementType) override {}
  void move(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};

/// Four engines, whose copies end when the test ends them.
struct Engines : EngineArray, BurstSource {
  unsigned engines() const override { return 4; }
  BurstSource& source(unsigned) override { return *this; }
  bool submit(unsigned, CopyCommand& command, Tick) override {
    running.push_back(&command);
    return false;
  }
  void room(std::uint32_t, unsigned, Tick) override {}
  void left(std::uint32_t, unsigned, Tick) override {}
  std::vector<const CopyCommand*> running{};
};

struct World : StreamListener {
  World(CopyArbitration arbitration, std::vector<StreamCommand> commands, Tick fetch = 0, Tick completion = 0)
      : processor(config(arbitration, fetch, completion), around()) {
    program.commands = std::move(commands);
    program.semaphores = 2;
    semaphores.begin(program.semaphores);
    processor.post(program, 0);
    run(0);
  }
  static StreamProcessor::Config config(CopyArbitration arbitration, Tick fetch, Tick completion) {
    StreamProcessor::Config c;
    c.streams.acquire = c.streams.release = 0_ns;
    c.arbitration = arbitration;
    c.fetch = fetch, c.completion = completion;
    return c;
  }
  StreamProcessor::Around around() { return {hub, semaphores, kernels, engines, *this}; }
  void command_ended(std::uint32_t, Tick) override {}
  void run(Tick now) {
    while (processor.next() <= now) processor.handle(now);
    processor.grant(now);
  }
  /// Streams whose copies are in progress, in the order of their grants.
  Streams copies() const {
    Streams streams;
    for (const CopyCommand* c : engines.running) streams.push_back(c->stream);
    return streams;
  }
  /// Ends the copy of a stream.
  void end(unsigned stream, Tick now) {
    const auto copy = std::find_if(engines.running.begin(), engines.running.end(),
                                   [&](const CopyCommand* c) { return c->stream == stream; });
    REQUIRE(copy != engines.running.end());
    const CopyCommand& command = **copy;
    engines.running.erase(copy);
    processor.copy_done(command, now);
    run(now);
  }

  RecordedHub hub{};
  SemaphoreTable semaphores{};
  NoMemory memory{};
  struct : KernelListener {  // no kernel of these tests ends
    void kernel_ended(std::uint32_t, Tick) override {}
  } listener{};
  KernelUnit kernels{KernelParams{}, memory, listener};
  Engines engines{};
  StreamProgram program{};
  StreamProcessor processor;
};

StreamCommand copy(unsigned stream, std::uint16_t peer) {
  StreamCommand c;
  c.stream = static_cast<std::uint16_t>(stream), c.peer = peer, c.bytes = 1024;
  return c;
}
StreamCommand between(Kind kind, std::uint32_t value = 0) {
  StreamCommand c;
  c.kind = kind, c.peer = 1, c.value = value, c.bytes = 1024, c.input_count = 1;
  return c;
}

/// Stream 0 copies to GPU 1, executes the command between, and copies to `next`; the copy of stream 1 to GPU 1 waits.
/// Returns the streams that copy when the first copy has ended.
Streams after_first(CopyArbitration arbitration, const StreamCommand& command, std::uint16_t next = 1) {
  World world(arbitration, {copy(0, 1), copy(1, 1), command, copy(0, next)});
  CHECK(world.copies() == Streams{0});
  world.end(0, 1000);
  return world.copies();
}

}  // namespace

TEST_CASE("streams: the end of a copy frees the links of its own queue alone", "[pure]") {
  World world(CopyArbitration::first, {copy(0, 1), copy(1, 2), copy(2, 2), copy(3, 1)});
  CHECK(world.copies() == Streams{0, 1});
  world.end(0, 1000);
  CHECK(world.copies() == Streams{1, 3});  // the link to GPU 2 is in use
  world.end(3, 2000);
  CHECK(world.copies() == Streams{1});
  world.end(1, 3000);
  CHECK(world.copies() == Streams{2});
}

TEST_CASE("streams: with `sticky` a stream keeps its links if only records and satisfied waits precede its next copy",
          "[pure]") {
  constexpr CopyArbitration sticky = CopyArbitration::sticky;
  const StreamCommand record = between(Kind::record), satisfied = between(Kind::wait, 0),
                      unsatisfied = between(Kind::wait, 1);
  CHECK(after_first(sticky, record) == Streams{0});
  CHECK(after_first(sticky, satisfied) == Streams{0});
  CHECK(after_first(sticky, unsatisfied) == Streams{1});
  CHECK(after_first(sticky, between(Kind::kernel)) == Streams{1});
  CHECK(after_first(sticky, between(Kind::peer_switch)) == Streams{1});
  CHECK(after_first(sticky, record, 2) == Streams{1, 0});  // its next copy needs another link
  for (const StreamCommand& command : {record, satisfied}) CHECK(after_first(CopyArbitration::first, command) == Streams{1});
  // Copies that take turns hold no links.
  World turns(CopyArbitration::in_turn, {copy(0, 1), copy(1, 1)});
  CHECK(turns.copies() == Streams{0, 1});
}

TEST_CASE("streams: with `sticky` a queue passes to another stream without its links", "[pure]") {
  // Streams 0 and 32 share queue 0, and stream 1 has waited longer than stream 32.
  World world(CopyArbitration::sticky, {copy(0, 1), copy(1, 1), copy(32, 1)});
  world.end(0, 1000);
  CHECK(world.copies() == Streams{1});
  world.end(1, 2000);
  CHECK(world.copies() == Streams{32});
}

TEST_CASE("streams: a copy is granted when its descriptor is fetched, and its links are free before its engine", "[pure]") {
  World w(CopyArbitration::first, {copy(0, 1), copy(0, 1), copy(1, 1)}, 300, 200);
  CHECK(w.copies().empty());
  CHECK_THAT(w.processor.waiting().front(), Catch::Contains("fetches the descriptor of a copy to gpu1"));
  w.run(300);
  CHECK(w.copies() == Streams{0});  // both descriptors are fetched, and the first copy has the links
  w.end(0, 5000);
  CHECK(w.copies() == Streams{1});  // the links are free, and the first copy completes
  CHECK_THAT(w.processor.waiting().front(), Catch::Contains("completes a copy to gpu1"));
  CHECK(w.processor.left() == 3);
  w.run(5200);
  CHECK(w.processor.left() == 2);
  w.run(5500);  // the next descriptor of stream 0 is fetched
  w.end(1, 9000);
  CHECK(w.copies() == Streams{0});
}

TEST_CASE("streams: an engine that completes a copy is not granted", "[pure]") {
  std::vector<StreamCommand> commands;
  for (unsigned s = 0; s < 5; ++s) commands.push_back(copy(s, static_cast<std::uint16_t>(s + 1)));
  World w(CopyArbitration::first, commands, 0, 200);
  CHECK(w.copies() == Streams{0, 1, 2, 3});  // four engines
  w.end(2, 1000);
  CHECK(w.copies() == Streams{0, 1, 3});
  w.run(1200);
  CHECK(w.copies() == Streams{0, 1, 3, 4});
}

TEST_CASE("streams: the host announces commands batch by batch", "[pure]") {
  StreamsParams host;
  CHECK(host.known_after(7, 10) == 0);
  host.issue = 100_ps;
  CHECK(host.known_after(0, 10) == 100);
  CHECK(host.known_after(7, 10) == 800);
  host.doorbell = 30_ps;
  CHECK(host.known_after(7, 10) == 8 * 130);
  CHECK(host.host_time() == 130);
  host.batch = 4;
  for (const unsigned command : {4, 5, 7}) CHECK(host.known_after(command, 10) == 8 * 100 + 2 * 30);
  CHECK(host.known_after(8, 10) == 10 * 100 + 3 * 30);  // a batch of two
  host.issue = 0_ps;
  CHECK(host.known_after(9, 10) == 90);
}

}  // namespace tributary::test_stream_processor
