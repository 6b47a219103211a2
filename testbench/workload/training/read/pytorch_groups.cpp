#include "testbench/workload/training/read/pytorch_groups.h"

#include <algorithm>
#include <numeric>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t most_group_ranks = 1'000'000;
constexpr const char* list_key = "Process Group Ranks";

std::vector<int> ranks_in(const Json& list) {
  std::vector<int> ranks;
  for (const Json& rank : list)
    if (rank.is_number_unsigned() && rank.get<std::uint64_t>() < most_group_ranks) ranks.push_back(rank.get<int>());
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Returns the ranks of a group that lists none: those from 0, if it says how many.
std::vector<int> first_ranks(const Json& group) {
  for (const char* key : {"group_size", "pg_size"}) {
    const Json size = group.value(key, Json());
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > most_group_ranks) continue;
    std::vector<int> ranks(size.get<std::size_t>());
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }
  return {};
}

/// Returns the ranks that a call lists as text; empty: none, or a list that is cut off.
std::vector<int> listed_members(const Json& values) {
  const Json list = Json::parse(torch_text(values.value(list_key, Json(""))), nullptr, false);
  if (!list.is_array()) return {};
  std::vector<int> members = ranks_in(list);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

/// True if the profiler has cut a long list of ranks: "[0, 1, ...]".
bool is_cut(const Json& values) { return torch_text(values.value(list_key, Json(""))).find("...") != std::string::npos; }

}  // namespace

void TorchGroups::fail(const RecordedCall& call, const std::string& what) {
  throw InputError(call.place + ": process group '" + call.comm + "' of " + std::to_string(call.ranks) + " ranks" + what);
}

void TorchGroups::add(const Json& groups) {
  if (!groups.is_array()) return;
  for (const Json& group : groups) {
    if (!group.is_object() || !group.contains("pg_name") || !group.contains("ranks") || !group["ranks"].is_array()) continue;
    std::vector<int> ranks = ranks_in(group["ranks"]);
    if (ranks.size() != group["ranks"].size() || std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end())
      throw InputError(path_ + ": process group '" + plain_name(torch_text(group["pg_name"]), longest_torch_name) +
                       "' has no list of different ranks (legal: 0 to " + std::to_string(most_group_ranks - 1) + ")");
    if (ranks.empty()) ranks = first_ranks(group);
    if (ranks.empty()) continue;
    ranks_ = std::max<std::uint64_t>(ranks_, static_cast<unsigned>(ranks.back()) + 1u);
    ranks_of_[plain_name(torch_text(group["pg_name"]), longest_torch_name)] = std::move(ranks);
  }
}

void TorchGroups::add_world(const Json& ranks) {
  if (ranks.is_number_unsigned() && ranks.get<std::uint64_t>() <= most_group_ranks)
    ranks_ = std::max(ranks_, ranks.get<std::uint64_t>());
}

std::vector<int> TorchGroups::members(const RecordedCall& call, const Json& values, const TorchKeys& keys) const {
  if (const auto group = ranks_of_.find(call.comm); group != ranks_of_.end()) {
    if (group->second.size() != call.ranks) fail(call, ", which lists " + std::to_string(group->second.size()));
    return group->second;
  }
  if (ranks_ > 0 && call.ranks == ranks_) return {};
  std::vector<int> members = listed_members(values);
  if (members.empty()) members = even_members(call.ranks, values, keys);
  if (members.size() != call.ranks && (!members.empty() || is_cut(values)))
    fail(call,
         ", whose list is cut off (legal: a trace with distributedInfo, or with 'Global rank start' and 'Global rank "
         "stride')");
  if (members.empty() && !ranks_of_.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, ranks] : ranks_of_)
      if (names.size() < 8) names.push_back("'" + name + "'");
    fail(call, ", which the groups of the trace do not have (legal: " + join_names(names) +
                   (ranks_of_.size() > names.size() ? ", ..." : "") + ")");
  }
  return members;
}

/// Returns the ranks of a group from its first rank and its stride; empty: unknown.
std::vector<int> TorchGroups::even_members(std::uint64_t ranks, const Json& values, const TorchKeys& keys) const {
  const Json start = values.value(keys.start, Json()), stride = values.value(keys.stride, Json());
  std::vector<int> members;
  if (!start.is_number_unsigned() || !stride.is_number_unsigned() || ranks > most_group_ranks) return members;
  const auto first = start.get<std::uint64_t>(), step = stride.get<std::uint64_t>();
  const std::uint64_t all = ranks_ > 0 ? ranks_ : most_group_ranks;
  if (step == 0 || first >= all || step >= all || first + (ranks - 1) * step >= all) return members;
  for (std::uint64_t i = 0; i < ranks; ++i) members.push_back(static_cast<int>(first + i * step));
  return members;
}

}  // namespace tributary::training
