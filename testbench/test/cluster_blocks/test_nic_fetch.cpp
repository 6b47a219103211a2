// NicFetch: which reads a NIC issues, and when a packet has its data.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "modules/pcie/pcie_framing.h"
#include "platforms/cluster/nic_fetch.h"

namespace tributary::test_nic_fetch {
namespace {

/// A NIC of packets of 4096 B, reads of 1024 B and a window of 8 KiB. Byte a of the memory is a mod 251.
struct Bench {
  explicit Bench(const NicFetch::Config& config = {4096, 1024, 8192}) : fetch(config) {}
  static WriteRequest request(std::uint32_t bytes, std::uint64_t local = 0) {
    WriteRequest r;
    r.local = local;
    r.bytes = r.data_bytes = bytes;
    return r;
  }
  /// Issues all reads that are possible.
  std::vector<NicFetch::Read> issue() {
    std::vector<NicFetch::Read> reads;
    for (NicFetch::Read read; fetch.next_read(read);) reads.push_back(read);
    return reads;
  }
  /// Returns true if the queue pair of the read waits for the packet that is complete now.
  bool answer(const NicFetch::Read& read, Tick when) {
    Packet* const data = make_pcie(pool, {}, PcieKind::data, read.bytes, true);
    for (unsigned i = 0; i < read.bytes; ++i) data->payload[i] = std::byte((read.address + i) % 251);
    unsigned queue_pair = ~0u;
    const bool waits = fetch.answered(read.tag, data, when, queue_pair);
    CHECK(queue_pair == read.queue_pair);
    return waits;
  }
  std::vector<std::byte> take(const NicFeed::Payload& payload) {
    std::vector<std::byte> bytes(payload.bytes, std::byte{0xEE});
    fetch.take(payload, bytes.data());
    return bytes;
  }
  static bool is(const std::vector<std::byte>& bytes, std::uint64_t address) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] != std::byte((address + i) % 251)) return false;
    return true;
  }

  PacketPool pool{framing_of<Pcie>(4096)};
  NicFetch fetch;
};

/// Packet i of request `number`, whose message has `bytes` bytes.
NicFeed::Payload packet(unsigned queue_pair, std::uint64_t number, std::uint32_t i, std::uint32_t bytes = 1 << 20,
                        std::uint64_t unacknowledged = 0) {
  const std::uint32_t offset = i * 4096;
  return {queue_pair, number, unacknowledged, offset, std::min(4096u, bytes - offset)};
}

}  // namespace

