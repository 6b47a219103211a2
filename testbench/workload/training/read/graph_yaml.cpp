#include "testbench/workload/training/read/graph_yaml.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <unordered_map>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/graph_yaml_task.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t most_ranks = 1'000'000;
constexpr std::size_t most_members = 16'000'000;  ///< members of all groups together
constexpr std::uint64_t most_samples = std::uint64_t{1} << 50;
constexpr const char* version = "1";

class Reader {
 public:
  Reader(const std::string& text, const std::string& path, int ranks) : text_(text), path_(path), ranks_(ranks) {}

  TaskGraph read() {
    try {
      const YamlRef rest = stream_yaml(text_, path_, "tasks", [&](const YamlNode& node) { take_task(node); });
      take_rest(*rest);
    } catch (const YamlFlaw& flaw) {
      fail(flaw.line, flaw.what);
    }
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line) + ": " + what);
  }

  void take_task(const YamlNode& node) {
    YamlTask read = yaml_task(node);
    if (tasks_.size() >= 0x7FFFFFFF) fail(node.line, "too many tasks (legal: below 2^31)");
    const auto index = static_cast<TaskId>(tasks_.size());
    if (!read.id.empty() && !ids_.emplace(read.id, index).second)
      fail(node.line, "the id " + shown(read.id) + " is given twice (legal: once)");
    for (std::string& id : read.after) after_.emplace_back(index, std::move(id));
    if (!read.group.empty()) group_names_.emplace_back(index, std::move(read.group));
    lines_.push_back(node.line);
    tasks_.push_back(std::move(read.task));
  }

  void take_rest(const YamlNode& top) {
    std::set<std::string> seen;
    const YamlNode *layers = nullptr, *groups = nullptr;
    int iterations = 1, ranks = 0;
    TaskGraph settings;
    for (const auto& [name, value] : top.entries) {
      const std::string& key = yaml_text(*name, "a key");
      if (!seen.insert(key).second) fail(name->line, "key " + shown(key) + " is given twice (legal: once)");
      if (key == "training_graph") {
        if (yaml_text(*value, key) != version)
          fail(value->line, "training_graph " + shown(value->text) + " (legal: " + version + ")");
      } else if (key == "ranks") {
        ranks = static_cast<int>(yaml_count(*value, key, 1, most_ranks));
      } else if (key == "iterations") {
        iterations = static_cast<int>(yaml_count(*value, key, 1, most_ranks));
      } else if (key == "compute_order") {
        settings.compute_order = word<Order>(*value, key);
      } else if (key == "comm_order") {
        settings.comm_order = word<Order>(*value, key);
      } else if (key == "issue") {
        settings.issue = word<Issue>(*value, key);
      } else if (key == "credit") {
        settings.credit = word<Bytes>(*value, key).value;
      } else if (key == "samples" || key == "tokens") {
        if (settings.samples != 0) fail(name->line, "samples and tokens are both given (legal: one of them)");
        settings.samples = yaml_count(*value, key, 1, most_samples);
        settings.tokens = key == "tokens";
      } else if (key == "layers") {
        layers = value.get();
      } else if (key == "groups") {
        groups = value.get();
      } else if (key != "tasks") {
        fail(name->line, unknown_name("key", one_line(key),
                                      {"training_graph", "ranks", "iterations", "compute_order", "comm_order", "issue",
                                       "credit", "samples", "tokens", "layers", "groups", "tasks"}));
      } else if (!value->is_null()) {
        fail(name->line, "tasks is not a list written in this place");
      }
    }
    if (seen.count("training_graph") == 0)
      fail(top.line, std::string("not a training graph: missing key 'training_graph: ") + version + "'");
    if (ranks != 0 && ranks_ != 0 && ranks != ranks_)
      throw InputError(path_ + ": the graph has " + std::to_string(ranks) + " ranks, but the run has " +
                       std::to_string(ranks_));
    graph_ = TaskGraph(std::max({ranks, ranks_, 1}));
    graph_.iterations = iterations;
    graph_.compute_order = settings.compute_order;
    graph_.comm_order = settings.comm_order;
    graph_.issue = settings.issue;
    graph_.credit = settings.credit;
    graph_.samples = settings.samples;
    graph_.tokens = settings.tokens;
    if (layers != nullptr) take_layers(*layers);
    if (groups != nullptr) take_groups(*groups);
    connect();
  }

  template <class T>
  T word(const YamlNode& node, const std::string& key) const {
    const std::string& text = yaml_text(node, key);
    try {
      return FieldType<T>::parse(text);
    } catch (const UnitError&) {
      fail(node.line, key + " is " + shown(text) + " (legal: " + FieldType<T>::legal() + ")");
    }
  }

  void take_layers(const YamlNode& list) {
    if (!list.is_sequence()) fail(list.line, "layers is not a list of names");
    for (const YamlRef& item : list.items) graph_.layers.push_back(yaml_text(*item, "a layer"));
  }

  void take_groups(const YamlNode& list) {
    if (!list.is_sequence()) fail(list.line, "groups is not a list (legal: - {name: dp0, ranks: [0-3, 8]})");
    std::set<std::string> names{"all"};
    std::size_t members = 0;
    for (const YamlRef& item : list.items) {
      std::string name;
      std::vector<int> ranks;
      if (!item->is_map()) fail(item->line, "a group must be a map (legal: {name: dp0, ranks: [0-3, 8]})");
      for (const auto& [key, value] : item->entries) {
        const std::string& k = yaml_text(*key, "a key");
        if (k == "name") {
          name = yaml_text(*value, k);
        } else if (k == "ranks") {
          ranks = rank_list(*value, members);
        } else {
          fail(key->line, unknown_name("key of a group", one_line(k), {"name", "ranks"}));
        }
      }
      if (name.empty()) fail(item->line, "a group without a name");
      if (ranks.empty()) fail(item->line, "group " + shown(name) + " without ranks");
      if (!names.insert(name).second)
        fail(item->line, "group " + shown(name) + " is given twice (legal: once; group all has all ranks)");
      graph_.add_group(name, std::move(ranks));
    }
  }

  /// Parses `[0-3, 8]`; each rank may occur once.
  std::vector<int> rank_list(const YamlNode& list, std::size_t& members) const {
    if (!list.is_sequence()) fail(list.line, "ranks is not a list (legal: [0-3, 8])");
    std::vector<int> ranks;
    for (const YamlRef& item : list.items) {
      const std::string& text = yaml_text(*item, "ranks");
      const auto most = static_cast<std::uint64_t>(graph_.ranks) - 1;
      std::uint64_t first = 0, last = 0;
      const char* end = text.data() + text.size();
      auto at = std::from_chars(text.data(), end, first);
      bool right = at.ec == std::errc();
      last = first;
      if (right && at.ptr != end && *at.ptr == '-') {
        at = std::from_chars(at.ptr + 1, end, last);
        right = at.ec == std::errc();
      }
      if (!right || at.ptr != end || first > last || last > most)
        fail(item->line,
             "ranks has " + shown(text) + " (legal: ranks from 0 to " + std::to_string(most) + ", and first-last)");
      members += static_cast<std::size_t>(last - first + 1);
      if (members > most_members)
        fail(item->line, "too many members of groups (legal: up to " + std::to_string(most_members) + ")");
      for (std::uint64_t rank = first; rank <= last; ++rank) ranks.push_back(static_cast<int>(rank));
    }
    std::vector<int> each(ranks);
    std::sort(each.begin(), each.end());
    const auto twice = std::adjacent_find(each.begin(), each.end());
    if (twice != each.end()) fail(list.line, "ranks lists " + std::to_string(*twice) + " twice (legal: once)");
    return ranks;
  }

  /// Resolves groups by name, and predecessors by id or, if no task has that id, by index.
  void connect() {
    std::unordered_map<std::string, GroupId> groups;
    for (std::size_t g = 0; g < graph_.groups.size(); ++g) groups[graph_.groups[g].name] = static_cast<GroupId>(g);
    for (const auto& [task, name] : group_names_) {
      const auto found = groups.find(name);
      if (found == groups.end()) {
        std::vector<std::string> names;
        for (const auto& group : graph_.groups) names.push_back(group.name);
        fail(lines_[task], unknown_name("group", one_line(name), names, names.size() <= 8));
      }
      tasks_[task].group = found->second;
    }
    for (const auto& [task, id] : after_) tasks_[task].after.push_back(place_of(task, id));
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      if (tasks_[t].rank >= graph_.ranks)
        fail(lines_[t],
             "rank is '" + std::to_string(tasks_[t].rank) + "' (legal: 0 to " + std::to_string(graph_.ranks - 1) + ")");
    graph_.tasks = std::move(tasks_);
  }

  TaskId place_of(TaskId task, const std::string& id) const {
    const auto found = ids_.find(id);
    if (found != ids_.end()) return found->second;
    std::uint64_t place = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), place);
    if (error != std::errc() || end != id.data() + id.size() || place >= tasks_.size())
      fail(lines_[task],
           "unknown task " + shown(id) + " in after (legal: the id of a task, or its index in the list from 0)");
    return static_cast<TaskId>(place);
  }

  const std::string& text_;
  const std::string& path_;
  int ranks_;
  TaskGraph graph_;
  std::vector<Task> tasks_;
  std::vector<std::size_t> lines_;  ///< by task
  std::unordered_map<std::string, TaskId> ids_;
  std::vector<std::pair<TaskId, std::string>> after_, group_names_;
};

}  // namespace

