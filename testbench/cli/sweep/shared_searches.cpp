#include "testbench/cli/sweep/shared_searches.h"

#include <exception>

#include "testbench/run/facets/searches.h"
#include "testbench/run/family.h"

namespace tributary {

void SharedSearches::prepare(const RunSpec& point) {
  const FamilySearches* const searches = family_of(point.platform).facets().searches;
  if (searches == nullptr) return;
  const std::string key = searches->key(point);
  if (key.empty() || ++points_[key] != first_) return;
  try {
    searches->make(point);
  } catch (const std::exception&) {
    // The point itself reports why it cannot run.
  }
}

}  // namespace tributary
