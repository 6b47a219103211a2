#pragma once
/// The request of `tributary schedule`.

#include <string>
#include <vector>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/run/schedule_source.h"

namespace tributary {

/// Returns the options for networks of NICs, then the options of the sources.
const std::vector<ScheduleOption>& schedule_options();

struct ScheduleRequest {
  topology::Network network;           ///< network of NICs or plane of a machine, if there is no source
  collective::NetworkRequest request;  ///< request for the network
  std::string json;   ///< file of the schedule; empty: none; `-`: standard output, which then holds nothing else
  std::string dot;    ///< file of the drawing, likewise
  std::string msccl;  ///< file of MSCCL XML, likewise
  const ScheduleSource* source = nullptr;
  ScheduleInput input;  ///< input of the source; only the topology without one
};

/// Returns the names of networks of NICs, then of the topologies of the sources: `torus:AxB`, `dgx1v`.
std::vector<std::string> topology_names();

/// Returns the algorithms of a collective on a topology, for completion. Throws as the readers of its files do.
std::vector<std::string> schedule_algorithms(const std::string& topology, const std::string& collective);

/// Throws InputError.
ScheduleRequest make_schedule_request(const ScheduleOptions& options);

}  // namespace tributary
