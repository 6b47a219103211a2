// Places of headers, payloads and sums of the slots of an accelerator, and edges of its clock.
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/payload_buffer.h"
#include "modules/netreduce/core/slot_storage.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_slot_storage {
namespace {

AggregationRing ring_of(unsigned hosts, std::uint16_t number) {
  RingFrames frames;
  frames.hosts = hosts;
  AggregationRing ring = frames.ring();
  ring.ring = number;
  return ring;
}

}  // namespace

TEST_CASE("rings have rows, payloads and sums of their own, one ring after another", "[pure][netreduce]") {
  PacketPool pool(framing_of<EthernetLink>(1024));
  HeaderStore headers;
  PayloadBuffer payloads;
  const AcceleratorParams params;
  const AcceleratorClock clock(params.clock.value);
  SlotStorage storage(params, clock, headers, payloads);
  const AggregationRing first = ring_of(3, 1), second = ring_of(2, 2);
  storage.add(first, 16, true);
  storage.add(second, 16, true);
  CHECK(storage.row(0, 0, 0) == 0);
  CHECK(storage.row(0, 15, 2) == 47);
  CHECK(storage.row(1, 0, 0) == 48);
  CHECK(storage.row(1, 2, 1) == 53);
  RingFrames frames;
  frames.hosts = 2;
  for (unsigned rank = 0; rank < 2; ++rank) {
    const std::vector<std::byte> data(1024, static_cast<std::byte>(rank + 1));
    Packet* const frame = frames.gradient(pool, rank, 0, 1, data.data());
    const SlotCommit commit{0, frame, 0, 1, 1, static_cast<std::uint16_t>(rank)};
    storage.store_header(commit, 2);
    CHECK(storage.store_payload(commit, 2) == commit.when);
    frame->release();
  }
  CHECK(storage.header(1, 2, 1, 0).entry.header.psn == frames.psn(1, 0, 1));
  CHECK(payloads.size() == std::uint64_t{16 * 3 + 2 * 2 + 2} * 1024);  // the second ring follows 16 slots of three ranks
  CombineTransaction t;
  storage.read_operands(1, 2, t);
  CHECK((t.operand[0][100] == std::byte{1} && t.operand[1][100] == std::byte{2}));
  CHECK(storage.sum(1, 2) == t.sum);
  CHECK(storage.sum(1, 3) == t.sum + 1024);
}

TEST_CASE("without data a slot has headers alone", "[pure][netreduce]") {
  HeaderStore headers;
  PayloadBuffer payloads;
  const AcceleratorParams params;
  const AcceleratorClock clock(params.clock.value);
  SlotStorage storage(params, clock, headers, payloads);
  const AggregationRing ring = ring_of(3, 1);
  storage.add(ring, 16, false);
  CombineTransaction t;
  storage.read_operands(0, 5, t);
  CHECK((t.operand == nullptr && t.sum == nullptr && storage.sum(0, 5) == nullptr));
}

TEST_CASE("edges of the accelerator's clock count from the begin of a run", "[pure][netreduce]") {
  AcceleratorClock clock(3103);
  CHECK(clock.edge(0) == 0);
  CHECK(clock.edge(1) == 3103);
  clock.align(10'000);  // 691 ps after an edge
  CHECK(clock.edge(10'000) == 10'000);
  CHECK(clock.edge(10'001) == 13'103);
  CHECK(clock.cycles(64) == 198'592);
}

}  // namespace tributary::test_slot_storage
