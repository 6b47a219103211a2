// Feeds of a NIC: a packet leaves when its data are there; the memory of the receiver may be timed.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testbench/test/harness/nic_wire.h"

namespace tributary::test_nic_feed {
namespace {

using Notice = NicWire::Notice;

/// Each packet has its data `delay` after it is asked for first, and they are of one value. Runs with the NIC's events.
struct SlowFeed : NicFeed, HostMemoryPort {
  struct Write {
    unsigned pair;
    std::uint64_t address;
    unsigned bytes;
    Tick when;
    int first;
  };
  explicit SlowFeed(Tick d, bool data = true) : delay(d), with_data(data) {}
  bool by_packet() const override { return true; }
  void posted(unsigned pair, const WriteRequest& request, Tick now) override {
    log.push_back("posted " + std::to_string(pair) + " " + std::to_string(request.bytes) + " at " + std::to_string(now));
  }
  Tick available(const Payload& p, Tick now) override {
    const auto place = std::pair(p.request, p.offset);
    Tick& when = ready[p.queue_pair][place];
    if (when == 0) when = now + delay, ++asked;
    if (when <= now) return when;
    waits.emplace(when, p.queue_pair);
    return never;
  }
  void nothing_left(unsigned pair, std::uint64_t unacknowledged) override { ended[pair] = unacknowledged; }
  Tick take(const Payload& p, std::byte* to, Tick now) override {
    CHECK(ready[p.queue_pair].at({p.request, p.offset}) <= now);
    ready[p.queue_pair].erase({p.request, p.offset});  // fetched again if it is sent again
    if (to != nullptr) std::memset(to, 0x21, p.bytes);
    taken += p.bytes;
    return 0;
  }
  void reset() override { ready.clear(), waits.clear(); }
  Tick next() const { return waits.empty() ? never : waits.begin()->first; }

  bool holds_data() const override { return with_data; }
  bool takes_time() const override { return true; }
  bool contains(std::uint64_t, std::uint64_t) const override { return true; }
  void read(std::uint64_t, std::byte*, unsigned) override { FAIL("the feed has the data"); }
  void write(std::uint64_t, const std::byte*, unsigned) override { FAIL("writes have a time"); }
  void write_at(const PayloadPlace& to, const std::byte* from, unsigned bytes, Tick when) override {
    writes.push_back({to.queue_pair, to.address, bytes, when, from == nullptr ? -1 : static_cast<int>(from[0])});
  }

