#include "testbench/workload/training/read/text_groups.h"

#include <algorithm>

#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/message_size.h"

namespace tributary::training {
namespace {

/// Ranks that join a collective.
enum class Reach : std::uint8_t { none, all, model, data };

Reach reach_of(TextKind kind, std::size_t row, TextPass pass) {
  const bool weights = pass == text_weight_gradient;
  switch (kind) {
    case TextKind::data:
    case TextKind::micro:
      return weights ? Reach::all : Reach::none;
    case TextKind::recommendation:
    case TextKind::recommendation_enhanced:  // row 0: embedding tables, divided among the ranks
      return weights || row == 0 ? Reach::all : Reach::none;
    case TextKind::model:
      return weights ? Reach::none : Reach::all;
    default:
      return weights ? Reach::data : Reach::model;
  }
}

}  // namespace

void TextGroups::fail(const std::string& what, std::size_t line) const {
  throw InputError(path_ + ":" + std::to_string(line) + ": " + what);
}

/// Consecutive ranks share a model; if the data dimension comes first, consecutive ranks share data.
TextGroups::TextGroups(const TextWorkload& workload, const ReadOptions& options, const std::string& path, TaskGraph& graph)
    : workload_(workload), path_(path), graph_(graph) {
  bool needed = false, data_first = false;
  for (const TextRow& row : workload.rows) {
    needed |= reach_of(row.kind, 1, text_forward) == Reach::model;
    data_first |= row.kind == TextKind::model_data;
  }
  if (const TextRow* row = first_with_experts(); row != nullptr && (!needed || data_first || !workload.simai))
    fail(
        "row '" + row->name + "' has a collective of _EP, but line 1 has no experts (legal: HYBRID_TRANSFORMER... with ep:)",
        row->line);
  if (!needed) return;
  const auto size = options.model_group ? options.model_group : workload.model_group;
  const std::uint64_t stages = stages_of_run(), n = static_cast<std::uint64_t>(graph.ranks) / stages;
  const std::string legal =
      " (legal: graph.model_group, a divisor of the " + std::to_string(n) + (stages > 1 ? " ranks of a stage)" : " ranks)");
  if (!size) fail("unknown number of ranks that share a model" + legal);
  if (*size == 0 || n % *size != 0) fail(std::to_string(*size) + " ranks share a model" + legal);
  const auto model = static_cast<int>(*size), replicas = static_cast<int>(n) / model;
  for (int stage = 0; stage < static_cast<int>(stages); ++stage) {
    const int base = stage * static_cast<int>(n);
    const auto member = [&](int g, int i) { return base + (data_first ? i * replicas + g : g * model + i); };
    add("mp", model_, replicas, model, member);
    add("dp", data_, model, replicas, [&](int i, int g) { return member(g, i); });
    if (first_with_experts() != nullptr) add_experts(model, replicas, member);
  }
}

const TextRow* TextGroups::first_with_experts() const {
  for (const TextRow& row : workload_.rows)
    for (const TextStep& step : row.steps)
      if (step.group != TextGroup::of_pass) return &row;
  return nullptr;
}

const TextRow* TextGroups::first_broadcast() const {
  for (const TextRow& row : workload_.rows)
    for (const TextStep& step : row.steps)
      if (!step.collective.empty() && step.bytes > 0 && collective_of(step.collective).rooted) return &row;
  return nullptr;
}

/// Returns the stages that the ranks of the run hold: all, if the run has all ranks of a file of SimAI, else one. All stages
/// do the same, since the rows are those of one.
std::uint64_t TextGroups::stages_of_run() const {
  if (!workload_.simai) return 1;
  const std::uint64_t stages = workload_.simai->stages, all = workload_.simai->all_ranks;
  const auto n = static_cast<std::uint64_t>(graph_.ranks);
  const auto warn = [&](const std::string& what) { graph_.warnings.push_back(path_ + ": " + what); };
  if (stages > 1)
    warn("pp: " + std::to_string(stages) +
         ": each rank carries out the rows of one stage; sends between stages (pp_comm) and bubbles are not simulated");
  if (stages > 1 && workload_.simai->stage_bytes == 0)
    warn("pp: " + std::to_string(stages) + ", but no pp_comm: the file does not say what moves between stages");
  if (stages == 1 && workload_.simai->stage_bytes > 0)
    warn("pp_comm: " + std::to_string(workload_.simai->stage_bytes) + " B between stages, but there is one stage (pp: 1)");
  if (const TextRow* row = first_broadcast(); row != nullptr)
    warn("row '" + row->name + "': BROADCAST is simulated; SimAI moves no bytes for it");
  if (all == n && n % stages == 0) return stages;
  if (all != 0 && all != n * stages)
    warn("all_gpus: " + std::to_string(all) + ", so " + std::to_string(all / stages) + " in a stage, but the run has " +
         std::to_string(n) + " ranks: the number of replicas differs");
  return 1;
}

/// Adds `count` groups of `size` ranks; one rank is no group.
template <class Member>
void TextGroups::add(const char* name, std::vector<GroupId>& all, int count, int size, Member member) {
  for (int g = 0; g < count && size > 1; ++g) {
    std::vector<int> ranks;
    for (int i = 0; i < size; ++i) ranks.push_back(member(g, i));
    all.push_back(graph_.add_group(name + std::to_string(all.size()), std::move(ranks)));
  }
}

/// Adds groups of `ep` consecutive replicas, which share experts, and of the replicas with the same experts.
template <class Member>
void TextGroups::add_experts(int model, int replicas, Member member) {
  const std::uint64_t all = workload_.simai->experts;
  if (static_cast<std::uint64_t>(replicas) % all != 0)
    fail("ep: " + std::to_string(all) + " replicas share experts (legal: a divisor of the " + std::to_string(replicas) +
         " replicas" + (workload_.simai->all_ranks == 0 ? "" : "; all_gpus: " + std::to_string(workload_.simai->all_ranks)) +
         ")");
  const int ep = static_cast<int>(all), sets = replicas / ep;
  add("ep", experts_, sets * model, ep, [&](int g, int i) { return member(g / model * ep + i, g % model); });
  add("edp", same_experts_, ep * model, sets, [&](int g, int i) { return member(i * ep + g / model, g % model); });
}

std::vector<GroupId> TextGroups::of(std::size_t row, TextPass pass) const {
  const TextRow& r = workload_.rows[row];
  const TextGroup group = r.steps[pass].group;
  if (group == TextGroup::experts) return experts_;
  if (group == TextGroup::same_experts) return same_experts_;
  const Reach reach = reach_of(r.kind, row, pass);
  if (reach == Reach::none) return {};
  if (reach == Reach::all) return {GroupId{0}};
  return reach == Reach::model ? model_ : data_;
}

std::uint64_t TextGroups::message_of(const TextStep& step, GroupId group, std::size_t line) const {
  if (workload_.simai) return step.bytes;
  const auto bytes = message_size(step.collective, step.bytes, graph_.groups[group].ranks.size());
  if (!bytes) fail("more than 2^64 bytes over all ranks", line);
  return *bytes;
}

}  // namespace tributary::training
