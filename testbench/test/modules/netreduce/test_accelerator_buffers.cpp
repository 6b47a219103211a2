// Finite buffers of an accelerator: output queues, input FIFOs, lookups in a cycle (docs/blocks/accelerator.md#buffers).
#include <catch2/catch.hpp>

#include "testbench/test/harness/accelerator_rack.h"

namespace tributary::test_accelerator_buffers {
namespace {

constexpr Tick cycle = AcceleratorBench::cycle;

Packet* frame_of(PacketPool& pool, FrameKind kind, unsigned payload) {
  Packet* const p = make_frame(pool, kind, payload, false);
  p->vc = kind == FrameKind::ack ? control_class : roce_class;
  return p;
}

/// Times at which frames leave a rack of `hosts` that gets six packets of each rank at once, every 20 cycles.
std::vector<Tick> departures(const AcceleratorParams& params, unsigned hosts = 6) {
  RingFrames frames;
  frames.hosts = hosts;
  frames.message_packets = 8;
  AcceleratorRack rack(frames, params);
  for (unsigned o = 0; o < 6; ++o) rack.send_all(0, o, (1000 + 20 * o) * cycle);
  rack.bench.run();
  CHECK(rack.bench.sent.size() == 6 * hosts);
  std::vector<Tick> times;
  for (const auto& s : rack.bench.sent) times.push_back(s.start);
  return times;
}

}  // namespace

TEST_CASE("an output queue holds frames from the decision on, and is fullest when one leaves", "[pure][netreduce]") {
  OutputQueues queues(2, 3000);
  CHECK(queues.has_room(0, 5000));  // an empty queue accepts any frame
  queues.push(0, 1106, 100);
  queues.push(0, 1106, 300);
  CHECK(queues.has_room(0, 788));
  CHECK_FALSE(queues.has_room(0, 789));
  CHECK(queues.has_room(1, 3000));
  queues.leave(0, 1106, 200);
  CHECK(queues.highest() == 1106);  // the second frame is not ready
  queues.push(0, 1106, 250);
  queues.leave(0, 1106, 300);
  CHECK(queues.highest() == 2212);
  CHECK(queues.used(0) == 1106);
  queues.reset();
  CHECK((queues.highest() == 0 && queues.used(0) == 0));
  CHECK_FALSE(OutputQueues(1, 0).limited());
}

TEST_CASE("an input FIFO drops frames without room, and pauses its sender before", "[pure][netreduce]") {
  PacketPool pool(framing_of<EthernetLink>(1024));
  InputFifos::Config config;
  config.capacity = 4 * 1086;
  InputFifos drops(1, config);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(drops.put(0, frame_of(pool, FrameKind::write_middle, 1024)));
    CHECK_FALSE(drops.pauses(0, i));
  }
  Packet* const fifth = frame_of(pool, FrameKind::write_middle, 1024);
  CHECK_FALSE(drops.put(0, fifth));
  fifth->release();
  CHECK((drops.highest() == 4 * 1086 && drops.dropped() == 1 && drops.pauses_sent() == 0));
  drops.reset();

  config.pauses = true;
  config.headroom = 2 * 1086;
  config.resume = 1086;
  config.quantum = {5120};  // 512 bits at 100 Gb/s
  InputFifos pauses(1, config);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(pauses.put(0, frame_of(pool, FrameKind::write_middle, 1024)));
    CHECK(pauses.pauses(0, 1000) == (i == 2));  // two frames fill the FIFO up to its headroom
  }
  CHECK_FALSE(pauses.pauses(0, 1001));
  const Tick half = Tick{65535} * 5120 / 2;
  CHECK(pauses.next_pause() == 1000 + half);
  unsigned repeated = 0;
  pauses.repeat_pauses(1000 + half, [&](unsigned) { ++repeated; });
  CHECK((repeated == 1 && pauses.next_pause() == 1000 + 2 * half && pauses.pauses_sent() == 1));
  pauses.take(0, 2000)->release();
  CHECK_FALSE(pauses.resumes(0));
  pauses.take(0, 3000)->release();
  CHECK(pauses.resumes(0));
  CHECK((!pauses.resumes(0) && pauses.next_pause() == never));
  pauses.reset();
}

TEST_CASE("ports share the lookups of a cycle in the order of their requests", "[pure][netreduce]") {
  PacketPool pool(framing_of<EthernetLink>(1024));
  InputFifos::Config config;
  config.clock = 10;
  config.lookups = 2;
  InputFifos fifos(5, config);
  for (unsigned port = 0; port < 5; ++port)
    for (unsigned i = 0; i < 2; ++i) fifos.put(port, frame_of(pool, FrameKind::write_middle, 1024));
  const auto ready = [&](unsigned port, Tick now) { return fifos.ready(port, true, now); };
  CHECK((ready(3, 100) == 100 && ready(1, 100) == 100 && ready(0, 100) == 110 && ready(4, 100) == 110));
  CHECK(fifos.ready(2, false, 100) == 100);  // a frame that does not look up
  CHECK(ready(2, 100) == 120);
  CHECK(ready(0, 110) == 110);  // its lookup stays
  fifos.take(3, 100)->release();
  CHECK(ready(3, 100) == 100 + 17 * 10);  // the data path reads 1086 B in 17 beats
  CHECK(ready(3, 270) == 270);
  fifos.reset();
}

