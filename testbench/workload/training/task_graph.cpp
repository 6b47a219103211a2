#include "testbench/workload/training/task_graph.h"

#include <numeric>

#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {

TaskGraph::TaskGraph(int n) : ranks(n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  groups.push_back({"all", std::move(all)});
}

GroupId TaskGraph::add_group(std::string name, std::vector<int> members) {
  groups.push_back({std::move(name), std::move(members)});
  return static_cast<GroupId>(groups.size() - 1);
}

TaskId TaskGraph::add(Task task) {
  tasks.push_back(std::move(task));
  return static_cast<TaskId>(tasks.size() - 1);
}

GroupId TaskGraph::group_of(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].name == name) return static_cast<GroupId>(g);
    names.push_back(groups[g].name);
  }
  throw InputError(unknown_name("group", name, names, names.size() <= 8));
}

std::vector<int> TaskGraph::ranks_of(const Task& task) const {
  if (task.rank >= 0) return {task.rank};
  return groups.at(task.group).ranks;
}

bool on_engine(TaskKind kind) { return kind == TaskKind::compute || kind == TaskKind::optimizer; }
bool moves(TaskKind kind) { return kind == TaskKind::collective || kind == TaskKind::send || kind == TaskKind::receive; }

std::string name_of(const TaskGraph& graph, TaskId task) {
  const std::string& name = graph.tasks.at(task).name;
  return (name.empty() ? "" : "'" + one_line(name.substr(0, 80)) + "' ") + "(task " + std::to_string(task) + ")";
}

}  // namespace tributary::training

namespace tributary {

const std::vector<std::pair<training::TaskKind, std::string>>& EnumNames<training::TaskKind>::names() {
  using training::TaskKind;
  static const std::vector<std::pair<TaskKind, std::string>> all{
      {TaskKind::compute, "compute"}, {TaskKind::collective, "collective"}, {TaskKind::send, "send"},
      {TaskKind::receive, "receive"}, {TaskKind::optimizer, "optimizer"},   {TaskKind::mark, "mark"}};
  return all;
}

const std::vector<std::pair<training::Pass, std::string>>& EnumNames<training::Pass>::names() {
  using training::Pass;
  static const std::vector<std::pair<Pass, std::string>> all{{Pass::none, "none"},
                                                             {Pass::forward, "forward"},
                                                             {Pass::input_gradient, "input_gradient"},
                                                             {Pass::weight_gradient, "weight_gradient"},
                                                             {Pass::update, "update"}};
  return all;
}

const std::vector<std::pair<training::Form, std::string>>& EnumNames<training::Form>::names() {
  using training::Form;
  static const std::vector<std::pair<Form, std::string>> all{{Form::none, "other"},
                                                             {Form::tensor, "tensor"},
                                                             {Form::expert, "expert"},
                                                             {Form::pipeline, "pipeline"},
                                                             {Form::data, "data"}};
  return all;
}

const std::vector<std::pair<training::Order, std::string>>& EnumNames<training::Order>::names() {
  using training::Order;
  static const std::vector<std::pair<Order, std::string>> all{
      {Order::listed, "listed"}, {Order::ready, "ready"}, {Order::priority, "priority"}};
  return all;
}

const std::vector<std::pair<training::Issue, std::string>>& EnumNames<training::Issue>::names() {
  using training::Issue;
  static const std::vector<std::pair<Issue, std::string>> all{{Issue::serial, "serial"}, {Issue::pipelined, "pipelined"}};
  return all;
}

}  // namespace tributary
