/// CommandHostCore: commands that wait for an ACK, and the bound on bytes in flight.
#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "platforms/hosts/command_host_core.h"

namespace tributary::test_command_host {
namespace {

struct Nic : Verbs {
  std::vector<std::pair<std::uint64_t, Tick>> posted;  // request, time
  void post_write(unsigned, const WriteRequest& request, Tick when) override { posted.emplace_back(request.id, when); }
  unsigned outstanding(unsigned) const override { return 0; }
};

/// Sends two chunks to host 1, the second after the first.
HostCommands two_sends() {
  HostCommands program;
  for (std::uint32_t c = 0; c < 2; ++c) {
    NicCommand send;
    send.bytes = 128;
    send.send = NicTarget{1, 0, 0};
    if (c == 1) send.after = {0};
    program.commands.push_back(send);
  }
  program.pairs[1] = 0;
  return program;
}

}  // namespace

TEST_CASE("commands of a host: a send does not wait for the ACK of the previous send", "[pure][hosts]") {
  Nic nic;
  CommandHostCore agent(CommandHostCore::Config{}, nic);
  Tick done = never;
  agent.on_end([&](Tick when) { done = when; }, [](Tick, const std::string&) {});
  agent.post(two_sends(), 100);
  agent.run_until(1000);
  CHECK(nic.posted == std::vector<std::pair<std::uint64_t, Tick>>{{0, 100}, {1, 100}});
  CHECK(done == 100);
  agent.completed(0, 0, 5000);  // too late to matter
  agent.completed(0, 1, 5000);
  agent.run_until(6000);
  CHECK(nic.posted.size() == 2);
  CHECK(done == 100);
}

TEST_CASE("commands of a host: the bytes in flight to another host are limited", "[pure][hosts]") {
  Nic nic;
  CommandHostCore::Config params;
  params.in_flight = 1024;
  CommandHostCore agent(params, nic);
  Tick done = never;
  agent.on_end([&](Tick when) { done = when; }, [](Tick, const std::string&) {});
  HostCommands program = two_sends();
  for (NicCommand& c : program.commands) c.bytes = 1000, c.after = {};
  program.commands.push_back(program.commands.front());
  program.commands.push_back(program.commands.front());
  program.commands.back().send->nic = 2;
  program.pairs[2] = 1;
  agent.post(std::move(program), 100);
  agent.run_until(1000);
  // 1000 B leave room for one more chunk, 2000 B do not; the other host has room.
  CHECK(nic.posted == std::vector<std::pair<std::uint64_t, Tick>>{{0, 100}, {1, 100}, {3, 100}});
  agent.completed(1, 3, 4000);
  agent.run_until(4500);
  CHECK(nic.posted.size() == 3);
  agent.completed(0, 0, 5000);
  agent.run_until(6000);
  CHECK(nic.posted.back() == std::pair<std::uint64_t, Tick>{2, 5000});
  CHECK(done == 5000);
}

TEST_CASE("commands of a host: a command that would overwrite a chunk waits for the ACK of its send", "[pure][hosts]") {
  Nic nic;
  CommandHostCore agent(CommandHostCore::Config{}, nic);
  Tick done = never;
  agent.on_end([&](Tick when) { done = when; }, [](Tick, const std::string&) {});
  HostCommands program = two_sends();
  program.acknowledged = {true, false};
  agent.post(std::move(program), 100);
  agent.run_until(1000);
  CHECK(nic.posted.size() == 1);
  CHECK(done == never);
  CHECK_FALSE(agent.waiting().empty());
  agent.completed(0, 0, 5000);
  agent.run_until(6000);
  CHECK(nic.posted.back() == std::pair<std::uint64_t, Tick>{1, 5000});
  CHECK(done == 5000);
}

TEST_CASE("commands of a host: programs follow one another, and chunks and ACKs may be early or late", "[pure][hosts]") {
  Nic nic;
  CommandHostCore::Config params;
  params.in_flight = 1024;
  CommandHostCore agent(params, nic);
  std::vector<Tick> done;
  agent.on_end([&](Tick when) { done.push_back(when); }, [](Tick, const std::string&) {});
  const auto program = [](std::uint16_t number) {
    HostCommands all = two_sends();
    for (NicCommand& c : all.commands) c.bytes = 1000, c.after = {};
    all.commands[1].receives = true, all.commands[1].from = all.commands[1].chunk;
    all.number = number;
    return all;
  };
  agent.arrived(0, 7 << 16 | 1, 50);
  agent.arrived(0, 3 << 16 | 1, 60);
  CHECK(agent.waiting() == std::vector<std::string>{"rank: 2 chunks have arrived for operations that have not begun"});
  agent.post(program(3), 100);
  CHECK_THROWS(agent.post(program(7), 100));
  agent.run_until(1000);
  CHECK(done == std::vector<Tick>{100});
  CHECK(nic.posted == std::vector<std::pair<std::uint64_t, Tick>>{{3 << 16, 100}, {3 << 16 | 1, 100}});
  agent.post(program(7), 2000);  // 2000 B of the program before are not acknowledged
  agent.run_until(2000);
  CHECK(nic.posted.size() == 2);
  agent.completed(0, 3 << 16, 3000);
  agent.run_until(3000);
  CHECK(nic.posted.back() == std::pair<std::uint64_t, Tick>{7 << 16, 3000});
  agent.completed(0, 3 << 16 | 1, 4000);
  agent.run_until(4000);
  CHECK(nic.posted.back() == std::pair<std::uint64_t, Tick>{7 << 16 | 1, 4000});
  CHECK(done == std::vector<Tick>{100, 4000});
  CHECK(agent.waiting().empty());
}

}  // namespace tributary::test_command_host
