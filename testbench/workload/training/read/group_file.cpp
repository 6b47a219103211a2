#include "testbench/workload/training/read/group_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "modules/base/input_file.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_group_bytes = std::uintmax_t{256} << 20;

/// Returns `begin` of begin.et, begin.json, begin.12.et and begin.12.json.
std::string without_end(const std::string& name) {
  const std::string end = fs::path(name).extension().string();
  if (end != ".et" && end != ".json") return name;
  const std::string begin = name.substr(0, name.size() - end.size());
  const std::size_t dot = begin.rfind('.');
  const bool rank = dot != std::string::npos && dot > 0 && dot + 1 < begin.size() &&
                    begin.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return rank ? begin.substr(0, dot) : begin;
}

[[noreturn]] void no_groups(const std::string& path) {
  throw InputError(path + ": no process groups (legal: a JSON object such as {\"1\": [0, 1], \"2\": [2, 3]})");
}

ChakraGroup group_of(const std::string& path, const std::string& name, const nlohmann::json& ranks) {
  ChakraGroup group{plain_name(name, ChakraLimits::name), {}};
  const auto legal = " (legal: a list of different ranks, at least one)";
  if (!ranks.is_array() || ranks.empty())
    throw InputError(path + ": process group '" + group.name + "' has no ranks" + legal);
  std::unordered_set<std::uint64_t> different;
  for (const nlohmann::json& rank : ranks) {
    if (!rank.is_number_unsigned())
      throw InputError(path + ": process group '" + group.name + "': '" + plain_name(rank.dump(), 60) + "' is not a rank" +
                       legal);
    const auto number = rank.get<std::uint64_t>();
    if (!different.insert(number).second)
      throw InputError(path + ": process group '" + group.name + "' has rank " + std::to_string(number) + " twice" + legal);
    group.ranks.push_back(number);
  }
  return group;
}

/// True for an object of lists. A result of a run may have the name PREFIX.json, too.
bool holds_groups(const fs::path& path) {
  std::error_code unknown;
  const std::uintmax_t bytes = fs::file_size(path, unknown);
  if (unknown || bytes > most_group_bytes) return false;
  std::ifstream file(path, std::ios::binary);
  const nlohmann::json all = nlohmann::json::parse(file, nullptr, false);
  return all.is_object() &&
         std::all_of(all.begin(), all.end(), [](const nlohmann::json& value) { return value.is_array(); });
}

}  // namespace

std::string group_file_of(const std::string& path) {
  const std::size_t rank = path.find("%d");
  const fs::path trace(rank == std::string::npos ? path : path.substr(0, rank) + "0" + path.substr(rank + 2)),
      own = trace.parent_path() / (without_end(trace.filename().string()) + ".json");
  const fs::path common = trace.parent_path() / "comm_group.json";
  std::error_code ignored;
  if (own != trace && fs::is_regular_file(own, ignored) && holds_groups(own)) return own.string();
  return fs::is_regular_file(common, ignored) ? common.string() : "";
}

std::vector<ChakraGroup> read_group_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (const std::string why = refusal_of_file(file, path); !why.empty()) throw InputError(path + ": " + why);
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  if (!unknown && bytes > most_group_bytes)
    throw InputError(path + ": too large for process groups (legal: up to " + std::to_string(most_group_bytes) + " bytes)");
  const nlohmann::json all = nlohmann::json::parse(file, nullptr, false);
  if (!all.is_object() || all.empty()) no_groups(path);
  std::vector<ChakraGroup> groups;
  for (const auto& [name, ranks] : all.items()) groups.push_back(group_of(path, name, ranks));
  return groups;
}

}  // namespace tributary::training
