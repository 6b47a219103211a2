#pragma once
/// BlinkPlatform: servers of GPUs with copy engines, joined by NVLinks, PCIe trees and a network (Wang et al., MLSys 2020).

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/stream_gpu/stream_gpu.h"
#include "platforms/blink/platform_params.h"
#include "platforms/blink/server_wires.h"
#include "platforms/platform.h"

namespace tributary {

/// Each GPU is a StreamGpu. Each PCIe switch, processor, NIC, NVSwitch and network switch is a RouterNode. A GPU reaches a
/// peer of its server over PCIe, and also over NVLinks if they have any. It reaches a GPU of another server over the
/// network.
class BlinkPlatform : public Platform {
 public:
  struct Config {
    BlinkPlatformParams params;  ///< without automatic values
    bool with_data = true;
    bool windowed = true;
    StreamGpu::Parts parts = {};     ///< replaced blocks of every GPU
    std::optional<Tick> delay = {};  ///< as in StreamGpuCore::Config
    bool backwards = false;          ///< constructs the nodes in reverse order, which changes no time
    unsigned lanes = 1;              ///< threads that run the platform, at most
  };
  /// Throws std::invalid_argument if the platform cannot be built.
  BlinkPlatform(const sc_core::sc_module_name& name, const topology::ServerGraph& servers, const Config& config,
                CompletionListener& listener);
  ~BlinkPlatform() override;

  const topology::ServerGraph& servers() const { return servers_; }
  const BlinkPlatformParams& params() const { return config_.params; }
  const ServerWires& wires() const { return wires_; }
  StreamGpu& gpu(unsigned i) { return *gpus_.at(i); }
  /// Counts the bytes that the program copies, and calls StreamGpu::post().
  void post(unsigned gpu, StreamProgram program, Tick t0);
  /// Returns the time from the call of post() to the first effect of the program: at least Windows::ahead.
  static Tick command_latency(const BlinkPlatformParams& params);

  unsigned endpoints() const override { return static_cast<unsigned>(servers_.gpus()); }
  std::byte* memory_of(unsigned end) override { return gpus_.at(end)->memory(); }
  void resize_memory(unsigned end, std::uint64_t bytes) override { gpus_.at(end)->resize_memory(bytes); }
  /// Returns the copied bytes by path.
  std::map<std::string, double> counters() const override;
  CounterUnion union_of(const std::string& counter) const override;
  Tick longest_silence(std::uint64_t bytes) const override;
  void reset() override;

 private:
  PayloadViews* views(unsigned lane) override { return &views_[lane]; }
  void make_device(int node, CompletionListener& listener);
  void make_gpu(int node, CompletionListener& listener);
  void make_router(int node);
  std::vector<CopyRoute> routes_of(int gpu) const;
  /// Returns the flits of the input buffer of a node's port, per VC.
  unsigned buffer_flits(topology::PortRef port) const;

  topology::ServerGraph servers_;
  Config config_;
  ServerWires wires_;
  std::deque<PayloadViews> views_;  ///< by lane
  std::vector<StreamGpu*> gpus_;
  std::array<std::uint64_t, 3> copied_{};  ///< by CopyPath
};

}  // namespace tributary
