#include "testbench/workload/training/read/chakra_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

void check_different(const ChakraGroup& group) {
  std::vector<std::uint64_t> ranks = group.ranks;
  std::sort(ranks.begin(), ranks.end());
  if (const auto twice = std::adjacent_find(ranks.begin(), ranks.end()); twice != ranks.end())
    throw ChakraFlaw("process group '" + group.name + "' has rank " + std::to_string(*twice) +
                     " twice (legal: a list of different ranks)");
}

}  // namespace

std::vector<ChakraGroup> process_groups(const std::string& values) {
  const std::size_t begin = values.find("[{"), end = values.rfind("}]");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  const auto list = nlohmann::json::parse(values.substr(begin, end + 2 - begin), nullptr, false);
  const char* legal = "process groups are not valid JSON (legal: [{\"pg_name\": \"0\", \"ranks\": [0, 1]}, ...])";
  if (!list.is_array()) throw ChakraFlaw(legal);
  std::vector<ChakraGroup> groups;
  for (const auto& entry : list) {
    if (!entry.is_object() || !entry.contains("pg_name") || !entry.contains("ranks")) throw ChakraFlaw(legal);
    const auto& name = entry["pg_name"];
    const auto& ranks = entry["ranks"];
    if (!name.is_string() || !ranks.is_array()) throw ChakraFlaw(legal);
    ChakraGroup group{plain_name(name.get<std::string>(), ChakraLimits::name), {}};
    for (const auto& rank : ranks) {
      if (!rank.is_number_unsigned()) throw ChakraFlaw(legal);
      group.ranks.push_back(rank.get<std::uint64_t>());
    }
    check_different(group);
    groups.push_back(std::move(group));
  }
  return groups;
}

ChakraType chakra_type(std::uint64_t n) {
  if (n > 10) throw ChakraFlaw("unknown node type " + std::to_string(n) + " (legal: 0 to 10)");
  return static_cast<ChakraType>(n);
}

}  // namespace tributary::training
