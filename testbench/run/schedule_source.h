#pragma once
/// ScheduleSource: a kind of schedule that `tributary schedule` builds, with topologies, algorithms and options of its own.
/// Schedules of networks of NICs are built in (testbench/cli/requests/schedule_request.h).

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/run/facets/network_schedules.h"
#include "testbench/run/family.h"

namespace tributary {

struct ScheduleOption {
  const char* name;      ///< without dashes
  const char* argument;  ///< NAME, N ...
  std::string help;      ///< meaning, unit, default
};

/// The given options, as texts.
using ScheduleOptions = std::map<std::string, std::string>;

struct ScheduleInput {
  topology::PlatformDescription topology = "";
  Algorithm algorithm;     ///< one of the source's
  std::vector<int> ranks;  ///< endpoints, rank i is the i-th; empty: all, in ascending order
  ScheduleOptions own;     ///< values of the source's options
};

struct DrawnSchedule {
  ScheduleText text;
  std::function<std::string()> drawing;  ///< builds the text for Graphviz; empty if there is none
  /// Returns the proved operations on chunks of equal size. Throws ScheduleError if chunks are too few for the fractions of
  /// the schedule.
  std::function<collective::Schedule()> operations;
};

class ScheduleSource {
 public:
  virtual ~ScheduleSource() = default;

  /// Returns the forms of the names, with descriptions.
  virtual std::vector<PlatformForm> topologies() const = 0;
  /// Returns the number of endpoints of a topology; -1 if the source does not have it.
  virtual int endpoints(const topology::PlatformDescription& platform) const = 0;
  /// Returns the algorithms by collective; the first one is the default.
  virtual std::vector<Algorithm> algorithms() const = 0;
  /// Returns the options other than topology, algorithm, collective, ranks, json, msccl and dot.
  virtual std::vector<ScheduleOption> options() const { return {}; }
  /// Builds and proves a schedule. Throws InputError, one line: invalid option, or ranks that the topology cannot connect.
  virtual DrawnSchedule build(const ScheduleInput& input) const = 0;
};

/// Returns all sources of the executable `tributary` (testbench/family/schedule_sources.cpp).
const std::vector<const ScheduleSource*>& schedule_sources();

}  // namespace tributary
