#pragma once
/// HostLauncher: the times at which the host launches the kernels of a job (docs/blocks/nccl_protocols.md#launches).

#include <vector>

#include "modules/streams/launch_params.h"

namespace tributary {

/// The host launches kernels of all GPUs one after another without waiting for any of them to end, as nccl-tests does.
class HostLauncher {
 public:
  /// `gpus`: GPUs of the job.
  HostLauncher(const LaunchParams& params, unsigned gpus) : params_(params), gpus_(gpus) {}

  /// Returns the time from the start of the job to the end of the launch of kernel `kernel` of a rank, both from 0.
  Tick launched(unsigned rank, unsigned kernel) const {
    if (params_.launch == HostLaunch::graph) return 0;
    return launches(rank, kernel) * params_.launch_time.value + (Tick{kernel} + 1) * params_.group_time.value;
  }
  /// Returns the times of the first `kernels` kernels of a rank.
  std::vector<Tick> launched_kernels(unsigned rank, unsigned kernels) const {
    std::vector<Tick> times;
    for (unsigned k = 0; k < kernels; ++k) times.push_back(launched(rank, k));
    return times;
  }
  /// Returns the time of a host thread for the launches of `kernels` kernels of each GPU.
  Tick busy(unsigned kernels) const { return kernels == 0 ? 0 : launched(gpus_ - 1, kernels - 1); }

 private:
  /// Returns the launches of a thread up to this one.
  Tick launches(unsigned rank, unsigned kernel) const {
    switch (params_.launch) {
      case HostLaunch::graph:
        return 0;
      case HostLaunch::process:
        return Tick{kernel} + 1;
      case HostLaunch::thread:
        break;
    }
    return Tick{kernel} * gpus_ + rank + 1;
  }

  LaunchParams params_;
  unsigned gpus_;
};

}  // namespace tributary
