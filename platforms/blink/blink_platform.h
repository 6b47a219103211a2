#pragma once
/// BlinkPlatform: servers of GPUs with copy engines, joined by NVLinks, PCIe trees and a network (Wang et al., MLSys 2020).

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/stream_gpu/stream_gpu.h"
#include "platforms/blink/platform_params.h"
#include "platforms/blink/router_node.h"
#include "platforms/blink/server_wires.h"
#include "platforms/platform.h"

namespace tributary {

/// A StreamGpu for each GPU; a RouterNode for each PCIe switch, processor, NIC and network switch. A GPU reaches each peer
/// of its server by PCIe, each peer with NVLinks by these, too, and each GPU of another server by the network.
class BlinkPlatform : public Platform {
 public:
  struct Config {
    BlinkPlatformParams params;  ///< without automatic values
    bool with_data = true;
    bool windowed = true;
    StreamGpu::Parts parts = {};     ///< of all GPUs
    std::optional<Tick> delay = {};  ///< StreamGpuCore::Config
    bool backwards = false;          ///< makes the last node first, which changes no time
  };
  /// Throws std::invalid_argument on what cannot be built.
  BlinkPlatform(const sc_core::sc_module_name& name, const topology::ServerGraph& servers, const Config& config,
                CompletionListener& listener);
  ~BlinkPlatform() override;

  const topology::ServerGraph& servers() const { return servers_; }
  const BlinkPlatformParams& params() const { return config_.params; }
  const ServerWires& wires() const { return wires_; }
  StreamGpu& gpu(unsigned i) { return *gpus_.at(i); }
  /// StreamGpu::post(); counts what the program copies.
  void post(unsigned gpu, StreamProgram program, Tick t0);
  /// From a program's posting to its first effect: at least Windows::ahead.
  static Tick command_latency(const BlinkPlatformParams& params);

  unsigned endpoints() const override { return static_cast<unsigned>(servers_.gpus()); }
  std::byte* memory_of(unsigned end) override { return gpus_.at(end)->memory(); }
  void resize_memory(unsigned end, std::uint64_t bytes) override { gpus_.at(end)->resize_memory(bytes); }
  /// Bytes of copies by the ways that they take.
  std::map<std::string, double> counters() const override;
  Tick longest_silence(std::uint64_t bytes) const override;
  void reset() override;

 private:
  void make_device(int node, CompletionListener& listener);
  void make_gpu(int node, CompletionListener& listener);
  void make_router(int node);
  std::vector<CopyWay> ways_of(int gpu) const;
  /// Input buffer of a node's port, per VC.
  unsigned buffer_flits(topology::PortRef port) const;

  topology::ServerGraph servers_;
  Config config_;
  ServerWires wires_;
  PayloadViews views_;
  std::vector<StreamGpu*> gpus_;
  std::array<std::uint64_t, 3> copied_{};  ///< by CopyPath
};

}  // namespace tributary
