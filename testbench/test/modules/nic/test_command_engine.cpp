// Tests the report of a NIC's command engine on waiting commands.
#include <catch2/catch.hpp>

#include "modules/nic/core/command_engine.h"
#include "modules/nic/core/reduction_core.h"

namespace tributary::test_command_engine {
namespace {

struct World : CommandListener {
  explicit World(bool has_room = true) : has_room_(has_room) {}
  void add(const NicCommand&) override {}
  void send(std::uint32_t, std::uint64_t, std::uint32_t, const NicTarget&, Tick) override {}
  bool room(const NicTarget&) const override { return has_room_; }
  void commands_done(Tick) override {}

  void post(std::vector<NicCommand> commands, Tick t0) {
    engine.post(std::move(commands), ElementType::f32, t0);
    engine.run_until(t0);
  }

  const NicParams params{};
  ReductionCore reduction{params.reduction, params.clock};
  ChunkSums sums{};
  CommandEngine engine{*this, reduction, sums};

 private:
  bool has_room_;
};

NicCommand receiver(std::uint16_t peer = ScheduleEntry::nil) {
  NicCommand command;
  command.receives = true;
  command.peer = peer;
  return command;
}

NicCommand behind(std::uint32_t other) {
  NicCommand command;
  command.after = {other};
  return command;
}

}  // namespace

TEST_CASE("up to four commands that wait for a chunk are named, and further ones are counted", "[pure][nic]") {
  World w;
  w.post(std::vector<NicCommand>(7, receiver()), 5);
  w.engine.received(0, 10);
  w.engine.run_until(10);
  const std::vector<std::string> lines = w.engine.waiting();  // one of seven has ended
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "rank: command 1 of 7 waits for its chunk @5");
  CHECK(lines[3] == "rank: command 4 of 7 waits for its chunk @5");
  CHECK(lines[4] == "rank: 2 more commands wait");
  for (std::uint32_t c = 1; c < 7; ++c) w.engine.received(c, 20);
  w.engine.run_until(20);
  CHECK(w.engine.waiting().empty());
}

TEST_CASE("waiting() names the commands that do not wait for others of their rank", "[pure][nic]") {
  World w;
  w.post({behind(1), receiver(3)}, 30);
  CHECK(w.engine.waiting() == std::vector<std::string>{"rank: command 1 of 2 waits for its chunk from endpoint 3 @30",
                                                       "rank: 1 more commands wait"});
}

TEST_CASE("commands that wait for room are counted, together with their followers", "[pure][nic]") {
  World w(false);
  NicCommand sends;
  sends.send = NicTarget{1, 0, 0};
  w.post({sends, behind(0)}, 7);
  CHECK(w.engine.waiting() == std::vector<std::string>{"rank: 1 commands wait for room in the queues of interfaces @7",
                                                       "rank: 1 more commands wait"});
}

}  // namespace tributary::test_command_engine
