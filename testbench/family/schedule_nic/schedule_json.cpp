#include <nlohmann/json.hpp>
#include <utility>

#include "testbench/family/schedule_nic/schedule_report.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

/// Text of a document, member by member. A list has one record per line, and only one record exists at a time: a schedule
/// has millions.
class Document {
 public:
  void add(const char* key, const Json& value) { begin(key) += value.dump(); }
  void begin_list(const char* key) { begin(key), records_ = 0; }
  void add_record(const Json& record) { text_ += (records_++ == 0 ? "[\n    " : ",\n    ") + record.dump(); }
  void end_list() { text_ += records_ == 0 ? "[]" : "\n  ]"; }
  std::string take() { return std::move(text_) + "\n}\n"; }

 private:
  std::string& begin(const char* key) {
    text_ += (text_.empty() ? "{\n  \"" : ",\n  \"") + std::string(key) + "\": ";
    return text_;
  }

  std::string text_;
  std::size_t records_ = 0;
};

void add_operations(Document& document, const collective::Schedule& schedule) {
  document.begin_list("operations");
  for (int r = 0; r < schedule.ranks; ++r)
    for (const collective::Operation& o : schedule.programs[static_cast<std::size_t>(r)])
      document.add_record({{"rank", r},
                           {"id", o.id},
                           {"op", collective::name(o.kind)},
                           {"peer", o.peer},
                           {"chunk", o.chunk},
                           {"slot", o.slot},
                           {"step", o.step},
                           {"after", o.deps}});
  document.end_list();
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

}  // namespace

std::string schedule_json(const topology::Network& network, const collective::NetworkSchedule& schedule,
                          const ScheduleSummary& s) {
  const bool tables = !s.tables.empty();
  const Json head{{"tributary", TRIBUTARY_VERSION},
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
                  {"tree_heights", s.heights},
                  {"table_entries_max", tables ? Json(s.entries_max()) : Json(nullptr)},
                  {"table_entries_max_with_nops", tables ? Json(s.entries_max_with_nops()) : Json(nullptr)},
                  {"table_entries", s.entries},
                  {"table_nops", s.nops},
                  {"ideal_time_D_over_B", s.ideal_time},
                  {"verified", true},
                  {"chunks", schedule.schedule.chunks},
                  {"slots", schedule.schedule.slots}};
  Document document;
  for (const auto& [key, value] : head.items()) document.add(key.c_str(), value);
  add_operations(document, schedule.schedule);
  document.begin_list("trees");
  if (schedule.trees)
    for (const collective::StepTree& tree : schedule.trees->trees) document.add_record(tree_json(tree, network.graph));
  document.end_list();
  document.begin_list("tables");
  for (const auto& table : s.tables) document.add_record(table_json(table));
  document.end_list();
  return document.take();
}

}  // namespace tributary
