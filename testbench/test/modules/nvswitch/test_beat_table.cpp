// Tests beat tables: the reference answers exactly as the reduction table does, and errors name a table that breaks its
// rules.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/base/random.h"
#include "modules/nvswitch/core/beat_sequencer.h"
#include "modules/nvswitch/core/reduction_table.h"
#include "modules/nvswitch/core/reference_beat_table.h"
#include "modules/protocol/nvlink.h"

namespace tributary::test_beat_table {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;
using Catch::Matchers::Contains;

namespace {

constexpr Tick flit = 640, packet_time = 9 * flit;

/// Creates a packet with random lanes, equal for each pool.
Packet* operand(PacketPool& pool, std::uint64_t block, unsigned count, unsigned bytes, ElementType type,
                std::uint64_t seed) {
  Packet* p = pool.make(bytes, true);
  NvHeader& h = nv(*p);
  h.address = block * block_bytes, h.count = static_cast<std::uint16_t>(count), h.type = type;
  h.source = static_cast<std::uint16_t>(seed % 16);
  for (unsigned i = 0; i < bytes / 4; ++i) {
    const auto lane = static_cast<std::uint32_t>(random_at(seed, 7, i)) & (type == ElementType::f32 ? 0x43FFFFFFu : ~0u);
    std::memcpy(p->payload + 4 * i, &lane, 4);
  }
  return p;
}

std::string text_of(const Packet* p) {
  if (p == nullptr) return "-";
  return std::to_string(nv(*p).address) + "/" + std::to_string(nv(*p).source) + ":" +
         std::string(reinterpret_cast<const char*>(p->payload), p->payload_bytes);
}

/// Runs the same traffic on a reduction table and on beats; compares and releases the emitted packets.
struct Pair {
  Pair(unsigned entries, Tick timeout)
      : table(entries * block_bytes, timeout), beats(entries, timeout), sequencer("table", beats, 25_GBps) {}
  ~Pair() { table.reset(); }

  PacketPool pool{NvLink{}}, other_pool{NvLink{}};
  ReductionTable table;
  ReferenceBeatTable beats;
  BeatSequencer sequencer;

