// Tests software schedules inside a GPU: order by dependencies, counted and fenced mailboxes (docs/systems/klenk.md#ring).
#include <catch2/catch.hpp>

#include "modules/gpu/core/command_scheduler.h"

namespace tributary::test_command_scheduler {
namespace {

GpuCommand send(std::uint64_t first, std::uint64_t count, std::vector<std::uint32_t> after = {}, std::uint16_t gpu = 1,
                std::uint16_t slot = 0) {
  GpuCommand c;
  c.send = GpuCommand::Peer{gpu, slot, 0};
  c.first_block = first;
  c.block_count = count;
  c.after = std::move(after);
  return c;
}
GpuCommand receive(std::uint16_t slot, std::uint64_t count, std::vector<std::uint32_t> after = {}) {
  GpuCommand c;
  c.receive = GpuCommand::Peer{3, slot, 0};
  c.store = true;
  c.block_count = count;
  c.after = std::move(after);
  return c;
}
constexpr CommandLane wire = CommandLane::wire, local = CommandLane::local;

bool ready(const CommandScheduler& e) { return e.ready(wire) || e.ready(local); }

/// Issues all ready commands, sends first, and returns the blocks in order.
std::vector<std::uint64_t> issue(CommandScheduler& e, Tick now = 0) {
  std::vector<std::uint64_t> blocks;
  while (ready(e)) {
    const CommandLane lane = e.ready(wire) ? wire : local;
    blocks.push_back(e.next_block(lane));
    e.issued(lane, now, now);
  }
  return blocks;
}
using Blocks = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("commands issue when their predecessors have issued", "[pure][executor]") {
  CommandScheduler e;
  e.load({send(0, 2, {2}), send(10, 2), send(20, 2, {1})}, false);
  CHECK_FALSE(ready(e));
  e.start(0);
  CHECK(e.active());
  CHECK(issue(e) == Blocks{10, 11, 20, 21, 0, 1});
  CHECK(e.finished());
}

TEST_CASE("independent commands issue in sequence, in program order", "[pure][executor]") {
  CommandScheduler e;
  e.load({send(5, 3), send(0, 1), send(9, 2)}, false);
  e.start(0);
  CHECK(issue(e) == Blocks{5, 6, 7, 0, 9, 10});
}

TEST_CASE("commands that only store issue in parallel to those that send", "[pure][executor]") {
  CommandScheduler e;
  GpuCommand passed_on = receive(1, 1);
  passed_on.send = GpuCommand::Peer{1, 0, 0};
  e.load({send(0, 2), receive(0, 2), passed_on, send(7, 1, {1})}, false);
  e.start(0);
  e.block_arrived(0);
  CHECK(e.block_arrived(0));
  e.seen(0, 1);
  CHECK(e.block_arrived(1));
  e.seen(1, 1);
  REQUIRE((e.ready(wire) && e.ready(local)));
  CHECK(e.current(local).receive->slot == 0);
  e.issued(local, 2, 2);
  e.issued(wire, 2, 2);
  CHECK(e.next_block(local) == 1);
  CHECK(e.next_block(wire) == 1);
  e.issued(local, 3, 3);
  CHECK_FALSE(e.ready(local));  // a command that stores and sends counts as one that sends
  CHECK(issue(e) == Blocks{1, 0, 7});
  CHECK(e.finished());
}

TEST_CASE("a command without blocks releases its followers, once", "[pure][executor]") {
  CommandScheduler e;
  e.load({send(0, 0), send(4, 2, {0}), send(8, 0, {1}), send(9, 1, {0, 2})}, false);
  e.start(0);
  CHECK(issue(e) == Blocks{4, 5, 9});
  CHECK(e.finished());
}

TEST_CASE("a command that receives waits until its slot is full and seen", "[pure][executor]") {
  CommandScheduler e;
  e.load({receive(2, 3)}, false);
  CHECK_FALSE(e.block_arrived(2));  // a peer may send before this GPU has started
  e.start(0);
  CHECK_FALSE(e.block_arrived(2));
  CHECK(e.block_arrived(2));
  CHECK_FALSE(ready(e));  // full, but not seen by the poll
  e.seen(2, 500);
  CHECK(issue(e, 500).size() == 3);
  CHECK(e.finished());
}

TEST_CASE("a slot that was full before the start is used then", "[pure][executor]") {
  CommandScheduler e;
  e.load({receive(0, 1)}, false);
  CHECK(e.block_arrived(0));
  e.seen(0, 10);
  CHECK_FALSE(ready(e));
  e.start(20);
  CHECK(ready(e));
}

TEST_CASE("a slot serves one command after another", "[pure][executor]") {
  CommandScheduler e;
  e.load({receive(0, 1), receive(0, 2, {0})}, false);
  e.start(0);
  CHECK(e.block_arrived(0));
  e.seen(0, 1);
  CHECK(issue(e).size() == 1);
  CHECK_FALSE(e.block_arrived(0));
  CHECK(e.block_arrived(0));
  e.seen(0, 2);
  CHECK(issue(e).size() == 2);
  CHECK(e.finished());
}

TEST_CASE("an overrun of a mailbox is an error, and so is a block that no command waits for", "[pure][executor]") {
  CommandScheduler e;
  e.load({receive(0, 2), receive(0, 2, {0})}, false);
  e.start(0);
  e.block_arrived(0);
  e.block_arrived(0);
  CHECK_THROWS_WITH(e.block_arrived(0), "mailbox slot 0 was overrun");  // full, but not seen yet
  CommandScheduler done;
  done.load({receive(0, 1)}, false);
  done.start(0);
  done.block_arrived(0);
  done.seen(0, 1);
  CHECK_THROWS_AS(done.block_arrived(0), std::logic_error);
  CHECK_THROWS_AS(done.block_arrived(7), std::exception);
}

TEST_CASE("with fences, the flag completes a slot and must not overtake its data", "[pure][executor]") {
  CommandScheduler e;
  e.load({receive(0, 2)}, true);
  e.start(0);
  CHECK_FALSE(e.block_arrived(0));
  CHECK_THROWS_AS(e.flag_arrived(0), std::logic_error);
  CHECK_FALSE(e.block_arrived(0));  // all blocks have arrived, but only the flag completes the slot
  CHECK(e.flag_arrived(0));
  e.seen(0, 1);
  CHECK(ready(e));
}

TEST_CASE("a flag is due exactly when all acks of a command have returned", "[pure][executor]") {
  CommandScheduler e;
  e.load({send(0, 3, {}, 5, 2)}, true);
  e.start(0);
  for (unsigned i = 0; i < 2; ++i) e.issued(wire, 0, 0);
  // all outstanding acks have returned, but one block is not issued
  for (unsigned i = 0; i < 2; ++i) CHECK(e.acknowledged(5, 2) == nullptr);
  e.issued(wire, 0, 0);
  const GpuCommand* due = e.acknowledged(5, 2);
  REQUIRE(due != nullptr);
  CHECK((due->send->gpu == 5 && due->send->slot == 2));
  CHECK_THROWS_AS(e.acknowledged(5, 2), std::logic_error);
  CHECK_THROWS_AS(e.acknowledged(4, 2), std::logic_error);
}

TEST_CASE("counted mailboxes need no flags", "[pure][executor]") {
  CommandScheduler e;
  e.load({send(0, 1, {}, 5, 2)}, false);
  e.start(0);
  issue(e);
  CHECK(e.acknowledged(5, 2) == nullptr);
}

TEST_CASE("the result is visible when the last block is", "[pure][executor]") {
  CommandScheduler e;
  e.load({send(0, 1), send(1, 2)}, false);
  e.start(100);
  CHECK(e.visible_at() == 100);
  e.issued(wire, 110, 400);
  e.issued(wire, 120, 300);
  CHECK_FALSE(e.finished());
  e.issued(wire, 130, 350);
  CHECK(e.finished());
  CHECK(e.visible_at() == 400);
}

TEST_CASE("waiting() names the command that waits, and reset clears it", "[pure][executor]") {
  CommandScheduler e;
  e.load({send(0, 1), receive(2, 3, {0})}, false);
  e.start(7);
  issue(e, 9);  // since its predecessor has issued
  e.block_arrived(2);
  CHECK(e.waiting() ==
        std::vector<std::string>{"executor: command 1 of 2 waits for mailbox slot 2 from gpu3 (1 of 3 blocks) @9"});
  e.reset();
  CHECK_FALSE(e.active());
  CHECK(e.waiting().empty());
  CHECK_FALSE(ready(e));
}

TEST_CASE("operations of a program begin one by one, and accept blocks that arrive before", "[pure][executor]") {
  CommandScheduler e;
  // Two operations: each sends, then stores the block that it receives in its own slot.
  e.load({send(0, 2), receive(0, 1, {0}), send(10, 1), receive(1, 1, {2})}, false, {{0, 2}, {2, 2}});
  CHECK(e.block_arrived(1));  // for the second operation, which has not begun
  e.seen(1, 5);
  CHECK_FALSE(ready(e));
  e.begin(0, 10);
  CHECK(issue(e, 10) == Blocks{0, 1});
  CHECK(e.take_over().empty());
  CHECK(e.block_arrived(0));
  e.seen(0, 20);
  CHECK(issue(e, 20) == Blocks{0});
  CHECK(e.take_over() == std::vector<std::uint32_t>{0});
  CHECK(e.take_over().empty());
  CHECK_FALSE(e.finished());
  e.begin(1, 30);
  CHECK(issue(e, 30) == Blocks{10, 0});
  CHECK(e.take_over() == std::vector<std::uint32_t>{1});
  CHECK(e.visible_at(0) == 20);
  CHECK(e.visible_at(1) == 30);
  CHECK(e.finished());
}

}  // namespace tributary::test_command_scheduler
