#pragma once

#include <map>
#include <string>

namespace tributary {

struct RunSpec;
class RunParameters;

/// Hardware of a platform that follows from the jobs of a run, besides its parameters.
class FamilyJobHardware {
 public:
  virtual ~FamilyJobHardware() = default;

  /// Returns what each part must be, for messages: `host3` is `the agent of rings`. An entry without a number, `host`, holds
  /// for the parts that are not listed. Runs whose parameters and parts agree can use one elaborated platform one after
  /// another. `resolved`: without automatic values.
  virtual std::map<std::string, std::string> hardware_of(const RunSpec& spec, const RunParameters& resolved) const = 0;
};

}  // namespace tributary
