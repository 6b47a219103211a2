#include "testbench/workload/training/read/chakra_groups.h"

#include <nlohmann/json.hpp>

#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {

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
    groups.push_back(std::move(group));
  }
  return groups;
}

ChakraType chakra_type(std::uint64_t n) {
  if (n > 10) throw ChakraFlaw("unknown node type " + std::to_string(n) + " (legal: 0 to 10)");
  return static_cast<ChakraType>(n);
}

}  // namespace tributary::training
