// A reduction table in RTL: its clocks as interval and latency, and answers that are named.
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <memory>

#include "modules/base/element_limits.h"
#include "modules/nvswitch/core/reduction_table_pins.h"
#include "modules/nvswitch/core/reference_beat_table.h"
#include "modules/protocol/nvlink.h"
#include "modules/rtl/core/reduction_table_beats.h"
#include "testbench/test/modules/rtl/delay_model.h"

namespace tributary::test_reduction_table_beats {

using Catch::Matchers::Contains;
using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

namespace {

constexpr unsigned entries = 4;

struct Options {
  unsigned add_cycles = 2;  ///< from a beat of an operand to that of the sum, at least 1
  unsigned waits = 0;       ///< clocks until a header is accepted
  unsigned id = 0;          ///< added to the numbers of decisions
  unsigned sum_id = 0;      ///< added to the numbers of sums
  bool no_last = false;
  unsigned more = 0;  ///< beats beyond those of a sum
};

/// The rules of ReferenceBeatTable with the pins of RTL. Its registers are not saved.
class TableModel : public RtlModel {
 public:
  explicit TableModel(const Options& options) : options_(options), table_(entries, 2'000'000), sums_(options.add_cycles) {
    for (const FlatPin& pin : flat_pins(reduction_table_pins())) {
      std::vector<std::uint8_t>& bytes = storage_[pin.name];
      bytes.resize(storage_bytes(pin.bits));
      pins.add(pin.name.c_str(), bytes.data(), bytes.size());
    }
  }
  void eval() override {
    set("s_ready", get("s_header") == 0 || waited_ >= options_.waits);
    const bool clk = get("clk") != 0;
    if (clk && !clk_) rise();
    clk_ = clk;
  }

 private:
  struct Sum {
    Beat data;
    std::uint64_t id = 0;
    bool valid = false, last = false;
  };
  std::uint64_t get(const char* pin) const {
    std::uint64_t value = 0;
    const std::vector<std::uint8_t>& bytes = storage_.at(pin);
    std::memcpy(&value, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    return value;
  }
  void set(const char* pin, std::uint64_t value) {
    std::memcpy(storage_.at(pin).data(), &value, std::min<std::size_t>(8, storage_.at(pin).size()));
  }
  void rise() {
    const bool reset = get("rst_n") == 0, accepted = get("s_valid") != 0 && get("s_ready") != 0;
    set("a_valid", 0);
    Sum sum;
    if (reset) {
      table_.reset();
      sums_.assign(options_.add_cycles, Sum());
      waited_ = 0;
    } else if (get("s_valid") != 0 && !accepted) {
      ++waited_;
    } else if (accepted) {
      sum = clock();
    } else if (more_ != 0) {
      --more_;
      sum.valid = true, sum.id = id_ + options_.sum_id;
    }
    sums_.push_back(sum);
    sums_.pop_front();
    const Sum& out = sums_.front();
    set("m_valid", out.valid);
    set("m_last", out.last && !options_.no_last);
    set("m_id", out.id & 0xFF);
    std::memcpy(storage_.at("m_data").data(), &out.data, sizeof out.data);
  }
  Sum clock() {
    BeatTable::In in;
    in.header_valid = get("s_header") != 0;
    in.data_valid = !in.header_valid;
    if (in.header_valid) {
      id_ = get("s_id"), waited_ = 0;
      in.header = {static_cast<Command>(get("s_command")),
                   get("s_first_hop") != 0,
                   static_cast<ElementType>(get("s_type")),
                   static_cast<ReduceOp>(get("s_op")),
                   get("s_tag"),
                   static_cast<std::uint16_t>(get("s_requester")),
                   static_cast<std::uint16_t>(get("s_operands")),
                   static_cast<std::uint16_t>(get("s_expected")),
                   static_cast<std::uint8_t>(get("s_beats")),
                   get("s_now")};
    }
    std::memcpy(&in.data, storage_.at("s_data").data(), sizeof in.data);
    const BeatTable::Out out = table_.clock(in);
    if (out.answer_valid) {
      set("a_valid", 1);
      set("a_id", (id_ + options_.id) & 0xFF);
      set("a_answer", static_cast<std::uint64_t>(out.answer.answer));
      set("a_entry", out.answer.entry);
      set("a_evicts", out.answer.evicts);
      set("a_evicted_entry", out.answer.evicted_entry);
      set("a_operands", out.answer.count);
      set("a_deadline", out.answer.deadline);
    }
    if (out.data_valid && get("s_last") != 0) more_ = options_.more;
    return {out.data, id_ + options_.sum_id, out.data_valid, get("s_last") != 0};
  }

  Options options_;
  std::map<std::string, std::vector<std::uint8_t>> storage_;
  ReferenceBeatTable table_;
  std::deque<Sum> sums_;
  std::uint64_t id_ = 0;
  unsigned waited_ = 0, more_ = 0;
  bool clk_ = false;
};

struct Bench {
  explicit Bench(const Options& options = {}, Bandwidth rate = 25_GBps)
      : table("port5.table",
              {[options] { return std::make_unique<TableModel>(options); }, {{"ENTRIES", entries}}, {ElementType::i32}},
              rate) {}

