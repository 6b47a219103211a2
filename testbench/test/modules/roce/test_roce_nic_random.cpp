// RoCE NICs with random loss and random frames: each byte arrives once and in order, and foreign frames have no effect.
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "testbench/test/harness/nic_wire.h"

namespace tributary::test_roce_nic_random {
namespace {

using Notice = NicWire::Notice;

/// Posts requests in both directions on two queue pairs, 1 B to 12 packets each. Returns the sizes by (station, queue pair).
void post(NicWire& wire, std::uint64_t seed, unsigned messages, std::uint32_t half) {
  for (unsigned s = 0; s < 2; ++s) {
    auto& memory = wire.ends[s].memory.bytes;
    memory.assign(2 * half, std::byte{0});
    for (std::uint32_t i = 0; i < half; ++i) memory[i] = static_cast<std::byte>(mix64(seed + s + i) & 255);
    std::uint32_t place = 0;
    for (unsigned m = 0; m < messages; ++m) {
      WriteRequest r = NicWire::request(1 + static_cast<std::uint32_t>(below(random_at(seed, s, m), 12 * 256)), m);
      r.local = place;
      r.remote = half + place;
      place += r.bytes;
      wire.ends[s].nic.post_write(m % 2, r, 1'500'000 * m + below(random_at(seed, 10 + s, m), 1'500'000));
    }
  }
}

RoceParams small_packets() {
  RoceParams p;
  p.mtu = 256_B;
  p.ack_interval = 4;
  p.retry_count = 0;
  return p;
}

std::string order(const NicWire& wire, unsigned s, unsigned qp) {
  std::string text;
  for (const Notice& n : wire.ends[s].notices)
    if (n.queue_pair == qp) text += (n.kind == Notice::arrived ? " a" : " c") + std::to_string(n.value);
  return text;
}

}  // namespace

TEST_CASE("random losses of 0.1 to 20 %: each message once and in order, 200 seeds", "[pure][roce]") {
  constexpr unsigned messages = 12;
  constexpr std::uint32_t half = messages * 12 * 256 + 256;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    RoceParams params = small_packets();
    params.nack_once = seed % 3 != 0;
    NicWire wire(params);
    wire.join(static_cast<std::uint32_t>(mix64(seed)) & Psn::mask, 0xFFFFF0);
    wire.join(0xFFFFFF, 3);
    const std::uint64_t permille = seed % 4 == 0 ? 1 : 1 + below(mix64(seed), 200);
    wire.fate = [&](unsigned s, const Packet&, unsigned nth) {
      const std::uint64_t r = random_at(seed, 100 + s, nth);
      return r % 1000 >= permille ? FrameFate::deliver
                                  : std::array<FrameFate, 4>{FrameFate::drop, FrameFate::corrupt, FrameFate::flip,
                                                             FrameFate::duplicate}[(r >> 32) % 4];
    };
    post(wire, seed, messages, half);
    wire.run();
    for (unsigned s = 0; s < 2; ++s) {
      REQUIRE(wire.times(s, Notice::arrived).size() == messages);
      REQUIRE(wire.times(s, Notice::completed).size() == messages);
      const auto& from = wire.ends[1 - s].memory.bytes;
      REQUIRE(std::memcmp(from.data(), wire.ends[s].memory.bytes.data() + half, wire.ends[s].memory.written) == 0);
      for (unsigned qp = 0; qp < 2; ++qp) {
        std::uint64_t last = 0;
        for (const Notice& n : wire.ends[s].notices)
          if (n.queue_pair == qp && n.kind == Notice::arrived) {
            REQUIRE((n.value == qp || n.value == last + 2));
            last = n.value;
          }
      }
      REQUIRE(wire.ends[s].nic.waiting().empty());
    }
    REQUIRE(wire.pool.live() == 0);
  }
}

TEST_CASE("windows of any length give the same picoseconds", "[pure][roce]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    RoceParams params = small_packets();
    params.dcqcn.on = true;
    NicWire events(params), windows(params);
    for (NicWire* wire : {&events, &windows}) {
      wire->join(), wire->join();
      wire->fate = [seed](unsigned s, const Packet& frame, unsigned nth) {
        const std::uint64_t r = random_at(seed, s, nth);
        if (is_write(roce(frame).kind) && r % 50 == 0) const_cast<RoceHeader&>(roce(frame)).ecn = 3;
        return (r >> 32) % 40 == 0 ? FrameFate::drop : FrameFate::deliver;
      };
      post(*wire, seed, 20, 20 * 12 * 256);
    }
    events.run();
    windows.run_in_windows(1 + below(mix64(seed), 1'020'000));  // 320 ns of wire and 700 ns to the first effect
    REQUIRE(events.frames.size() == windows.frames.size());
    for (unsigned s = 0; s < 2; ++s) {
      std::vector<std::array<Tick, 3>> a, b;
      for (const auto& f : events.frames)
        if (f.from == s) a.push_back({f.start, f.psn, static_cast<Tick>(f.kind)});
      for (const auto& f : windows.frames)
        if (f.from == s) b.push_back({f.start, f.psn, static_cast<Tick>(f.kind)});
      CHECK(a == b);
      CHECK(events.times(s, Notice::arrived) == windows.times(s, Notice::arrived));
      CHECK(events.times(s, Notice::completed) == windows.times(s, Notice::completed));
      for (unsigned qp = 0; qp < 2; ++qp) CHECK(order(events, s, qp) == order(windows, s, qp));
    }
  }
}

