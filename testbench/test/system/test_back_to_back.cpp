/// Kernels of NCCL one after another, and the host that launches them: data, both modes, periods by arithmetic, reports
/// (docs/blocks/nccl_protocols.md#launches).
#include <catch2/catch.hpp>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_back_to_back {

using Catch::Matchers::Contains;

namespace {

using Settings = std::vector<std::string>;

RunSpec kernels(RunSpec spec, unsigned count) {
  spec.platform = "h100";
  spec.jobs.at(0).back_to_back = count;
  return spec;
}

/// Small messages of four H100 with LL: 6.6 us and 0.6 us a hop.
RunSpec small(const std::string& collective, unsigned count, const Settings& more = {}) {
  Settings settings{"nvswitch.nccl.algorithm=ring", "nvswitch.nccl.protocol=ll", "nvswitch.nccl.version=2.21",
                    "nvswitch.gpu.memory.jitter=0ns"};
  settings.insert(settings.end(), more.begin(), more.end());
  return kernels(without_data(collective_spec(collective, "nccl", first_gpus(4), {2_KiB}, settings)), count);
}

ResultRow row_of(const RunSpec& spec) { return run_one(spec).row; }
double us(const RunSpec& spec) { return static_cast<double>(row_of(spec).time) / 1e6; }

Settings launched_by(const std::string& host, const std::string& time) {
  return {"nvswitch.host.launch=" + host, "nvswitch.host.launch_time=" + time};
}

/// Returns the time of one more kernel, us.
double period(const std::string& collective, const Settings& settings) {
  return (6 * us(small(collective, 6, settings)) - 3 * us(small(collective, 3, settings))) / 3;
}

double choice(const ResultRow& row, const std::string& name) {
  for (const Choice& c : row.tuned)
    if (c.name == name) return c.value.value_or(0);
  return 0;
}
std::string chosen(const ResultRow& row, const std::string& name) {
  for (const Choice& c : row.tuned)
    if (c.name == name) return c.text;
  return "";
}

}  // namespace

TEST_CASE("back to back: each kernel leaves the right data, at the same times in both modes", "[system][nccl]") {
  for (const char* collective : {"allreduce", "allgather", "reduce_scatter", "broadcast", "reduce"})
    for (const char* protocol : {"ll", "ll128", "simple"}) {
      INFO(collective << " with " << protocol);
      check_modes(with_hashes(kernels(collective_spec(collective, "nccl", {6, 0, 3}, {4_B, 100000_B},
                                                      {std::string("nvswitch.nccl.protocol=") + protocol}),
                                      3)));
    }
  for (const char* host : {"process", "thread"}) {
    Settings settings = launched_by(host, "700ns");
    settings.push_back("nvswitch.nccl.algorithm=ring");
    check_modes(with_hashes(kernels(collective_spec("allreduce", "nccl", first_gpus(4), {3_MiB}, settings), 2)));
  }
}

TEST_CASE("back to back: kernels of sends and receives leave the right data, at the same times in both modes",
          "[system][nccl]") {
  for (const char* collective : {"alltoall", "sendrecv"})
    for (const char* protocol : {"ll", "simple"})
      for (const char* host : {"graph", "thread"}) {
        INFO(collective << " with " << protocol << " launched by " << host);
        check_modes(with_hashes(kernels(collective_spec(collective, "nccl", {6, 0, 3}, {12_B, 100000_B, 3_MiB},
                                                        {std::string("nvswitch.nccl.protocol=") + protocol,
                                                         std::string("nvswitch.host.launch=") + host}),
                                        3)));
      }
}

TEST_CASE("back to back: kernels of NVLS leave the right data, at the same times in both modes", "[system][nvls]") {
  for (const char* collective : {"allreduce", "allgather", "reduce_scatter"})
    for (const Settings& settings :
         {Settings{"nvswitch.nvls.chunk=512B", "nvswitch.nvls.slots=2"}, Settings{"nvswitch.nvls.registered=true"},
          Settings{"nvswitch.acks=none", "nvswitch.nvls.chunk=1KiB", "nvswitch.host.launch=thread"}}) {
      INFO(collective << ", " << settings.front());
      check_modes(with_hashes(kernels(collective_spec(collective, "nvls", {0, 2, 5}, {4_B, 100000_B}, settings), 3)));
    }
}

// 6.6 us and six hops of 0.6 us; a rank cannot end before all others have begun.
TEST_CASE("back to back: all-reduces of a graph do not overlap", "[system][nccl]") {
  CHECK(us(small("allreduce", 1)) == Approx(6.6 + 6 * 0.6).epsilon(0.05));
  CHECK(period("allreduce", {}) == Approx(us(small("allreduce", 1))).epsilon(0.02));
}

// nccl-tests measures 7.2 us on 4 A100 to 512 B, where an all-reduce of 8 lasts 17.0 us.
TEST_CASE("back to back: the root of a broadcast runs ahead", "[system][nccl]") {
  CHECK(us(small("broadcast", 1)) == Approx(6.6 + 3 * 0.6).epsilon(0.05));
  CHECK(period("broadcast", {}) < 6.6 + 0.6);
  CHECK(period("broadcast", {}) > 6.6);
  CHECK(period("broadcast", launched_by("process", "8us")) == Approx(8.0).epsilon(0.001));
}

