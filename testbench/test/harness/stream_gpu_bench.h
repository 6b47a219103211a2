#pragma once
/// GPUs with copy engines and direct links between them, and programs written by hand.

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "modules/stream_gpu/stream_gpu.h"
#include "testbench/harness/protocol_monitor.h"
#include "testbench/test/harness/stream_script.h"

namespace tributary {

/// Everything that a test configures.
struct StreamBenchSpec {
  struct Pair {
    unsigned a, b, links = 1;
  };
  unsigned gpus = 2;
  std::vector<Pair> pairs = {{0, 1}};
  StreamGpuParams params = bare();
  bool windowed = true;
  std::uint64_t memory = 0;  ///< bytes of each GPU
  StreamGpu::Parts parts = {};
  bool monitored = false;            ///< a ProtocolMonitor on each link
  std::vector<unsigned> order = {};  ///< in which the GPUs are created; empty: by number

  /// Links of 25 GB/s and 20 ns; six engines; commands without overhead, kernels of 300 GB/s.
  static StreamGpuParams bare() {
    StreamGpuParams p;
    p.streams.acquire = p.streams.release = 0_ns;
    p.copy.launch = p.kernel.launch = 0_ns;
    p.copy.engines = 6;
    p.kernel.rate = 300_GBps;
    p.nvlink.rate = 25_GBps;
    return p;
  }
  /// The defaults.
  static StreamGpuParams usual() {
    StreamGpuParams p;
    p.copy.engines = 6;
    p.kernel.rate = 260_GBps;
    p.nvlink.rate = 25_GBps;
    return p;
  }
};

/// Pair i of the spec occupies the next ports of both GPUs, with one path in each direction.
class StreamBench : public sc_core::sc_module, private CompletionListener {
 public:
  static constexpr Tick t0 = 5'000'000;
  explicit StreamBench(const StreamBenchSpec& spec = {}, const sc_core::sc_module_name& name = "bench")
      : sc_module(name), spec_(spec), gpus_(spec.gpus) {
    std::vector<StreamGpu::Config> configs(spec.gpus);
    LinkParams link;
    link.rate = *spec.params.nvlink.rate;
    link.latency = spec.params.nvlink.latency;
    std::vector<std::array<unsigned, 4>> joins;
    for (const auto& [a, b, links] : spec.pairs) {
      CopyRoute to_b, to_a;
      to_b.peer = static_cast<std::uint16_t>(b), to_a.peer = static_cast<std::uint16_t>(a);
      to_a.framing.payload = to_b.framing.payload = static_cast<std::uint16_t>(spec.params.nvlink.payload.value);
      to_a.framing.burst = to_b.framing.burst = static_cast<std::uint16_t>(spec.params.copy.burst);
      for (unsigned l = 0; l < links; ++l) {
        const std::size_t i = configs[a].ports.size(), j = configs[b].ports.size();
        to_b.ports.push_back(static_cast<std::uint8_t>(i)), to_a.ports.push_back(static_cast<std::uint8_t>(j));
        const unsigned far = StreamGpu::receive_flits(link, spec.params);
        configs[a].ports.push_back({"port" + std::to_string(i), link, far});
        configs[b].ports.push_back({"port" + std::to_string(j), link, far});
        joins.push_back({a, static_cast<unsigned>(i), b, static_cast<unsigned>(j)});
      }
      configs[a].core.routes.push_back(to_b), configs[b].core.routes.push_back(to_a);
    }
    std::vector<unsigned> order = spec.order;
    for (unsigned g = 0; order.size() < spec.gpus; ++g) order.push_back(g);
    for (const unsigned g : order) {
      StreamGpu::Config& c = configs[g];
      c.core.gpu = static_cast<std::uint16_t>(g);
      c.core.params = spec.params;
      c.arena = arena_;
      c.parts = spec.parts;
      gpus_[g] = std::make_unique<StreamGpu>(("gpu" + std::to_string(g)).c_str(), c, pool, views,
                                             static_cast<CompletionListener&>(*this));
      gpus_[g]->resize_memory(spec.memory);
      if (spec.memory != 0) std::memset(gpus_[g]->memory(), 0, spec.memory);
    }
    for (const auto& [a, i, b, j] : joins) {
      StreamGpu::LinkPort &one = gpus_[a]->port(i), &other = gpus_[b]->port(j);
      if (spec.monitored)
        connect_monitored(one, other, {link, StreamGpu::receive_flits(link, spec.params), 4, 255, false}, monitors);
      else
        connect(one, other);
    }
    if (!spec.windowed) return;
    for (unsigned w = 0; w < spec.gpus; ++w)
      gpus_[order[w]]->set_windows(Windows::of(link.latency.value, spec.params.streams.acquire.value, t0, {w, spec.gpus}));
  }
  ~StreamBench() override {
    for (const auto& gpu : gpus_) gpu->reset();
  }

  StreamGpu& gpu(unsigned i) { return *gpus_.at(i); }
  /// Starts all programs at t0; returns when each one ended, relative to t0, `never` if it did not.
  std::vector<Tick> run(std::vector<StreamScript> scripts) {
    ends_.assign(spec_.gpus, never);
    const Tick start = sc_core::sc_time_stamp().value() + t0;
    scripts.resize(spec_.gpus);
    for (unsigned g = 0; g < spec_.gpus; ++g) gpus_[g]->post(std::move(scripts[g].program), start);
    sc_core::sc_start();
    std::vector<Tick> ends = ends_;
    for (Tick& end : ends)
      if (end != never) end -= start;
    return ends;
  }
  std::vector<std::string> waiting() const {
    std::vector<std::string> all;
    for (const auto& gpu : gpus_)
      for (const std::string& line : gpu->waiting()) all.push_back(line);
    return all;
  }
  template <class T>
  T* data(unsigned gpu) {
    return reinterpret_cast<T*>(gpus_[gpu]->memory());
  }

  PacketPool pool{framing_of<ScheduleNicLink>(15 * 256)};
  PayloadViews views;
  std::vector<std::unique_ptr<ProtocolMonitor>> monitors;

 private:
  void done(unsigned gpu, Tick when) override { ends_[gpu] = when; }
  void failed(unsigned, Tick, const std::string&) override {}

  StreamBenchSpec spec_;
  Arena arena_;
  std::vector<std::unique_ptr<StreamGpu>> gpus_;
  std::vector<Tick> ends_;
};

}  // namespace tributary
