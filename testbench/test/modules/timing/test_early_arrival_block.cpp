// A device whose lookahead is longer than the time in which its neighbour affects it: the run ends with an error that names
// the link and the times, where results would be wrong without a word.
#include <catch2/catch.hpp>
#include <string>

#include "testbench/test/harness/frame_endpoint.h"
#include "testbench/test/harness/test_protocols.h"

namespace tributary::test_early_arrival_block {
namespace {

constexpr Tick latency = 50'000, delay = 30'000, begin = 1'000'000, too_long = 1'000'000;
constexpr Tick frame_time = 5'120;  // 64 B at 80 ps each

template <class Protocol>
typename BasicLinkTransmitter<Protocol>::Config link(const typename Protocol::FlowControl::Config& control) {
  typename BasicLinkTransmitter<Protocol>::Config config;
  config.link.rate = 100_Gbps;
  config.link.latency = picoseconds(latency);
  config.flow_control = control;
  return config;
}

template <class Protocol>
void send(FrameSource<Protocol>& source, PacketPool& pool, unsigned frames, unsigned destination = 0) {
  for (unsigned i = 0; i < frames; ++i) {
    Packet* const p = pool.make(0, false);
    p->header<FrameHeader>().destination = static_cast<std::uint16_t>(destination);
    source.send(p, begin);
  }
}

std::string early(const std::string& link, const std::string& thing, Tick first, Tick safe) {
  return link + ": a " + thing + " arrives at " + std::to_string(first) + " ps, but none was expected before " +
         std::to_string(safe) + " ps";
}

}  // namespace

// The source wakes for each frame. The sink wakes when the first frame has an effect, and takes all frames that arrive
// within its lookahead as known. The 18th frame is the first that the source starts later.
TEST_CASE("early arrival: a packet within the lookahead of a device is an error", "[block][early_arrival]") {
  PacketPool pool{LossyLink{}};
  FrameSource<LossyLink> source("source", link<LossyLink>({}));
  FrameSink<LossyLink> sink("sink", link<LossyLink>({}), delay, 100_Gbps, {100 * 9216});
  connect(source.port, sink.port);
  sink.set_window(too_long);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  send(source, pool, 100);
  const Tick wakes = begin + frame_time + latency + delay, start = begin + 17 * frame_time;
  CHECK(start - frame_time < wakes);
  CHECK(start > wakes);
  CHECK_THROWS_WITH(sc_core::sc_start(), Catch::Contains(early("source.port>sink.port", "packet",
                                                               start + frame_time + latency, wakes + too_long)));
}

TEST_CASE("early arrival: the true lookahead is accepted", "[block][early_arrival]") {
  PacketPool pool{LossyLink{}};
  FrameSource<LossyLink> source("source", link<LossyLink>({}));
  FrameSink<LossyLink> sink("sink", link<LossyLink>({}), delay, 100_Gbps, {100 * 9216});
  connect(source.port, sink.port);
  sink.set_window(latency + frame_time);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  send(source, pool, 100);
  sc_core::sc_start();
  CHECK(sink.received == 100);
}

// The source wakes for its frame, and takes all credits that arrive within its lookahead as known.
TEST_CASE("early arrival: a credit within the lookahead of a device is an error", "[block][early_arrival]") {
  PacketPool pool{CreditedLink{}};
  const auto config = link<CreditedLink>(9216);
  FrameSource<CreditedLink> from("from", config), to("to", config);
  FrameHub hub("hub", 2, config, delay);
  connect(from.port, hub.port(0));
  connect(to.port, hub.port(1));
  from.set_window(too_long);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  send(from, pool, 1, 1);
  const Tick freed = begin + frame_time + latency + delay;
  CHECK_THROWS_WITH(sc_core::sc_start(),
                    Catch::Contains(early("from.port>hub.port0", "credit", freed + latency, begin + too_long)));
}

TEST_CASE("early arrival: an Ethernet frame within the lookahead of a device is an error", "[block][early_arrival]") {
  PacketPool pool{EthernetLink{}};
  const EthernetDevice::PortConfig port{100_Gbps, picoseconds(10'000)};
  FrameEndpoint sender("sender", port, pool), receiver("receiver", port, pool);
  const LinkEnd a = sender.link_end(0), b = receiver.link_end(0);
  a.out.bind(b.in);
  b.out.bind(a.in);
  receiver.set_window(too_long);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (int i = 0; i < 2; ++i) sender.send(make_frame(pool, FrameKind::write_middle, 1024, false), begin);
  const Tick head = 72 * 80 + 10'000, frame = 1106 * 80;
  CHECK_THROWS_WITH(sc_core::sc_start(), Catch::Contains(early("sender.port0>receiver.port0", "frame", begin + frame + head,
                                                               begin + head + 10'000 + too_long)));
}

}  // namespace tributary::test_early_arrival_block
