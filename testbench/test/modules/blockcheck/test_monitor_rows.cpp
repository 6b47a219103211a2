/// Wrong answers of each block, and the line of its monitor for each.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "modules/base/memory_monitor.h"
#include "modules/netreduce/core/part_monitors.h"
#include "modules/nic/core/reduction_monitor.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/copy_monitor.h"
#include "modules/switching/core/arbiter_monitor.h"
#include "testbench/test/harness/monitor_bench.h"

namespace tributary::test_monitor_rows {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

struct Row {
  const char* wrong;  ///< mistake of the block
  const char* rule;
  const char* text;  ///< part of the line
  std::function<void()> action;
};

void check_rows(const std::string& place, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.wrong);
    const std::string line = breach_of(row.action);
    CHECK_THAT(line, Catch::StartsWith(place + " breaks the rule `" + row.rule + "` at "));
    CHECK_THAT(line, Catch::Contains(row.text));
    CHECK(line.find('\n') == std::string::npos);
  }
}

std::vector<std::byte> lanes(std::initializer_list<std::int32_t> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int32_t));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

constexpr Tick ten_seconds = 10'000'000'000'000;

TEST_CASE("monitors: wrong answers of a reduction table", "[pure][monitor]") {
  const auto at_last = [](const std::function<void(MonitoredPort&, TableTransaction)>& spoil) {
    return [spoil] {
      MonitoredPort port;
      port.push(62, 15);
      spoil(port, port.completed(port.ask(Command::push, 62), 62, 16));
    };
  };
  const auto at_first = [](const std::function<void(MonitoredPort&, TableTransaction)>& spoil) {
    return [spoil] {
      MonitoredPort port;
      TableTransaction t = port.ask(Command::push, 62);
      t.answer = Answer::inserted;
      spoil(port, t);
    };
  };
  check_rows(
      "dgx2.switch0_2.port5.table",
      {
          {"completes without a sum", "answer", "`completed` without a result for block 62 (request 15: push of block 62",
           at_last([](MonitoredPort& p, TableTransaction t) { t.result = nullptr, p.check(t); })},
          {"counts 7 of 16", "complete", "block 62 is complete with 7 of 16 operands",
           at_last([](MonitoredPort& p, TableTransaction t) { t.count = 7, p.check(t); })},
          {"keeps the packet", "keep", "keeps the packet of block 62 and answers `bypassed`",
           at_first([](MonitoredPort& p, TableTransaction t) { t.packet->release(), p.answer(t, Answer::bypassed); })},
          {"changes the packet that it returns", "keep", "keeps the packet of block 62 and answers `bypassed`",
           at_first([](MonitoredPort& p, TableTransaction t) { nv(*t.packet).count = 2, p.answer(t, Answer::bypassed); })},
          {"is busy for 10 s", "latency", "an interval of 10000000000000 ps; legal: at most 1000000 ps (--check-latency)",
           at_first([](MonitoredPort& p, TableTransaction t) { t.timing.interval = ten_seconds, p.check(t); })},
          {"answers after 10 s", "latency", "a latency of 10000000000000 ps",
           at_first([](MonitoredPort& p, TableTransaction t) { p.check(t, ten_seconds); })},
          {"has a timeout in the past", "time", "next_timeout, 5 ps, lies before the request",
           at_first([](MonitoredPort& p, TableTransaction t) { t.next_timeout = 5, p.check(t); })},
          {"has no such answer", "answer", "the command push has no answer `200`",
           at_first([](MonitoredPort& p, TableTransaction t) { p.answer(t, static_cast<Answer>(200)); })},
          {"refuses an operand", "answer", "the command push has no answer `refused`",
           at_first([](MonitoredPort& p, TableTransaction t) { p.answer(t, Answer::refused); })},
          {"returns a sum too early", "answer", "a result for block 62 with the answer `inserted`",
           at_first([](MonitoredPort& p, TableTransaction t) { t.result = p.operand(62), t.count = 1, p.check(t); })},
          {"evicts without room for the operand", "answer", "an evicted packet with the answer `bypassed`",
           at_first([](MonitoredPort& p, TableTransaction t) { t.evicted = p.operand(7), p.answer(t, Answer::bypassed); })},
          {"evicts a block that it does not have", "conserve", "block 7 leaves with 3 operands, and 0 have entered",
           at_first([](MonitoredPort& p, TableTransaction t) { t.evicted = p.operand(7), t.count = 3, p.check(t); })},
          {"loses an operand of a block that it evicts", "conserve", "block 62 leaves with 14 operands, and 15 have entered",
           [] {
             MonitoredPort port;
             port.push(62, 15);
             TableTransaction t = port.ask(Command::push, 7);
             t.answer = Answer::inserted, t.evicted = port.operand(62), t.count = 14;
             port.check(t);
           }},
          {"sends the sum of another block", "answer", "block 62 leaves in a packet of block 63",
           at_last([](MonitoredPort& p, TableTransaction t) { t.result = p.operand(63), p.check(t); })},
          {"sends a released sum", "keep", "a packet of block 62 leaves after its release",
           at_last([](MonitoredPort& p, TableTransaction t) { t.result->release(), p.check(t); })},
          {"sends a short sum", "length", "block 62 leaves with 64 B; legal: 128 B, as its operands",
           at_last([](MonitoredPort& p, TableTransaction t) {
             t.result = p.operand(62, Opcode::red_write, 64);
             p.check(t);
           })},
          {"keeps a complete block", "complete", "block 62 has all 16 operands, and the answer is `merged`",
           at_last([](MonitoredPort& p, TableTransaction t) { t.result = nullptr, p.answer(t, Answer::merged); })},
          {"does not evict", "expire", "an entry is due, and the table neither evicts one nor returns a later time",
           [] {
             MonitoredPort port;
             TableTransaction t = port.ask(Command::push, 62);
             t.next_timeout = port.now + 9 * 640;
             port.answer(t, Answer::inserted);
             t = port.ask(Command::expire, 0);
             t.next_timeout = port.now;
             port.answer(t, Answer::nothing);
           }},
          {"misses an entry for a pull", "answer", "`missed` for block 62, which has an entry",
           [] {
             MonitoredPort port;
             port.answer(port.ask(Command::allocate, 62, 2), Answer::inserted);
             port.answer(port.ask(Command::collect, 62, 0), Answer::missed);
           }},
          {"keeps a complete pull", "complete", "block 62 has all 2 operands, and the answer is `merged`",
           [] {
             MonitoredPort port;
             port.answer(port.ask(Command::allocate, 62, 2), Answer::inserted);
             for (int i = 0; i < 2; ++i) port.answer(port.ask(Command::collect, 62, 0), Answer::merged);
           }},
          {"keeps operands at the end", "end", "holds 3 operands: block 62 from gpu3 and 1 more, block 190 from gpu3",
           [] {
             MonitoredPort port;
             port.push(62, 2), port.push(190, 1);
             port.monitor.end(port.now, true);
           }},
      });
}

