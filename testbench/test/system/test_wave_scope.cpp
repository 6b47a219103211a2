/// `nvswitch.pull.wave_scope`: waves of each GPU's own share, or of all GPUs that request together (Klenk VI-A: 32 kB
/// in total).
#include <catch2/catch.hpp>

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_wave_scope {

TEST_CASE("wave scope: nvswitch.pull.wave_scope=global divides a wave among all that request", "[system][dma]") {
  const auto parameters = [](const char* scope, const char* bytes) {
    return resolve_parameters(run_spec("pull", first_gpus(4), {},
                                       {std::string("nvswitch.pull.wave_scope=") + scope,
                                        std::string("nvswitch.gpu.dma.wave_bytes=") + bytes, "nvswitch.pull.barrier=false"}))
        .of<NvSwitchPlatformParams>();
  };
  Completion completion;
  NvSwitchPlatform system("machine", one_board(4, 1), {parameters("global", "8KiB")}, completion);
  FabricManager fabric(system);
  const auto wave_blocks = [&](const char* collective, const char* scope, const char* bytes, std::size_t rank) {
    fabric.clear();
    const RunSpec spec = collective_spec(collective, "pull", first_gpus(4), {64_KiB});
    return lower(spec.jobs[0], 64_KiB, parameters(scope, bytes), fabric).operations.at(rank).stages.back().wave_blocks;
  };
  // 8 KiB are 64 blocks, of four GPUs 16 each
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(wave_blocks("allreduce", "per_gpu", "8KiB", rank) == 64);
    CHECK(wave_blocks("allreduce", "global", "8KiB", rank) == 16);
    CHECK(wave_blocks("reduce_scatter", "global", "8KiB", rank) == 16);
  }
  CHECK(wave_blocks("allreduce", "global", "256B", 0) == 1);  // at least one block
  CHECK(wave_blocks("reduce", "global", "8KiB", 3) == 64);    // only the root, rank 3, requests
}

}  // namespace tributary::test_wave_scope
