// The number of threads of a run, from an estimate of its work.
#include <catch2/catch.hpp>

#include "testbench/run/resolve.h"
#include "testbench/run/thread_choice.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_thread_choice {

TEST_CASE("a run of less than 2 s has one thread, a longer one its share of the processors", "[pure]") {
  // 4 million packet-hops a second.
  CHECK(threads_for(7.9e6, 16, 1) == 1);
  CHECK(threads_for(8.0e6, 16, 1) == 16);
  CHECK(threads_for(8.0e6, 16, 3) == 5);
  CHECK(threads_for(1e12, 16, 16) == 1);
  CHECK(threads_for(1e12, 2, 100) == 1);
  CHECK(threads_for(1e12, 1, 1) == 1);
  CHECK(threads_for(1e12, 1024, 1) == 256);  // the most that --threads permits
}

// Push on a DGX-2 adds each block of 128 B of 16 GPUs over at most four links for each GPU: 4 x 16 x 65536 for 8 MiB.
TEST_CASE("the estimate of a push is within a factor of two of its packet-hops", "[pure]") {
  RunSpec spec = run_spec("push", first_gpus(16), {});
  spec.jobs.front().items = {{"", 8_MiB}};
  const double hops = estimated_hops(spec, resolve_parameters(spec)), exact = 4.0 * 16 * 65536;
  CHECK(hops > exact / 2);
  CHECK(hops < exact * 2);
  spec.iterations = 10;
  CHECK(estimated_hops(spec, resolve_parameters(spec)) == 10 * hops);
}

TEST_CASE("threads that the user names are not replaced, and others divide the processors among runs", "[pure]") {
  RunSpec spec = run_spec("push", first_gpus(16), {});
  spec.jobs.front().items = {{"", 8_MiB}};
  spec.threads = 3;
  CHECK(chosen_threads(spec, resolve_parameters(spec)) == 3);
  spec.threads = 0, spec.runs_at_once = 1000;
  CHECK(chosen_threads(spec, resolve_parameters(spec)) == 1);
}

// The nodes of a ring are neighbours on a torus: each of 16 sends 2 x 15 sixteenths of 1 MiB over one link, in packets of
// 256 B.
TEST_CASE("the estimate of a ring on a torus is exact", "[pure]") {
  RunSpec spec = run_spec("ring", first_gpus(16), {});
  spec.platform = "torus:4x4";
  spec.jobs.front().items = {{"", 1_MiB}};
  CHECK(estimated_hops(spec, resolve_parameters(spec)) == Approx(2 * 15 * 4096));
}

// Two GPUs of a host share a NIC: each of eight receives 2 x 7 eighths of 1 MiB over two links, in frames of 1 KiB.
TEST_CASE("the estimate of hosts with several GPUs follows their NICs", "[pure]") {
  RunSpec spec = run_spec("ring", first_gpus(8), {});
  spec.platform = "rack:4x2";
  spec.jobs.front().items = {{"", 1_MiB}};
  CHECK(estimated_hops(spec, resolve_parameters(spec)) == Approx(2 * 14 * 1024));
}

// On two links of the server: 16 GPUs send 1 MiB in blocks of 128 B to a switch, and receive as much.
TEST_CASE("the estimate of a cluster counts the packets of NVLinks", "[pure]") {
  RunSpec spec = run_spec("pull_ring", first_gpus(16), {});
  spec.platform = "cluster:2xh100";
  spec.mode = SimulationMode::windowed;
  spec.jobs.front().items = {{"", 1_MiB}};
  const double hops = estimated_hops(spec, resolve_parameters(spec)), least = 2.0 * 16 * 8192;
  CHECK(hops > least);
  CHECK(hops < 2 * least);
}

TEST_CASE("an observer of all devices keeps one thread, however long the run is", "[pure]") {
  RunSpec spec = run_spec("push", first_gpus(16), {});
  spec.jobs.front().items = {{"", 1024_MiB}};
  spec.threads = 0, spec.wire_latency = true;
  CHECK(chosen_threads(spec, resolve_parameters(spec)) == 1);
}

}  // namespace tributary::test_thread_choice