TEST_CASE("monitors: wrong calls of a port are the port's", "[pure][monitor]") {
  check_rows(
      "dgx2.switch0_2.port5",
      {
          {"goes back in time", "time", "a call lies 6000000 ps before the last one",
           [] {
             MonitoredPort port;
             port.now += 6'000'000;
             port.push(62, 1);
             port.now -= 6'000'000 + 9 * 640;
             port.push(62, 1);
           }},
          {"sends two operands at once", "service", "an operand begins before the one before it has passed",
           [] {
             MonitoredPort port;
             port.push(62, 1);
             port.now -= 640;
             port.push(62, 1);
           }},
          {"sends another packet", "shape", "a packet of another kind",
           [] {
             MonitoredPort port;
             TableTransaction t;
             t.packet = port.operand(62, Opcode::ack);
             port.monitor.ask(t, 0);
           }},
          {"finishes nothing", "finish", "no block has been completed", [] { MonitoredPort().ask(Command::finish, 62); }},
          {"expires without a reason", "expire", "the table has not asked to evict",
           [] {
             MonitoredPort port;
             port.push(62, 1);
             port.ask(Command::expire, 0);
           }},
      });
}

TEST_CASE("monitors: a table that is late, evicts and completes is right", "[pure][monitor]") {
  MonitoredPort port;
  port.push(62, 15);
  TableTransaction t = port.ask(Command::push, 7);
  t.answer = Answer::inserted, t.evicted = port.operand(62), t.count = 15;
  CHECK(breach_of([&] { port.check(t); }).empty());
  CHECK(breach_of([&] { port.push(7, 14); }).empty());
  CHECK(breach_of([&] { port.check(port.completed(port.ask(Command::push, 7), 7, 16), 1'000); }).empty());
  TableTransaction done;
  done.command = Command::finish, done.address = 7 * block_bytes, done.requester = TableTransaction::no_requester;
  done.now = port.now + 9 * 640 + 1'000;
  CHECK(breach_of([&] { port.monitor.ask(done, done.now); }).empty());
  CHECK(breach_of([&] { port.monitor.end(port.now, true); }).empty());
}

TEST_CASE("monitors: a stuck run names a table only for operands without a timeout", "[pure][monitor]") {
  MonitoredPort port;
  port.push(62, 2);
  CHECK(breach_of([&] { port.monitor.end(0, false); }).empty());
  TableTransaction t = port.ask(Command::push, 62);
  t.next_timeout = never;
  port.answer(t, Answer::merged);
  CHECK_THAT(breach_of([&] { port.monitor.end(0, false); }), Catch::Contains("holds 3 operands: block 62 from gpu3"));
}

// ---- parts of an accelerator

ClTransaction lookup(ClTransaction::Command command, std::uint32_t psn) {
  ClTransaction t;
  t.command = command, t.connection = {1, 2, 7}, t.psn = psn;
  t.header.ring = 3, t.header.rank = 1, t.header.message = 5, t.header.message_packets = 8;
  return t;
}

TEST_CASE("monitors: wrong answers of a connection lookup table", "[pure][monitor]") {
  // The first packet of message 5 has PSN 0xFFFFFE, so that packet 4 has PSN 2.
  const auto finds = [](const std::function<void(ClTransaction&)>& spoil) {
    return [spoil] {
      ClMonitor m(monitor_setup("rack.accelerator.clt"));
      ClTransaction t = lookup(ClTransaction::Command::update, 0xFFFFFE);
      t.address = {SlotAddress::Verdict::found, 3, 1, 5, 0};
      access(m, t, t);
      t = lookup(ClTransaction::Command::find, 2);
      t.address = {SlotAddress::Verdict::found, 3, 1, 5, 4};
      spoil(t);
      access(m, t, t);
    };
  };
  CHECK(breach_of(finds([](ClTransaction&) {})).empty());
  CHECK(
      breach_of(finds([](ClTransaction& t) { t.psn = 0xFFFFF6 + 2, t.address.message = 4, t.address.offset = 2; })).empty());
  CHECK(breach_of(finds([](ClTransaction& t) { t.address.verdict = SlotAddress::Verdict::unknown; })).empty());
  check_rows(
      "rack.accelerator.clt",
      {
          {"finds a ring that does not exist", "ring",
           "finds ring 9; legal: 3, as the first packet of the connection "
           "(request 1: find, connection 1>2 queue pair 7, psn 2",
           finds([](ClTransaction& t) { t.address.ring = 9; })},
          {"finds another rank", "rank", "finds rank 0; legal: 1", finds([](ClTransaction& t) { t.address.rank = 0; })},
          {"finds a packet beyond the message", "address", "finds packet 8 of a message; legal: below 8",
           finds([](ClTransaction& t) { t.address.offset = 8; })},
          {"finds the next packet", "address", "finds message 5, packet 5, whose psn is 3",
           finds([](ClTransaction& t) { t.address.offset = 5; })},
          {"finds another message", "address", "finds message 6, packet 4, whose psn is 10",
           finds([](ClTransaction& t) { t.address.message = 6; })},
          {"finds a connection that has no entry", "answer", "finds a connection of which no first packet has arrived",
           finds([](ClTransaction& t) { t.connection.source = 4; })},
          {"has no such verdict", "answer", "`verdict` is undefined 9",
           finds([](ClTransaction& t) { t.address.verdict = static_cast<SlotAddress::Verdict>(9); })},
          {"answers after 10 s", "latency", "a latency of 10000000000000 ps",
           [] {
             ClMonitor m(monitor_setup("rack.accelerator.clt"));
             access(m, lookup(ClTransaction::Command::find, 1), lookup(ClTransaction::Command::find, 1), 0, ten_seconds);
           }},
      });
}

TEST_CASE("monitors: wrong answers of a connection translation table", "[pure][monitor]") {
  const ConnectionKey from{1, 100, 7}, to{100, 200, 3}, other{100, 201, 3};
  const auto translates = [=](const std::function<void(CtEntry&)>& spoil, bool known = true) {
    return [=] {
      CtMonitor m(monitor_setup("tree.accelerator0.ctt"));
      CtTransaction t;
      t.command = CtTransaction::Command::learn, t.from = from, t.to = to;
      t.first = {5, 10, 4096, 1, 49152, true};
      access(m, t, t);
      CtEntry entry{CtDirection::aggregate, false, {CtTarget{to, {t.first}}}};
      spoil(entry);
      t = {};
      t.command = CtTransaction::Command::translate, t.from = known ? from : other;
      const CtTransaction asked = t;
      t.entry = &entry;
      access(m, asked, t);
    };
  };
  CHECK(breach_of(translates([](CtEntry&) {})).empty());
  check_rows(
      "tree.accelerator0.ctt",
      {
          {"translates an unknown connection", "answer", "translates a connection that has not been taught",
           translates([](CtEntry&) {}, false)},
          {"translates to another connection", "address", "translates to 100>201 queue pair 3, which has not been taught",
           translates([=](CtEntry& e) { e.to.front().connection = other; })},
          {"translates twice", "answer", "has 2 targets; legal: up to 1",
           translates([](CtEntry& e) { e.to.push_back(e.to.front()); })},
          {"has no such direction", "answer", "`direction` is undefined 5",
           translates([](CtEntry& e) { e.direction = static_cast<CtDirection>(5); })},
          {"spoils a first packet", "data", "has another first packet of message 5 than was taught",
           translates([](CtEntry& e) { e.to.front().firsts.front().psn = 11; })},
          {"is busy for 10 s", "latency", "an interval of 10000000000000 ps",
           [=] {
             CtMonitor m(monitor_setup("tree.accelerator0.ctt"));
             access(m, CtTransaction{}, CtTransaction{}, 0, 0, ten_seconds);
           }},
      });
}

TEST_CASE("monitors: a deferred answer follows within the limit, and before the run ends", "[pure][monitor]") {
  const auto translate = [](CtMonitor& m, Ticket ticket, Tick now) {
    CtTransaction t;
    t.from = {1, 100, 7};
    access(m, t, t, now);
    m.deferred(ticket);
  };
  const auto line = [&](const std::function<void(CtMonitor&)>& then) {
    return breach_of([&] {
      CtMonitor m(monitor_setup("tree.accelerator0.ctt"));
      translate(m, 7, 1000);
      then(m);
    });
  };
  CHECK(line([](CtMonitor& m) {
          m.answered(7, 1'001'000);
          m.finish(2'000'000, true);
        }).empty());
  CHECK(line([](CtMonitor& m) {
          m.restart();
          m.finish(2'000'000, true);
        }).empty());
  CHECK_THAT(line([](CtMonitor& m) { m.answered(7, 1'001'001); }),
             Catch::Contains(
                 "tree.accelerator0.ctt breaks the rule `latency` at 1001001 ps: an answer 1000001 ps after its request; "
                 "legal: at most 1000000 ps (--check-latency) (request 0: translate, from 1>100 queue pair 7)"));
  CHECK_THAT(
      line([&](CtMonitor& m) { translate(m, 8, 1'001'001); }),
      Catch::Contains("rule `patience` at 1001001 ps: no answer 1000001 ps after the request; legal: at most 1000000 ps "
                      "(--check-latency) (request 0: "));
  CHECK_THAT(
      line([](CtMonitor& m) { m.finish(2000, false); }),
      Catch::Contains("rule `patience` at 2000 ps: no answer when the run ends, to a request of 1000 ps (request 0: "));
}

TEST_CASE("monitors: wrong answers of a combinator", "[pure][monitor]") {
  struct Slot {
    std::vector<std::byte> first = lanes({0, 5, -7}), second = lanes({0, 4, -6}), sum = lanes({77, 0, 0});
    const std::byte* operands[2] = {first.data(), second.data()};
  };
  const auto adds = [](const std::function<void(CombineTransaction&, Slot&)>& spoil, Tick latency = 0) {
    return [=] {
      Slot slot;
      CombineMonitor m(monitor_setup("rack.accelerator.combinator"));
      CombineTransaction t;
      t.operands = 2, t.operand = slot.operands, t.sum = slot.sum.data(), t.bytes = 12, t.skip = 4;
      t.type = ElementType::i32, t.op = ReduceOp::sum;
      m.ask(t, 100);
      std::memcpy(slot.sum.data(), lanes({77, 9, -13}).data(), 12);
      spoil(t, slot);
      m.check(t, 0, latency);
    };
  };
  CHECK(breach_of(adds([](CombineTransaction&, Slot&) {})).empty());
  struct : ClockedPart {
    Tick next() const override { return never; }
    void advance(Tick, AnswerListener&) override {}
  } later;  // the sum of an answer that is deferred follows
  const auto follows = [&later](CombineTransaction& t, Slot& slot) {
    t.late.part = &later, slot.sum.back() ^= std::byte{1};
  };
  CHECK(breach_of(adds(follows)).empty());
  check_rows("rack.accelerator.combinator",
             {
                 {"spoils a lane", "data", "sum[1] is -12 in place of -13 (request 0: ring 0, operands 2, bytes 12, skip 4)",
                  adds([](CombineTransaction&, Slot& s) {
                    std::memcpy(s.sum.data(), lanes({77, 9, -12}).data(), 12);
                  })},
                 {"adds one operand of two", "data", "sum[0] is 5 in place of 9", adds([](CombineTransaction&, Slot& s) {
                    std::memcpy(s.sum.data(), lanes({77, 5, -7}).data(), 12);
                  })},
                 {"returns another length", "length", "a sum of 8 B with 4 B before it; legal: 12 B with 4 B",
                  adds([](CombineTransaction& t, Slot&) { t.bytes = 8; })},
                 {"changes the operation", "keep", "fields of the request are changed",
                  adds([](CombineTransaction& t, Slot&) { t.op = ReduceOp::max; })},
                 {"writes the header", "address", "bytes before the first element are written",
                  adds([](CombineTransaction&, Slot& s) {
                    std::memcpy(s.sum.data(), lanes({78, 9, -13}).data(), 12);
                  })},
                 {"answers after 10 s", "latency", "a latency of 10000000000000 ps",
                  adds([](CombineTransaction&, Slot&) {}, ten_seconds)},
             });
}

// ---- memories

MonitoredAccess memory_access(bool writes, std::uint64_t address, const std::vector<std::byte>& data) {
  return {writes, true, address, static_cast<std::uint32_t>(data.size()), data.data(), MonitoredAccess::Response::none};
}

TEST_CASE("monitors: wrong answers of a payload buffer", "[pure][monitor]") {
  const std::vector<std::byte> written = lanes({1, 2}), wrong = lanes({1, 3});
  const auto reads = [=](const std::vector<std::byte>& data, const std::function<void(MonitoredAccess&)>& spoil) {
    return [=] {
      MemoryMonitor m(monitor_setup("rack.accelerator.payloads"));
      MonitoredAccess t = memory_access(true, 3072, written), answered = t;
      answered.response = MonitoredAccess::Response::ok;
      access(m, t, answered);
      t = answered = memory_access(false, 3072, data);
      answered.response = MonitoredAccess::Response::ok;
      spoil(answered);
      access(m, t, answered);
    };
  };
  CHECK(breach_of(reads(written, [](MonitoredAccess&) {})).empty());
  check_rows("rack.accelerator.payloads",
             {
                 {"returns other data", "data",
                  "byte 4 is 3 in place of 2, which was written (request 1: command read, "
                  "address 3072, bytes 8)",
                  reads(wrong, [](MonitoredAccess&) {})},
                 {"sets no status", "answer", "no response status is set",
                  reads(written, [](MonitoredAccess& t) { t.response = MonitoredAccess::Response::none; })},
                 {"refuses an address", "address", "refuses address 3072",
                  reads(written, [](MonitoredAccess& t) { t.response = MonitoredAccess::Response::refused; })},
                 {"shortens the request", "keep", "length of the request are changed",
                  reads(written, [](MonitoredAccess& t) { t.bytes = 4; })},
                 {"moves the data", "keep", "data pointer", reads(written, [](MonitoredAccess& t) { t.data = nullptr; })},
             });
  MemoryMonitor m(monitor_setup("rack.accelerator.payloads"));
  MonitoredAccess unwritten = memory_access(false, 64, wrong);
  unwritten.response = MonitoredAccess::Response::ok;
  CHECK(breach_of([&] { access(m, unwritten, unwritten); }).empty());
}

TEST_CASE("monitors: wrong answers of a schedule table", "[pure][monitor]") {
  const std::vector<std::byte> row(25, std::byte{7}), other(25, std::byte{6});
  const auto accesses = [=](bool writes, unsigned number, const std::vector<std::byte>& data,
                            MonitoredAccess::Response response, Tick latency = 0) {
    return [=] {
      BlockMonitor::Setup setup = monitor_setup("torus.nic3.nic.table");
      setup.config.add("table_entries", FieldValue::Kind::number).number = 64;
      MemoryMonitor m(std::move(setup), 25);
      MonitoredAccess t = memory_access(true, 50, row), answered = t;
      answered.response = MonitoredAccess::Response::ok;
      access(m, t, answered);
      t = answered = memory_access(writes, std::uint64_t{25} * number, data);
      answered.response = response;
      access(m, t, answered, 1000, latency);
    };
  };
  using Response = MonitoredAccess::Response;
  CHECK(breach_of(accesses(false, 2, row, Response::ok)).empty());
  CHECK(breach_of(accesses(true, 64, row, Response::refused)).empty());
  check_rows(
      "torus.nic3.nic.table",
      {
          {"returns another row", "data", "byte 0 is 6 in place of 7, which was written (request 1: command read, row 2",
           accesses(false, 2, other, Response::ok)},
          {"refuses a row", "row", "refuses row 63; legal: accepts rows below 64",
           accesses(true, 63, row, Response::refused)},
          {"sets no status", "answer", "no response status is set", accesses(false, 2, row, Response::none)},
          {"answers after 10 s", "latency", "a latency of 10000000000000 ps",
           accesses(false, 2, row, Response::ok, ten_seconds)},
      });
}

TEST_CASE("monitors: wrong answers of a reduction unit", "[pure][monitor]") {
  const auto adds = [](const std::function<void(ReductionAccess&, std::vector<std::byte>&)>& spoil, Tick interval = 0) {
    return [=] {
      ReductionMonitor m(monitor_setup("torus.nic3.nic.reduction"));
      std::vector<std::byte> sum = lanes({1, 2});
      const std::vector<std::byte> data = lanes({10, 20}), right = lanes({11, 22});
      ReductionAccess t{2, ElementType::i32, ReduceOp::sum, sum.data(), data.data()};
      m.ask(t, 0);
      std::memcpy(sum.data(), right.data(), right.size());
      spoil(t, sum);
      m.check(t, interval, 0);
    };
  };
  CHECK(breach_of(adds([](ReductionAccess&, std::vector<std::byte>&) {})).empty());
  check_rows("torus.nic3.nic.reduction",
             {
                 {"spoils a lane", "data", "sum[1] is 23 in place of 22 (request 0: elements 2, data of a packet)",
                  adds([](ReductionAccess&, std::vector<std::byte>& s) {
                    std::memcpy(s.data(), lanes({11, 23}).data(), 8);
                  })},
                 {"returns another length", "length", "a sum of 1 elements; legal: 2",
                  adds([](ReductionAccess& t, std::vector<std::byte>&) { t.elements = 1; })},
                 {"changes the type", "keep", "fields of the request are changed",
                  adds([](ReductionAccess& t, std::vector<std::byte>&) { t.type = ElementType::f32; })},
                 {"is busy for 10 s", "latency", "an interval of 10000000000000 ps",
                  adds([](ReductionAccess&, std::vector<std::byte>&) {}, ten_seconds)},
             });
}

// ---- copy engine and arbiter

/// A copy of 12 bursts on two lanes, submitted at 1000 ps.
struct Copy {
  Copy() {
    command.copy = 3, command.lanes = 2, command.bytes = 12 * 15 * 256;
    monitor.submit(command, 1000);
  }
  Burst next(unsigned lane) { return cutters[lane].next(); }
  CopyCommand command;
  std::vector<BurstCutter> cutters;
  CopyMonitor monitor{monitor_setup("dgx1v.gpu0.engine1")};
  void cut() {
    for (unsigned lane = 0; lane < 2; ++lane) cutters.emplace_back(command, lane);
  }
};

TEST_CASE("monitors: wrong calls of a copy engine", "[pure][monitor]") {
  const auto copies = [](const std::function<void(Copy&)>& calls) {
    return [=] {
      Copy copy;
      copy.cut();
      calls(copy);
    };
  };
  CHECK(breach_of(copies([](Copy& c) {
          for (int i = 0; i < 2; ++i) c.monitor.burst(c.next(0), 2000), c.monitor.burst(c.next(1), 2000);
          Burst room;
          room.copy = 3;
          c.monitor.room(room, 3000);
          c.monitor.burst(c.next(0), 3000);
        })).empty());
  check_rows(
      "dgx1v.gpu0.engine1",
      {
          {"sends a third burst", "room",
           "copy 3 has a third burst on lane 0; legal: two that have not begun to leave (request 0: submit, copy 3, lane 0)",
           copies([](Copy& c) {
             for (int i = 0; i < 3; ++i) c.monitor.burst(c.next(0), 2000);
           })},
          {"is done before a lane has left", "done", "copy 3 is reported as done before lane 0 has left",
           copies([](Copy& c) { c.monitor.done(c.command, 2000); })},
          {"sends a burst before its request", "time", "a burst at 999 ps lies before its request",
           copies([](Copy& c) { c.monitor.burst(c.next(0), 999); })},
          {"is done before its request", "time", "the end of a copy at 5 ps lies before its request",
           copies([](Copy& c) { c.monitor.done(c.command, 5); })},
          {"reads before its request", "time", "a request to the memory at 0 ps",
           copies([](Copy& c) { c.monitor.memory(0); })},
          {"waits for 10 s", "latency", "a latency of 10000000000000 ps",
           copies([](Copy& c) { c.monitor.burst(c.next(0), 1000 + ten_seconds); })},
          {"sends on a lane that the copy does not have", "burst", "copy 3 has a burst on lane 2; legal: below 2",
           copies([](Copy& c) {
             Burst burst = c.next(0);
             burst.lane = 2;
             c.monitor.burst(burst, 2000);
           })},
          {"sends another copy", "burst", "copy 4 is not granted, and has a burst", copies([](Copy& c) {
             Burst burst = c.next(0);
             burst.copy = 4;
             c.monitor.burst(burst, 2000);
           })},
          {"skips a burst", "burst", "has a burst at byte 3840 in place of byte 0",
           copies([](Copy& c) { c.next(0), c.monitor.burst(c.next(0), 2000); })},
          {"sends a burst that is too long", "burst", "copy 3 has a burst of 1073741824 B", copies([](Copy& c) {
             Burst burst = c.next(0);
             burst.bytes = 1u << 30;
             c.monitor.burst(burst, 2000);
           })},
          {"keeps a copy at the end", "end", "holds copy 3", copies([](Copy& c) { c.monitor.end(5000, true); })},
      });
}

TEST_CASE("monitors: wrong choices of an arbiter", "[pure][monitor]") {
  const std::vector<ArbiterMonitor::Request> requests{{0, 1, 0}, {2, 0, 0}};
  const auto asks = [=](const std::function<void(ArbiterMonitor&)>& choose) {
    return [=] {
      ArbiterMonitor m(monitor_setup("dgx2.switch0_0.arbiter"), 16, 3);
      m.ask(5, requests, 1000);
      choose(m);
    };
  };
  check_rows("dgx2.switch0_0.arbiter",
             {
                 {"grants what is not requested", "answer",
                  "it chooses request 2; legal: below 2 (request 0: output 5, input 0 queue 1 for resource 0, input 2",
                  asks([](ArbiterMonitor& m) { m.check(2); })},
                 {"changes its mind", "keep", "it chooses request 1, and chose 0 when it was asked the same before",
                  asks([=](ArbiterMonitor& m) {
                    m.check(0);
                    m.ask(5, requests, 1000);
                    m.check(1);
                  })},
                 {"never grants an input", "patience", "input 2, queue 0 has lost 65536 grants since 1000 ps",
                  asks([=](ArbiterMonitor& m) {
                    for (unsigned i = 0; i < ArbiterMonitor::patience; ++i) {
                      m.ask(5, requests, 1000 + i * Tick{5760});
                      m.check(0);
                      m.granted(5, requests[0], 1000 + i * Tick{5760});
                    }
                  })},
             });
  CHECK(breach_of(asks([=](ArbiterMonitor& m) {
          for (unsigned i = 0; i < 2 * ArbiterMonitor::patience; ++i) {
            m.ask(5, requests, 1000 + i * Tick{5760});
            m.check(i % 2);
            m.granted(5, requests[i % 2], 1000 + i * Tick{5760});
          }
        })).empty());
}

}  // namespace tributary::test_monitor_rows
