#include "testbench/family/schedule_nic/schedule_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "modules/base/text_format.h"
#include "modules/nic/core/entry_code.h"
#include "testbench/collective/tree/step_tree_schedule.h"
#include "testbench/family/schedule_nic/schedule_tables.h"

namespace tributary {
namespace {

void add_tables(ScheduleSummary& summary, const topology::Network& network, const collective::StepTrees& trees) {
  if (collective::tree_routes(summary.collective)->personal) return;  // table entries have no destination beyond the child
  const std::uint64_t one_block_each = block_bytes * static_cast<std::uint64_t>(trees.ranks());
  summary.tables = collective::schedule_tables(trees, network.graph, summary.collective,
                                               collective::even_chunks(trees.ranks(), one_block_each));
  for (const auto& table : summary.tables) {
    const auto idle = std::count_if(table.begin(), table.end(), [](const ScheduleEntry& e) {
      return e.op == ScheduleEntry::Op::nop && e.tree == ScheduleEntry::nil;
    });
    summary.nops.push_back(static_cast<int>(idle));
    summary.entries.push_back(static_cast<int>(table.size()) - summary.nops.back());
  }
}

/// Returns `1.000 x 14, 0.750 x 2, 0.250`.
std::string runs(const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    while (end < values.size() && fixed(values[end], 3) == fixed(values[i], 3)) ++end;
    text += (text.empty() ? "" : ", ") + fixed(values[i], 3) + (end - i > 1 ? " x " + std::to_string(end - i) : "");
    i = end;
  }
  return text;
}

std::string range(const std::vector<int>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least == *most ? std::to_string(*least) : std::to_string(*least) + " to " + std::to_string(*most);
}

std::string line(const std::string& what, const std::string& value) { return left(what, 18) + value + "\n"; }

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string table_lines(const ScheduleSummary& s) {
  std::vector<int> all;
  for (std::size_t r = 0; r < s.entries.size(); ++r) all.push_back(s.entries[r] + s.nops[r]);
  const int most = s.entries_max(), paper = 2 * s.nodes;
  return line("table entries", range(s.entries) + " per node, with NOPs " + range(all)) +
         line("table of 2N", std::to_string(paper) + " entries of " + std::to_string(schedule_entry_bits) +
                                 " bits = " + std::to_string(paper * schedule_entry_bits / 8) + " B" +
                                 (s.entries_max_with_nops() <= paper ? ": holds them"
                                  : most <= paper                    ? ": overflows with NOPs"
                                                                     : ": overflows"));
}

}  // namespace

int ScheduleSummary::entries_max() const { return entries.empty() ? 0 : *std::max_element(entries.begin(), entries.end()); }

int ScheduleSummary::entries_max_with_nops() const {
  int most = 0;
  for (std::size_t r = 0; r < entries.size(); ++r) most = std::max(most, entries[r] + nops[r]);
  return most;
}

ScheduleSummary summarise(const topology::Network& network, const std::string& collective,
                          const collective::NetworkSchedule& schedule) {
  const collective::LinkLoads loads = collective::link_loads(network, schedule);
  ScheduleSummary s;
  s.topology = network.name;
  s.collective = collective;
  s.algorithm = schedule.schedule.algorithm;
  s.nodes = schedule.schedule.ranks;
  s.links = loads.links;
  s.phases = schedule.phases;
  s.steps_per_phase = schedule.steps_per_phase;
  s.pipelined = schedule.pipelined;
  const auto steps = static_cast<int>(loads.steps.size());
  for (int i = std::max(0, steps - s.steps_per_phase); i < steps && !s.pipelined; ++i)
    s.utilisation.push_back(loads.utilisation(loads.steps[static_cast<std::size_t>(i)]));
  s.ideal_time = collective::ideal_time(schedule, loads);
  if (!schedule.trees) return s;
  for (const collective::StepTree& tree : schedule.trees->trees) s.heights.push_back(tree.height());
  add_tables(s, network, *schedule.trees);
  return s;
}

std::string screen_text(const ScheduleSummary& s) {
  std::string text = line("topology", s.topology + ", " + std::to_string(s.nodes) + " nodes, " + std::to_string(s.links) +
                                          " directed links") +
                     line("schedule", s.collective + " by " + s.algorithm + ", verified");
  if (s.pipelined)
    text += line("steps per phase", "pipelined over trees of height " + std::to_string(s.steps_per_phase));
  else
    text += line("steps per phase", std::to_string(s.steps_per_phase) + ", phases: " + std::to_string(s.phases)) +
            line("utilisation", runs(s.utilisation) + " (mean " + fixed(mean(s.utilisation), 3) + ")");
  if (!s.heights.empty()) text += line("tree heights", range(s.heights));
  if (!s.entries.empty()) text += table_lines(s);
  return text + line("ideal time", fixed(s.ideal_time, 4) + " D/B");
}

}  // namespace tributary
