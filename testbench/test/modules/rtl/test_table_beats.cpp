// Look-ups, rows and chunks as beats: times beyond those that the device counts.
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <vector>

#include "modules/netreduce/core/clt_pins.h"
#include "modules/netreduce/core/ctt_pins.h"
#include "modules/nic/core/reduction_unit_pins.h"
#include "modules/nic/core/schedule_table_pins.h"
#include "modules/rtl/core/clt_beats.h"
#include "modules/rtl/core/ctt_beats.h"
#include "modules/rtl/core/reduction_unit_beats.h"
#include "modules/rtl/core/schedule_table_beats.h"
#include "testbench/test/modules/rtl/delay_model.h"

namespace tributary::test_table_beats {

using Catch::Matchers::Contains;
using test_rtl::delay_block;
using test_rtl::DelayModel;
using Pins = DelayModel::Pins;

CltBeats lookup(unsigned latency, unsigned interval, unsigned shift = 0) {
  DelayModel::Options options;
  options.latency = latency;
  options.interval = interval;
  options.answer = [shift](const Pins& in, Pins& out) {
    DelayModel::set(out, "a_id", DelayModel::number(in, "s_id") + shift);
    DelayModel::set(out, "a_verdict", DelayModel::number(in, "s_update") != 0 ? 0 : 2);
    DelayModel::set(out, "a_ring", DelayModel::number(in, "s_source"));
    DelayModel::set(out, "a_rank", DelayModel::number(in, "s_destination"));
    DelayModel::set(out, "a_message", DelayModel::number(in, "s_queue_pair"));
    DelayModel::set(out, "a_offset", DelayModel::number(in, "s_psn") & 0xFFFF);
    return true;
  };
  return {"rack.clt", delay_block(clt_pins(), {}, options), AcceleratorParams()};  // lookup_cycles = 2, 3103 ps
}

ClTransaction request(Tick now) {
  ClTransaction t;
  t.command = ClTransaction::Command::update;
  t.connection = {7, 8, 0x123456};
  t.psn = 0xFFFFFE;
  t.now = now;
  return t;
}

TEST_CASE("a lookup has the clocks of the RTL beyond lookup_cycles", "[pure][rtl]") {
  for (const unsigned latency : {1u, 2u, 3u, 7u}) {
    CltBeats clt = lookup(latency, 1);
    for (const Tick now : {31'030, 40'339, 60'000'008}) {
      ClTransaction t = request(now);
      CHECK(clt.access(t) == (latency > 2 ? (latency - 2) * 3103 : 0));
      CHECK(clt.early().latency == (latency < 2 ? 3103 : 0));
      CHECK(clt.interval() == 0);
      CHECK(t.address.verdict == SlotAddress::Verdict::found);
      CHECK(t.address.ring == 7);
      CHECK(t.address.rank == 8);
      CHECK(t.address.message == 0x123456);
      CHECK(t.address.offset == 0xFFFE);
    }
  }
}

TEST_CASE("lookups at one time follow each other", "[pure][rtl]") {
  for (const unsigned interval : {1u, 4u}) {
    CltBeats clt = lookup(2, interval);
    for (unsigned n = 0; n < 6; ++n) {
      ClTransaction t = request(3103);
      CHECK(clt.access(t) == n * interval * 3103);
      CHECK(clt.interval() == (interval - 1) * 3103);
    }
  }
}

TEST_CASE("a lookup that answers another request is named", "[pure][rtl]") {
  CltBeats clt = lookup(2, 1, 1);
  ClTransaction t = request(0);
  CHECK_THROWS_WITH(clt.access(t), "rack.clt breaks the rule `answer`: answers request 2 in place of 1");
}

TEST_CASE("a request of an earlier time does not wait for one that was made ahead of time", "[pure][rtl]") {
  CltBeats clt = lookup(2, 4);
  for (const Tick now : {0, 50 * 3103, 10 * 3103, 20 * 3103}) {
    ClTransaction t = request(now);
    CHECK(clt.access(t) == 0);
  }
  ClTransaction same = request(50 * 3103);
  CHECK(clt.access(same) == 4 * 3103);
}

/// A table with the target of one connection, 7 to 8, which a learn command stores.
CttBeats translation(unsigned latency, CtLearning learn = CtLearning::affine) {
  DelayModel::Options options;
  options.latency = latency;
  options.answers = "m";
  options.answer = [stored = std::make_shared<Pins>()](const Pins& in, Pins& out) {
    const std::uint64_t command = DelayModel::number(in, "s_command");
    const bool translates = command == 2;
    const bool known = !stored->empty() && stored->at("s_from") == in.at("s_from");
    DelayModel::set(out, "m_known", translates ? known : !known);
    if (!translates) *stored = in;
    DelayModel::set(out, "m_last", 1);
    DelayModel::set(out, "m_id", DelayModel::number(in, "s_id"));
    if (stored->empty()) return true;
    DelayModel::set(out, "m_to", DelayModel::number(*stored, "s_to"));
    DelayModel::set(out, "m_direction", DelayModel::number(*stored, "s_direction"));
    for (const char* field : {"valid", "message", "psn", "address", "rank", "port"})
      DelayModel::set(out, (std::string("m_first_") + field).c_str(),
                      DelayModel::number(*stored, (std::string("s_first_") + field).c_str()));
    return true;
  };
  AcceleratorParams params;
  params.ctt.learn = learn;
  return {"leaf.ctt", delay_block(ctt_pins(), {}, options), params};
}

TEST_CASE("a translation has the clocks of the RTL beyond lookup_cycles, and what was learnt", "[pure][rtl]") {
  CttBeats ctt = translation(5);
  CtTransaction t;
  t.from = {7, 8, 0xABCDEF}, t.to = {9, 10, 3};
  t.now = 31'030;
  CHECK(ctt.access(t) == 3 * 3103);
  CHECK(t.entry == nullptr);
  t.command = CtTransaction::Command::learn;
  t.direction = CtDirection::multicast;
  t.first = {4'000'000'000, 0xFFFFFF, 0x123456789ABC, 5, 4791, true};
  t.now = 62'060;
  CHECK(ctt.access(t) == 0);  // a write is posted
  CHECK(t.added);
  t.command = CtTransaction::Command::translate;
  t.now = 93'090;
  CHECK(ctt.access(t) == 3 * 3103);
  REQUIRE(t.entry != nullptr);
  CHECK(t.entry->direction == CtDirection::multicast);
  REQUIRE(t.entry->to.size() == 1);
  CHECK(t.entry->to[0].connection == t.to);
  const FirstPacket* const first = t.entry->to[0].first_of(17);
  REQUIRE(first != nullptr);
  CHECK(first->message == 4'000'000'000);
  CHECK(first->psn == 0xFFFFFF);
  CHECK(first->address == 0x123456789ABC);
  CHECK(first->rank == 5);
  CHECK(first->udp_port == 4791);
  CHECK_THROWS_WITH(translation(2, CtLearning::per_message), Contains("netreduce.accelerator.ctt.learn=affine"));
}

ScheduleTableBeats table(unsigned latency, unsigned interval, Time read) {
  DelayModel::Options options;
  options.latency = latency;
  options.interval = interval;
  options.answer = [rows = std::make_shared<std::map<std::uint64_t, DelayModel::Bytes>>()](const Pins& in, Pins& out) {
    const std::uint64_t row = DelayModel::number(in, "s_row");
    if (DelayModel::number(in, "s_write") != 0) return (*rows)[row] = in.at("s_wdata"), false;
    out["a_rdata"] = (*rows)[row];
    return true;
  };
  NicParams params;
  params.table.read = read;
  return {"nic.table", delay_block(schedule_table_pins(), {{"ROWS", 64}}, options), params};
}

TEST_CASE("rows are written in no time, and read back in the clocks of the RTL", "[pure][rtl]") {
  for (const unsigned read : {0u, 3u, 4u, 6u}) {
    ScheduleTableBeats rows = table(4, 4, picoseconds(read * 1000));
    std::vector<std::byte> row(25), back(25);
    for (unsigned r = 0; r < 64; ++r) {
      for (unsigned i = 0; i < 25; ++i) row[i] = static_cast<std::byte>(r * 7 + i);
      const ScheduleTableBeats::Answer written = rows.write(25 * r, row.data(), 25, 5000);
      CHECK((written.done && written.time.latency == 0 && written.time.interval == 0));
    }
    for (unsigned r = 0; r < 64; ++r) {
      const Tick now = 5000 + r * 4000;
      const ScheduleTableBeats::Answer answer = rows.read(25 * r, back.data(), 25, now);
      for (unsigned i = 0; i < 25; ++i) row[i] = static_cast<std::byte>(r * 7 + i);
      CHECK(back == row);
      CHECK(answer.time.latency == (read < 4 ? (4 - read) * 1000 : 0));
      CHECK(answer.time.interval == answer.time.latency);
      CHECK(rows.early().latency == (read > 4 ? (read - 4) * 1000 : 0));
      CHECK(rows.early().interval == rows.early().latency);
    }
  }
}

TEST_CASE("rows that the RTL lacks are refused", "[pure][rtl]") {
  ScheduleTableBeats rows = table(1, 1, 0_ns);
  std::vector<std::byte> row(25);
  CHECK(rows.read(25 * 63, row.data(), 25, 0).done);
  CHECK_FALSE(rows.read(25 * 64, row.data(), 25, 0).done);
  CHECK_FALSE(rows.read(1, row.data(), 25, 0).done);
  CHECK_FALSE(rows.write(0, row.data(), 24, 0).done);
}

ReductionUnitBeats adders(unsigned latency, unsigned interval, bool always_last = false) {
  DelayModel::Options options;
  options.latency = latency;
  options.interval = interval;
  options.answers = "m";
  options.answer = [always_last](const Pins& in, Pins& out) {
    DelayModel::Bytes sums = in.at("s_sum");
    for (std::size_t i = 0; i < 8; ++i)
      if ((in.at("s_keep")[0] >> i & 1) != 0)
        apply(ReduceOp::sum, ElementType::i32, sums.data() + 4 * i, in.at("s_operand").data() + 4 * i, 4);
    out["m_data"] = sums;
    out["m_last"] = in.at("s_last");
    if (always_last) out["m_last"][0] = 1;
    return true;
  };
  NicParams params;
  params.reduction.units = 2, params.reduction.width = 4, params.reduction.cycles = 2;
  RtlBlock block = delay_block(reduction_unit_pins(), {{"UNITS", 2}, {"WIDTH", 4}}, options);
  block.types = {ElementType::i32};
  return {"nic.reduction", block, params};
}

TEST_CASE("a chunk takes the passes of the RTL beyond those of the NIC", "[pure][rtl]") {
  // 20 elements: ten in each of two units, three passes of four.
  ReductionUnitBeats equal = adders(2, 2), deeper = adders(7, 2), slower = adders(3, 3);
  for (unsigned n = 0; n < 4; ++n) {
    const Tick now = 1'000'000 + n * 20'000;
    const AccessTime same = equal.add(now, 20, ElementType::i32, ReduceOp::sum);
    CHECK(same.latency == 0);
    CHECK(same.interval == 0);
    const AccessTime deep = deeper.add(now, 20, ElementType::i32, ReduceOp::sum);
    CHECK(deep.latency == 5000);
    CHECK(deep.interval == 0);
    const AccessTime slow = slower.add(now, 20, ElementType::i32, ReduceOp::sum);
    CHECK(slow.latency == 3000);
    CHECK(slow.interval == 3000);
  }
}

TEST_CASE("a chunk that is added earlier than the NIC counts has the time of the NIC", "[pure][rtl]") {
  // Three passes of two clocks each: the sums of the last one are valid a clock, and all passes three clocks, before.
  ReductionUnitBeats early = adders(1, 2), fast = adders(1, 1);
  for (unsigned n = 0; n < 4; ++n) {
    const Tick now = 1'000'000 + n * 20'000;
    CHECK(early.add(now, 20, ElementType::i32, ReduceOp::sum).latency == 0);
    CHECK(early.early().latency == 1000);
    CHECK(early.early().interval == 0);
    const AccessTime time = fast.add(now, 20, ElementType::i32, ReduceOp::sum);
    CHECK((time.latency == 0 && time.interval == 0));
    CHECK(fast.early().latency == 3000);
    CHECK(fast.early().interval == 3000);
  }
}

TEST_CASE("the data of packets pass the RTL in no time", "[pure][rtl]") {
  ReductionUnitBeats unit = adders(3, 2);
  for (const unsigned elements : {1u, 7u, 8u, 9u, 32u}) {
    std::vector<std::int32_t> sum(elements), data(elements), expected(elements);
    for (unsigned i = 0; i < elements; ++i) {
      sum[i] = static_cast<std::int32_t>(i * 1000 + elements), data[i] = -77 + static_cast<std::int32_t>(i);
      expected[i] = sum[i] + data[i];
    }
    unit.combine(reinterpret_cast<std::byte*>(sum.data()), reinterpret_cast<const std::byte*>(data.data()), elements,
                 ElementType::i32, ReduceOp::sum);
    CHECK(sum == expected);
  }
  CHECK(unit.early().latency == 0);
  CHECK(unit.add(1'000'000, 8, ElementType::i32, ReduceOp::sum).latency == 1000);
  CHECK_THROWS_WITH(adders(3, 2, true).add(1'000'000, 9, ElementType::i32, ReduceOp::sum),
                    "nic.reduction breaks the rule `answer`: sums of 2 passes with `m_last` at pass 0");
  std::vector<std::byte> sums(9 * 4), operands(9 * 4);
  CHECK_THROWS_WITH(adders(3, 2, true).combine(sums.data(), operands.data(), 9, ElementType::i32, ReduceOp::sum),
                    "nic.reduction breaks the rule `answer`: sums of 2 passes with `m_last` at pass 0");
  std::byte none[4]{};
  CHECK_THROWS_WITH(unit.combine(none, none, 1, ElementType::f32, ReduceOp::sum), Contains("no type f32 (legal: i32)"));
}

}  // namespace tributary::test_table_beats
