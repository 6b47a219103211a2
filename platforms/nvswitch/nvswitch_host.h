#pragma once
/// NvSwitchHost: the platform in which a driver of NVSwitches has its devices.

#include "platforms/nvswitch/nvswitch_part.h"
#include "platforms/part_place.h"

namespace tributary {

class NvSwitchHost : public PartPlace {
 public:
  /// Makes the platform with GPUs and NVSwitches of this configuration, and returns them. Called once.
  virtual NvSwitchPart& make(const NvSwitchPart::Config& config, CompletionListener& listener) = 0;
  /// Returns the platform, once it is made.
  virtual Platform& platform() = 0;
  /// Connects the GPUs of a job, whose programs these are, by rank, where their messages cross islands: fills in the queue
  /// pairs.
  virtual void connect(const std::vector<int>& /*gpus*/, std::vector<GpuProgram>& /*programs*/) {}
};

}  // namespace tributary
