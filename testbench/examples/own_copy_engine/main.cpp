// A user-defined copy engine: a GPU with one engine copies to two peers, with the model's engine and with one that
// sends at half the rate but handles two copies simultaneously.
#include <cstring>
#include <iostream>

#include "half_rate_engine.h"
#include "testbench/harness/stream_gpu_star.h"

using namespace tributary;

namespace {

constexpr std::uint64_t message = 8 << 20;  // bytes

StreamGpuParams parameters() {
  StreamGpuParams params;
  params.copy.engines = 1;
  params.kernel.rate = 260_GBps;
  params.nvlink.rate = 25_GBps;
  return params;
}

/// GPU 0 copies to GPU 1 and to GPU 2 in separate streams. Returns the number of wrong bytes.
std::size_t copy_to_both(StreamGpuStar& star, Tick start) {
  StreamProgramBuilder programs[3];
  for (unsigned peer = 1; peer <= 2; ++peer) {
    programs[0].copy(peer, peer, 0, 0, message).record(peer, peer, 0);
    programs[peer].wait(0, 0, 1, 0);
  }
  for (std::uint64_t i = 0; i < message; ++i) star.gpu(0).memory()[i] = static_cast<std::byte>(i * 31 >> 4);
  for (unsigned gpu = 0; gpu < 3; ++gpu) star.gpu(gpu).post(programs[gpu].program(), start);
  sc_core::sc_start();
  std::size_t wrong = 0;
  for (unsigned peer = 1; peer <= 2; ++peer)
    for (std::uint64_t i = 0; i < message; ++i) wrong += star.gpu(peer).memory()[i] != star.gpu(0).memory()[i];
  return wrong;
}

}  // namespace

int sc_main(int, char*[]) {
  const StreamGpuParams params = parameters();
  StreamGpu::Parts parts;
  parts.outside_engines = true;
  StreamGpuStar model("model", 3, params, {}, message), own("own", 3, params, parts, message);

  HalfRateEngine engine("engine", params.copy.launch.value, 640);
  StreamGpu& gpu = own.gpu(0);
  gpu.engine_commands[0].bind(engine.commands);
  engine.wire.bind(gpu.engine_wires[0]);
  engine.memory.bind(gpu.memory_module().socket);

  std::size_t all_wrong = 0;
  for (StreamGpuStar* star : {&model, &own}) {
    const Tick start = sc_core::sc_time_stamp().value() + 5'000'000;
    const std::size_t wrong = copy_to_both(*star, start);
    std::cout << star->gpu(0).name() << ": GPU 1 has its data after " << star->finished().when(1) - start
              << " ps, GPU 2 after " << star->finished().when(2) - start << " ps, " << wrong << " wrong\n";
    all_wrong += wrong;
  }
  return all_wrong == 0 ? 0 : 1;
}
