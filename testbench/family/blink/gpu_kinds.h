#pragma once
/// Constants of the GPUs of a server by their kind (docs/systems/blink.md#gpus).

#include <cstdint>
#include <optional>
#include <string>

#include "modules/base/units.h"
#include "platforms/topology/platform_description.h"
#include "platforms/topology/server.h"

namespace tributary {

struct GpuKind {
  std::string name;
  std::uint32_t copy_engines;  ///< asyncEngineCount
  Bandwidth nvlink_rate;       ///< one NVLink or xGMI; used if neither file nor parameter gives it
  Bandwidth kernel_rate;       ///< 0.87 of the memory's rate, with three accesses for a byte
  Bandwidth channel_rate;      ///< that NCCL or RCCL plans with for one link
  std::string note;            ///< constants that are assumed; empty: each has a source
};

/// Returns the kind of the GPUs: that of a built-in server, or by `sm` or `gcn` of the file. If the file gives neither, the
/// rate of NVLinks (of the file, or `set`) decides between a P100 and others, and their number between V100 and A100 and
/// H100.
GpuKind gpu_kind(const topology::PlatformDescription& platform, const topology::Server& server,
                 std::optional<Bandwidth> set = std::nullopt);

}  // namespace tributary
