#pragma once

#include <string>

namespace tributary {

struct RunSpec;

/// Searches before a run, whose results depend on a part of its options alone. Runs that share their results
/// (RunSpec::trees) make each search once.
class FamilySearches {
 public:
  virtual ~FamilySearches() = default;

  /// Returns the same text for runs with the same searches; empty: the run makes none.
  virtual std::string key(const RunSpec& spec) const = 0;
  /// Makes the searches of the run, and keeps their results. Throws as the run does.
  virtual void make(const RunSpec& spec) const = 0;
};

}  // namespace tributary
