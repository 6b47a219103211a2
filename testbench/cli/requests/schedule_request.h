#pragma once
/// What `tributary schedule` was asked to do.

#include <string>
#include <vector>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/run/schedule_source.h"

namespace tributary {

/// Of networks of NICs, then those of the sources.
const std::vector<ScheduleOption>& schedule_options();

struct ScheduleRequest {
  topology::Network network;           ///< of NICs, where there is no source
  collective::NetworkRequest request;  ///< for it
  std::string json;                    ///< empty: none; `-`: standard output, and nothing else goes there
  std::string dot;                     ///< the same of a drawing
  std::string msccl;                   ///< the same of MSCCL XML
  const ScheduleSource* source = nullptr;
  ScheduleInput input;  ///< for the source
};

/// Of networks of NICs, then of the sources: `torus:AxB`, `dgx1v`.
std::vector<std::string> topology_names();

/// Throws InputError.
ScheduleRequest make_schedule_request(const ScheduleOptions& options);

}  // namespace tributary