TEST_CASE("a million frames of random content are counted and dropped", "[pure][roce]") {
  NicWire wire;
  wire.join();
  wire.ends[1].memory.bytes.assign(4096, std::byte{1});
  std::uint64_t dropped = 0;
  RoceNicCore& nic = wire.ends[1].nic;
  const auto count = [](void* n, Tick, std::uint64_t) { ++*static_cast<std::uint64_t*>(n); };
  nic.malformed.attach(&dropped, count), nic.fcs_errors.attach(&dropped, count), nic.icrc_errors.attach(&dropped, count);
  Tick now = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    Packet* p = wire.pool.make(static_cast<unsigned>(random_at(1, 5, i) % 4096), false);
    std::uint64_t words[4];
    for (unsigned w = 0; w < 4; ++w) words[w] = random_at(1, w, i);
    std::memcpy(&roce(*p), words, sizeof words);
    p->damage = static_cast<std::uint8_t>(random_at(1, 6, i) % 8 == 0 ? random_at(1, 7, i) : 0);
    nic.receive(p, now += 7'000);
    nic.run_until(now);
  }
  wire.run();
  CHECK(dropped == 1'000'000);
  CHECK((wire.frames.empty() && wire.ends[1].notices.empty() && wire.ends[1].memory.written == 0));
  CHECK((nic.queue_pair(0).receive.expected() == 0x123456 && !nic.queue_pair(0).receive.in_message()));
  CHECK((nic.queue_pair(0).send.quiescent() && wire.pool.live() == 0));
}

TEST_CASE("invalid frames of a connection have no effect", "[pure][roce]") {
  NicWire wire;
  wire.join();
  RoceNicCore& nic = wire.ends[1].nic;
  wire.ends[1].memory.bytes.assign(4096, std::byte{1});
  const auto frame = [&](FrameKind kind, unsigned bytes) {
    Packet* p = make_frame(wire.pool, kind, bytes, false);
    RoceHeader& h = roce(*p);
    h.source = 0, h.destination = 1, h.queue_pair = 0x20000, h.psn = 0x123456;
    return p;
  };
  std::vector<Packet*> wrong{
      frame(FrameKind::write_middle, 1024), frame(FrameKind::write_last, 10),  frame(FrameKind::write_first, 1023),
      frame(FrameKind::write_only, 1025),   frame(FrameKind::ack, 1),          frame(FrameKind::cnp, 0),
      frame(FrameKind::aggregate, 1024),    frame(FrameKind::notification, 0), frame(FrameKind::datagram, 100),
      frame(FrameKind::write_only, 10),     frame(FrameKind::write_only, 10),  frame(FrameKind::write_only, 10),
      frame(FrameKind::write_only, 10),     frame(FrameKind::write_only, 10)};
  roce(*wrong[9]).address = 4087;
  roce(*wrong[10]).destination = 0;
  roce(*wrong[11]).source = 1;
  roce(*wrong[12]).queue_pair = 10;
  roce(*wrong[13]).psn |= 1u << 24;
  Tick now = 0;
  for (Packet* p : wrong) nic.receive(p, ++now);
  wire.run();
  CHECK((wire.frames.empty() && nic.queue_pair(0).receive.expected() == 0x123456 && wire.pool.live() == 0));
  nic.receive(frame(FrameKind::write_first, 1024), ++now);
  nic.receive(frame(FrameKind::write_first, 1024), ++now);  // a duplicate, which is acknowledged
  Packet* next = frame(FrameKind::write_only, 10);
  roce(*next).psn += 1;  // begins a message inside of another
  nic.receive(next, ++now);
  wire.run();
  CHECK((nic.queue_pair(0).receive.expected() == 0x123457 && wire.count(1, FrameKind::ack) == 1));
  CHECK(nic.waiting() == std::vector<std::string>{"qp0: a message has arrived in part, PSN 1193047 is next"});
}

}  // namespace tributary::test_roce_nic_random
