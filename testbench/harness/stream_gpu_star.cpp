#include "testbench/harness/stream_gpu_star.h"

#include <algorithm>

namespace tributary {

StreamGpuStar::StreamGpuStar(const std::string& name, unsigned gpus, const StreamGpuParams& params,
                             const StreamGpu::Parts& middle, std::uint64_t bytes) {
  for (unsigned g = 0; g < gpus; ++g) {
    StreamGpu::Config c = config(g, gpus, params);
    if (g == 0) c.parts = middle;
    gpus_.push_back(std::make_unique<StreamGpu>((name + std::to_string(g)).c_str(), c, pool_, views_, finished_));
    gpus_.back()->resize_memory(bytes);
    gpus_.back()->set_windows(Windows::of(params.nvlink.latency.value, params.streams.acquire.value, 5'000'000, {g, gpus}));
    if (g > 0) connect(gpus_[0]->port(g - 1), gpus_[g]->port(0));
  }
}

StreamGpuStar::~StreamGpuStar() {
  for (const auto& gpu : gpus_) gpu->reset();
}

StreamGpu::Config StreamGpuStar::config(unsigned gpu, unsigned gpus, const StreamGpuParams& params) const {
  StreamGpu::Config c;
  c.core.gpu = static_cast<std::uint16_t>(gpu);
  c.core.params = params;
  c.arena = arena_;
  for (unsigned peer = gpu == 0 ? 1 : 0; peer < (gpu == 0 ? gpus : 1); ++peer) {
    LinkParams link;
    link.rate = params.nvlink.rate.value_or(Bandwidth{});  // refused by the GPU
    link.latency = params.nvlink.latency;
    CopyRoute route;
    route.peer = static_cast<std::uint16_t>(peer);
    route.ports = {static_cast<std::uint8_t>(c.ports.size())};
    route.framing.payload = static_cast<std::uint16_t>(params.nvlink.payload.value);
    route.framing.burst = static_cast<std::uint16_t>(params.copy.burst);
    c.ports.push_back({"port" + std::to_string(c.ports.size()), link, StreamGpu::receive_flits(link, params)});
    c.core.routes.push_back(route);
  }
  return c;
}

StreamCommand& StreamProgramBuilder::add(StreamCommand::Kind kind, unsigned stream, unsigned peer) {
  StreamCommand& c = program_.commands.emplace_back();
  c.kind = kind;
  c.stream = static_cast<std::uint16_t>(stream);
  c.peer = static_cast<std::uint16_t>(peer);
  program_.streams = std::max<std::uint32_t>(program_.streams, stream + 1);
  return c;
}

StreamProgramBuilder& StreamProgramBuilder::copy(unsigned stream, unsigned peer, std::uint64_t source,
                                                 std::uint64_t destination, std::uint64_t bytes) {
  StreamCommand& c = add(StreamCommand::Kind::copy, stream, peer);
  c.source = source, c.destination = destination, c.bytes = bytes;
  return *this;
}

StreamProgramBuilder& StreamProgramBuilder::record(unsigned stream, unsigned peer, unsigned semaphore) {
  add(StreamCommand::Kind::record, stream, peer).semaphore = semaphore;
  return *this;
}

StreamProgramBuilder& StreamProgramBuilder::wait(unsigned stream, unsigned semaphore, unsigned value, unsigned peer) {
  StreamCommand& c = add(StreamCommand::Kind::wait, stream, peer);
  c.semaphore = semaphore, c.value = value;
  program_.semaphores = std::max<std::uint32_t>(program_.semaphores, semaphore + 1);
  return *this;
}

}  // namespace tributary
