// Both ends of a reliable connection, driven by hand: InfiniBand Architecture, volume 1, 9.7.
#include <catch2/catch.hpp>
#include <vector>

#include "modules/roce/core/receive_queue.h"
#include "modules/roce/core/send_queue.h"

namespace tributary::test_queue_pair {
namespace {

using Kind = ReceiveVerdict::Kind;
using Ids = std::vector<std::uint64_t>;
using Numbers = std::vector<std::uint64_t>;

WriteRequest request(std::uint64_t id, std::uint32_t bytes, std::uint64_t remote = 0) {
  WriteRequest r;
  r.id = id;
  r.bytes = bytes;
  r.remote = remote;
  r.immediate_valid = true;
  r.immediate = static_cast<std::uint32_t>(100 + id);
  return r;
}

SendQueue::Config at(std::uint32_t first_psn, std::uint32_t ack_interval = 256) {
  SendQueue::Config c;
  c.first_psn = first_psn;
  c.ack_interval = ack_interval;
  c.rto = 1000;
  return c;
}

struct Sender {
  explicit Sender(const SendQueue::Config& c) : queue(c) {
    const auto count = [](void* n, Tick, std::uint64_t) { ++*static_cast<unsigned*>(n); };
    queue.rewinds.attach(&rewinds, count);
    queue.timeouts.attach(&timeouts, count);
    queue.nacks.attach(&nacks, count);
    queue.retries.attach(&retries, count);
  }
  std::vector<SendQueue::Segment> send(unsigned n, Tick now = 0) {
    std::vector<SendQueue::Segment> s;
    for (; n > 0 && queue.ready(); --n) s.push_back(queue.take(now));
    return s;
  }
  Ids ack(std::uint32_t psn, Tick now = 0) {
    Ids ids;
    queue.acknowledge(psn, now, [&](std::uint64_t id) { ids.push_back(id); });
    return ids;
  }
  Ids nack(std::uint32_t psn, Tick now = 0) {
    Ids ids;
    queue.negative(psn, now, [&](std::uint64_t id) { ids.push_back(id); });
    return ids;
  }
  SendQueue queue;
  unsigned rewinds = 0, timeouts = 0, nacks = 0, retries = 0;
};

RoceHeader write(std::uint32_t psn, FrameKind kind, bool ack_request = false, std::uint64_t address = 0,
                 std::uint32_t extra = 0) {
  RoceHeader h{};
  h.psn = psn;
  h.kind = kind;
  h.ack_request = ack_request;
  h.address = address;
  h.extra = extra;
  return h;
}

}  // namespace

TEST_CASE("a message of 170 packets requests one ACK, in its last packet, and PSNs wrap at 2^24", "[pure][roce]") {
  Sender s(at(0xFFFFFE));
  s.queue.post(request(0, 174'080));
  const auto sent = s.send(1000);
  REQUIRE(sent.size() == 170);
  CHECK((sent[0].psn == 0xFFFFFE && sent[2].psn == 0 && sent[169].psn == 167));
  CHECK((sent[0].kind == FrameKind::write_first && sent[1].kind == FrameKind::write_middle));
  CHECK(sent[169].kind == FrameKind::write_last_immediate);
  unsigned asked = 0;
  for (const auto& p : sent) asked += p.ack_request;
  CHECK((asked == 1 && sent[169].ack_request));
  CHECK((sent[169].offset == 169 * 1024 && sent[169].bytes == 1024));
  CHECK(s.ack(166) == Ids{});
  CHECK(s.queue.unacknowledged() == 1);
  CHECK(s.ack(167) == Ids{0});
  CHECK(s.queue.quiescent());
}

TEST_CASE("requests are cut at the MTU, a request of 0 bytes is one packet", "[pure][roce]") {
  Sender s(at(0));
  for (const std::uint32_t bytes : {0u, 1u, 1024u, 1025u, 2048u}) s.queue.post(request(bytes, bytes));
  const auto sent = s.send(100);
  REQUIRE(sent.size() == 7);
  Numbers bytes;
  for (const auto& p : sent) bytes.push_back(p.bytes);
  CHECK(bytes == Numbers{0, 1, 1024, 1024, 1, 1024, 1024});
  for (const unsigned i : {0u, 1u, 2u}) CHECK((sent[i].kind == FrameKind::write_only_immediate && sent[i].ack_request));
  CHECK((sent[3].kind == FrameKind::write_first && sent[4].kind == FrameKind::write_last_immediate));
  CHECK(s.queue.request(sent[4]).id == 1025);
  RoceHeader h{};
  s.queue.fill(sent[4], h);
  CHECK((h.psn == 4 && h.ack_request == 1 && h.extra == 1125 && h.tagged == 0));
}

TEST_CASE("only the first packet carries the aggregation header", "[pure][roce]") {
  Sender s(at(0));
  WriteRequest r = request(5, 2048, 0x1000);
  r.tagged = true;
  r.header = {3, 2, 77, 2};
  s.queue.post(r);
  const auto sent = s.send(2);
  RoceHeader first{}, last{};
  s.queue.fill(sent[0], first);
  s.queue.fill(sent[1], last);
  CHECK((first.tagged == 1 && first.ring == 3 && first.rank == 2 && first.extra == 77 && first.address == 0x1000));
  CHECK((last.tagged == 0 && last.rank == 0 && last.extra == 105 && last.address == 0));
}

TEST_CASE("an ACK is requested at each interval of a message, and at its end", "[pure][roce]") {
  const auto asked = [](std::uint32_t interval, std::uint32_t packets) {
    Sender s(at(0, interval));
    s.queue.post(request(0, packets * 1024));
    Numbers n;
    for (const auto& p : s.send(packets))
      if (p.ack_request) n.push_back(p.psn);
    return n;
  };
  CHECK(asked(256, 1000) == Numbers{255, 511, 767, 999});
  CHECK(asked(1, 4) == Numbers{0, 1, 2, 3});
  CHECK(asked(4, 8) == Numbers{3, 7});
  CHECK_THROWS_AS(SendQueue(at(0, 0)), std::invalid_argument);
}

TEST_CASE("an ACK is cumulative, and is ignored outside of the packets in flight", "[pure][roce]") {
  Sender s(at(10));
  for (std::uint64_t i = 0; i < 5; ++i) s.queue.post(request(i, 2048));
  s.send(8);
  CHECK(s.ack(9) == Ids{});
  CHECK(s.ack(18) == Ids{});  // the ninth packet has not been sent
  CHECK(s.ack(15) == Ids{0, 1, 2});
  CHECK(s.ack(12) == Ids{});
  CHECK((s.queue.una() == 16 && s.queue.unacknowledged() == 2 && s.queue.outstanding() == 2));
  s.send(10);
  CHECK(s.ack(19) == Ids{3, 4});
  CHECK((s.queue.quiescent() && s.queue.waiting().empty()));
}

TEST_CASE("a NACK rewinds the queue to the packet that it names", "[pure][roce]") {
  Sender s(at(0));
  s.queue.post(request(0, 3072));
  s.queue.post(request(1, 3072));
  s.send(6);
  CHECK(s.nack(4) == Ids{0});
  CHECK((s.queue.rewound() && s.queue.una() == 4 && s.queue.next() == 4));
  const auto again = s.send(10);
  REQUIRE(again.size() == 2);
  CHECK((again[0].psn == 4 && again[0].again && again[0].kind == FrameKind::write_middle && again[0].offset == 1024));
  CHECK(s.queue.request(again[0]).id == 1);
  CHECK((s.rewinds == 1 && s.nacks == 1 && s.retries == 2 && s.timeouts == 0));
  CHECK(s.nack(3) == Ids{});  // an old NACK
  CHECK(s.nack(6) == Ids{});  // no later packet can have arrived
  CHECK((s.rewinds == 1 && !s.queue.rewound()));
}

TEST_CASE("an ACK after a rewind advances the queue past packets that it has already sent", "[pure][roce]") {
  Sender s(at(0));
  for (std::uint64_t i = 0; i < 4; ++i) s.queue.post(request(i, 2048));
  s.send(6);
  s.queue.timeout(1000);
  CHECK(s.queue.next() == 0);
  s.send(1);
  CHECK(s.ack(4) == Ids{0, 1});
  CHECK((s.queue.next() == 5 && s.queue.una() == 5));
  const auto sent = s.send(10);
  REQUIRE(sent.size() == 3);
  CHECK((sent[0].psn == 5 && sent[0].again && sent[1].psn == 6 && !sent[1].again));
  CHECK(s.queue.request(sent[0]).id == 2);
}

TEST_CASE("the timer runs while a packet that requests an ACK is in flight", "[pure][roce]") {
  Sender s(at(0));
  s.queue.post(request(0, 3072));
  s.queue.post(request(1, 1024));
  CHECK(s.queue.deadline() == never);
  s.send(2, 50);
  CHECK(s.queue.deadline() == never);
  s.send(1, 100);
  CHECK(s.queue.deadline() == 1100);
  s.send(1, 200);
  CHECK(s.queue.deadline() == 1100);
  s.ack(2, 300);
  CHECK(s.queue.deadline() == 1300);
  s.ack(2, 400);
  CHECK(s.queue.deadline() == 1300);  // no advance
  s.queue.timeout(1300);
  CHECK((s.queue.deadline() == never && s.queue.ready() && s.timeouts == 1));
  s.send(1, 1400);
  CHECK(s.queue.deadline() == 2400);
  s.ack(3, 1500);
  CHECK(s.queue.deadline() == never);
  s.queue.timeout(2400);
  CHECK(s.timeouts == 1);
}

TEST_CASE("the timer stops when the packets in flight request no ACK, after an ACK or a rewind", "[pure][roce]") {
  Sender acked(at(0, 4));
  acked.queue.post(request(0, 6 * 1024));  // packets 3 and 5 request an ACK
  acked.send(5, 100);
  CHECK(acked.queue.deadline() == 1100);
  acked.ack(3, 200);  // packet 4 is in flight
  CHECK((acked.queue.unacknowledged() == 1 && acked.queue.deadline() == never));
  acked.send(1, 300);
  CHECK(acked.queue.deadline() == 1300);

  for (const bool timed_out : {false, true}) {
    Sender rewound(at(0));
    rewound.queue.post(request(0, 3 * 1024));  // packet 2 requests an ACK
    rewound.send(3, 100);
    if (timed_out)
      rewound.queue.timeout(1100);
    else
      rewound.nack(0, 1100);
    CHECK(rewound.queue.deadline() == never);
    rewound.send(1, 1200);
    rewound.ack(0, 1300);  // packet 2 has not left again
    CHECK((rewound.queue.unacknowledged() == 2 && rewound.queue.deadline() == never));
    rewound.send(2, 1400);
    CHECK(rewound.queue.deadline() == 2400);
  }
}

TEST_CASE("the queue gives up after retry_count timeouts in a row, an advance restarts the count", "[pure][roce]") {
  SendQueue::Config c = at(850);
  c.retry_count = 3;
  Sender s(c);
  s.queue.post(request(0, 2048));
  for (Tick t = 1; t <= 3; ++t) {
    s.send(2, t * 1000);
    s.queue.timeout(t * 1000);
    CHECK_FALSE(s.queue.failed());
  }
  CHECK(s.queue.waiting() == "2 packets unacknowledged from PSN 850, timeout 3 of 3");
  s.ack(850, 4000);
  s.send(2, 4000);
  s.queue.timeout(5000);
  CHECK(s.queue.waiting() == "1 packets unacknowledged from PSN 851, timeout 1 of 3");
  for (Tick t = 6; t <= 8; ++t) s.send(2, t * 1000), s.queue.timeout(t * 1000);
  CHECK((s.queue.failed() && !s.queue.ready() && s.queue.deadline() == never));
  CHECK(s.queue.waiting() == "1 packets unacknowledged from PSN 851, given up after 3 retries");
  CHECK((s.ack(851) == Ids{} && s.timeouts == 7));
  c.retry_count = 0;
  Sender patient(c);
  patient.queue.post(request(0, 1024));
  for (unsigned i = 0; i < 100; ++i) patient.send(1), patient.queue.timeout(0);
  CHECK_FALSE(patient.queue.failed());
}

TEST_CASE("packets are accepted in order, at addresses that follow from the first one and their lengths", "[pure][roce]") {
  ReceiveQueue q({0xFFFFFF, true});
  auto v = q.receive(write(0xFFFFFF, FrameKind::write_first, false, 0x4000), 1024, 0);
  CHECK((v.kind == Kind::accepted && v.address == 0x4000 && !v.ack && !v.ends && q.in_message()));
  v = q.receive(write(0, FrameKind::write_middle), 1024, 0);
  CHECK((v.kind == Kind::accepted && v.address == 0x4400));
  v = q.receive(write(1, FrameKind::write_last_immediate, true, 0, 42), 10, 0);
  CHECK((v.kind == Kind::accepted && v.address == 0x4800 && v.ends && v.immediate_valid && v.immediate == 42));
  CHECK((v.ack && v.psn == 1 && !q.in_message()));
  v = q.receive(write(2, FrameKind::write_only, true, 0x100), 10, 0);
  CHECK((v.kind == Kind::accepted && v.address == 0x100 && v.ends && !v.immediate_valid));
}

TEST_CASE("a duplicate is always acknowledged, with the PSN of the last packet in order", "[pure][roce]") {
  ReceiveQueue q({0, true});
  for (std::uint32_t i = 0; i < 3; ++i) q.receive(write(i, FrameKind::write_only, true), 1, 0);
  const auto v = q.receive(write(1, FrameKind::write_only, false), 1, 0);
  CHECK((v.kind == Kind::duplicate && v.ack && !v.nack && v.psn == 2 && q.expected() == 3));
}

TEST_CASE("a gap is reported once until it is closed, or with each packet", "[pure][roce]") {
  for (const bool once : {true, false}) {
    ReceiveQueue q({0, once});
    unsigned nacks = 0;
    q.nacks.attach(&nacks, [](void* n, Tick, std::uint64_t) { ++*static_cast<unsigned*>(n); });
    auto v = q.receive(write(2, FrameKind::write_middle, true), 1, 0);
    CHECK((v.kind == Kind::gap && v.nack && !v.ack && v.psn == 0 && q.gap_reported()));
    v = q.receive(write(3, FrameKind::write_middle), 1, 0);
    CHECK((v.kind == Kind::gap && v.nack != once));
    q.receive(write(0, FrameKind::write_first), 1, 0);
    CHECK_FALSE(q.gap_reported());
    v = q.receive(write(2, FrameKind::write_middle), 1, 0);
    CHECK((v.nack && v.psn == 1));
    CHECK(nacks == (once ? 2 : 3));
  }
}

TEST_CASE("loaded queues continue as the saved ones", "[pure][roce]") {
  Sender s(at(0xFFFFF0));
  for (std::uint64_t i = 0; i < 6; ++i) s.queue.post(request(i, 3000));
  s.send(11, 5);
  s.ack(0xFFFFF3, 6);
  s.nack(0xFFFFF7, 7);
  s.send(2, 8);
  std::string text, again;
  StateWriter out(text), out_again(again);
  s.queue.save(out);
  Sender copy(at(0xFFFFF0));
  StateReader in(text);
  copy.queue.load(in);
  CHECK(in.empty());
  copy.queue.save(out_again);
  CHECK(again == text);
  for (unsigned i = 0; i < 9; ++i) {
    const auto a = s.send(1, 9), b = copy.send(1, 9);
    REQUIRE((a.size() == 1 && b.size() == 1));
    CHECK((a[0].psn == b[0].psn && a[0].kind == b[0].kind && a[0].offset == b[0].offset && a[0].again == b[0].again));
    CHECK(s.queue.request(a[0]).id == copy.queue.request(b[0]).id);
  }
  CHECK((s.queue.deadline() == copy.queue.deadline() && s.ack(1, 10) == copy.ack(1, 10)));
  CHECK(s.queue.quiescent());
  text.resize(3);
  StateReader half(text);
  CHECK_THROWS_AS(copy.queue.load(half), std::out_of_range);
  s.queue.reset();
  CHECK((s.queue.quiescent() && s.queue.next() == 0xFFFFF0 && s.queue.outstanding() == 0));
}

TEST_CASE("a request that is not signalled asks for no ACK, and its completion is not reported", "[pure][roce]") {
  Sender s(at(0));
  for (std::uint64_t id = 0; id < 3; ++id) {
    WriteRequest r = request(id, 1000);
    r.signalled = id == 2;
    s.queue.post(r);
  }
  const std::vector<SendQueue::Segment> sent = s.send(3);
  REQUIRE(sent.size() == 3);
  CHECK((!sent[0].ack_request && !sent[1].ack_request && sent[2].ack_request));
  CHECK(s.ack(2) == Ids{2});
  CHECK(s.queue.quiescent());
}

}  // namespace tributary::test_queue_pair
