#pragma once
/// Names of collectives and algorithms that a platform accepts, as its family lists them.

#include <optional>
#include <string>
#include <vector>

#include "testbench/run/facets/algorithms.h"
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

/// These functions throw InputError with the legal names. `where` is the place of the name: `--algorithm`.
CollectiveEntry find_collective(const std::vector<Algorithm>& algorithms, const std::string& name, const std::string& where);
Algorithm find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where);
/// Also names the platforms of other families that have the algorithm.
Algorithm find_algorithm_on(const topology::PlatformDescription& platform, const CollectiveEntry& collective,
                            const std::string& name, const std::string& where);

/// Returns the default algorithm of a platform that cannot run the first one of its family; nothing where it can. `given`:
/// parameters of the run, with automatic values.
std::optional<DefaultAlgorithm> own_default(const Family& family, const topology::PlatformDescription& platform,
                                            const std::string& collective, const RunParameters& given);

}  // namespace tributary