const std::string& yaml_text(const YamlNode& node, const std::string& key) {
  if (!node.is_scalar()) throw YamlFlaw{node.line, key + " has no value, or several (legal: one)"};
  return node.text;
}

std::uint64_t yaml_count(const YamlNode& node, const std::string& key, std::uint64_t least, std::uint64_t most) {
  const std::string& text = yaml_text(node, key);
  try {
    const std::uint64_t n = parse_count(text, most);
    if (n >= least) return n;
  } catch (const UnitError&) {  // reported below
  }
  throw YamlFlaw{node.line, key + " is " + shown(text) + " (legal: a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most) + ")"};
}

bool begins_graph_yaml(const std::string& text) {
  std::size_t at = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  for (;;) {  // skips blanks, comments, the begin of a document, and the brace of JSON
    at = text.find_first_not_of(" \t\r\n{\"'", at);
    if (at == std::string::npos) return false;
    if (text[at] == '#' || text.compare(at, 3, "---") == 0 || text[at] == '%') {
      at = text.find('\n', at);
      if (at == std::string::npos) return false;
      continue;
    }
    return text.compare(at, 14, "training_graph") == 0;
  }
}

TaskGraph read_graph_yaml(const std::string& text, const std::string& path, int ranks) {
  return Reader(text, path, ranks).read();
}

}  // namespace tributary::training
