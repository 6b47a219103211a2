#pragma once
/// StreamGpuStar: GPUs with copy engines in a star, with one link from the central GPU to each of the others, without a
/// platform.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/stream_gpu/stream_gpu.h"
#include "testbench/harness/finish_times.h"

namespace tributary {

/// GPU 0 is in the centre: its port i is connected to port 0 of GPU i + 1.
class StreamGpuStar {
 public:
  /// The GPUs are named `name`0 and so on, with `bytes` of memory each. `middle`: parts of GPU 0.
  StreamGpuStar(const std::string& name, unsigned gpus, const StreamGpuParams& params, const StreamGpu::Parts& middle,
                std::uint64_t bytes);
  ~StreamGpuStar();

  StreamGpu& gpu(unsigned n) { return *gpus_.at(n); }
  const PacketPool& packets() const { return pool_; }
  const FinishTimes& finished() const { return finished_; }

 private:
  StreamGpu::Config config(unsigned gpu, unsigned gpus, const StreamGpuParams& params) const;

  PacketPool pool_{framing_of<ScheduleNicLink>(15 * 256)};
  PayloadViews views_;
  FinishTimes finished_;
  Arena arena_;
  std::vector<std::unique_ptr<StreamGpu>> gpus_;
};

/// Builds streams of commands over NVLink, one command after another.
class StreamProgramBuilder {
 public:
  StreamProgramBuilder& copy(unsigned stream, unsigned peer, std::uint64_t source, std::uint64_t destination,
                             std::uint64_t bytes);
  StreamProgramBuilder& record(unsigned stream, unsigned peer, unsigned semaphore);
  StreamProgramBuilder& wait(unsigned stream, unsigned semaphore, unsigned value, unsigned peer);
  const StreamProgram& program() const { return program_; }

 private:
  StreamCommand& add(StreamCommand::Kind kind, unsigned stream, unsigned peer);

  StreamProgram program_;
};

}  // namespace tributary