TEST_CASE("back to back: one thread needs its time for each GPU, or the kernel is longer", "[system][nccl]") {
  const double kernel = us(small("allreduce", 1));
  CHECK(period("allreduce", launched_by("thread", "4us")) == Approx(16.0).epsilon(0.001));
  CHECK(period("allreduce", launched_by("thread", "1us")) == Approx(kernel).epsilon(0.02));
  CHECK(period("allreduce", launched_by("process", "4us")) == Approx(kernel).epsilon(0.02));
  // one kernel ends when the last GPU is launched, its base has passed, and the data have gone round
  CHECK(us(small("allreduce", 1, launched_by("thread", "4us"))) == Approx(16 + kernel).epsilon(0.02));
}

// Each rank has begun before the last one ends, so that kernels of a pair of ranks last as long as one alone.
TEST_CASE("back to back: sends follow one another, or the host", "[system][nccl]") {
  const auto time = [](unsigned count, Settings settings) {
    settings.push_back("nvswitch.gpu.memory.jitter=0ns");
    return us(kernels(without_data(collective_spec("sendrecv", "nccl", first_gpus(2), {2_KiB}, settings)), count));
  };
  const auto one_more = [&](const Settings& settings) { return (6 * time(6, settings) - 3 * time(3, settings)) / 3; };
  CHECK(one_more({}) == Approx(time(1, {})).epsilon(0.02));
  CHECK(one_more(launched_by("thread", "10us")) == Approx(20).epsilon(0.001));
}

TEST_CASE("back to back: the row names kernels and launches", "[system][nccl]") {
  const ResultRow row = row_of(small("allreduce", 8, launched_by("thread", "20us")));
  CHECK(chosen(row, "kernels") == "8");
  CHECK(chosen(row, "launch") == "thread");
  CHECK(chosen(row_of(small("allreduce", 8)), "launch") == "graph");
  CHECK(chosen(row_of(small("sendrecv", 8)), "kernels") == "8");
  CHECK(chosen(row_of(small("allreduce", 1)), "launch").empty());
}

TEST_CASE("back to back: kernels of NVLS follow one another, or the host", "[system][nvls]") {
  const auto time = [](unsigned count, const Settings& settings) {
    return us(kernels(without_data(run_spec("nvls", first_gpus(4), {1_MiB}, settings)), count));
  };
  const double kernel = time(1, {});
  CHECK((6 * time(6, {}) - 3 * time(3, {})) / 3 == Approx(kernel).epsilon(0.03));
  const Settings slow = launched_by("thread", "30us");
  CHECK((6 * time(6, slow) - 3 * time(3, slow)) / 3 == Approx(120).epsilon(0.001));
}

TEST_CASE("back to back: a run that is cut off names what its kernels wait for", "[system][nccl]") {
  RunSpec spec = small("allreduce", 3, launched_by("thread", "100us"));
  spec.time_limit = 50_us;
  const ResultRow row = row_of(spec);
  CHECK(row.status == Status::time_limit);
  CHECK_THAT(row.report, Contains("channel0: step 1 of 21 of kernel 1 waits for the host's launch"));
}

// 24 channels of an all-reduce of 768 KiB with LL have 1/24 of the rate each: four rounds of six channels last equally long.
TEST_CASE("multiprocessors: channels that find none follow others on all GPUs", "[system][nccl]") {
  const auto run = [](unsigned multiprocessors, unsigned count) {
    RunSpec spec = kernels(collective_spec("allreduce", "nccl", first_gpus(4), {768_KiB},
                                           {"nvswitch.nccl.algorithm=ring", "nvswitch.nccl.protocol=ll",
                                            "nvswitch.kernel.multiprocessors=" + std::to_string(multiprocessors)}),
                           count);
    return check_modes(with_hashes(spec)).front().row;
  };
  const ResultRow all = run(132, 1), enough = run(24, 1), few = run(6, 1);
  CHECK(choice(all, "channels") == 24);
  CHECK(enough.time == all.time);
  CHECK(static_cast<double>(few.time) == Approx(4.0 * static_cast<double>(all.time)).epsilon(0.01));
  CHECK(few.wire_bytes == all.wire_bytes);
  CHECK(run(6, 2).status == Status::done);
}

TEST_CASE("multiprocessors: thread blocks of NVLS that find none follow others", "[system][nvls]") {
  const auto time = [](const std::string& multiprocessors) {
    return us(kernels(
        without_data(run_spec("nvls", first_gpus(4), {64_KiB}, {"nvswitch.kernel.multiprocessors=" + multiprocessors})), 1));
  };
  CHECK(time("4") > 4 * 25);  // 16 blocks in four rounds, each with its base
  CHECK(time("16") == time("132"));
  RunSpec cut = kernels(without_data(run_spec("nvls", first_gpus(4), {64_KiB}, {"nvswitch.kernel.multiprocessors=2"})), 1);
  cut.time_limit = 50_us;
  CHECK_THAT(row_of(cut).report, Contains("nvls15.waits for a multiprocessor"));
}

}  // namespace tributary::test_back_to_back
