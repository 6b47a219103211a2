#include "testbench/cli/catalogue.h"

#include "modules/base/nearest.h"
#include "testbench/cli/option_text.h"
#include "testbench/collective/algorithm/network_schedule.h"

namespace tributary {
namespace {

template <class Entry>
const Entry& find(const std::vector<Entry>& entries, const std::string& kind, const std::string& name,
                  const std::string& where) {
  for (const Entry& entry : entries)
    if (entry.name == name) return entry;
  const std::vector<std::string> names = entry_names(entries);
  throw InputError(where + ": " + unknown_name(kind, name, names) + (names.size() == 1 ? " (legal: " + names[0] + ")" : ""));
}

}  // namespace

const std::vector<CollectiveEntry>& collective_entries() {
  const char* const pipeline = "software: chunks go from rank to rank in a pipeline";
  const char* const trees = "software: two pipelined binary trees, each rank inner in at most one";
  const char* const replicate = "the root writes to a multicast region, the switches replicate";
  static const std::vector<CollectiveEntry> entries{
      {"allreduce",
       "every rank receives the sum of all ranks' messages",
       {{"push", "GPUs write operands to their home port's reduction table, which multicasts the result"},
        {"pull", "each GPU loads its share through reducing switches, and multicasts it"},
        {"ring", "software baseline: reduce-scatter and all-gather between neighbours, through mailboxes"},
        {"double_binary_tree", "software: two pipelined binary trees, up and down, each rank inner in at most one"},
        {"halving_doubling", "software: exchanges of halves at distance 1, 2, 4 ..., and back"},
        {"star", "software: all to the first rank, which sends the sum to all"},
        {"multitree", "software: up, then down a tree of each rank, all grown side by side on one plane in steps"},
        {"hdrm", "software: exchanges of halves, in each with the other switch (BiGraph, dgx2: all its GPUs)"}}},
      {"broadcast",
       "every rank receives the root's message",
       {{"multicast", replicate}, {"ring", pipeline}, {"double_binary_tree", trees}}},
      {"multicast",
       "the ranks of --targets receive the root's message",
       {{"multicast", replicate}, {"ring", pipeline}, {"double_binary_tree", trees}}},
      {"reduce",
       "the root receives the sum of all ranks' messages",
       {{"push", "GPUs write operands to their home port's reduction table, which sends the result to the root"},
        {"pull", "the root loads the message through reducing switches"},
        {"ring", pipeline},
        {"double_binary_tree", trees}}},
      {"reduce_scatter",
       "every rank receives its part of the sum of all ranks' messages",
       {{"pull", "each GPU loads its part through reducing switches"},
        {"ring", "software: parts go round between neighbours, and grow"},
        {"multitree", "software: parts go up a tree of each rank, and grow"}}},
      {"allgather",
       "every rank receives the parts of all ranks",
       {{"multicast", "each GPU writes its part to a multicast region"},
        {"ring", "software: parts go round between neighbours"},
        {"multitree", "software: parts go down a tree of each rank"}}},
      {"gather",
       "the root receives the parts of all ranks",
       {{"direct", "software: every rank writes its part to the root"}}},
      {"alltoall",
       "every rank receives a part from every rank",
       {{"direct", "software: in step s every rank writes to the s-th after it"},
        {"multitree", "software: down a tree of each rank, in its steps"}}},
      {"barrier",
       "no rank goes on before every rank has come",
       {{"push", "a push all-reduce of one packet"},
        {"pull", "a pull all-reduce of one packet of each GPU"},
        {"multicast", "each GPU multicasts a flag, and waits for the others'"},
        {"dissemination", "software: flags to the ranks at distance 1, 2, 4 ..."}}},
  };
  return entries;
}

const std::vector<CollectiveEntry>& network_entries() {
  static const std::vector<CollectiveEntry> entries = [] {
    std::vector<CollectiveEntry> all;
    for (const collective::NetworkAlgorithm& a : collective::network_algorithms()) {
      if (all.empty() || all.back().name != a.collective) all.push_back({a.collective, "on a network of NICs", {}});
      all.back().algorithms.push_back({a.name, a.about});
    }
    return all;
  }();
  return entries;
}

const MachineName& find_platform(const std::string& name, const std::string& where) {
  return with_place(where, [&]() -> const MachineName& { return machine_name(name); });
}

const CollectiveEntry& find_collective(const std::string& platform, const std::string& name, const std::string& where) {
  return find(is_network(platform) ? network_entries() : collective_entries(), "collective", name, where);
}

const AlgorithmEntry& find_algorithm(const CollectiveEntry& collective, const std::string& name, const std::string& where) {
  return find(collective.algorithms, "algorithm of " + collective.name, name, where);
}

}  // namespace tributary
