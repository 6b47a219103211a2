// Packets and payloads of a pool are separate and recycled.
#include <malloc.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include "modules/packet/packet.h"

namespace tributary::test_packet_pool {

TEST_CASE("packet pool: payloads of any size have cache lines of their own", "[pure][packet]") {
  for (const unsigned bytes : {16u, 128u, 1000u, 2048u, 9216u}) {
    PacketPool pool(PacketFraming{bytes, 16, 16});
    std::vector<Packet*> packets;
    std::set<std::uintptr_t> places;
    while (places.size() < 1000) {
      packets.push_back(pool.make(bytes, true));
      places.insert(reinterpret_cast<std::uintptr_t>(packets.back()->payload));
    }
    std::uintptr_t free_from = 0;
    for (const std::uintptr_t place : places) {
      CHECK(place % 64 == 0);
      CHECK(place >= free_from);
      free_from = place + bytes;
    }
    CHECK(pool.live() == 1000);
    for (Packet* p : packets) p->release();
    CHECK(pool.live() == 0);
    CHECK(places.count(reinterpret_cast<std::uintptr_t>(pool.make(bytes, true)->payload)) == 1);
  }
}

TEST_CASE("packet pool: the return of packets allocates nothing", "[pure][packet]") {
  PacketPool pool(PacketFraming{256, 16, 16});
  std::vector<Packet*> packets(200'000);
  for (Packet*& p : packets) p = pool.make(256, true);
  const auto bytes = [] {
    const struct mallinfo2 use = mallinfo2();
    return use.uordblks + use.hblkhd;
  };
  const std::size_t before = bytes();
  for (Packet* p : packets) p->release();
  CHECK(bytes() == before);
}

TEST_CASE("packet pool: a packet of a larger framing is not adopted with its data", "[pure][packet]") {
  PacketPool large(PacketFraming{4096, 16, 16}), small(PacketFraming{128, 16, 16});
  Packet* const p = large.make(200, true);
  CHECK_THROWS_AS(small.adopt(*p, p->payload), std::length_error);
  CHECK(small.live() == 0);
  Packet* const bare = small.adopt(*p, nullptr);
  CHECK(bare->payload_bytes == 200);
  bare->release();
  p->release();
}

}  // namespace tributary::test_packet_pool
