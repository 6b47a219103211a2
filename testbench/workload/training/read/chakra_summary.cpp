#include "testbench/workload/training/read/chakra_summary.h"

#include <algorithm>

#include "testbench/workload/training/read/chakra_collectives.h"

namespace tributary::training {
namespace {

const char* word(ChakraType type) {
  constexpr const char* words[] = {"invalid",  "metadata",    "loads",   "stores",  "compute",    "sends",
                                   "receives", "collectives", "storage", "batches", "checkpoints"};
  return words[static_cast<std::size_t>(type)];
}

std::string name_of_collective(std::uint64_t type) {
  return type < chakra_collectives.size() ? chakra_collectives[static_cast<std::size_t>(type)].there
                                          : "comm_type " + std::to_string(type);
}

}  // namespace

void ChakraSummary::add_file(std::istream& file, const std::string& path) {
  ++files_;
  std::unordered_set<std::uint64_t> ids;
  std::vector<std::uint64_t> awaited;
  read_chakra(file, path, [&](ChakraNode&& node) {
    add(node);
    ids.insert(node.id);
    for (const auto* list : {&node.data_deps, &node.control_deps}) awaited.insert(awaited.end(), list->begin(), list->end());
  });
  dependencies_ += awaited.size();
  for (const std::uint64_t id : awaited) absent_ += ids.count(id) == 0;
}

void ChakraSummary::add_groups(const std::vector<ChakraGroup>& groups, const std::string& path) {
  group_file_ = path;
  of_group_file_ = groups.size();
  for (const ChakraGroup& group : groups)
    if (groups_.count(group.name) == 0) keep(group);
}

void ChakraSummary::keep(const ChakraGroup& group) {
  std::uint64_t& last = groups_[group.name];
  for (const std::uint64_t rank : group.ranks) last = std::max(last, rank);
}

void ChakraSummary::add(const ChakraNode& node) {
  ++nodes_;
  on_cpu_ += node.on_cpu;
  Sort& sort = sorts_[node.type];
  ++sort.nodes;
  sort.micros += node.micros;
  for (const ChakraGroup& group : node.groups) keep(group);
  const std::uint64_t bytes = node.on_cpu ? 0 : node.bytes.value_or(0);  // the host's call of a transfer is not a transfer
  if (bytes == 0) return;
  ++sort.moving;
  sort.bytes += bytes;
  if (node.type != ChakraType::collective || !node.type_number) return;
  if (!node.group.empty()) needed_.insert(node.group);
  Sort& collective = collectives_[*node.type_number];
  ++collective.nodes;
  collective.bytes += bytes;
}

std::string ChakraSummary::in_file() const {
  return of_group_file_ == 0 ? "" : ", " + std::to_string(of_group_file_) + " of them in " + group_file_;
}

/// Returns the groups that no node and no file lists, at most eight by name.
std::string ChakraSummary::unknown_groups() const {
  constexpr std::size_t most = 8;
  std::size_t count = 0;
  std::string names;
  for (const std::string& name : needed_)
    if (groups_.count(name) == 0 && ++count <= most) names += (names.empty() ? "" : ", ") + name;
  if (count == 0) return "";
  return std::to_string(count) + " (" + names + (count > most ? ", ..." : "") + ")";
}

std::string ChakraSummary::refusal() const {
  if (const std::string unknown = unknown_groups(); !unknown.empty())
    return "unknown process groups: " + unknown + ": neither the nodes nor " +
           (group_file_.empty() ? "a file next to the trace list them (legal: --groups FILE, PREFIX.json or comm_group.json)"
                                : group_file_ + " lists them");
  if (files_ < 2) return "";  // one file represents all ranks
  for (const auto& [name, last] : groups_)
    if (last >= files_)
      return "process group '" + name + "' has rank " + std::to_string(last) + ", but the traces are those of " +
             std::to_string(files_) + " ranks (legal: 0 to " + std::to_string(files_ - 1) + ")";
  return "";
}

std::vector<std::pair<std::string, std::string>> ChakraSummary::rows() const {
  const auto count = [](std::uint64_t n) { return std::to_string(n); };
  std::vector<std::pair<std::string, std::string>> rows{{"files", count(files_)}, {"nodes", count(nodes_)}};
  for (const auto& [type, sort] : sorts_) {
    const bool moves = type == ChakraType::send || type == ChakraType::receive || type == ChakraType::collective;
    std::string text = count(sort.nodes);
    if (moves) text += ", " + count(sort.moving) + " of them with " + count(sort.bytes) + " B";
    if (sort.micros > 0) text += ", " + count(sort.micros) + " us";
    rows.emplace_back(word(type), text);
  }
  for (const auto& [type, sort] : collectives_)
    rows.emplace_back("  " + name_of_collective(type), count(sort.nodes) + " of " + count(sort.bytes) + " B");
  if (on_cpu_ > 0) rows.emplace_back("on the host", count(on_cpu_));
  if (!groups_.empty()) rows.emplace_back("groups", count(groups_.size()) + in_file());
  if (const std::string missing = unknown_groups(); !missing.empty()) rows.emplace_back("unknown groups", missing);
  rows.emplace_back("dependencies", count(dependencies_) + (absent_ == 0 ? "" : ", " + count(absent_) + " on absent nodes"));
  return rows;
}

}  // namespace tributary::training