TEST_CASE("fetch: reads are cut to their largest size, and at most a window is in flight", "[pure][cluster]") {
  Bench b;
  b.fetch.posted(0, Bench::request(10'000, 500));
  const auto reads = b.issue();
  REQUIRE(reads.size() == 8);
  for (unsigned i = 0; i < 8; ++i) CHECK((reads[i].address == 500 + 1024 * i && reads[i].bytes == 1024));
  CHECK(b.fetch.in_flight() == 8192);
  CHECK(b.fetch.available(packet(0, 0, 0)) == never);
  for (unsigned i = 0; i < 4; ++i) CHECK(b.answer(reads[i], 1000 + i) == (i == 3));
  CHECK(b.fetch.available(packet(0, 0, 0)) == 1003);
  CHECK(b.issue().empty());  // its data are not sent: they count
  CHECK(Bench::is(b.take(packet(0, 0, 0)), 500));
  const auto more = b.issue();
  REQUIRE(more.size() == 2);
  CHECK((more[0].address == 500 + 8192 && more[0].bytes == 1024 && more[1].bytes == 10'000 - 9216));
  // The last packet has 1808 B. Answers may change their order.
  for (unsigned i = 4; i < 8; ++i) b.answer(reads[i], 2000);
  CHECK(Bench::is(b.take(packet(0, 0, 1)), 500 + 4096));
  CHECK(b.fetch.available(packet(0, 0, 2, 10'000)) == never);
  CHECK_FALSE(b.answer(more[1], 3000));
  CHECK(b.answer(more[0], 3500));
  CHECK(b.fetch.available(packet(0, 0, 2, 10'000)) == 3500);
  CHECK(Bench::is(b.take(packet(0, 0, 2, 10'000)), 500 + 8192));
  CHECK(b.pool.live() == 0);
}

TEST_CASE("fetch: queue pairs fetch in turn, and one that cannot send stops no other", "[pure][cluster]") {
  Bench b;
  b.fetch.posted(0, Bench::request(1 << 20));
  b.fetch.posted(2, Bench::request(1 << 20));
  auto reads = b.issue();
  REQUIRE(reads.size() == 8);
  for (unsigned i = 0; i < 8; ++i) CHECK(reads[i].queue_pair == (i % 2 == 0 ? 0u : 2u));
  // Queue pair 2 sends nothing, until it has a window of data; queue pair 0 goes on.
  unsigned of_two = 4, sent = 0;
  for (unsigned round = 0; round < 100; ++round) {
    for (const NicFetch::Read& read : reads) b.answer(read, round);
    if (b.fetch.available(packet(0, 0, sent)) != never) b.take(packet(0, 0, sent++));
    reads = b.issue();
    for (const NicFetch::Read& read : reads) of_two += read.queue_pair == 2;
  }
  CHECK(of_two == 8);
  CHECK(sent == 100);
}

TEST_CASE("fetch: after a rewind the packets are fetched again", "[pure][cluster]") {
  Bench b({4096, 4096, 16'384});
  b.fetch.posted(0, Bench::request(1 << 20));
  auto reads = b.issue();
  REQUIRE(reads.size() == 4);
  for (const auto& read : reads) b.answer(read, 10);
  for (unsigned i = 0; i < 3; ++i) b.take(packet(0, 0, i));
  reads = b.issue();  // packets 4 to 6
  REQUIRE(reads.size() == 3);
  CHECK(b.fetch.available(packet(0, 0, 1)) == never);  // rewound to packet 1
  CHECK(b.fetch.dropped_bytes() == 4096);              // packet 3; packets 4 to 6 still arrive
  const auto again = b.issue();
  REQUIRE(again.size() == 1);  // the others are in flight
  CHECK(again[0].address == 4096);
  for (const auto& read : reads) CHECK_FALSE(b.answer(read, 20));
  CHECK(b.fetch.dropped_bytes() == 4 * 4096);
  CHECK(b.answer(again[0], 30));
  CHECK(b.fetch.available(packet(0, 0, 1)) == 30);
  CHECK(Bench::is(b.take(packet(0, 0, 1)), 4096));
  for (const auto& read : b.issue()) b.answer(read, 40);
  // An ACK of the packets sent before the rewind: packet 4 is next.
  CHECK(b.fetch.available(packet(0, 0, 4)) == 40);
  CHECK(Bench::is(b.take(packet(0, 0, 4)), 4 * 4096));
  b.fetch.nothing_left(0, 1);
  CHECK(b.fetch.in_flight() == 0);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("fetch: only the data of a message are read, not its header and padding", "[pure][cluster]") {
  Bench b({4096, 4096, 65'536});
  WriteRequest r = Bench::request(3 * 4096, 7000);
  r.tagged = true, r.data_bytes = 4100;
  b.fetch.posted(0, r);
  b.fetch.posted(0, Bench::request(0));
  b.fetch.posted(0, Bench::request(64, 100));
  const auto reads = b.issue();
  REQUIRE(reads.size() == 3);
  CHECK((reads[0].address == 7000 && reads[0].bytes == 4080));
  CHECK((reads[1].address == 7000 + 4080 && reads[1].bytes == 20));
  CHECK((reads[2].address == 100 && reads[2].bytes == 64));
  CHECK(b.fetch.available(packet(0, 0, 0)) == never);
  CHECK(b.answer(reads[0], 5));
  const auto first = b.take(packet(0, 0, 0));
  CHECK((first[15] == std::byte{0xEE} && first[16] == std::byte(7000 % 251)));  // the NIC writes the header
  b.answer(reads[1], 6);
  CHECK(b.fetch.available(packet(0, 0, 1)) == 6);
  b.take(packet(0, 0, 1));
  CHECK(b.fetch.available(packet(0, 0, 2)) == 0);
  b.take(packet(0, 0, 2));
  CHECK(b.fetch.available({0, 1, 1, 0, 0}) == 0);
  b.take({0, 1, 1, 0, 0});
  CHECK(b.fetch.available({0, 2, 2, 0, 64}) == never);
  CHECK(b.answer(reads[2], 9));
  CHECK(Bench::is(b.take({0, 2, 2, 0, 64}), 100));
}

TEST_CASE("fetch: what a queue pair does not send any more is dropped", "[pure][cluster]") {
  Bench b({4096, 4096, 16'384});
  b.fetch.posted(0, Bench::request(8192));
  const auto reads = b.issue();
  b.answer(reads[0], 1);
  b.fetch.nothing_left(0, 1);  // all is acknowledged
  CHECK(b.pool.live() == 0);
  CHECK_FALSE(b.answer(reads[1], 2));
  CHECK(b.pool.live() == 0);
  CHECK(b.issue().empty());
  b.fetch.posted(0, Bench::request(64, 300));
  CHECK(b.fetch.available({0, 1, 1, 0, 64}) == never);
  const auto next = b.issue();
  REQUIRE(next.size() == 1);
  CHECK(next[0].address == 300);
  b.fetch.reset();
  CHECK(b.fetch.in_flight() == 0);
}

}  // namespace tributary::test_nic_fetch
