// Tests how far links run before all credits are known, and the safe times that a device gives to its neighbours.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "modules/base/random.h"
#include "modules/link/core/nvlink_links.h"

namespace tributary::test_outgoing_links {
namespace {

constexpr Tick latency = 20'000, flit_time = 640;

NvLinkTransmitter transmitter(unsigned credits) {
  return NvLinkTransmitter(NvLinkTransmitter::Config{LinkParams{}, credits, 0});
}

void push(NvLinkTransmitter& tx, PacketPool& pool, unsigned vc, Tick ready, unsigned payload = block_bytes) {
  Packet* p = pool.make(payload, false);
  p->vc = static_cast<std::uint8_t>(vc);
  tx.push(p, vc, flits_of<NvLink>(*p), ready, ready);
}

struct Credit {
  unsigned vc, flits;
  Tick when;
};

/// A link whose far end returns the space of every packet some time after its tail.
struct Loop {
  explicit Loop(unsigned credits) : tx(transmitter(credits)) {}
  Tick run(Tick horizon) {
    return tx.run_until(horizon, [&](const NvLinkTransmitter::Sent& s) {
      starts.push_back(s.head - latency - flit_time);
      returns.push_back(
          {s.packet->vc, flits_of<NvLink>(*s.packet), s.tail + latency + random_at(7, 1, starts.size()) % 100'000});
      s.packet->release();
    });
  }
  NvLinkTransmitter tx;
  std::vector<Tick> starts;
  std::vector<Credit> returns;
};

/// Records the calls of a device.
struct Wires : LinkOutput {
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick until) override {
    if (count != 0) CHECK(first >= safe_until[port]);
    for (unsigned i = 0; i < count; ++i) {
      if (i != 0) CHECK(packets[i].after > packets[i - 1].after);
      packets[i].packet->release();
    }
    ++calls;
    packets_from[port] += count;
    safe_until[port] = std::max(safe_until[port], until);
  }
  void return_credits(unsigned port, Tick first, const LinkCredit*, unsigned count, Tick until) override {
    if (count != 0) CHECK(first >= credits_safe_until[port]);
    credits_from[port] += count;
    credits_safe_until[port] = std::max(credits_safe_until[port], until);
  }
  std::array<Tick, 16> safe_until{}, credits_safe_until{};
  std::array<unsigned, 16> packets_from{}, credits_from{};
  unsigned calls = 0;  // calls with packets, a safe time, or both
};

}  // namespace

TEST_CASE("a link may run until its known credits could be spent", "[pure][links]") {
  NvLinkTransmitter tx = transmitter(100);
  // 91 flits of 640 ps pass before it could lack room for a packet of 9.
  CHECK(tx.decided_until(5'000, 1'000) == 1'000 + 91 * flit_time);
  CHECK(tx.decided_until(900'000, 1'000) == 900'000);
  PacketPool pool{NvLink{}};
  for (unsigned i = 0; i < 11; ++i) push(tx, pool, 1, 0);
  std::uint64_t sent = 0;
  tx.run_until(70'000, [&](const NvLinkTransmitter::Sent& s) { ++sent, s.packet->release(); });
  CHECK(sent == 11);  // VC 1 has 1 flit left, so it may lack room immediately
  CHECK(tx.decided_until(70'000, 70'001) == 70'000);
  tx.credit(1, 30, 80'000);
  CHECK(tx.decided_until(79'999, 70'001) == 79'999);  // unknown credits may precede known ones
  CHECK(tx.decided_until(80'000, 70'001) == 70'001 + (31 - 9) * flit_time);
}

TEST_CASE("the decisions of a link within its reach do not depend on unknown credits", "[pure][links]") {
  unsigned beyond = 0;  // windows in which the link ran past the known credits
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PacketPool pool{NvLink{}};
    const unsigned credits = seed % 2 == 0 ? 40 : 150;  // never enough; mostly enough
    Loop all(credits), planned(credits);
    for (std::uint64_t i = 0; i < 400; ++i) {
      const std::uint64_t r = random_at(seed, 2, i);
      for (Loop* loop : {&all, &planned}) push(loop->tx, pool, r % 2, i * 4'000 + r % 3'000, static_cast<unsigned>(r % 129));
    }
    std::size_t given = 0;  // one link knows every credit as soon as it is in flight
    for (Tick t = 0; all.starts.size() < 400; t += 5'000) {
      all.run(t);
      for (; given < all.returns.size(); ++given)
        all.tx.credit(all.returns[given].vc, all.returns[given].flits, all.returns[given].when);
    }
    std::vector<bool> known(400, false);  // the other link knows it at the latest moment
    Tick done = 0;
    while (planned.starts.size() < 400) {
      // credits of its next packets cannot return before
      const Tick until = done + 20'000 + random_at(seed, 3, done) % 20'000;
      for (std::size_t i = 0; i < planned.returns.size(); ++i) {
        const Credit& c = planned.returns[i];
        if (known[i] || c.when >= until) continue;
        planned.tx.credit(c.vc, c.flits, c.when);
        known[i] = true;
      }
      const Tick reach = planned.tx.decided_until(until - 1, done + 1);
      beyond += reach > until - 1 ? 1 : 0;
      done = std::max(done, reach);
      planned.run(done);
    }
    CHECK(planned.starts == all.starts);
  }
  CHECK(beyond > 100);
}

TEST_CASE("safe times hold, and grow from window to window", "[pure][links]") {
  PacketPool pool{NvLink{}};
  NvLinkTransmitter a = transmitter(60), b = transmitter(60);
  Wires wires;
  NvOutgoingLinks links({&a, &b}, wires);
  const auto ignore = [](const NvLinkTransmitter::Sent&) {};
  std::array<Tick, 2> known{};
  Tick horizon = 0;  // horizon of the core: its actions are later
  for (Tick now = 0; now < 2'000'000; now = links.done() + 1) {
    known = {now + 20'000, std::max(known[1], now + 20'000 + random_at(1, 1, now) % 100'000)};
    links.decide(now, known.data());
    const Tick before = horizon, least = std::min(links.decided_until(0), links.decided_until(1));
    horizon = std::max(before, least + random_at(1, 2, now) % 50'000);
    for (unsigned p = 0; p < 2; ++p) {
      CHECK(links.decided_until(p) >= known[p] - 1);
      push(links[p], pool, now / 1000 % 2, before + 1);
      links.sending(p);
      if (horizon > before) links.free(p, horizon, 0, 9);
    }
    const Tick next = links.finish(horizon, ignore);
    CHECK(next > least);
    CHECK(links.done() <= horizon);
    for (unsigned p = 0; p < 2; ++p) {
      CHECK(wires.safe_until[p] == std::min(horizon, links.decided_until(p)) + 1 + latency + flit_time);
      CHECK(wires.credits_safe_until[p] == horizon + 1);
    }
  }
  CHECK((wires.packets_from[0] > 5 && wires.credits_from[0] > 5));
  links.reset();
  CHECK(pool.live() == 0);
}

TEST_CASE("packets sent before a window ends are delivered with the rest of the window", "[pure][links]") {
  PacketPool pool{NvLink{}};
  NvLinkTransmitter a = transmitter(1'000), b = transmitter(1'000);
  Wires wires;
  NvOutgoingLinks links({&a, &b}, wires);
  const auto ignore = [](const NvLinkTransmitter::Sent&) {};
  const Tick packet = 9 * flit_time;
  for (const bool planned : {false, true}) {
    const Tick start = planned ? 1'000'000 : 0;
    const std::array<Tick, 2> known{start + 500'000, start + 500'000};
    if (planned) links.decide(start, known.data());
    for (unsigned i = 0; i < 4; ++i) push(a, pool, i % 2, start);
    links.sending(0);
    CHECK(links.run(0, start + packet, ignore) == start + 2 * packet);  // two packets
    push(b, pool, 0, start + 100);
    links.sending(1);
    CHECK(links.run(1, start + 200, ignore) == never);  // all packets
    CHECK(wires.calls == 0);
    links.finish(start + 10 * packet, ignore);
    CHECK(wires.calls == 2);
    CHECK((wires.packets_from[0] == 4 && wires.packets_from[1] == 1));
    CHECK(pool.live() == 0);
    wires.calls = 0, wires.packets_from.fill(0);
  }
  push(a, pool, 0, 2'000'000);
  links.sending(0);
  links.run(0, 2'000'000, ignore);
  links.reset();  // in the middle of a window
  CHECK(pool.live() == 0);
  wires.safe_until.fill(0);
  push(a, pool, 0, 0);
  links.sending(0);
  links.finish(1'000, ignore);
  CHECK(wires.packets_from[0] == 1);
}

}  // namespace tributary::test_outgoing_links
