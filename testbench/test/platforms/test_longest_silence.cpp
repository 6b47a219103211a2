#include <catch2/catch.hpp>

#include "platforms/netreduce/longest_silence.h"

namespace tributary::test_longest_silence {
namespace {

constexpr double us = 1e6;

SilenceEstimate rack() {
  SilenceEstimate estimate;
  estimate.endpoints = 6;
  estimate.largest_frame = 1126;
  return estimate;
}

}  // namespace

TEST_CASE("longest silence: latencies, timeouts and all frames on the wire", "[pure]") {
  NetReducePlatformParams p;
  // Per hop 0.36 us; 1.6 + 1.3 + 2.66 + 1.4 us in NICs; 8 timeouts of 100 us.
  const double idle = 4 * 0.36 * us + 6.96 * us + 800 * us;
  CHECK(rack().picoseconds(p, 0) == Approx(idle));
  p.host.reduction_rate = bytes_per_second(12'500'000'000);
  CHECK(rack().picoseconds(p, 1'000'000) == Approx(idle + 160 * us + 80 * us));  // twice at 12.5 GB/s, then added
  SilenceEstimate served = rack();
  served.served = true;
  CHECK(served.picoseconds(p, 1'000'000) == Approx(idle + 160 * us + 6 * 80 * us));
  p.host.inter_rate = bytes_per_second(1'250'000'000);
  CHECK(rack().picoseconds(p, 1'000'000) == Approx(idle + 1600 * us + 80 * us));
}

TEST_CASE("longest silence: without a limit of retries, as many timeouts as loss makes probable", "[pure]") {
  NetReducePlatformParams p;
  p.nic.retry_count = 0;
  const double once = rack().picoseconds(p, 0);
  CHECK(once > 64 * 100 * us);
  CHECK(once < 65 * 100 * us);
  p.link.loss_rate = 0.2;
  const double in_a_rack = rack().picoseconds(p, 0);
  SilenceEstimate tree = rack();
  tree.tree = true;
  CHECK(in_a_rack > 100 * 100 * us);
  CHECK(tree.picoseconds(p, 0) > 3 * in_a_rack);  // ten links in place of four
  SilenceEstimate faults = rack();
  faults.faults = 5;
  CHECK(faults.picoseconds(p, 0) == Approx(in_a_rack + 500 * us));
}

TEST_CASE("longest silence: full buffers drain while pauses or datagrams share the links", "[pure]") {
  NetReducePlatformParams p;
  const double alone = rack().picoseconds(p, 0);
  SilenceEstimate shared = rack();
  shared.background = true;
  const double buffers = static_cast<double>(p.ethernet_switch.buffer.value) / 12'500 * us;
  CHECK(shared.picoseconds(p, 0) == Approx(alone + buffers));
  shared.switches = 3;
  CHECK(shared.picoseconds(p, 0) == Approx(alone + 3 * buffers));
  p.ethernet_switch.pfc.on = true;
  CHECK(rack().picoseconds(p, 0) == Approx(alone + buffers));
}

}  // namespace tributary::test_longest_silence
