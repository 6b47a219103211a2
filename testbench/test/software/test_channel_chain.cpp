// The chain of steps of NCCL's channels that determines the end of a run.
#include <catch2/catch.hpp>
#include <map>

#include "testbench/run/channel_chain.h"

namespace tributary::test_channel_chain {
namespace {

using Parts = std::map<std::string, double>;

/// `times`: an arrival needs the latencies that often.
ChannelRoutes routes_of(unsigned times) {
  return [times](unsigned, unsigned, CopyPath) -> ChannelRoute {
    return {"f.nvlink.rate", {{"f.switch", 30}, {"f.wire", 10}}, times};
  };
}

/// Returns a step that sends to `peer`, and brings its semaphore 1 closer to a value.
ChannelStep sending(std::uint16_t peer) {
  ChannelStep s;
  s.peer = peer, s.tell = 1, s.reads_own = true;
  return s;
}

/// Returns a step that waits for value `arrivals` of its semaphore 1, and frees the slot of `giver`.
ChannelStep receiving(std::uint32_t arrivals, std::uint16_t giver) {
  ChannelStep s;
  s.reads_input = true, s.arrived = 1, s.arrivals = arrivals, s.giver = giver, s.grant = 2;
  return s;
}

struct Condition {
  ChannelWait wait = ChannelWait::base;
  bool acquires = false;
  Tick seen = 0, ready = 0;
};

void run(ChannelChain& chain, unsigned gpu, const ChannelStep& s, const Condition& c, Tick moves, Tick begun, Tick ended) {
  const char* const group = s.low_latency ? "nccl.low_latency" : "nccl";
  chain.on_step(gpu, begun, {&s, true, c.wait, c.acquires, c.seen, c.ready, moves, 0, group});
  chain.on_step(gpu, ended, {&s, false, c.wait, c.acquires, c.seen, c.ready, moves, 0, group});
}

Parts parts(const ChannelChain& chain, unsigned times = 1) {
  Parts all;
  for (const PathPart& part : chain.parts(routes_of(times))) all[part.parameter] = part.time;
  return all;
}

const Condition base{ChannelWait::base, false, 100, 100};

}  // namespace

TEST_CASE("a chain of channels leads from a step over its arrival to the step of the peer", "[pure][bottleneck]") {
  ChannelChain chain("f", false);
  CHECK(chain.parts(routes_of(1)).empty());
  run(chain, 0, sending(1), base, 500, 100, 600);
  run(chain, 1, receiving(1, 0), {ChannelWait::arrival, false, 300, 1000}, 500, 1000, 1500);  // seen from 700 on
  run(chain, 2, sending(0), base, 10, 100, 110);                                              // ends too early to matter
  CHECK(parts(chain) == Parts{{"f.nccl.base", 100},
                              {"f.nccl.link_rate", 1000},
                              {"f.nvlink.rate", 60},
                              {"f.switch", 30},
                              {"f.wire", 10},
                              {"f.nccl.step.nvlink", 300}});
  CHECK(parts(chain, 3)["f.switch"] == 90);
  CHECK(parts(chain, 3)["f.wire"] == 10);  // the rest of the 100
  chain.reset();
  CHECK(chain.parts(routes_of(1)).empty());
}

TEST_CASE("links bound a step that is longer than at the rate of its channel", "[pure][bottleneck]") {
  ChannelChain chain("f", false);
  run(chain, 0, sending(1), base, 500, 100, 1100);
  CHECK(parts(chain) == Parts{{"f.nccl.base", 100}, {"f.nvlink.rate", 1000}});
  chain.reset();
  run(chain, 0, sending(1), base, 500, 100, 640);  // both rates are near to each other
  CHECK(parts(chain) == Parts{{"f.nccl.base", 100}, {"f.nvlink.rate", 270}, {"f.nccl.link_rate", 270}});
}

TEST_CASE("a step that is ready before the one before it in its channel ends follows that step", "[pure][bottleneck]") {
  ChannelChain chain("f", true);
  ChannelStep sum = receiving(1, 0);
  sum.reads_own = true;
  run(chain, 0, sending(1), base, 500, 100, 600);
  run(chain, 0, sum, {ChannelWait::arrival, false, 300, 590}, 400, 600, 1000);
  CHECK(parts(chain) == Parts{{"f.nccl.base", 100}, {"f.nccl.link_rate", 500}, {"f.nccl.reduce_rate", 400}});
}

TEST_CASE("a step that waits for a slot follows the step that freed it", "[pure][bottleneck]") {
  ChannelChain chain("f", false);
  ChannelStep waits = sending(1);
  waits.granted = 2, waits.grants = 1;
  run(chain, 1, receiving(0, 0), base, 500, 100, 600);
  run(chain, 0, waits, {ChannelWait::slot_free, true, 200, 830}, 100, 830, 930);  // seen from 630 on
  CHECK(parts(chain, 3) ==
        Parts{{"f.nccl.base", 100}, {"f.nccl.link_rate", 600}, {"f.streams.acquire", 200}, {"f.switch", 30}});
}

TEST_CASE("a hop that is shorter than the time to see a semaphore lasts that time", "[pure][bottleneck]") {
  ChannelChain chain("f", false);
  ChannelStep first = sending(1), second = receiving(1, 0);
  first.low_latency = second.low_latency = true;
  run(chain, 0, first, base, 500, 100, 600);
  run(chain, 1, second, {ChannelWait::arrival, true, 1000, 1600}, 10, 1600, 1610);
  CHECK(parts(chain) == Parts{{"f.nccl.low_latency.base", 100}, {"f.nccl.link_rate", 510}, {"f.streams.acquire", 1000}});
}

// A hop includes the flight of its data and the time in which the block is busy (docs/blocks/nccl_protocols.md#hops).
TEST_CASE("a hop of a protocol of NCCL 2.21 and later is one parameter", "[pure][bottleneck]") {
  ChannelChain chain("f", false);
  const ChannelStep first = sending(1), second = receiving(1, 0);
  const auto step = [&](unsigned gpu, const ChannelStep& s, const Condition& c, Tick overhead, Tick begun, Tick ended) {
    for (const bool begins : {true, false})
      chain.on_step(
          gpu, begins ? begun : ended,
          {&s, begins, c.wait, c.acquires, c.seen, c.ready, ended - begun - overhead, overhead, "nccl.ll", "rate"});
  };
  step(0, first, base, 0, 100, 600);
  step(1, second, {ChannelWait::arrival, false, 300, 1000}, 40, 1000, 1540);  // 100 in flight, 300 of waiting, 40 busy
  CHECK(parts(chain) ==
        Parts{{"f.nccl.ll.base", 100}, {"f.nccl.ll.rate", 1000}, {"f.nccl.ll.hop", 380}, {"f.nvlink.rate", 60}});
}

TEST_CASE("a kernel follows the step that ended the kernel before it on its GPU, or the host that launched it",
          "[pure][bottleneck]") {
  ChannelChain chain("f", false);
  ChannelStep first = sending(1), other = sending(1), second = sending(1);
  other.channel = 1, second.kernel = 1;
  run(chain, 0, first, base, 500, 100, 600);
  run(chain, 0, other, base, 700, 100, 800);  // ends the kernel
  run(chain, 0, second, {ChannelWait::base, false, 100, 900}, 500, 900, 1400);
  CHECK(parts(chain) == Parts{{"f.nccl.base", 200}, {"f.nccl.link_rate", 1200}});
  ChannelStep third = sending(1);
  third.kernel = 2;
  chain.on_step(0, 2100, {&third, true, ChannelWait::base, false, 100, 2100, 500, 0, "nccl", "link_rate", false, 2000});
  chain.on_step(0, 2600, {&third, false, ChannelWait::base, false, 100, 2100, 500, 0, "nccl", "link_rate", false, 2000});
  CHECK(parts(chain) == Parts{{"f.host.launch_time", 2000}, {"f.nccl.base", 100}, {"f.nccl.link_rate", 500}});
}

}  // namespace tributary::test_channel_chain
