// The chain of commands that determines the end of a run of streams.
#include <catch2/catch.hpp>
#include <map>

#include "testbench/run/stream_chain.h"

namespace tributary::test_stream_chain {
namespace {

using Kind = StreamCommand::Kind;
using Event = StreamCommandEvent::Kind;

StreamCommand command(Kind kind, unsigned stream, unsigned peer = 0, std::uint32_t semaphore = 0, std::uint32_t value = 0) {
  StreamCommand c;
  c.kind = kind, c.stream = static_cast<std::uint16_t>(stream), c.peer = static_cast<std::uint16_t>(peer);
  c.semaphore = semaphore, c.value = value;
  return c;
}

StreamChain chain_of(Time issue = 0_ps) { return StreamChain({"f", 300_ps, 400_ps, 200_ps, issue, false}); }

/// Reports a command that begins, is granted and ends at these times.
void run(StreamChain& chain, unsigned gpu, unsigned queue, const StreamCommand& c, Tick begun, Tick granted, Tick ended) {
  chain.on_command(gpu, begun, {Event::begun, &c, queue});
  if (granted > 0) chain.on_command(gpu, granted, {Event::granted, &c, queue});
  chain.on_command(gpu, ended, {Event::ended, &c, queue});
}

using Parts = std::map<std::string, double>;

/// Names a link by its kind and ends.
std::string link_of(unsigned from, unsigned to, CopyPath path) {
  return path == CopyPath::nvlink ? "f.nvlink.rate" : "f.pcie" + std::to_string(from) + "to" + std::to_string(to);
}

Parts parts(const StreamChain& chain) {
  Parts all;
  for (const PathPart& part : chain.parts(link_of)) all[part.parameter] = part.time;
  return all;
}

/// Returns the times of other parameters in the waits for this one.
Parts shared(const StreamChain& chain, const std::string& parameter) {
  Parts all;
  for (const PathPart& part : chain.parts(link_of))
    for (const SharedTime& time : part.shared)
      if (part.parameter == parameter) all[time.parameter] = time.time;
  return all;
}

}  // namespace

TEST_CASE("a chain leads from a kernel over a wait and a record to the copy of the peer", "[pure][bottleneck]") {
  StreamChain chain = chain_of();
  CHECK(chain.parts(link_of).empty());
  run(chain, 0, 0, command(Kind::copy, 0, 1), 0, 1, 1001);
  run(chain, 0, 0, command(Kind::record, 0, 1, 5), 1001, 0, 1101);
  run(chain, 1, 0, command(Kind::wait, 0, 0, 5, 1), 0, 0, 1351);  // the semaphore arrives 50 ps after its record
  run(chain, 1, 0, command(Kind::kernel, 0), 1351, 0, 2351);
  run(chain, 1, 1, command(Kind::copy, 1, 0), 0, 1, 900);  // ends too early to matter
  CHECK(parts(chain) == Parts{{"f.copy.launch", 300},
                              {"f.nvlink.rate", 700},
                              {"f.streams.release", 100},
                              {"f.streams.acquire", 200},
                              {"f.kernel.launch", 400},
                              {"f.kernel.rate", 600}});
  chain.reset();
  CHECK(chain.parts(link_of).empty());
}

TEST_CASE("fetch and completion of a copy, and the rate of its engine, are parts of a chain", "[pure][bottleneck]") {
  StreamChain::Config config{"f", 300_ps, 400_ps, 200_ps, 0_ps, false};
  config.fetch = 50_ps, config.completion = 20_ps;
  config.engine_bound = "f.copy.rate", config.engine_byte = 2;
  StreamChain chain(config);
  StreamCommand slow = command(Kind::copy, 0, 1), fast = slow;
  slow.bytes = 350, fast.bytes = 100;  // 700 ps and 200 ps in the engine
  run(chain, 0, 0, slow, 0, 50, 1070);
  CHECK(parts(chain) ==
        Parts{{"f.copy.fetch", 50}, {"f.copy.launch", 300}, {"f.copy.rate", 700}, {"f.copy.completion", 20}});
  run(chain, 0, 1, fast, 60, 1050, 2070);  // its links are free 20 ps before the first copy has ended
  CHECK(parts(chain) == Parts{{"f.copy.fetch", 50},
                              {"f.copy.launch", 600},
                              {"f.copy.rate", 700},
                              {"f.nvlink.rate", 700},
                              {"f.copy.completion", 40}});
}

TEST_CASE("a copy that waits for links follows the copy that held them", "[pure][bottleneck]") {
  StreamChain chain = chain_of();
  run(chain, 0, 0, command(Kind::copy, 0, 1), 0, 1, 1001);
  run(chain, 0, 1, command(Kind::copy, 1, 1), 0, 1001, 2001);
  CHECK(parts(chain) == Parts{{"f.copy.launch", 600}, {"f.nvlink.rate", 1400}});
}

TEST_CASE("a copy that waits for an engine while its links are free needs more engines", "[pure][bottleneck]") {
  StreamChain chain = chain_of();
  run(chain, 0, 0, command(Kind::copy, 0, 1), 0, 1, 1001);
  run(chain, 0, 1, command(Kind::copy, 1, 2), 0, 1001, 2001);  // to another peer
  CHECK(parts(chain) == Parts{{"f.copy.launch", 300}, {"f.nvlink.rate", 700}, {"f.copy.engines", 1001}});
  CHECK(shared(chain, "f.copy.engines") == Parts{{"f.copy.launch", 300}, {"f.nvlink.rate", 700}});
  StreamChain one_way({"f", 300_ps, 400_ps, 200_ps, 0_ps, true});
  run(one_way, 0, 0, command(Kind::copy, 0, 1), 0, 1, 1001);
  run(one_way, 0, 1, command(Kind::copy, 1, 2), 0, 1001, 2001);
  CHECK(parts(one_way) == Parts{{"f.copy.launch", 600}, {"f.nvlink.rate", 1400}});
}

TEST_CASE("the time behind another stream in a queue belongs to the queues", "[pure][bottleneck]") {
  StreamChain chain = chain_of();
  run(chain, 0, 0, command(Kind::copy, 0, 1), 0, 1, 1001);        // stream 0
  run(chain, 0, 0, command(Kind::copy, 1, 2), 1001, 1002, 2002);  // stream 1, in the same queue, could have begun at 0
  CHECK(parts(chain) == Parts{{"f.copy.launch", 300}, {"f.nvlink.rate", 700}, {"f.streams.queues", 1001}});
  CHECK(shared(chain, "f.streams.queues") == Parts{{"f.copy.launch", 300}, {"f.nvlink.rate", 700}});
  CHECK(shared(chain, "f.nvlink.rate").empty());
}

TEST_CASE("a wait for a queue counts what holds the queue only while it lasts", "[pure][bottleneck]") {
  StreamChain chain = chain_of();
  run(chain, 0, 0, command(Kind::copy, 0, 1), 0, 1, 1001);           // stream 0
  run(chain, 0, 1, command(Kind::record, 1, 0, 5), 0, 0, 501);       // stream 1, in another queue
  run(chain, 0, 0, command(Kind::wait, 2, 0, 5, 1), 1001, 0, 1201);  // stream 2 could have begun at 501
  CHECK(parts(chain) == Parts{{"f.streams.acquire", 200}, {"f.streams.queues", 500}, {"f.streams.release", 501}});
  CHECK(shared(chain, "f.streams.queues") == Parts{{"f.nvlink.rate", 500}});
}

TEST_CASE("the commands of a peer that keep a queue waiting share its time", "[pure][bottleneck]") {
  StreamChain chain = chain_of();
  run(chain, 1, 0, command(Kind::copy, 0, 0), 0, 1, 1001);
  run(chain, 1, 0, command(Kind::record, 0, 0, 5), 1001, 0, 1101);
  run(chain, 0, 0, command(Kind::wait, 0, 0, 5, 1), 0, 0, 1301);  // holds the queue until the copy has arrived
  run(chain, 0, 0, command(Kind::kernel, 1), 1301, 0, 2301);      // stream 1 could have begun at 0
  CHECK(parts(chain) == Parts{{"f.streams.queues", 1301}, {"f.kernel.launch", 400}, {"f.kernel.rate", 600}});
  CHECK(shared(chain, "f.streams.queues") ==
        Parts{{"f.streams.acquire", 200}, {"f.streams.release", 100}, {"f.copy.launch", 300}, {"f.nvlink.rate", 700}});
}

TEST_CASE("a copy names the links of its own path", "[pure][bottleneck]") {
  StreamChain chain = chain_of();
  StreamCommand over_pcie = command(Kind::copy, 0, 1);
  over_pcie.path = CopyPath::pcie;
  run(chain, 0, 0, over_pcie, 0, 0, 1000);
  over_pcie.peer = 4;
  run(chain, 0, 0, over_pcie, 1000, 0, 3000);
  CHECK(parts(chain) == Parts{{"f.copy.launch", 600}, {"f.pcie0to1", 700}, {"f.pcie0to4", 1700}});
}

TEST_CASE("a command that the host issues late ends the chain", "[pure][bottleneck]") {
  StreamChain chain = chain_of(100_ps);
  run(chain, 0, 0, command(Kind::copy, 0, 1), 100, 101, 401);
  run(chain, 0, 1, command(Kind::copy, 1, 1), 800, 801, 1601);  // the eighth command
  CHECK(parts(chain) == Parts{{"f.copy.launch", 300}, {"f.nvlink.rate", 500}, {"f.streams.issue", 800}});
}

}  // namespace tributary::test_stream_chain
