// Links without credits: frames of up to 9 KiB from a source to a sink that is too slow for them.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "testbench/test/harness/test_protocols.h"

namespace tributary::test_flow_control_block {
namespace {

constexpr Tick latency = 50'000, delay = 30'000, begin = 1'000'000;
constexpr unsigned frames = 400;
const Bandwidth rate = bytes_per_second(12'500'000'000);  // 100 Gb/s: 80 ps for a byte
constexpr Tick byte_time = 80;

/// A source and a sink joined by a link; two sets, in windows and event by event.
template <class Protocol>
struct Pair {
  using Source = FrameSource<Protocol>;
  using Sink = FrameSink<Protocol>;
  Pair(const std::string& name, bool windowed, const typename Protocol::FlowControl::Config& control, Bandwidth drain,
       const ReceiveBuffer::Config& receive) {
    typename Source::LinkTransmitter::Config config;
    config.link.rate = rate;
    config.link.latency = picoseconds(latency);
    config.flow_control = control;
    source = std::make_unique<Source>((name + "_source").c_str(), config);
    sink = std::make_unique<Sink>((name + "_sink").c_str(), config, delay, drain, receive);
    connect(source->port, sink->port);
    if (!windowed) return;
    source->set_windows(Windows::of(latency, delay, 1'000'000, {0, 2}));
    sink->set_windows(Windows::of(latency, delay, 1'000'000, {1, 2}));
  }
  /// Sends frames as fast as the link carries them.
  void send(PacketPool& pool, unsigned (*bytes)(unsigned frame)) {
    for (unsigned i = 0; i < frames; ++i) {
      Packet* p = pool.make(bytes(i) - Protocol::header_bytes, false);
      p->header<FrameHeader>().number = i;
      sent_bytes += p->wire_bytes;
      source->send(p, begin);
    }
  }
  std::uint64_t passed_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& f : sink->passed) sum += f.bytes;
    return sum;
  }
  std::unique_ptr<Source> source;
  std::unique_ptr<Sink> sink;
  std::uint64_t sent_bytes = 0;
};

unsigned jumbo(unsigned) { return 9216; }
unsigned mixed(unsigned frame) { return 64 + static_cast<unsigned>(random_at(5, 1, frame) % 9153); }

template <class Protocol>
void check_alike(const Pair<Protocol>& windowed, const Pair<Protocol>& reference) {
  CHECK(windowed.source->starts == reference.source->starts);
  CHECK(windowed.sink->passed == reference.sink->passed);
  CHECK(windowed.sink->pauses == reference.sink->pauses);
  CHECK(windowed.sink->buffer.peak() == reference.sink->buffer.peak());
  CHECK(windowed.sink->buffer.dropped().packets == reference.sink->buffer.dropped().packets);
  CHECK(reference.sink->activations() >= windowed.sink->activations());
}

/// The number of starts that a pause sent at a given time does not prevent: the pause propagates, then its reaction
/// time passes, and frames already in flight left a hop and the sink's delay earlier.
Tick blind(Tick reaction) { return 2 * latency + reaction + 64 * byte_time + delay; }

const PauseFlowControl::Config pauses{200'000, 512 * byte_time / 8};

ReceiveBuffer::Config with_pauses(unsigned stop_above, unsigned headroom, unsigned quanta = 0xFFFF) {
  return {stop_above + headroom, stop_above, stop_above / 2, quanta, pauses.quantum};
}

}  // namespace

TEST_CASE("flow control: a lossy link never waits, drops frames that do not fit, and counts them", "[block][flow_control]") {
  // The sink forwards half of the frames that the link delivers, and holds 10 frames.
  const ReceiveBuffer::Config receive{10 * 9216};
  const Bandwidth half = bytes_per_second(rate.value / 2);
  Pair<LossyLink> windowed("windowed", true, {}, half, receive), reference("reference", false, {}, half, receive);
  PacketPool pool{LossyLink{}};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windowed.send(pool, jumbo);
  reference.send(pool, jumbo);
  sc_core::sc_start();
  REQUIRE(windowed.source->starts.size() == frames);
  for (unsigned i = 0; i < frames; ++i) REQUIRE(windowed.source->starts[i] == begin + i * 9216 * byte_time);
  const FrameSink<LossyLink>& sink = *windowed.sink;
  CHECK(sink.received == frames);
  CHECK(sink.passed.size() + sink.buffer.dropped().packets == frames);
  CHECK(windowed.passed_bytes() + sink.buffer.dropped().flits == windowed.sent_bytes);
  // While 400 arrive it forwards half of them; the frames that it holds then are added, and one that is cut.
  CHECK(sink.passed.size() >= frames / 2 + 10 - 1);
  CHECK(sink.passed.size() <= frames / 2 + 10 + 1);
  CHECK(sink.buffer.peak() == 10 * 9216);
  check_alike(windowed, reference);
  CHECK(pool.live() == 0);
}

TEST_CASE("flow control: a lossy link loses nothing if the far end keeps up", "[block][flow_control]") {
  const ReceiveBuffer::Config receive{2 * 9216};
  Pair<LossyLink> windowed("windowed", true, {}, rate, receive), reference("reference", false, {}, rate, receive);
  PacketPool pool{LossyLink{}};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windowed.send(pool, jumbo);
  reference.send(pool, jumbo);
  sc_core::sc_start();
  CHECK(windowed.sink->buffer.dropped().packets == 0);
  CHECK(windowed.sink->passed.size() == frames);
  check_alike(windowed, reference);
}

TEST_CASE("flow control: a paused link stops within its reaction time and loses nothing", "[block][flow_control]") {
  // Frames that start before a pause takes effect: the bytes of the blind time and the frame that has begun. One more
  // raised the level above the mark.
  constexpr unsigned mark = 100'000;
  const auto headroom = static_cast<unsigned>(blind(pauses.reaction) / byte_time) + 2 * 9216;
  const Bandwidth third = bytes_per_second(rate.value / 3);
  Pair<PausedLink> windowed("windowed", true, pauses, third, with_pauses(mark, headroom));
  Pair<PausedLink> reference("reference", false, pauses, third, with_pauses(mark, headroom));
  PacketPool pool{PausedLink{}};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windowed.send(pool, mixed);
  reference.send(pool, mixed);
  sc_core::sc_start();
  const FrameSink<PausedLink>& sink = *windowed.sink;
  CHECK(sink.buffer.dropped().packets == 0);
  CHECK(sink.passed.size() == frames);
  CHECK(windowed.passed_bytes() == windowed.sent_bytes);
  for (unsigned i = 0; i < frames; ++i) REQUIRE(sink.passed[i].number == i);
  REQUIRE(sink.pauses.size() >= 10);  // stop, go, stop, go ...
  CHECK(sink.buffer.peak() <= mark + headroom);
  CHECK(sink.buffer.peak() > mark + headroom - 3 * 9216);  // the bound is no larger than necessary
  for (std::size_t i = 0; i + 1 < sink.pauses.size(); i += 2) {
    const Tick from = sink.pauses[i] + latency + pauses.reaction, to = sink.pauses[i + 1] + latency + pauses.reaction;
    for (const Tick start : windowed.source->starts) REQUIRE((start < from || start >= to));
  }
  check_alike(windowed, reference);
  CHECK(pool.live() == 0);
}

TEST_CASE("flow control: a buffer without room for the blind time of a pause overflows", "[block][flow_control]") {
  constexpr unsigned mark = 100'000;
  const auto headroom = static_cast<unsigned>(blind(pauses.reaction) / byte_time) - 9216;
  const Bandwidth third = bytes_per_second(rate.value / 3);
  Pair<PausedLink> windowed("windowed", true, pauses, third, with_pauses(mark, headroom));
  Pair<PausedLink> reference("reference", false, pauses, third, with_pauses(mark, headroom));
  PacketPool pool{PausedLink{}};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windowed.send(pool, jumbo);
  reference.send(pool, jumbo);
  sc_core::sc_start();
  const FrameSink<PausedLink>& sink = *windowed.sink;
  CHECK(sink.buffer.dropped().packets > 0);
  CHECK(sink.passed.size() + sink.buffer.dropped().packets == frames);
  CHECK(windowed.passed_bytes() + sink.buffer.dropped().flits == windowed.sent_bytes);
  check_alike(windowed, reference);
}

TEST_CASE("flow control: a short pause is requested again until there is room", "[block][flow_control]") {
  // A pause of 100 quanta of 512 bits lasts 512 ns; the sink needs 20 us from the upper mark to the lower one.
  constexpr unsigned mark = 100'000;
  const auto headroom = static_cast<unsigned>(blind(pauses.reaction) / byte_time) + 2 * 9216;
  const Bandwidth slow = bytes_per_second(rate.value / 5);
  Pair<PausedLink> windowed("windowed", true, pauses, slow, with_pauses(mark, headroom, 100));
  Pair<PausedLink> reference("reference", false, pauses, slow, with_pauses(mark, headroom, 100));
  PacketPool pool{PausedLink{}};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windowed.send(pool, jumbo);
  reference.send(pool, jumbo);
  sc_core::sc_start();
  CHECK(windowed.sink->buffer.dropped().packets == 0);
  CHECK(windowed.passed_bytes() == windowed.sent_bytes);
  CHECK(windowed.sink->pauses.size() > 200);
  check_alike(windowed, reference);
}

}  // namespace tributary::test_flow_control_block
