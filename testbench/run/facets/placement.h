#pragma once

#include <vector>

namespace tributary {

struct JobSpec;
struct RunSpec;

/// Placement of the ranks of a job. By default the first endpoints of the platform take part.
class FamilyPlacement {
 public:
  virtual ~FamilyPlacement() = default;

  /// Returns the number of ranks that spec.platform gives to `job` unless the user sets one.
  virtual int participants(const RunSpec& spec, const JobSpec& job) const;
  /// Returns the endpoints that `--gpus count` means on spec.platform, by rank. Throws std::invalid_argument.
  virtual std::vector<int> place(const RunSpec& spec, int count) const;
  /// Throws std::invalid_argument if parameters place the ranks, so that a list of ranks contradicts them.
  virtual void check_rank_list(const RunSpec&) const {}
};

}  // namespace tributary
