#pragma once
/// Constants of GPUs by their kind (docs/systems/blink.md#gpus).

#include <cstdint>
#include <optional>
#include <string>

#include "modules/base/units.h"
#include "platforms/topology/platform_description.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

struct GpuKind {
  std::string name;
  std::uint32_t copy_engines;          ///< asyncEngineCount
  Bandwidth nvlink_rate;               ///< one NVLink or xGMI; used if neither file nor parameter gives it
  Bandwidth kernel_rate;               ///< 0.87 of the memory's rate, with three accesses for a byte
  Bandwidth channel_rate;              ///< that NCCL or RCCL plans with for one link
  unsigned capability = 0;             ///< least compute capability of the kind; 0: not of NVIDIA
  std::string note;                    ///< constants that are assumed; empty: each has a source
  std::uint32_t nvls_channels = 16;    ///< thread blocks of NVLS on one server (NCCL nvls.cc)
  std::uint32_t multiprocessors = 80;  ///< or compute units
  Time nvls_peer = {};                 ///< time for the flags of one peer in a loop of NVLS (docs/blocks/nvls.md#constants)
};

/// Returns the kind of the GPUs of a machine: that of a built-in server, or by `sm` or `gcn` of the file. If the file gives
/// neither, the rate of NVLinks (of the file, or `set`) decides between a P100 and others, and their number between a V100,
/// an A100 and an H100.
GpuKind gpu_kind(const PlatformDescription& platform, const Server& server, std::optional<Bandwidth> set = std::nullopt);

}  // namespace tributary::topology
