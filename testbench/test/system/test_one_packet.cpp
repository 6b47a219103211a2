/// The time of a single block, decomposed: the growth of the time with each latency shows how often the path includes
/// it.
#include <catch2/catch.hpp>
#include <cmath>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_one_packet {
namespace {

/// A message of one block on a machine without jitter.
Tick time_of(const std::string& algorithm, const std::vector<int>& gpus, Bytes size,
             std::vector<std::string> settings = {}) {
  settings.push_back("nvswitch.gpu.memory.jitter=0ns");
  settings.push_back("nvswitch.pull.barrier=false");
  return run_one(without_data(run_spec(algorithm, gpus, {size}, settings))).row.time;
}

struct Passes {
  double links, switches, reads;
};

/// The numbers of links, switches and memory reads in the critical path.
Passes passes(const std::string& algorithm, const std::vector<int>& gpus, Bytes size = 128_B) {
  const auto time = static_cast<double>(time_of(algorithm, gpus, size));
  const auto grown = [&](const char* setting) {
    return (static_cast<double>(time_of(algorithm, gpus, size, {setting})) - time) / 100e3;  // 100 ns longer for each
  };
  return {grown("nvswitch.link.latency=120ns"), grown("nvswitch.switch.latency=250ns"),
          grown("nvswitch.gpu.memory.latency=215.2ns")};
}

/// Returns the number of crossings of a crossbar in the critical path.
double crossings(const std::string& algorithm, const std::vector<int>& gpus, Bytes size = 128_B) {
  const Tick time = time_of(algorithm, gpus, size);
  return static_cast<double>(time_of(algorithm, gpus, size, {"nvswitch.switch.crossbar.arbitration=100ns"}) - time) / 100e3;
}

}  // namespace

TEST_CASE("one block: a push between two boards takes the time of its path", "[system][one_packet]") {
  // Read; up, across to the home port of block 0 on board 0; the result across, down. Results of the table re-enter the
  // crossbar after the switch's latency (docs/systems/klenk.md#switch-latency): three times 150 ns.
  const Passes p = passes("push", {0, 8});
  CHECK(p.links == 4);
  CHECK(p.switches == 3);
  CHECK(p.reads == 1);
}

TEST_CASE("one block: a push within a board takes the time of its path", "[system][one_packet]") {
  const Passes p = passes("push", {0, 1});
  CHECK(p.links == 2);
  CHECK(p.switches == 1);
  CHECK(p.reads == 1);
}

TEST_CASE("one block: arbitration delays each crossing, also that of a sum", "[system][one_packet]") {
  CHECK(crossings("push", {0, 8}) == 4);  // three switches, and the sum from the table into the crossbar of its port
  CHECK(crossings("push", {0, 1}) == 2);
  CHECK(crossings("pull", {0, 8}) == 6);  // replies leave the table for the link, not for the crossbar
}

TEST_CASE("one block: a pull takes the time of its path", "[system][one_packet]") {
  // Request, response and multicast write each pass two links and one switch; the target reads.
  const Passes near = passes("pull", {0, 1});
  CHECK(near.links == 6);
  CHECK(near.switches == 3);
  CHECK(near.reads == 1);
  const Passes far = passes("pull", {0, 8});
  CHECK(far.links == 9);
  CHECK(far.switches == 6);
  CHECK(far.reads == 1);
}

TEST_CASE("one block: a broadcast takes the time of its path", "[system][one_packet]") {
  const Passes p = passes("multicast", first_gpus(16));
  CHECK(p.links == 3);
  CHECK(p.switches == 2);
  CHECK(p.reads == 1);
}

TEST_CASE("one block for each rank: a ring of eight takes 14 steps", "[system][one_packet]") {
  // Each step: two links, one switch. Acks may occasionally delay data by about a flit.
  const Passes p = passes("ring", first_gpus(8), 1_KiB);
  CHECK(p.links == Approx(28).margin(0.1));
  CHECK(p.switches == Approx(14).margin(0.1));
  // Each step has a read to send, and one more until the poll sees it (docs/systems/klenk.md#ring); the last rank also
  // stores.
  CHECK(p.reads >= 28 - 0.1);
  CHECK(p.reads <= 29 + 0.1);
}

TEST_CASE("one block: a push over 16 GPUs takes the time of its path", "[system][one_packet]") {
  // 4 links, 3 switches, a read, and at least one packet's serialisation at each end; in addition at most 16 operands
  // at the table and a packet time at each of four links (a queueing model gives 0.77 us).
  const double ns = static_cast<double>(time_of("push", first_gpus(16), 128_B)) / 1e3;
  CHECK(ns >= 4 * 20 + 3 * 150 + 115.2 + 5.76);
  CHECK(ns <= 4 * 20 + 4 * 150 + 115.2 + 16 * 5.76 + 4 * 5.76);
}

TEST_CASE("one block: trailing acks do not count in the time", "[system][one_packet]") {
  for (const char* algorithm : {"push", "pull", "multicast"}) {
    INFO(algorithm);
    CHECK(time_of(algorithm, first_gpus(16), 128_B) == time_of(algorithm, first_gpus(16), 128_B, {"nvswitch.acks=none"}));
  }
}

TEST_CASE("one block: packets of a few bytes are shorter on the wire", "[system][one_packet]") {
  // 4 B need 2 flits, 128 B need 9: seven flits of 0.64 ns less, at least at the end of the path.
  const Tick small = time_of("push", {0, 1}, 4_B), large = time_of("push", {0, 1}, 128_B);
  CHECK(large - small >= 7 * 640);
  CHECK(small == time_of("push", {0, 1}, 16_B));
}

}  // namespace tributary::test_one_packet
