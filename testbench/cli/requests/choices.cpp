#include "testbench/cli/requests/choices.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

template <class Entry>
Entry find(const std::vector<Entry>& entries, const std::string& kind, const std::string& name, const std::string& where) {
  for (const Entry& entry : entries)
    if (entry.name == name) return entry;
  const std::vector<std::string> names = entry_names(entries);
  throw InputError(where + ": " + unknown_name(kind, name, names) + (names.size() == 1 ? " (legal: " + names[0] + ")" : ""));
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

topology::PlatformDescription find_platform(const std::string& name, const std::string& where, InputFiles& files) {
  try {
    return with_place(where, [&] {
      const topology::PlatformDescription& given = files.platform(name);
      return files.platform(family_of(given).platform(given).name);
    });
  } catch (const SetupError& error) {
    throw InputError(where + ": " + error.what());
  }
}

CollectiveEntry find_collective(const std::vector<Algorithm>& algorithms, const std::string& name,
                                const std::string& where) {
  return find(collective_entries(algorithms), "collective", name, where);
}

Algorithm find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where) {
  return find(collective.algorithms, collective.name + " algorithm", name, where);
}

}  // namespace tributary
