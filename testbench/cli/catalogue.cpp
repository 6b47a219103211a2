#include "testbench/cli/catalogue.h"

#include <stdexcept>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

template <class Entry>
const Entry& find(const std::vector<Entry>& entries, const std::string& kind, const std::string& name,
                  const std::string& where) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw InputError(where + ": " + unknown_name(kind, name, names) + (names.size() == 1 ? " (legal: " + names[0] + ")" : ""));
}

}  // namespace

const std::vector<CollectiveEntry>& collective_entries() {
  static const std::vector<CollectiveEntry> entries{
      {"allreduce",
       "every rank receives the sum of all ranks' messages",
       {{"push", "GPUs write operands to their home port's reduction table, which multicasts the result"},
        {"pull", "each GPU loads its share through reducing switches, and multicasts it"},
        {"ring", "software baseline: reduce-scatter and all-gather between neighbours, through mailboxes"}}},
      {"broadcast",
       "every rank receives the root's message",
       {{"multicast", "the root writes to a multicast region, the switches replicate"}}},
  };
  return entries;
}

const MachineName& find_platform(const std::string& name, const std::string& where) {
  try {
    return machine_name(name);
  } catch (const std::invalid_argument& error) {
    throw InputError(where + ": " + error.what());
  }
}

const CollectiveEntry& find_collective(const std::string& name, const std::string& where) {
  return find(collective_entries(), "collective", name, where);
}

const AlgorithmEntry& find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where) {
  return find(collective.algorithms, "algorithm of " + collective.name, name, where);
}

}  // namespace tributary
