#pragma once
/// ScheduleSource: a kind of schedules that `tributary schedule` builds, with topologies, algorithms and options of its own.
/// Networks of NICs are built in (testbench/cli/requests/schedule_request.h).

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

/// The options given, as texts.
using ScheduleOptions = std::map<std::string, std::string>;

struct ScheduleInput {
  std::string topology;
  Method method;           ///< one of the source's
  std::vector<int> ranks;  ///< endpoints, rank i is the i-th; empty: all, in ascending order
  ScheduleOptions own;     ///< of the source's options
};

struct DrawnSchedule {
  ScheduleText text;
  std::string drawing;  ///< for Graphviz; empty: there is none
  /// Its operations on chunks of one size, proved. Throws ScheduleError where so few cannot have the shares of its parts.
  std::function<collective::Schedule()> operations;
};

class ScheduleSource {
 public:
  virtual ~ScheduleSource() = default;

  /// Forms of their names, each with what it is.
  virtual std::vector<PlatformForm> topologies() const = 0;
  /// Of the topology; -1 when it is none of this source.
  virtual int endpoints(const std::string& topology) const = 0;
  /// By collective; the first of all is the default.
  virtual std::vector<Method> methods() const = 0;
  /// Beside topology, algorithm, collective, ranks, json, msccl and dot.
  virtual std::vector<ScheduleOption> options() const { return {}; }
  /// Builds and proves it. Throws InputError, one line: an option's value, ranks that the topology cannot join.
  virtual DrawnSchedule build(const ScheduleInput& input) const = 0;
};

/// All of the executable `tributary` (testbench/family/schedule_sources.cpp).
const std::vector<const ScheduleSource*>& schedule_sources();

}  // namespace tributary
