#include "testbench/family/nvswitch/stream_lowering.h"

#include <algorithm>

namespace tributary {

Lowered lower_streams(const JobSpec& job, const GpuStreams& streams, FabricManager& fabric) {
  std::vector<StreamWork::Peer> peers;
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    peers.push_back({static_cast<std::uint16_t>(job.ranks[r]), 0, streams.memory[r],
                     fabric.unicast_buffer(job.ranks[r], 0, streams.memory[r])});
  Lowered lowered;
  lowered.memory_bytes = *std::max_element(streams.memory.begin(), streams.memory.end());
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    GpuProgram program;
    program.streams = StreamWork{streams.programs[r], peers};
    program.streams->peers.erase(program.streams->peers.begin() + static_cast<std::ptrdiff_t>(r));
    program.type = job.type, program.op = job.op;
    program.members = static_cast<unsigned>(job.ranks.size());
    lowered.operations.push_back(std::move(program));
  }
  return lowered;
}

}  // namespace tributary
