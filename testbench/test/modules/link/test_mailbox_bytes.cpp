// Mailboxes between lanes of several processes: what is unpacked makes the calls that were posted.
#include <catch2/catch.hpp>

#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/link/lane_crossing.h"

namespace tributary::test_mailbox_bytes {
namespace {

constexpr PacketFraming framing{128, 16, 16};

/// Notes the calls that arrive at the far end of a link.
class FarEnd : public LanePort, public LaneMailbox::Forward, public LaneMailbox::Backward {
 public:
  std::vector<std::string> calls;
  unsigned payload_sum = 0;

 private:
  void set_crossing(const LaneCrossing&) override {}
  LaneMailbox::Forward& far_forward() override { return *this; }
  LaneMailbox::Backward& far_backward() override { return *this; }
  tlm::tlm_sync_enum nb_transport_fw(LinkTransfer& t, LinkPhase&, sc_core::sc_time& delay) override {
    std::string text = "packets@" + std::to_string(delay.value()) + " safe " + std::to_string(t.safe_until);
    for (unsigned i = 0; i < t.count; ++i) {
      const LinkArrival& a = t.packets[i];
      text += " [" + std::to_string(a.after) + " " + std::to_string(a.duration) + " " + std::to_string(a.packet->born) +
              " " + std::to_string(a.packet->wire_bytes) + " " + std::to_string(a.packet->vc) + " " +
              std::to_string(a.packet->damage) + " " + std::to_string(a.packet->header<std::uint64_t>()) +
              (a.packet->payload != nullptr ? " data" : "") + "]";
      if (a.packet->payload != nullptr) payload_sum += std::to_integer<unsigned>(a.packet->payload[100]);
      a.packet->release();
    }
    calls.push_back(text);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(LinkTransfer& t, LinkPhase&, sc_core::sc_time& delay) override {
    std::string text = "credits@" + std::to_string(delay.value()) + " safe " + std::to_string(t.safe_until);
    for (unsigned i = 0; i < t.count; ++i)
      text += " [" + std::to_string(t.credits[i].after) + " " + std::to_string(t.credits[i].vc) + " " +
              std::to_string(t.credits[i].flits) + "]";
    calls.push_back(text);
    return tlm::TLM_ACCEPTED;
  }
};

/// Posts a packet with data, one without, and their credits on two links.
void post(LaneMailbox& box, const std::vector<FarEnd*>& ends, PacketPool& pool) {
  Packet* const full = pool.make(128, true);
  std::memset(full->payload, 7, 128);
  full->born = 5, full->vc = 3, full->header<std::uint64_t>() = 42;
  Packet* const empty = pool.make(64, false);
  empty->damage = 1;
  LaneMailbox::Forward& first = *ends[0];
  box.begin_packets(first, pool, 1000, 2, 1500, 0);
  box.add({0, 10, full}, full->payload);
  box.add({20, 30, empty}, nullptr);
  const LinkCredit credits[] = {{0, 0, 9}, {4, 1, 2}};
  LaneMailbox::Backward& second = *ends[1];
  box.post_credits(second, 1200, credits, 2, 0, 1);
  LaneMailbox::Forward& silent = *ends[1];
  box.begin_packets(silent, pool, 0, 0, 1700, 1);  // a guarantee alone
  full->release(), empty->release();
}

}  // namespace

TEST_CASE("bytes of mailboxes: unpacked posts make the same calls with packets of the receiving pool", "[lanes]") {
  PacketPool pool(framing), other(framing);
  FarEnd a, b, far_a, far_b;
  LaneMailbox direct, packed, received;
  post(direct, {&a, &b}, pool);
  direct.publish();
  direct.drain(900);

  post(packed, {&a, &b}, pool);
  ByteRow row;
  ByteWriter to(row);
  packed.pack(to);
  const std::deque<LaneCrossing> crossings{{nullptr, &other, nullptr, 0, &far_a}, {nullptr, &other, nullptr, 1, &far_b}};
  ByteReader from(row);
  received.unpack(from, crossings);
  CHECK(from.at_end());
  std::uint64_t made = 0;
  other.made.attach(&made, [](void* n, const void*) { ++*static_cast<std::uint64_t*>(n); });
  received.drain(900);

  CHECK(a.calls == std::vector<std::string>{"packets@100 safe 1500 [0 10 5 144 3 0 42 data] [20 30 0 80 0 1 0]"});
  CHECK(far_a.calls == a.calls);
  CHECK(b.calls == std::vector<std::string>{"credits@300 safe 0 [0 0 9] [4 1 2]", "packets@800 safe 1700"});
  CHECK(far_b.calls == b.calls);
  CHECK((a.payload_sum == 7 && far_a.payload_sum == 7));
  CHECK(made == 2);
  CHECK((pool.live() == 0 && other.live() == 0 && received.empty()));
}

TEST_CASE("bytes of mailboxes: posts of several processes are drained in the order in which they were unpacked", "[lanes]") {
  PacketPool pool(framing);
  FarEnd end, none;
  const std::deque<LaneCrossing> crossings{{nullptr, &pool, nullptr, 0, &end}, {nullptr, &pool, nullptr, 1, &end}};
  LaneMailbox received;
  for (const Tick first : {300u, 200u}) {
    LaneMailbox sent;
    const LinkCredit credit{0, 1, static_cast<std::uint16_t>(first / 100)};
    sent.post_credits(none, first, &credit, 1, 0, 1);
    ByteRow row;
    ByteWriter to(row);
    sent.pack(to);
    ByteReader from(row);
    received.unpack(from, crossings);
  }
  received.drain(100);
  CHECK(end.calls == std::vector<std::string>{"credits@200 safe 0 [0 1 3]", "credits@100 safe 0 [0 1 2]"});
}

TEST_CASE("bytes of mailboxes: what has been published and what is open keep their order", "[lanes]") {
  FarEnd end;
  PacketPool pool(framing);
  LaneMailbox sent, received;
  for (const Tick first : {300u, 200u, 400u}) {
    const LinkCredit credit{0, 1, static_cast<std::uint16_t>(first / 100)};
    sent.post_credits(end, first, &credit, 1, 0, 0);
    if (first != 400) sent.publish();
  }
  ByteRow row;
  ByteWriter to(row);
  sent.pack(to);
  CHECK(sent.empty());
  ByteReader from(row);
  received.unpack(from, {{nullptr, &pool, nullptr, 0, &end}});
  CHECK(received.published());
  received.drain(100);
  CHECK(end.calls ==
        std::vector<std::string>{"credits@200 safe 0 [0 1 3]", "credits@100 safe 0 [0 1 2]", "credits@300 safe 0 [0 1 4]"});
}

TEST_CASE("bytes of mailboxes: bytes that end early, or name no crossing, are refused", "[lanes]") {
  PacketPool pool(framing);
  FarEnd a, b;
  LaneMailbox sent, received;
  post(sent, {&a, &b}, pool);
  ByteRow row;
  ByteWriter to(row);
  sent.pack(to);
  const std::deque<LaneCrossing> one{{nullptr, &pool, nullptr, 0, &a}};
  ByteReader whole(row);
  CHECK_THROWS_AS(received.unpack(whole, one), std::out_of_range);
  const std::deque<LaneCrossing> two{{nullptr, &pool, nullptr, 0, &a}, {nullptr, &pool, nullptr, 1, &b}};
  row.pop_back();
  ByteReader cut(row);
  CHECK_THROWS_AS(received.unpack(cut, two), std::out_of_range);
}

}  // namespace tributary::test_mailbox_bytes
