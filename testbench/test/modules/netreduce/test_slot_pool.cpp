// Slots that rings share in time (docs/systems/netreduce.md#admission).
#include <catch2/catch.hpp>

#include "modules/netreduce/core/accelerator_memory.h"
#include "modules/netreduce/core/slot_pool.h"
#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_slot_pool {
namespace {

using Answer = SlotPool::Answer;

/// Two rings of two ranks each, with messages of four packets. PSNs of ring r and rank m begin at 16777214 + 100 m, so that
/// those of rank 0 wrap in message 0.
struct Pool {
  explicit Pool(std::uint32_t messages) : pool({ring(0), ring(1)}, messages) {}
  static AggregationRing ring(std::uint16_t number) {
    AggregationRing r;
    r.ring = number;
    r.message_packets = 4;
    for (std::uint16_t m = 0; m < 2; ++m) r.members.push_back({{}, m, m, answer(number, m), psn(m, 0)});
    return r;
  }
  static ConnectionKey answer(unsigned ring, unsigned member) {
    return {static_cast<std::uint16_t>(10 * ring + member), static_cast<std::uint16_t>(10 * ring + 1 - member), 7};
  }
  static std::uint32_t psn(unsigned member, unsigned packet) { return Psn::add(0xFFFFFE, 100 * member + packet); }
  /// The receiver of a member's packets has all of them up to packet `last`.
  void acknowledge(unsigned ring, unsigned member, unsigned last) {
    pool.acknowledged(answer(ring, member), psn(member, last));
  }
  SlotPool pool;
};

}  // namespace

TEST_CASE("slot pool: a message returns its slots when all ranks have acknowledged it", "[pure][netreduce]") {
  Pool p(2);
  CHECK(p.pool.admit(0, 0) == Answer::granted);
  CHECK(p.pool.admit(0, 0) == Answer::granted);  // further packets
  CHECK(p.pool.admit(0, 2) == Answer::waits);    // messages in order
  CHECK(p.pool.admit(0, 1) == Answer::granted);
  CHECK(p.pool.free() == 0);
  CHECK(p.pool.waits() == 0);
  p.acknowledge(0, 0, 7);
  p.acknowledge(0, 1, 2);
  CHECK(p.pool.free() == 0);
  p.acknowledge(0, 1, 3);
  CHECK(p.pool.free() == 1);
  CHECK(p.pool.admit(0, 0) == Answer::finished);
  CHECK(p.pool.admit(0, 1) == Answer::granted);
  p.acknowledge(0, 1, 3);  // again, and an older one
  p.acknowledge(0, 1, 1);
  CHECK(p.pool.free() == 1);
  p.acknowledge(0, 1, 7);
  CHECK(p.pool.free() == 2);
  p.pool.acknowledged({1, 2, 3}, 5);  // belongs to no connection
  CHECK(p.pool.free() == 2);
}

TEST_CASE("slot pool: a ring that waits gets the next free slots before others", "[pure][netreduce]") {
  Pool p(2);
  p.pool.admit(0, 0), p.pool.admit(0, 1);
  CHECK(p.pool.admit(1, 0) == Answer::waits);
  CHECK(p.pool.admit(1, 0) == Answer::waits);  // one wait
  CHECK(p.pool.waits() == 1);
  REQUIRE(p.pool.waiting().size() == 1);
  CHECK(p.pool.waiting().front() == "ring1 waits for the slots of message 0; 2 messages of all rings have slots");
  p.acknowledge(0, 0, 3), p.acknowledge(0, 1, 3);
  CHECK(p.pool.admit(0, 2) == Answer::waits);  // the free slots are reserved
  CHECK(p.pool.waits() == 2);
  CHECK(p.pool.admit(1, 0) == Answer::granted);
  CHECK(p.pool.admit(1, 1) == Answer::waits);  // behind ring 0
  p.acknowledge(0, 0, 7), p.acknowledge(0, 1, 7);
  CHECK(p.pool.admit(1, 1) == Answer::waits);
  CHECK(p.pool.admit(0, 2) == Answer::granted);
  p.acknowledge(1, 0, 3), p.acknowledge(1, 1, 3);
  CHECK(p.pool.admit(1, 1) == Answer::granted);
  CHECK(p.pool.waiting().empty());
  CHECK_THROWS_AS(Pool(0), std::invalid_argument);
}

TEST_CASE("slot pool: memory is divided into messages of the ring that needs most", "[pure][netreduce]") {
  RingFrames two, six;
  two.hosts = 2;
  const std::vector<AggregationRing> rings{two.ring(), six.ring()};
  const AcceleratorMemory each = memory_of_message(rings, {}, SlotValue::stored);
  CHECK(each.payload == 4u * 6 * 1024);
  CHECK(each.value == 4u * 1024);
  CHECK(shared_messages(rings, {}, SlotValue::stored, 3 * each.bytes()) == 3);
  CHECK(shared_messages(rings, {}, SlotValue::stored, 3 * each.bytes() - 1) == 2);
  CHECK((each * 3).bytes() == 3 * each.bytes());
}

}  // namespace tributary::test_slot_pool
