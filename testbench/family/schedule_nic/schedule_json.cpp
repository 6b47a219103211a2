#include <nlohmann/json.hpp>

#include "testbench/family/schedule_nic/schedule_report.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

Json operations_json(const collective::Schedule& schedule) {
  Json all = Json::array();
  for (int r = 0; r < schedule.ranks; ++r)
    for (const collective::Operation& o : schedule.programs[static_cast<std::size_t>(r)])
      all.push_back({{"rank", r},
                     {"id", o.id},
                     {"op", collective::name(o.kind)},
                     {"peer", o.peer},
                     {"chunk", o.chunk},
                     {"slot", o.slot},
                     {"step", o.step},
                     {"after", o.deps}});
  return all;
}

Json tree_json(const collective::StepTree& tree, const topology::Graph& graph) {
  Json edges = Json::array();
  for (const collective::TreeEdge& e : tree.edges) {
    Json links = Json::array();
    for (const topology::PortRef* hop = tree.begin(e); hop != tree.end(e); ++hop) links.push_back(graph.name(*hop));
    edges.push_back({{"parent", e.parent}, {"child", e.child}, {"step", e.step}, {"links", std::move(links)}});
  }
  return {{"root", tree.root}, {"edges", std::move(edges)}};
}

Json number_or_null(std::uint16_t number) { return number == ScheduleEntry::nil ? Json(nullptr) : Json(number); }

Json table_json(const std::vector<ScheduleEntry>& table) {
  static constexpr const char* names[] = {"reduce", "gather", "nop"};
  Json entries = Json::array();
  for (const ScheduleEntry& e : table) {
    Json children = Json::array();
    for (const std::uint16_t child : e.children)
      if (child != ScheduleEntry::nil) children.push_back(child);
    entries.push_back({{"op", names[static_cast<int>(e.op)]},
                       {"flow", number_or_null(e.tree)},
                       {"parent", number_or_null(e.parent)},
                       {"children", std::move(children)},
                       {"step", e.step}});
  }
  return entries;
}

/// Writes one member of a list per line; a schedule has thousands.
std::string list_text(const Json& list) {
  std::string text;
  for (const Json& member : list) text += (text.empty() ? "[\n    " : ",\n    ") + member.dump();
  return list.empty() ? "[]" : text + "\n  ]";
}

std::string document_text(const Json& document) {
  std::string text;
  for (const auto& [key, value] : document.items()) {
    const bool records = value.is_array() && !value.empty() && !value.front().is_primitive();
    text += (text.empty() ? "{\n  \"" : ",\n  \"") + key + "\": " + (records ? list_text(value) : value.dump());
  }
  return text + "\n}\n";
}

}  // namespace

std::string schedule_json(const topology::Network& network, const collective::NetworkSchedule& schedule,
                          const ScheduleSummary& s) {
  Json document{{"tributary", TRIBUTARY_VERSION},
                {"topology", s.topology},
                {"collective", s.collective},
                {"algorithm", s.algorithm},
                {"ranks", s.nodes},
                {"nodes", schedule.nodes},
                {"links", s.links},
                {"phases", s.phases},
                {"steps_per_phase", s.steps_per_phase},
                {"pipelined", s.pipelined},
                {"utilisation_per_step", s.utilisation},
                {"tree_heights", s.heights}};
  const bool tables = !s.tables.empty();
  document["table_entries_max"] = tables ? Json(s.entries_max()) : Json(nullptr);
  document["table_entries_max_with_nops"] = tables ? Json(s.entries_max_with_nops()) : Json(nullptr);
  document["table_entries"] = s.entries;
  document["table_nops"] = s.nops;
  document["ideal_time_D_over_B"] = s.ideal_time;
  document["verified"] = true;
  document["chunks"] = schedule.schedule.chunks;
  document["slots"] = schedule.schedule.slots;
  document["operations"] = operations_json(schedule.schedule);
  document["trees"] = Json::array();
  if (schedule.trees)
    for (const collective::StepTree& tree : schedule.trees->trees)
      document["trees"].push_back(tree_json(tree, network.graph));
  document["tables"] = Json::array();
  for (const auto& table : s.tables) document["tables"].push_back(table_json(table));
  return document_text(document);
}

}  // namespace tributary
