#pragma once
/// What `tributary schedule` was asked to do.

#include <map>
#include <string>
#include <vector>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"

namespace tributary {

struct ScheduleOption {
  const char* name;      ///< without dashes
  const char* argument;  ///< NAME, N ...
  std::string help;      ///< meaning, unit, default
};
const std::vector<ScheduleOption>& schedule_options();

/// The options given, as texts.
using ScheduleOptions = std::map<std::string, std::string>;

struct ScheduleRequest {
  topology::Network network;
  collective::NetworkRequest request;
  std::string json;  ///< empty: none; `-`: standard output, and nothing else goes there
};

/// Throws InputError.
ScheduleRequest make_schedule_request(const ScheduleOptions& options);

}  // namespace tributary