  /// Pushes an operand whose lanes are `lane`; returns the latency.
  Tick push(std::uint64_t block, std::uint32_t lane, Tick now, ElementType type = ElementType::i32) {
    t = {};
    t.packet = pool.make(block_bytes, true);
    nv(*t.packet).address = block * block_bytes, nv(*t.packet).count = 1, nv(*t.packet).type = type;
    for (unsigned i = 0; i < block_bytes; i += 4) std::memcpy(t.packet->payload + i, &lane, 4);
    t.expected = 2;
    t.now = now;
    return table.access(t);
  }
  Tick command(Command command, std::uint64_t block, Tick now) {
    t = {};
    t.command = command;
    t.address = block * block_bytes;
    t.requester = TableTransaction::no_requester;
    t.now = now;
    return table.access(t);
  }
  std::uint32_t lane(Packet* packet, unsigned number) {
    std::uint32_t value;
    std::memcpy(&value, packet->payload + 4 * number, 4);
    return value;
  }

  PacketPool pool{NvLink{}};
  ReductionTableBeats table;
  TableTransaction t;
};

}  // namespace

TEST_CASE("a sum of a table in RTL has the clocks of its adders as latency", "[pure][rtl]") {
  for (const unsigned clocks : {1u, 2u, 11u}) {
    Bench bench({clocks});
    CHECK(bench.push(7, 40, 1'000) == 0);
    CHECK(bench.t.answer == Answer::inserted);
    CHECK(bench.t.next_timeout == 2'001'000);
    CHECK(bench.push(7, 2, 1'000 + 9 * 640) == clocks * 640);
    REQUIRE(bench.t.result != nullptr);
    CHECK(bench.t.timing.interval == 0);
    CHECK(bench.t.count == 2);
    for (const unsigned lane : {0u, 17u, 31u}) CHECK(bench.lane(bench.t.result, lane) == 42);
    bench.t.result->release();
    CHECK(bench.command(Command::finish, 7, 1'000 + (18 + clocks) * 640) == 0);
    CHECK(bench.table.waiting().empty());
  }
}

TEST_CASE("clocks of a link with fractions of picoseconds are rounded up", "[pure][rtl]") {
  Bench bench({2}, 23_GBps);  // 16 B in 695.65 ps
  bench.push(7, 1, 0);
  CHECK(bench.push(7, 1, 6'261) == 1'392);
  bench.t.result->release();
}

TEST_CASE("clocks until a header is accepted are the interval of its operand", "[pure][rtl]") {
  Bench bench({1, 3});
  for (unsigned block = 0; block < 3; ++block) {
    CHECK(bench.push(block, 1, block * 12 * 640) == 0);
    CHECK(bench.t.timing.interval == 3 * 640);
  }
}

TEST_CASE("commands without data use no time of the port", "[pure][rtl]") {
  Bench bench({1});
  bench.push(1, 1, 0);
  bench.push(1, 1, 9 * 640);
  bench.t.result->release();
  for (Tick now = 18 * 640; now < 36 * 640; now += 9 * 640) {
    if (now == 18 * 640) CHECK(bench.command(Command::finish, 1, now) == 0);
    CHECK(bench.command(Command::expire, 0, now) == 0);
    CHECK(bench.t.answer == Answer::nothing);
    bench.push(2 + now, 1, now);
    CHECK(bench.t.timing.interval == 0);
  }
}

TEST_CASE("wrong answers of a table in RTL are named", "[pure][rtl]") {
  const auto complete = [](const Options& options) {
    Bench bench(options);
    bench.push(7, 1, 0);
    bench.push(7, 1, 9 * 640);
    bench.push(8, 1, 18 * 640);
  };
  Options options;
  options.id = 3;
  CHECK_THROWS_WITH(complete(options), Contains("port5.table breaks the rule `answer`: decides command 4 in place of 1"));
  options = {};
  options.sum_id = 1;
  CHECK_THROWS_WITH(complete(options),
                    Contains("rule `answer`: sends data of command 3 in place of 2, the push of block 7"));
  options = {};
  options.no_last = true;
  CHECK_THROWS_WITH(complete(options), Contains("rule `answer`: beat 7 of 8 of the push of block 7 has no `m_last`"));
  options = {};
  options.more = 1;
  CHECK_THROWS_WITH(complete(options), Contains("breaks the rule `order`: a beat leaves"));
  options = {};
  options.waits = ~0u;
  CHECK_THROWS_WITH(complete(options),
                    Contains("breaks the rule `patience`: not ready for push of block 7 in 65536 clocks"));
}

TEST_CASE("a table in RTL refuses elements that it does not add", "[pure][rtl]") {
  Bench bench;
  CHECK_THROWS_AS(bench.push(7, 1, 0, ElementType::f32), UnfitBlock);
  CHECK_THROWS_WITH(bench.table.check_elements(ElementType::f16, ReduceOp::sum),
                    "port5.table: the block in RTL has no type f16 (legal: i32)");
}

}  // namespace tributary::test_reduction_table_beats
