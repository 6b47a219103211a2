// The memory that fluid runs need: what is refused beforehand lies within a factor of 2 of what is used.
#include <sys/resource.h>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "testbench/run/completion.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/family.h"
#include "testbench/run/fluid_session.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_fluid_memory {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr double allowed = 16;                    // the sanitizer adds memory of its own
constexpr double quarantine = 256.0 * (1 << 20);  // and keeps this much freed memory
#else
constexpr double allowed = 2;
constexpr double quarantine = 0;
#endif

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

RunSpec fluid_on(const std::string& platform, const std::string& collective, const std::string& algorithm, Bytes size) {
  RunSpec spec =
      collective_spec(collective, algorithm, first_gpus(family_of(platform).platform(platform).participants), {size});
  spec.platform = platform;
  spec.mode = SimulationMode::fluid;
  spec.data = DataMode::none;
  return spec;
}

/// Returns the estimate of the flows' memory, and the memory of the machine without them.
std::pair<double, double> estimated(const RunSpec& spec) {
  const std::string text = in_child([&] {
    const RunParameters params = resolve_parameters(spec);
    Completion completion(family_of(spec.platform).endpoint_of(spec.platform).device);
    const auto driver = family_of(spec.platform).make(spec, params, completion);
    const JobSpec& job = spec.jobs.front();
    DriverFluid* const fluid = driver->facets().fluid;
    if (fluid == nullptr) throw std::logic_error("this driver has no flows");
    const double need = fluid->fluid()->memory_alone(job, job.items.front().size);
    return std::to_string(need) + " " + std::to_string(peak_bytes());
  });
  const std::size_t blank = text.find(' ');
  return {std::stod(text.substr(0, blank)), std::stod(text.substr(blank))};
}

double used(const RunSpec& spec) {
  return std::stod(in_child([&] {
    FluidSession session(spec);
    session.run(0);
    return std::to_string(peak_bytes());
  }));
}

}  // namespace

TEST_CASE("fluid memory: the estimate lies within a factor of 2 of what a run uses", "[system][fluid_memory]") {
  const RunSpec runs[] = {
      fluid_on("torus:16x16", "allreduce", "ring", 64_MiB),     fluid_on("torus:12x12", "allgather", "ring", 64_MiB),
      fluid_on("torus:8x8", "alltoall", "multitree", 64_MiB),   fluid_on("torus:14x14", "allreduce", "multitree", 64_MiB),
      fluid_on("bigraph:8x16", "allreduce", "hdrm", 64_MiB),    fluid_on("fat_tree:128", "allreduce", "ring", 64_MiB),
      fluid_on("fat_tree:128", "alltoall", "direct", 16_MiB),   fluid_on("fat_tree:64", "allgather", "multitree", 64_MiB),
      fluid_on("fat_tree:64", "allreduce", "multitree", 4_MiB), fluid_on("spine_leaf:8x16", "allreduce", "ring", 64_MiB)};
  for (const RunSpec& spec : runs) {
    const auto [need, machine] = estimated(spec);
    const double flows = used(spec) - machine;
    INFO(spec.platform.name() << " " << spec.jobs.front().collective << " " << spec.jobs.front().algorithm << ": " << need
                              << " B estimated, " << flows << " B used");
    CHECK(need < allowed * flows);
    CHECK(flows < allowed * need + quarantine);
  }
}

}  // namespace tributary::test_fluid_memory
