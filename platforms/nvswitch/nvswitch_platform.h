#pragma once
/// NvSwitchPlatform: the netlist of GPUs and NVSwitches (Klenk et al., ISCA 2020).

#include <map>
#include <string>

#include "platforms/nvswitch/nvswitch_part.h"

namespace tributary {

class NvSwitchPlatform : public Platform {
 public:
  using Config = NvSwitchPart::Config;

  NvSwitchPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config,
                   CompletionListener& listener);
  ~NvSwitchPlatform() override;

  /// Returns its devices.
  NvSwitchPart& devices() { return devices_; }
  unsigned endpoints() const override { return gpu_count(); }
  unsigned gpu_count() const { return devices_.gpu_count(); }
  Gpu& gpu(unsigned i) { return devices_.gpu(i); }
  const Gpu& gpu(unsigned i) const { return devices_.gpu(i); }
  /// Returns the stream engine of a GPU. Throws std::logic_error if there is none.
  StreamEngine& stream_engine(unsigned gpu) { return devices_.stream_engine(gpu); }
  unsigned switch_count() const { return devices_.switch_count(); }
  NvSwitch& switch_at(unsigned i) { return devices_.switch_at(i); }
  const Machine& machine() const { return devices_.machine(); }
  /// Throws UnfitBlock if a reduction table cannot add these elements.
  void check_tables(ElementType type, ReduceOp op, unsigned operands) const { devices_.check_tables(type, op, operands); }
  std::byte* memory_of(unsigned gpu) override { return devices_.gpu(gpu).memory().data(); }
  void resize_memory(unsigned gpu, std::uint64_t bytes) override { devices_.gpu(gpu).memory().resize(bytes); }
  std::map<std::string, double> counters() const override;
  Tick longest_silence(std::uint64_t bytes) const override { return clamped(devices_.longest_silence(bytes)); }
  Tick timers_end() const override { return devices_.timers_end(); }

  /// Changes the seed of random latencies, orders and bit errors; the address hash keeps the seed of elaboration.
  void reseed(std::uint64_t seed);

 private:
  NvSwitchPart devices_;
};

}  // namespace tributary
