// Rules for the answers of a reduction table.
#include <catch2/catch.hpp>
#include <string>

#include "modules/nvswitch/core/table_rules.h"
#include "modules/protocol/nvlink.h"

namespace tributary::test_table_rules {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

namespace {

/// Transactions of one table, whose answers a test gives.
struct Asked {
  Asked()
      : rules([this](TableRules::Rule rule, Tick, const std::string& text) { told += name_of(rule) + ": " + text + "\n"; }) {
  }

  Packet* operand(std::uint64_t block, unsigned count = 1) {
    Packet* p = pool.make(block_bytes, false);
    nv(*p).address = block * block_bytes, nv(*p).count = static_cast<std::uint16_t>(count);
    return p;
  }
  TableTransaction push(std::uint64_t block, Answer answer, unsigned expected = 4) {
    TableTransaction t;
    t.command = Command::push, t.answer = answer, t.expected = static_cast<std::uint16_t>(expected);
    t.packet = operand(block);
    return t;
  }
  /// Returns the breaches of this transaction, one line each.
  std::string check(TableTransaction t) {
    told.clear();
    rules.ask(t);
    rules.check(t);
    return told;
  }

  PacketPool pool{NvLink{}};
  std::string told;
  TableRules rules;
};

}  // namespace

TEST_CASE("table rules: right answers to a push are silent", "[pure]") {
  Asked table;
  CHECK(table.check(table.push(5, Answer::inserted)).empty());
  CHECK(table.check(table.push(5, Answer::merged)).empty());
  CHECK(table.check(table.push(5, Answer::bypassed)).empty());
  CHECK(table.rules.inside() == std::map<std::uint64_t, unsigned>{{5, 2}});
  TableTransaction other = table.push(6, Answer::inserted);
  other.evicted = table.operand(5), other.count = 2;
  CHECK(table.check(other).empty());
  CHECK(table.rules.inside() == std::map<std::uint64_t, unsigned>{{6, 1}});
  CHECK(table.check(table.push(6, Answer::merged, 3)).empty());
  TableTransaction last = table.push(6, Answer::completed, 3);
  last.result = table.operand(6), last.count = 3;
  CHECK(table.check(last).empty());
  CHECK(table.rules.inside().empty());
}

TEST_CASE("table rules: each wrong answer has its rule", "[pure]") {
  Asked table;
  CHECK(table.check(table.push(5, Answer::missed)) == "answer: the command push has no answer `missed`\n");
  CHECK(table.check(table.push(5, Answer::completed)) ==
        "answer: `completed` without a result for block 5\ncomplete: block 5 is complete with 0 of 4 operands\n");
  table.rules.reset();
  TableTransaction t = table.push(5, Answer::merged);
  t.result = table.operand(5), t.count = 1;
  CHECK(table.check(t) == "answer: a result for block 5 with the answer `merged`\n");
  t = table.push(7, Answer::merged);
  t.evicted = table.operand(8), t.count = 1;
  CHECK(table.check(t) ==
        "answer: an evicted packet with the answer `merged`\n"
        "conserve: block 8 leaves with 1 operands, and 0 have entered\n");
  table.rules.reset();
  t = table.push(5, Answer::completed, 1);
  t.result = table.operand(9), t.count = 1;
  CHECK(table.check(t) == "answer: block 5 leaves in a packet of block 9\n");
  TableTransaction due;
  due.command = Command::expire, due.answer = Answer::nothing, due.now = 100, due.next_timeout = 100;
  CHECK(table.check(due) == "expire: an entry is due, and the table neither evicts one nor returns a later time\n");
  due.next_timeout = 101;
  CHECK(table.check(due).empty());
}

TEST_CASE("table rules: operands that leave uncounted stay inside", "[pure]") {
  Asked table;
  for (int i = 0; i < 3; ++i) table.check(table.push(62, Answer::merged));
  TableTransaction t = table.push(1, Answer::inserted);
  t.evicted = table.operand(62), t.count = 1;
  CHECK(table.check(t) == "lose: block 62 leaves with 1 operands, and 3 have entered\n");
  CHECK(table.rules.inside() == std::map<std::uint64_t, unsigned>{{1, 1}, {62, 2}});
}

TEST_CASE("table rules: an entry for a pull receives its responses", "[pure]") {
  Asked table;
  TableTransaction t;
  t.command = Command::allocate, t.answer = Answer::inserted, t.address = 3 * block_bytes, t.requester = 2, t.expected = 2;
  CHECK(table.check(t).empty());
  t.command = Command::collect, t.expected = 0, t.packet = table.operand(3), t.answer = Answer::missed;
  CHECK(table.check(t) == "answer: `missed` for block 3, which has an entry\n");
  t.requester = 1;
  CHECK(table.check(t).empty());  // no entry of this requester
  t.requester = 2, t.answer = Answer::merged;
  CHECK(table.check(t).empty());
  t.answer = Answer::completed, t.result = table.operand(3), t.count = 1;
  CHECK(table.check(t) ==
        "complete: block 3 is complete with 1 of 2 operands\n"
        "lose: block 3 leaves with 1 operands, and 2 have entered\n");
}

}  // namespace tributary::test_table_rules
