#include "testbench/run/choices.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

template <class Entry>
Entry find(const std::vector<Entry>& entries, const std::string& kind, const std::string& name, const std::string& where) {
  for (const Entry& entry : entries)
    if (entry.name == name) return entry;
  const std::vector<std::string> names = entry_names(entries);
  throw InputError(where + ": " + unknown_name(kind, name, names) + (names.size() == 1 ? " (legal: " + names[0] + ")" : ""));
}

/// Returns for instance `hosts on Ethernet (rack, spine_leaf)`.
std::string kinds_of(const Family& family) {
  std::string kinds;
  for (const std::string& kind : platform_kinds(family)) kinds += (kinds.empty() ? "" : ", ") + kind;
  return std::string(family.endpoint().platforms) + " (" + kinds + ")";
}

}  // namespace

std::vector<CollectiveEntry> collective_entries(const std::vector<Algorithm>& algorithms) {
  std::vector<CollectiveEntry> entries;
  for (const Algorithm& m : algorithms) {
    auto entry =
        std::find_if(entries.begin(), entries.end(), [&](const CollectiveEntry& e) { return e.name == m.collective; });
    if (entry == entries.end()) entry = entries.insert(entries.end(), {m.collective, {}});
    entry->algorithms.push_back(m);
  }
  return entries;
}

CollectiveEntry find_collective(const std::vector<Algorithm>& algorithms, const std::string& name,
                                const std::string& where) {
  return find(collective_entries(algorithms), "collective", name, where);
}

Algorithm find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where) {
  return find(collective.algorithms, collective.name + " algorithm", name, where);
}

Algorithm find_algorithm_on(const topology::PlatformDescription& platform, const CollectiveEntry& collective,
                            const std::string& name, const std::string& where) {
  const std::vector<std::string> own = entry_names(collective.algorithms);
  std::vector<std::string> elsewhere;
  if (std::find(own.begin(), own.end(), name) == own.end())
    for (const Family* other : families())
      for (const Algorithm& a : other->algorithms())
        if (a.collective == collective.name && a.name == name) elsewhere.push_back(kinds_of(*other));
  if (elsewhere.empty()) return find_algorithm(collective, name, where);
  throw InputError(where + ": unknown " + collective.name + " algorithm '" + name + "' on " + platform.name() +
                   "; it runs on " + join_names(elsewhere, "and") + " (legal: " + join_names(own) + ")");
}

std::optional<DefaultAlgorithm> own_default(const Family& family, const topology::PlatformDescription& platform,
                                            const std::string& collective, const RunParameters& given) {
  const FamilyAlgorithms* const algorithms = family.facets().algorithms;
  return algorithms != nullptr ? algorithms->default_algorithm(platform, collective, given) : std::nullopt;
}

}  // namespace tributary
