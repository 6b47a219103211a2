/// Host agents of a NetReducePlatform: each carries out its own stages of a program, and refuses the others.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "modules/timing/completion_listener.h"
#include "platforms/netreduce/host_program.h"
#include "platforms/netreduce/netreduce_platform.h"

namespace tributary::test_host_agents_block {
namespace {

struct Listener : CompletionListener {
  explicit Listener(unsigned count) : ends(count, never) {}
  void done(unsigned end, Tick when) override { ends.at(end) = when; }
  void failed(unsigned, Tick, const std::string& why) override { FAIL(why); }
  std::vector<Tick> ends;
};

NetReducePlatform::Config config_of(std::vector<HostRole> roles) {
  NetReducePlatform::Config c;
  c.roles = std::move(roles);
  c.with_data = false;
  return c;
}

/// Returns a program with one stage.
HostProgram with(HostRole stage) {
  HostProgram program;
  if (stage == HostRole::commands) program.before.commands.resize(1);
  if (stage == HostRole::flow_control) program.rings.resize(1);
  if (stage == HostRole::machine) program.after.commands.resize(1);
  if (stage == HostRole::server) program.server = ServerPlan{};
  return program;
}

}  // namespace

TEST_CASE("host agents: each role refuses the stages of the others", "[block][netreduce]") {
  Listener listener(3);
  const std::vector<HostRole> roles{HostRole::commands, HostRole::flow_control, HostRole::server};
  NetReducePlatform rack("rack", topology::racks("rack:3"), config_of(roles), listener);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  rack.reset();
  for (unsigned end = 0; end < 3; ++end)
    for (const HostRole stage : {HostRole::commands, HostRole::flow_control, HostRole::machine, HostRole::server}) {
      CAPTURE(end, static_cast<int>(stage));
      if (stage != roles[end]) CHECK_THROWS_AS(rack.post(end, with(stage), 0), std::logic_error);
    }
  CHECK_THROWS_AS(rack.post(2, HostProgram{}, 0), std::logic_error);  // a server needs a plan
  rack.post(2, with(HostRole::server), 0);
  CHECK_THROWS_AS(rack.connect(0, 0), std::logic_error);  // one GPU in each host
  CHECK(rack.host(0).agent().name() == std::string("rack.host0.agent"));
}

TEST_CASE("host agents: a machine carries out commands of each of its GPUs and is not a server", "[block][netreduce]") {
  Listener listener(4);
  NetReducePlatform rack("rack", topology::racks("rack:2x2"), config_of({}), listener);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  rack.reset();
  CHECK_THROWS_AS(rack.post(1, with(HostRole::server), 0), std::logic_error);
  const NetReducePlatform::ConnectionNumbers inside = rack.connect(0, 1), outside = rack.connect(1, 2);
  CHECK((inside.from == 0 && inside.to == 0));
  CHECK((outside.from == 1 && outside.to == 0));
  const Tick start = kernel_now() + NetReducePlatform::command_latency(rack.params());
  for (unsigned end = 0; end < 4; ++end) rack.post(end, HostProgram{}, start + end);
  sc_core::sc_start();
  for (unsigned end = 0; end < 4; ++end) CHECK(listener.ends[end] == start + end);
}

}  // namespace tributary::test_host_agents_block