  Tick delay;
  bool with_data;
  std::map<unsigned, std::map<std::pair<std::uint64_t, std::uint32_t>, Tick>> ready;
  std::multimap<Tick, unsigned> waits;
  std::map<unsigned, std::uint64_t> ended;
  std::vector<Write> writes;
  std::vector<std::string> log;
  unsigned asked = 0, taken = 0;
};

struct Fed {
  explicit Fed(Tick delay, bool data = true, const RoceParams& params = {})
      : wire(params), feeds{SlowFeed(delay, data), SlowFeed(delay, data)} {
    for (unsigned e = 0; e < 2; ++e) wire.ends[e].nic.connect(feeds[e], feeds[e]);
  }
  /// Runs from one event time to the next until nothing is pending. At one instant, the NICs run first.
  void run() {
    for (;;) {
      Tick now = never;
      for (unsigned e = 0; e < 2; ++e)
        now = std::min({now, wire.ends[e].nic.next(), wire.ends[e].links_next, feeds[e].next()});
      if (now == never) return;
      for (unsigned e = 0; e < 2; ++e) run(e, now);
    }
  }
  void run(unsigned e, Tick now) {
    RoceNicCore& nic = wire.ends[e].nic;
    while (nic.next() <= now) nic.run_until(now);
    while (feeds[e].next() <= now) {
      const unsigned pair = feeds[e].waits.begin()->second;
      feeds[e].waits.erase(feeds[e].waits.begin());
      nic.fed(pair, now);
    }
    while (nic.next() <= now) nic.run_until(now);
    wire.ends[e].finish(now);
  }
  NicWire wire;
  std::array<SlowFeed, 2> feeds;
};

constexpr Tick tx = 1'600'000, latency = 320'000, rx = 1'300'000;
constexpr Tick byte_time = 80;

}  // namespace

TEST_CASE("feed: a packet leaves when its data are there, and is written with its time", "[pure][roce]") {
  Fed fast(0), slow(900'000);
  for (Fed* f : {&fast, &slow}) {
    f->wire.join();
    f->wire.ends[0].nic.post_write(0, NicWire::request(3000, 7), 0);
    f->run();
  }
  REQUIRE(fast.wire.frames.size() >= 3);
  CHECK(fast.wire.frames[0].start == tx);
  CHECK(slow.wire.frames[0].start == tx + 900'000);
  CHECK(slow.wire.frames[1].start == tx + 2 * 900'000);  // asked for when the first one has left
  CHECK(slow.feeds[0].log == std::vector<std::string>{"posted 0 3000 at 1600000"});
  CHECK(slow.feeds[0].taken == 3000);
  CHECK(slow.feeds[0].ended[0] == 1);
  const auto& writes = slow.feeds[1].writes;
  REQUIRE(writes.size() == 3);
  CHECK((writes[0].address == 0 && writes[1].address == 1024 && writes[2].address == 2048 && writes[2].bytes == 952));
  CHECK(writes[0].first == 0x21);
  const std::vector<Tick> arrived = slow.wire.times(1, Notice::arrived);
  REQUIRE(arrived.size() == 1);
  CHECK(writes[2].when == arrived[0]);
  CHECK(writes[1].when == writes[0].when + 900'000 - 16 * byte_time);  // the first frame has a RETH of 16 B
  CHECK(writes[0].when > slow.wire.frames[0].start + latency + 1024 * byte_time + rx);
  CHECK(writes[0].when < slow.wire.frames[0].start + latency + 1124 * byte_time + rx);
}

TEST_CASE("feed: without data, payloads are written at the same times", "[pure][roce]") {
  Fed with(10'000), without(10'000, false);
  for (Fed* f : {&with, &without}) {
    f->wire.join();
    f->wire.ends[0].nic.post_write(0, NicWire::request(5000), 0);
    f->run();
  }
  REQUIRE(without.feeds[1].writes.size() == 5);
  for (unsigned i = 0; i < 5; ++i) {
    CHECK(without.feeds[1].writes[i].when == with.feeds[1].writes[i].when);
    CHECK(without.feeds[1].writes[i].first == -1);
  }
}

TEST_CASE("feed: a queue pair without data stops no other", "[pure][roce]") {
  Fed f(0);
  f.wire.join();
  f.wire.join();
  f.feeds[0].ready[0][{0, 0}] = 50'000'000;  // queue pair 0
  f.wire.ends[0].nic.post_write(0, NicWire::request(1000, 1), 0);
  f.wire.ends[0].nic.post_write(1, NicWire::request(1000, 2), 0);
  f.run();
  REQUIRE(f.wire.count(0, FrameKind::write_only_immediate) == 2);
  CHECK(f.wire.frames[0].start == tx);
  CHECK(f.wire.times(1, Notice::arrived).size() == 2);
  CHECK(f.wire.times(0, Notice::completed).back() > 50'000'000);
}

TEST_CASE("feed: packets that are sent again are asked for again", "[pure][roce]") {
  Fed f(40'000);
  f.wire.join();
  f.wire.fate = [](unsigned from, const Packet&, unsigned nth) {
    return from == 0 && nth == 2 ? FrameFate::drop : FrameFate::deliver;
  };
  f.wire.ends[0].nic.post_write(0, NicWire::request(8 * 1024, 3), 0);
  f.run();
  const unsigned sent = f.feeds[0].taken / 1024;
  CHECK(sent > 8);
  CHECK(f.wire.ends[0].nic.queue_pair(0).send.counts().retries == sent - 8);
  CHECK(f.feeds[1].writes.size() == 8);
  CHECK(f.wire.times(0, Notice::completed).size() == 1);
  CHECK(f.feeds[0].ended[0] == 1);
}

TEST_CASE("payload: header, data and padding of each packet of a message", "[pure][roce]") {
  WriteRequest r;
  r.bytes = 200, r.data_bytes = 100;
  CHECK((data_in(r, 0, 64).bytes == 64 && data_in(r, 64, 64).bytes == 36 && data_in(r, 128, 72).bytes == 0));
  CHECK((data_in(r, 64, 64).offset == 64 && data_in(r, 64, 64).before == 0));
  r.tagged = true;
  CHECK((data_in(r, 0, 64).before == 16 && data_in(r, 0, 64).offset == 0 && data_in(r, 0, 64).bytes == 48));
  CHECK((data_in(r, 8, 4).before == 4 && data_in(r, 8, 4).bytes == 0));
  CHECK((data_in(r, 64, 64).before == 0 && data_in(r, 64, 64).offset == 48 && data_in(r, 64, 64).bytes == 52));
  CHECK(data_in(r, 128, 72).bytes == 0);
}

}  // namespace tributary::test_nic_feed
