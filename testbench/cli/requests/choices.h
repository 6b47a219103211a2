#pragma once
/// What `run` can be asked for: platforms, collectives and their algorithms, from the families.

#include <string>
#include <vector>

#include "testbench/run/family.h"

namespace tributary {

struct CollectiveEntry {
  std::string name;
  std::vector<Method> algorithms;  ///< the first is the default
};

/// Names of collectives, or of algorithms.
template <class Entry>
std::vector<std::string> entry_names(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

/// The methods of a family, by collective.
std::vector<CollectiveEntry> collective_entries(const std::vector<Method>& methods);

/// These throw InputError with the nearest names; `where` says where the name stands.
PlatformName find_platform(const std::string& name, const std::string& where);
CollectiveEntry find_collective(const std::vector<Method>& methods, const std::string& name, const std::string& where);
Method find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where);

}  // namespace tributary
