// Kernels of a GPU one after another, their multiprocessors, and the host that launches them.
#include <catch2/catch.hpp>

#include "modules/streams/core/host_launcher.h"
#include "modules/streams/core/kernel_sequence.h"

namespace tributary::test_kernel_sequence {
namespace {

constexpr Tick us = 1'000'000;

bool is(const KernelSequence::Begun& b, Tick when, unsigned first, unsigned count) {
  return b.when == when && b.first == first && b.count == count;
}

std::vector<Tick> launches(HostLaunch launch, unsigned rank, unsigned kernels) {
  LaunchParams params;
  params.launch = launch, params.launch_time = 3_us;
  return HostLauncher(params, 4).launched_kernels(rank, kernels);
}

}  // namespace

TEST_CASE("kernels: a kernel begins when it is launched and all blocks before it have ended", "[pure]") {
  KernelSequence s;
  s.load({0, 5 * us, 6 * us}, 3);
  CHECK(is(s.start(1 * us), 1 * us, 0, 3));
  CHECK_FALSE(s.waited_for_launch());
  CHECK(s.ended(2 * us).count == 0);
  CHECK(s.ended(3 * us).count == 0);
  CHECK(s.kernel() == 0);
  CHECK(is(s.ended(4 * us), 5 * us, 0, 3));  // the launch is later than the last end
  CHECK(s.waited_for_launch());
  CHECK(s.kernel() == 1);
  s.ended(8 * us), s.ended(9 * us);
  CHECK(is(s.ended(10 * us), 10 * us, 0, 3));  // the kernel has been launched before
  CHECK_FALSE(s.waited_for_launch());
  s.ended(11 * us), s.ended(11 * us);
  CHECK(s.ended(11 * us).count == 0);  // there is no fourth kernel
}

TEST_CASE("kernels: blocks without a multiprocessor begin in order when others end", "[pure]") {
  KernelSequence s;
  s.load({0, 0}, 5, 2);
  CHECK(is(s.start(0), 0, 0, 2));
  CHECK(s.is_placed(1));
  CHECK_FALSE(s.is_placed(2));
  CHECK(is(s.ended(3), 3, 2, 1));
  CHECK(is(s.ended(4), 4, 3, 1));
  CHECK(is(s.ended(5), 5, 4, 1));
  CHECK(s.ended(6).count == 0);
  CHECK(is(s.ended(7), 7, 0, 2));  // the next kernel needs all of them to have ended
  CHECK(s.kernel() == 1);
}

TEST_CASE("kernels: a process launches for its GPU, a thread for all in turn, and a graph needs no launch", "[pure]") {
  CHECK(launches(HostLaunch::graph, 2, 3) == std::vector<Tick>{0, 0, 0});
  CHECK(launches(HostLaunch::process, 2, 3) == std::vector<Tick>{3 * us, 6 * us, 9 * us});
  CHECK(launches(HostLaunch::thread, 0, 2) == std::vector<Tick>{3 * us, 15 * us});
  CHECK(launches(HostLaunch::thread, 3, 2) == std::vector<Tick>{12 * us, 24 * us});
  LaunchParams thread;
  thread.launch = HostLaunch::thread, thread.launch_time = 3_us;
  CHECK(HostLauncher(thread, 4).busy(2) == 24 * us);
  CHECK(HostLauncher(LaunchParams{}, 4).busy(2) == 0);
}

TEST_CASE("kernels: the host also needs time for each kernel once", "[pure]") {
  LaunchParams params;
  params.launch_time = 3_us, params.group_time = 10_us;
  const auto launched = [&](HostLaunch launch) {
    params.launch = launch;
    return HostLauncher(params, 4).launched(1, 2);  // GPU 1, the third kernel
  };
  CHECK(launched(HostLaunch::graph) == 0);
  CHECK(launched(HostLaunch::process) == 3 * (10 + 3) * us);
  CHECK(launched(HostLaunch::thread) == (3 * 10 + (2 * 4 + 2) * 3) * us);
}

}  // namespace tributary::test_kernel_sequence
