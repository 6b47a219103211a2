// Entries of a table as its port sees them.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "modules/base/element.h"
#include "modules/nvswitch/core/table_view.h"
#include "modules/protocol/nvlink.h"

namespace tributary::test_table_view {
namespace {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

/// A table whose answers a test gives, and the events that its port shows.
struct Seen {
  Seen() {
    view.events.attach(this, [](void* self, Tick, const ReductionEvent& e) {
      const char* const kinds[] = {"allocated", "merged", "completed", "evicted", "timed_out", "freed"};
      std::string& text = static_cast<Seen*>(self)->told;
      text += std::string(kinds[static_cast<unsigned>(e.kind)]) + " " + std::to_string(e.entry) + " of block " +
              std::to_string(e.block) + ": " + std::to_string(e.count) + "/" + std::to_string(e.expected);
      if (e.operand != nullptr) text += " +" + std::to_string(static_cast<int>(first_element(e.type, e.operand)));
      if (e.value != nullptr) text += " =" + std::to_string(static_cast<int>(first_element(e.type, e.value)));
      text += "\n";
    });
  }

  Packet* packet(std::uint64_t block, float value) {
    Packet* p = pool.make(block_bytes, true);
    nv(*p).address = block * block_bytes, nv(*p).count = 1;
    nv(*p).type = ElementType::f32;
    std::memcpy(p->payload, &value, sizeof value);
    return p;
  }
  TableTransaction push(std::uint64_t block, float value, Answer answer) {
    TableTransaction t;
    t.command = Command::push, t.answer = answer, t.expected = 3;
    t.packet = packet(block, value);
    return t;
  }
  /// Returns the events of this transaction, one line each. The table adds 100 to the operand's data, as it owns them.
  std::string events(TableTransaction t) {
    told.clear();
    view.ask(t);
    const float spoilt = 100;
    if (t.packet != nullptr) std::memcpy(t.packet->payload, &spoilt, sizeof spoilt);
    view.answer(t);
    return told;
  }

  PacketPool pool{NvLink{}};
  std::string told;
  TableView view{2};
};

}  // namespace

TEST_CASE("table view: operands, sums and entries of a push follow from the transactions", "[pure]") {
  Seen table;
  CHECK(table.events(table.push(5, 1, Answer::inserted)) == "allocated 0 of block 5: 1/3 +1\n");
  CHECK(table.events(table.push(6, 2, Answer::inserted)) == "allocated 1 of block 6: 1/3 +2\n");
  CHECK(table.events(table.push(5, 3, Answer::merged)) == "merged 0 of block 5: 2/3 +3\n");
  TableTransaction last = table.push(5, 4, Answer::completed);
  last.result = table.packet(5, 8), last.count = 3;
  CHECK(table.events(last) == "merged 0 of block 5: 3/3 +4\ncompleted 0 of block 5: 3/3 =8\n");
  TableTransaction finish;
  finish.command = Command::finish;
  finish.address = 5 * block_bytes, finish.requester = TableTransaction::no_requester;
  CHECK(table.events(finish) == "freed 0 of block 5: 3/3\n");
  CHECK(table.events(table.push(7, 5, Answer::bypassed)).empty());
}

TEST_CASE("table view: evictions and timeouts free their entries", "[pure]") {
  Seen table;
  table.events(table.push(5, 1, Answer::inserted));
  TableTransaction other = table.push(6, 2, Answer::inserted);
  other.evicted = table.packet(5, 1), other.count = 1;
  CHECK(table.events(other) == "evicted 0 of block 5: 1/3 =1\nfreed 0 of block 5: 1/3\nallocated 0 of block 6: 1/3 +2\n");
  TableTransaction expire;
  expire.command = Command::expire, expire.answer = Answer::inserted, expire.evicted = table.packet(6, 2);
  expire.count = 1;
  CHECK(table.events(expire) == "timed_out 0 of block 6: 1/3 =2\nfreed 0 of block 6: 1/3\n");
}

TEST_CASE("table view: a pull has an entry for each requester", "[pure]") {
  Seen table;
  TableTransaction t;
  t.command = Command::allocate, t.answer = Answer::inserted, t.expected = 2, t.address = 9 * block_bytes;
  CHECK(table.events(t) == "allocated 0 of block 9: 0/2\n");
  t.requester = 1;
  CHECK(table.events(t) == "allocated 1 of block 9: 0/2\n");
  TableTransaction response;
  response.command = Command::collect, response.answer = Answer::merged, response.requester = 1;
  response.packet = table.packet(9, 7);
  CHECK(table.events(response) == "merged 1 of block 9: 1/2 +7\n");
}

TEST_CASE("table view: a table that shows its own events is not shown twice", "[pure]") {
  Seen table;
  ReductionProbe own;
  table.view.follow(own);
  TableTransaction t = table.push(5, 1, Answer::inserted);
  table.view.ask(t);
  own(0, ReductionEvent{});
  table.view.answer(t);
  CHECK(table.told.empty());
  CHECK_FALSE(table.events(table.push(6, 1, Answer::inserted)).empty());
}

}  // namespace tributary::test_table_view
