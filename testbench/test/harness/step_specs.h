#pragma once
/// Miniatures of training steps that devices carry out, for tests.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "testbench/run/step_run.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/network_specs.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/training/data_parallel.h"

namespace tributary::training {

inline constexpr int step_ranks = 16;

/// ResNet-50's rows of at least 1 Ki weights, weights / 1024; a pass of a layer takes so long.
inline TaskGraph miniature(Tick time, int iterations = 1, Issue issue = Issue::serial) {
  DataParallelSpec spec;
  spec.ranks = step_ranks;
  const std::vector<std::uint64_t> weights{9,  4,   36,  16,  16,  16,  36,  16,  32,  144, 64,   128, 64,  144, 64,  128,
                                           576, 256, 512, 256, 576, 256, 512, 2304, 1024, 2048, 1024, 2304, 1024, 2000};
  for (std::size_t l = 0; l < weights.size(); ++l)
    spec.layers.push_back({"layer" + std::to_string(l), {weights[l]}, Work::of_time(time), Work::of_time(time),
                           Work::of_time(time), -1});
  spec.iterations = iterations;
  spec.issue = issue;
  return data_parallel(spec);
}

/// Of a DGX-2, or of another platform.
inline RunSpec step_spec(const std::string& method, const TaskGraph& graph, const Stragglers& stragglers = {},
                  const std::string& platform = "") {
  RunSpec spec = platform.empty() ? run_spec(method, first_gpus(step_ranks), {128_B})
                                  : network_spec(platform, "allreduce", method, {128_B});
  spec = with_hashes(std::move(spec));
  const DeviceStep made = device_step(graph, "allreduce", spec.jobs.front().type, stragglers, {});
  spec.jobs.front().step = std::make_shared<const JobStep>(made.step);
  spec.jobs.front().items = {{"step", bytes(made.step.bytes())}};
  return spec;
}

/// No element wrong, and both engines alike.
inline void check_right(const std::string& method, const TaskGraph& graph, const Stragglers& stragglers = {},
                 const std::string& platform = "") {
  RunSpec spec = step_spec(method, graph, stragglers, platform);
  const Run windowed = run_one(spec);
  CHECK(windowed.row.status == Status::done);
  CHECK(windowed.row.wrong == 0u);
  spec.engine = EngineMode::event;
  CHECK(difference(windowed, run_one(spec)) == "");
}

}  // namespace tributary::training
