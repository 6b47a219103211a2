// FaultInjector: the fate of frames on one link. Messages have 5 packets, and PSNs begin shortly before they wrap.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "modules/ethernet/core/fault_injector.h"
#include "testbench/test/harness/frame_bytes.h"

namespace tributary::test_fault_injector {
namespace {

using Fates = std::vector<FrameFate>;
constexpr FrameFate deliver = FrameFate::deliver, drop = FrameFate::drop;
constexpr std::uint32_t length = 5, first_psn = 0xFFFFF9;

FaultInjector::Config from_host() {
  FaultInjector::Config c;
  c.link = "host0.port0>switch0.port0";
  c.from_host = true;
  return c;
}
FaultInjector::Config to_host() {
  FaultInjector::Config c;
  c.link = "switch0.port1>host1.port0";
  c.to_host = true;
  return c;
}

/// A link and the frames of the connection from host 0 to host 1.
struct Link {
  PacketPool pool{EthernetLink{}};
  FaultScript script;
  FaultInjector faults;
  Tick now = 0;

  Link(const std::vector<std::string>& rules, const FaultInjector::Config& config)
      : script(script_of(rules)), faults(script, config) {
    faults.begin(0);
  }
  static FaultScript script_of(const std::vector<std::string>& rules) {
    FaultScript s;
    for (const std::string& text : rules) s.rules.push_back(parse_fault_rule(text));
    s.message_packets = length;
    return s;
  }
  FrameFate pass(FrameKind kind, unsigned bytes, const RoceHeader& h) {
    Packet* const p = make_frame(pool, kind, bytes, false);
    roce(*p) = h;
    roce(*p).kind = kind;
    const FrameFate fate = faults.fate(*p, now += 100'000);
    p->release();
    return fate;
  }
  /// Passes packet `n` of the connection, counted from the first of message 0.
  FrameFate data(unsigned n, std::uint16_t source = 0, std::uint16_t destination = 1) {
    RoceHeader h{};
    h.source = source, h.destination = destination, h.queue_pair = 9;
    h.psn = Psn::add(first_psn, n);
    const bool first = n % length == 0;
    h.tagged = first, h.extra = first ? n / length : 0, h.rank = source;
    return pass(first                      ? FrameKind::write_first
                : n % length == length - 1 ? FrameKind::write_last
                                           : FrameKind::write_middle,
                1024, h);
  }
  FrameFate answer(FrameKind kind, std::uint16_t source = 0) {
    RoceHeader h{};
    h.source = source, h.destination = 1, h.rank = source;
    return pass(kind, 0, h);
  }
  Fates all(unsigned from, unsigned to) {
    Fates f;
    for (unsigned n = from; n < to; ++n) f.push_back(data(n));
    return f;
  }
};

unsigned count(const Fates& fates, FrameFate fate) {
  return static_cast<unsigned>(std::count(fates.begin(), fates.end(), fate));
}

}  // namespace

TEST_CASE("a gradient is dropped by message and offset, once", "[pure][ethernet]") {
  Link link({"drop:gradient:0:1:3"}, from_host());
  const Fates fates = link.all(0, 15);  // message 1 has numbers 5 to 9; PSNs wrap at 7
  CHECK(count(fates, drop) == 1);
  CHECK(fates[8] == drop);
  CHECK(link.data(8) == deliver);  // sent again
}

TEST_CASE("a fault may strike several times, and concerns one rank", "[pure][ethernet]") {
  Link link({"corrupt:gradient:0:1:3:2"}, from_host());
  CHECK(count(link.all(0, 10), FrameFate::corrupt) == 1);
  CHECK(link.data(8) == FrameFate::corrupt);
  CHECK(link.data(8) == deliver);
  Link other({"corrupt:gradient:2:1:3"}, from_host());
  CHECK(count(other.all(0, 10), deliver) == 10);
}

TEST_CASE("go-back-N into an older message finds it", "[pure][ethernet]") {
  Link link({"drop:gradient:0:0:2:2"}, from_host());
  CHECK(link.all(0, 3)[2] == drop);
  link.all(3, 12);                 // message 2 has begun
  CHECK(link.data(1) == deliver);  // two messages back, without a first packet
  CHECK(link.data(2) == drop);
  CHECK(link.data(2) == deliver);
}

TEST_CASE("after a lost first packet, the next message is identified by its distance", "[pure][ethernet]") {
  Link link({"drop:result:1:1:4"}, to_host());
  link.all(0, 5);
  CHECK(link.data(6) == deliver);  // number 5 was lost on an earlier link
  CHECK(link.data(9) == drop);
}

TEST_CASE("gradients are on links from a host, results on links to a host", "[pure][ethernet]") {
  for (const char* text : {"drop:gradient:0:0:1", "drop:result:1:0:1"}) {
    const bool gradient = std::string(text).find("gradient") != std::string::npos;
    CHECK(count(Link({text}, from_host()).all(0, 5), drop) == (gradient ? 1 : 0));
    CHECK(count(Link({text}, to_host()).all(0, 5), drop) == (gradient ? 0 : 1));
  }
  CHECK(Link({"drop:gradient:0:0:1"}, to_host()).faults.harmless());
}

TEST_CASE("ranks are those of the stations", "[pure][ethernet]") {
  FaultScript script = Link::script_of({"drop:ack:7:0"});
  script.rank_of = {3, 7};
  FaultInjector faults(script, from_host());
  PacketPool pool{EthernetLink{}};
  Packet* const ack = make_frame(pool, FrameKind::ack, 0, false);
  roce(*ack).source = 0;
  CHECK(faults.fate(*ack, 0) == deliver);
  roce(*ack).source = 7;  // no entry in rank_of: its own number
  CHECK(faults.fate(*ack, 0) == drop);
  faults.begin(0);
  roce(*ack).source = 1;
  CHECK(faults.fate(*ack, 0) == drop);
  ack->release();
}

TEST_CASE("ACKs, NACKs, CNPs and notifications are counted separately", "[pure][ethernet]") {
  Link link({"drop:ack:0:1:2", "flip:nack:0:0", "drop:cnp:0:0", "duplicate:nack:5:0"}, from_host());
  const auto ack = FrameKind::ack;
  CHECK(Fates{link.answer(ack), link.answer(ack), link.answer(ack), link.answer(ack)} ==
        Fates{deliver, drop, drop, deliver});
  CHECK(link.answer(FrameKind::nack) == FrameFate::flip);
  CHECK(link.answer(FrameKind::nack, 5) == FrameFate::duplicate);
  CHECK(link.answer(FrameKind::cnp) == drop);
  FaultInjector::Config accelerator;
  accelerator.from_accelerator = true;
  Link up({"drop:notification:3:0"}, accelerator);
  CHECK(up.answer(FrameKind::notification, 2) == deliver);
  CHECK(up.answer(FrameKind::notification, 3) == drop);
  CHECK(up.answer(FrameKind::notification, 3) == deliver);
}

TEST_CASE("faults by position count all frames of one link", "[pure][ethernet]") {
  const std::string name = from_host().link;
  Link link({"drop:" + name + ":2", "duplicate:" + name + ":2:2", "drop:" + to_host().link + ":0"}, from_host());
  CHECK(link.all(0, 2) == Fates{deliver, deliver});
  CHECK(link.answer(FrameKind::ack) == drop);  // the first of two rules
  CHECK(link.answer(FrameKind::ack) == FrameFate::duplicate);
  CHECK(link.data(2) == deliver);
}

TEST_CASE("a link goes down at its time, counted from the start of the run", "[pure][ethernet]") {
  Link link({"down:" + from_host().link + "@1us"}, from_host());
  link.faults.begin(500'000);
  const Fates fates = link.all(0, 16);  // starts at 100 ns, 200 ns ...: number 14 at 1.5 us
  CHECK(fates[13] == deliver);
  CHECK(fates[14] == drop);
  CHECK(count(fates, drop) == 2);
}

TEST_CASE("a new run restarts all counts", "[pure][ethernet]") {
  Link link({"drop:gradient:0:0:1", "drop:" + from_host().link + ":0"}, from_host());
  const Fates first = link.all(0, 5);
  CHECK(count(first, drop) == 2);
  CHECK(count(link.all(0, 5), drop) == 0);
  link.faults.begin(0);
  CHECK(link.answer(FrameKind::ack) == drop);  // number 0 on the link
  CHECK(link.data(1) == deliver);              // no first packet has identified its message
  link.faults.begin(0);
  CHECK(link.all(0, 5) == first);
}

TEST_CASE("frames are lost at random, always the same ones for a seed and a link", "[pure][ethernet]") {
  const auto fates = [](std::uint64_t seed, std::uint64_t index, double loss, double bits) {
    FaultInjector::Config config = from_host();
    config.index = index, config.loss_rate = loss, config.bit_error_rate = bits;
    FaultScript script;
    script.seed = seed;
    FaultInjector faults(script, config);
    PacketPool pool{EthernetLink{}};
    Packet* const p = make_frame(pool, FrameKind::write_middle, 1024, false);
    Fates all;
    for (unsigned i = 0; i < 20'000; ++i) all.push_back(faults.fate(*p, i));
    p->release();
    return all;
  };
  const Fates lost = fates(1, 0, 0.1, 0);
  // 2000 of 20 000 expected, standard deviation 42; the tolerance is five of them.
  CHECK(std::abs(static_cast<int>(count(lost, drop)) - 2000) < 212);
  CHECK(lost == fates(1, 0, 0.1, 0));
  CHECK(lost != fates(2, 0, 0.1, 0));
  CHECK(lost != fates(1, 1, 0.1, 0));
  // A frame of 1086 B has 8688 bits: 1 - (1 - 1e-5)^8688 = 0.0832. Of 20 000, 1665 are expected, with a standard deviation
  // of 39.
  const Fates wrong = fates(1, 0, 0, 1e-5);
  CHECK(std::abs(static_cast<int>(count(wrong, FrameFate::corrupt)) - 1665) < 196);
  CHECK(count(wrong, drop) == 0);
  CHECK(count(fates(1, 0, 0, 0), deliver) == 20'000);
}

TEST_CASE("answers are lost at their own rate, or at that of all frames", "[pure][ethernet]") {
  const auto lost = [](FrameKind kind, std::optional<double> answers) {
    FaultInjector::Config config = from_host();
    config.loss_rate = 0.02, config.answer_loss_rate = answers;
    const FaultScript script;
    FaultInjector faults(script, config);
    PacketPool pool{EthernetLink{}};
    Packet* const p = make_frame(pool, kind, 0, false);
    unsigned all = 0;
    for (unsigned i = 0; i < 20'000; ++i) all += faults.fate(*p, i) == drop;
    p->release();
    return all;
  };
  // 400 and 4000 of 20 000 expected, standard deviations 20 and 57; the tolerance is five of them.
  for (const FrameKind kind : {FrameKind::ack, FrameKind::nack, FrameKind::cnp}) {
    CHECK(lost(kind, 0.2) == Approx(4000).margin(285));
    CHECK(lost(kind, std::nullopt) == Approx(400).margin(100));
    CHECK(lost(kind, 0.0) == 0);
  }
  CHECK(lost(FrameKind::write_middle, 0.2) == Approx(400).margin(100));
}

TEST_CASE("probability of a wrong frame", "[pure][ethernet]") {
  for (const double p : {1e-12, 1e-9, 1e-6, 1e-3, 0.5})
    for (const unsigned bytes : {64u, 66u, 1086u, 9000u})
      CHECK(FaultInjector::frame_error(p, bytes) == Approx(-std::expm1(8.0 * bytes * std::log1p(-p))).epsilon(1e-9));
  CHECK(FaultInjector::frame_error(0, 1086) == 0);
  FaultInjector::Config config;
  config.loss_rate = 1;
  CHECK_THROWS_AS(FaultInjector({}, config), std::invalid_argument);
}

}  // namespace tributary::test_fault_injector
