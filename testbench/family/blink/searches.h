#pragma once

#include "testbench/run/facets/searches.h"

namespace tributary {

/// TreeGen's searches for the trees of a run's jobs.
class BlinkSearches : public FamilySearches {
 public:
  std::string key(const RunSpec& spec) const override;
  void make(const RunSpec& spec) const override;
};

}  // namespace tributary