  TableTransaction access(TableTransaction t, Packet* mine, Packet* other) {
    TableTransaction u = t;
    t.packet = mine, u.packet = other;
    table.access(t);
    sequencer.access(u);
    REQUIRE(u.timing.interval == 0);  // at line rate
    REQUIRE(u.answer == t.answer);
    REQUIRE(u.next_timeout == t.next_timeout);
    if (t.result != nullptr || t.evicted != nullptr) REQUIRE(u.count == t.count);
    REQUIRE(text_of(u.result) == text_of(t.result));
    REQUIRE(text_of(u.evicted) == text_of(t.evicted));
    const bool back = t.answer == Answer::bypassed || t.answer == Answer::missed;
    for (Packet* p : {t.result, t.evicted, u.result, u.evicted, back ? mine : nullptr, back ? other : nullptr})
      if (p != nullptr) p->release();
    return t;
  }
};

}  // namespace

TEST_CASE("the reference beat table answers as the reduction table does, bit for bit", "[pure][beats]") {
  const unsigned entries = GENERATE(1u, 2u, 8u, 32u);
  const ElementType type = GENERATE(ElementType::i32, ElementType::f32, ElementType::bf16);
  Pair tables(entries, 200'000);
  const std::uint64_t seed = entries * 8 + static_cast<unsigned>(type);
  std::uint64_t index = 0;
  const auto draw = [&](std::uint64_t bound) { return below(random_at(seed, 1, index++), bound); };
  std::array<unsigned, 7> answers{};
  Tick now = 0, timeout = never;
  for (unsigned i = 0; i < 4000; ++i) {
    now += draw(32) == 0 ? draw(400'000) : packet_time;
    TableTransaction t;
    t.now = now;
    while (timeout <= now) {
      t.command = Command::expire;
      timeout = tables.access(t, nullptr, nullptr).next_timeout;
    }
    const std::uint64_t block = 1 + draw(entries + 2), kind = draw(8);
    t.expected = 4;
    t.requester = static_cast<std::uint16_t>(block % 3);
    t.address = (100 + block) * block_bytes;
    t.first_hop = block % 2 == 0;
    Packet *mine = nullptr, *other = nullptr;
    if (kind == 0) {
      t.command = Command::allocate;
    } else {
      const bool push = kind < 6;
      t.command = push ? Command::push : Command::collect;
      const unsigned bytes = !push && block % 4 == 0 ? 48 : 128;
      mine = operand(tables.pool, push ? block : 100 + block, 1, bytes, type, index);
      other = operand(tables.other_pool, push ? block : 100 + block, 1, bytes, type, index);
    }
    const auto asked = [&](const std::string& line) { return line.find("block " + std::to_string(100 + block) + " ") == 0; };
    const std::vector<std::string> waiting = tables.table.waiting();
    // a GPU has one request per block at a time
    if (kind == 0 && std::any_of(waiting.begin(), waiting.end(), asked)) continue;
    TableTransaction done = tables.access(t, mine, other);
    ++answers[static_cast<unsigned>(done.answer)];
    if (done.answer == Answer::completed) {
      t.address = (t.command == Command::push ? block : 100 + block) * block_bytes;
      if (t.command == Command::push) t.requester = TableTransaction::no_requester;
      t.command = Command::finish, t.now = now += packet_time;
      done = tables.access(t, nullptr, nullptr);
    }
    timeout = done.next_timeout;
    REQUIRE(tables.sequencer.waiting().size() == tables.table.waiting().size());
  }
  for (const Answer a : {Answer::inserted, Answer::merged, Answer::completed, Answer::missed})
    CHECK(answers[static_cast<unsigned>(a)] > 50);
  if (entries > 2) CHECK(answers[static_cast<unsigned>(Answer::refused)] > 0);
  // A whole block needs exactly a header and eight beats, each in its own clock.
  CHECK(tables.sequencer.edges() < 4000 * 2 * 10);
}

namespace {

/// The reference with a fault.
class FaultyTable : public ReferenceBeatTable {
 public:
  enum class Fault { none, slow, silent, forgets, talks };
  explicit FaultyTable(Fault fault) : ReferenceBeatTable(2, 2'000'000), fault_(fault) {}
  Out clock(const In& in) override {
    clocks.push_back(in.clock);
    if (fault_ == Fault::slow && in.data_valid && ++stalls_ % 2 != 0) return {false, false, {}, false, {}};
    Out out = ReferenceBeatTable::clock(in);
    if (fault_ == Fault::silent) out.answer_valid = false;
    if (fault_ == Fault::forgets && out.answer.answer == Answer::completed) --out.answer.count;
    if (fault_ == Fault::talks && in.header_valid) out.data_valid = true;
    return out;
  }
  std::vector<std::uint64_t> clocks;

 private:
  Fault fault_;
  unsigned stalls_ = 0;
};

/// Adds two operands of block 5, which expects two. Returns the interval of the second one.
Tick add_two(FaultyTable& table) {
  PacketPool pool{NvLink{}};
  BeatSequencer sequencer("port3.table", table, 25_GBps);
  Tick interval = 0;
  for (unsigned i = 0; i < 2; ++i) {
    TableTransaction t;
    t.packet = operand(pool, 5, 1, 128, ElementType::i32, i);
    t.expected = 2;
    t.now = i * 100 * flit;
    sequencer.access(t);
    interval = t.timing.interval;
    if (t.result != nullptr) t.result->release();
  }
  return interval;
}

}  // namespace

TEST_CASE("a table that stalls beats lengthens the service by the stalled clocks", "[pure][beats]") {
  FaultyTable line_rate(FaultyTable::Fault::none), slow(FaultyTable::Fault::slow);
  CHECK(add_two(line_rate) == 0);
  CHECK(add_two(slow) == 8 * flit);  // every beat is repeated once
}

TEST_CASE("clocks of a command are consecutive, and idle times are skipped", "[pure][beats]") {
  FaultyTable table(FaultyTable::Fault::none);
  add_two(table);
  REQUIRE(table.clocks.size() == 18);
  for (unsigned i = 0; i < 9; ++i) {
    CHECK(table.clocks[i] == i);
    CHECK(table.clocks[9 + i] == 100 + i);
  }
}

TEST_CASE("an error names a table that breaks its rules, and the port does not hang", "[pure][beats]") {
  using Fault = FaultyTable::Fault;
  FaultyTable silent(Fault::silent), forgets(Fault::forgets), talks(Fault::talks);
  CHECK_THROWS_WITH(add_two(silent), Contains("port3.table needs more than 65536 clocks"));
  CHECK_THROWS_WITH(add_two(forgets), Contains("port3.table completes block 5 with 1 operands, but received 2 of 2"));
  CHECK_THROWS_WITH(add_two(talks), Contains("port3.table returns data before its answer"));
}

TEST_CASE("waiting() names the operands that a beat table holds", "[pure][beats]") {
  ReferenceBeatTable table(2, 2'000'000);
  PacketPool pool{NvLink{}};
  BeatSequencer sequencer("table", table, 25_GBps);
  TableTransaction t;
  t.packet = operand(pool, 9, 3, 128, ElementType::i32, 1);
  t.expected = 16;
  sequencer.access(t);
  CHECK(t.next_timeout == 2'000'000);
  CHECK(sequencer.waiting() == std::vector<std::string>{"block 9 has 3 of 16 operands"});
  sequencer.reset();
  CHECK(sequencer.waiting().empty());
  CHECK(pool.live() == 0);
}

}  // namespace tributary::test_beat_table
