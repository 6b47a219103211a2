#pragma once
/// EchoPlatform: two devices, and a link between them.

#include <vector>

#include "platforms/platform.h"
#include "testbench/test/echo_family/echo_device.h"
#include "testbench/test/echo_family/echo_params.h"

namespace tributary {

topology::Graph echo_pair();

class EchoPlatform : public Platform {
 public:
  struct Config {
    EchoParams params;
    bool with_data = true;
    bool windowed = true;
  };
  EchoPlatform(const sc_core::sc_module_name& name, const Config& config, CompletionListener& listener);
  ~EchoPlatform() override { Platform::reset(); }

  EchoDevice& device(unsigned i) { return *echoes_.at(i); }
  static Tick command_latency(const LinkParams& link) { return 2 * link.latency.value; }

  unsigned endpoints() const override { return static_cast<unsigned>(echoes_.size()); }
  std::byte* memory_of(unsigned endpoint) override { return echoes_.at(endpoint)->memory.data(); }
  void resize_memory(unsigned endpoint, std::uint64_t bytes) override { echoes_.at(endpoint)->memory.resize(bytes); }
  std::map<std::string, double> counters() const override;
  Tick longest_silence(std::uint64_t) const override {
    return 2 * params_.link.latency.value + params_.device.turnaround.value;
  }

 private:
  EchoParams params_;
  std::vector<EchoDevice*> echoes_;
};

}  // namespace tributary