TEST_CASE("buffers that never fill change no time", "[pure][netreduce]") {
  AcceleratorParams large;
  large.input_fifo = large.output_queue = 1024_MiB;
  large.lookups = 64;
  CHECK(departures(large) == departures({}));
}

// The wire needs 88.48 ns for a frame, and 20 cycles are 62.06 ns. A sum is added when its place is free, so the path from
// the adders to the wire, 46 cycles, is not hidden by a queue of one frame.
TEST_CASE("sums wait in their slots for room in the output queues", "[pure][netreduce]") {
  AcceleratorParams small;
  small.output_queue = 2_KiB;  // one frame
  const std::vector<Tick> free = departures({}), held = departures(small);
  for (unsigned rank = 0; rank < 6; ++rank) CHECK(held[rank] == free[rank]);
  for (unsigned o = 1; o < 6; ++o) {
    const Tick after = held[6 * o] - held[6 * (o - 1)];
    CHECK(after > 46 * cycle);
    CHECK(after <= 48 * cycle);
  }
  AcceleratorParams enough;
  enough.output_queue = 4_KiB;  // three frames: 46 cycles are 1.6 frames
  const std::vector<Tick> smooth = departures(enough);
  for (unsigned o = 1; o < 6; ++o) CHECK(smooth[6 * o] - smooth[6 * (o - 1)] <= 1122 * 80);
}

TEST_CASE("a paused output queue holds sums, and counts what is ready", "[pure][netreduce]") {
  RingFrames frames;
  frames.message_packets = 16;
  for (const Bytes queue : {1024_MiB, 4_KiB}) {
    AcceleratorParams params;
    params.output_queue = queue;
    AcceleratorRack rack(frames, params);
    Packet* const pause = make_frame(rack.bench.pool, FrameKind::pause, 0, false);
    roce(*pause).extra = unsigned{roce_class} << 16 | 1000u;  // 5.12 us
    rack.bench.receive(2, pause, 10'000);
    for (unsigned o = 0; o < 16; ++o) rack.send_all(0, o, (200 + 30 * o) * cycle);
    rack.bench.run();
    CHECK(rack.bench.sent.size() == 6 * 16);
    const std::uint64_t highest = rack.bench.core->output_queues()->highest();
    if (queue == 1024_MiB) CHECK(highest == 1122 + 14 * 1106 + 1110);  // all of port 2
    if (queue == 4_KiB) CHECK(highest == 1122 + 2 * 1106);
    for (const auto& s : rack.bench.sent)
      if (s.port == 2) CHECK(s.start >= 10'000 + 1000 * 5120);
  }
}

TEST_CASE("a sum that is requested twice while it waits leaves once", "[pure][netreduce]") {
  RingFrames frames;
  frames.message_packets = 8;
  AcceleratorParams params;
  params.output_queue = 2_KiB;
  AcceleratorRack rack(frames, params);
  Packet* const pause = make_frame(rack.bench.pool, FrameKind::pause, 0, false);
  roce(*pause).extra = unsigned{roce_class} << 16 | 1000u;
  rack.bench.receive(0, pause, 10'000);
  rack.send_all(0, 0, 200 * cycle), rack.send_all(0, 1, 300 * cycle);
  for (unsigned i = 0; i < 5; ++i) rack.send(3, 0, 1, (400 + 20 * i) * cycle);
  rack.bench.run();
  CHECK(rack.bench.count("slot.duplicate") == 5);
  CHECK(rack.bench.sent.size() == 12);
}

TEST_CASE("one lookup in a cycle delays ranks that arrive together by a cycle each", "[pure][netreduce]") {
  AcceleratorParams one;
  one.lookups = 1;
  CHECK(departures(one).front() == departures({}).front() + 5 * cycle);
  AcceleratorParams three;
  three.lookups = 3;
  CHECK(departures(three).front() == departures({}).front() + 1 * cycle);
}

TEST_CASE("a full input FIFO of an accelerator drops, or pauses the switch", "[pure][netreduce]") {
  RingFrames frames;
  frames.message_packets = 32;
  AcceleratorParams slow;
  slow.clock = 10_ns;  // 17 beats are 170 ns, and frames arrive every 88 ns
  slow.input_fifo = 4_KiB;
  AcceleratorBench bench(6, slow);
  bench.core->begin({frames.ring()}, false);
  for (unsigned o = 0; o < 20; ++o)
    for (unsigned r = 0; r < 6; ++r) bench.receive(r, frames.gradient(bench.pool, r, 0, o), 1'000'000 + o * 88'480);
  bench.run();
  CHECK(bench.core->input_fifos()->dropped() > 0);
  CHECK(bench.count("input_fifo.drops") == bench.core->input_fifos()->dropped());
  CHECK(bench.core->input_fifos()->highest() <= 4096);
  CHECK(bench.core->input_fifos()->highest() >= 3 * 1086);
}

}  // namespace tributary::test_accelerator_buffers
