#pragma once
/// Platforms, collectives and algorithms that `run` accepts, as the families list them.

#include <string>
#include <vector>

#include "testbench/cli/requests/input_files.h"
#include "testbench/run/family.h"

namespace tributary {

struct CollectiveEntry {
  std::string name;
  std::vector<Algorithm> algorithms;  ///< the first is the default
};

/// Returns the names of collectives or algorithms.
template <class Entry>
std::vector<std::string> entry_names(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

/// Groups the algorithms of a family by collective.
std::vector<CollectiveEntry> collective_entries(const std::vector<Algorithm>& algorithms);

/// These functions throw InputError with the nearest names. `where` is the place of the name.
/// Returns a platform, whose name is completed; its files are among `files`.
topology::PlatformDescription find_platform(const std::string& name, const std::string& where, InputFiles& files);
CollectiveEntry find_collective(const std::vector<Algorithm>& algorithms, const std::string& name, const std::string& where);
Algorithm find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where);

}  // namespace tributary
