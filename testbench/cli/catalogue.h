#pragma once
/// What `run` can be asked for: platforms, collectives and their algorithms.

#include <string>
#include <vector>

#include "platforms/catalog.h"

namespace tributary {

struct AlgorithmEntry {
  std::string name;
  std::string about;
};

struct CollectiveEntry {
  std::string name;
  std::string about;
  std::vector<AlgorithmEntry> algorithms;  ///< the first is the default
};

/// Of collectives, or of the algorithms of one.
template <class Entry>
std::vector<std::string> entry_names(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

/// Of machines of GPUs.
const std::vector<CollectiveEntry>& collective_entries();
/// Of networks of NICs.
const std::vector<CollectiveEntry>& network_entries();

/// These throw InputError with the nearest names; `where` says where the name stands.
const MachineName& find_platform(const std::string& name, const std::string& where);
const CollectiveEntry& find_collective(const std::string& platform, const std::string& name, const std::string& where);
const AlgorithmEntry& find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where);

}  // namespace tributary
