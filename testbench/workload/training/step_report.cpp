#include "testbench/workload/training/step_report.h"

#include <algorithm>
#include <map>

#include "testbench/workload/training/graph_check.h"

namespace tributary::training {
namespace {

using Stretch = std::pair<Tick, Tick>;

/// Returns the intervals sorted and merged.
std::vector<Stretch> united(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end());
  std::vector<Stretch> all;
  for (const Stretch& s : stretches) {
    if (s.second <= s.first) continue;
    if (!all.empty() && s.first <= all.back().second)
      all.back().second = std::max(all.back().second, s.second);
    else
      all.push_back(s);
  }
  return all;
}

std::vector<Stretch> clipped(const std::vector<Stretch>& stretches, Tick begin, Tick end) {
  std::vector<Stretch> inside;
  for (const Stretch& s : stretches)
    if (std::max(s.first, begin) < std::min(s.second, end))
      inside.emplace_back(std::max(s.first, begin), std::min(s.second, end));
  return inside;
}

Tick length(const std::vector<Stretch>& stretches) {
  Tick sum = 0;
  for (const Stretch& s : stretches) sum += s.second - s.first;
  return sum;
}

Tick common(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  Tick sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Tick begin = std::max(a[i].first, b[j].first), end = std::min(a[i].second, b[j].second);
    if (begin < end) sum += end - begin;
    a[i].second < b[j].second ? ++i : ++j;
  }
  return sum;
}

/// Returns the instance of an iteration (-1: of all) that ends last; ties go to the lowest rank.
InstanceId last_of(const TaskGraph& graph, const IdealRun& run, int iteration) {
  InstanceId last = Instances::none;
  for (InstanceId i : run.order) {
    if (iteration >= 0 && graph.tasks[run.instances.task(i)].iteration != iteration) continue;
    if (last == Instances::none || run.spans[i].end > run.spans[last].end ||
        (run.spans[i].end == run.spans[last].end && run.instances.rank(i) < run.instances.rank(last)))
      last = i;
  }
  return last;
}

/// Returns the end on the last participating rank.
Tick last_end(const IdealRun& run, InstanceId i) {
  const std::uint32_t meeting = run.instances.meeting_of(i);
  Tick last = run.spans[i].end;
  if (meeting != Instances::none)
    for (InstanceId m : run.instances.members(meeting)) last = std::max(last, run.spans[m].end);
  return last;
}

/// Activity of one rank.
struct RankView {
  std::vector<Stretch> busy, optimizer, outstanding, active;
  std::array<std::vector<Stretch>, forms> outstanding_of = {};
};

RankView view(const TaskGraph& graph, const IdealRun& run, int rank) {
  RankView v;
  for (InstanceId i = 0; i < run.instances.size(); ++i) {
    if (run.instances.rank(i) != rank) continue;
    const Task& task = graph.tasks[run.instances.task(i)];
    const Span& span = run.spans[i];
    if (on_engine(task.kind)) v.busy.emplace_back(span.begin, span.end);
    if (task.kind == TaskKind::optimizer) v.optimizer.emplace_back(span.begin, span.end);
    // A received transfer is in flight once it is sent; before that the sender computes.
    const Span& sent = task.kind == TaskKind::receive ? run.spans[run.instances.partner(i)] : span;
    if (moves(task.kind) || task.delay > 0) {
      v.outstanding.emplace_back(std::max(span.ready, sent.ready), span.end);
      v.outstanding_of[index_of(task.form)].push_back(v.outstanding.back());
    }
    if (moves(task.kind)) v.active.emplace_back(sent.start, last_end(run, i));
  }
  for (std::vector<Stretch>* all : {&v.busy, &v.optimizer, &v.outstanding, &v.active}) *all = united(std::move(*all));
  return v;
}

/// Divides the time in which the engine waits for operations among their forms.
std::array<Tick, forms> exposed_of(const RankView& all, Tick begin, Tick end) {
  std::array<Tick, forms> exposed{};
  std::vector<Stretch> covered = clipped(all.busy, begin, end);
  for (const Form form : {Form::tensor, Form::expert, Form::pipeline, Form::data, Form::none}) {
    const Tick before = length(covered);
    const std::vector<Stretch> more = clipped(all.outstanding_of[index_of(form)], begin, end);
    covered.insert(covered.end(), more.begin(), more.end());
    covered = united(std::move(covered));
    exposed[index_of(form)] = length(covered) - before;
  }
  return exposed;
}

IterationReport iteration_report(const TaskGraph& graph, const IdealRun& run, const RankView& all, int rank, int number) {
  IterationReport r;
  r.iteration = number;
  r.begin = never;
  for (InstanceId i = 0; i < run.instances.size(); ++i) {
    const Task& task = graph.tasks[run.instances.task(i)];
    if (task.iteration != number || run.instances.rank(i) != rank) continue;
    r.begin = std::min(r.begin, run.spans[i].begin);
    r.end = std::max(r.end, run.spans[i].end);
  }
  if (r.begin == never) return r.begin = 0, r;
  const auto busy = clipped(all.busy, r.begin, r.end), waiting = clipped(all.outstanding, r.begin, r.end);
  r.optimizer = length(clipped(all.optimizer, r.begin, r.end));
  r.compute = length(busy) - r.optimizer;
  r.exposed = length(waiting) - common(waiting, busy);
  r.exposed_of = exposed_of(all, r.begin, r.end);
  r.idle = r.time() - r.compute - r.optimizer - r.exposed;
  const auto active = clipped(all.active, r.begin, r.end);
  r.active = length(active);
  r.overlap = common(active, busy);
  return r;
}

std::vector<LayerReport> layer_reports(const TaskGraph& graph, const StepReport& report) {
  std::map<int, LayerReport> layers;
  for (const OperationReport& operation : report.operations) {
    const Task& task = graph.tasks[operation.task];
    if (task.layer < 0 || task.iteration != graph.iterations - 1) continue;
    LayerReport& layer = layers.try_emplace(task.layer, LayerReport{task.layer}).first->second;
    layer.bytes += task.transfer.bytes;
    ++layer.operations;
    layer.ready = std::min(layer.ready, operation.span.ready);
    layer.end = std::max(layer.end, operation.span.end);
    layer.queue = std::max(layer.queue, operation.span.start - operation.span.ready);
    layer.slack = std::min(layer.slack, operation.slack);
  }
  std::vector<LayerReport> list;
  for (const auto& entry : layers) list.push_back(entry.second);
  return list;
}

}  // namespace

const char* name_of(PathInterval::Kind kind) {
  constexpr const char* names[] = {"compute", "optimizer", "transfer", "queue", "delay"};
  return names[static_cast<std::size_t>(kind)];
}

StepReport report(const TaskGraph& graph, const IdealRun& run) {
  StepReport result;
  if (run.order.empty()) return result;
  result.rank = run.instances.rank(last_of(graph, run, -1));
  const RankView all = view(graph, run, result.rank);
  for (int k = 0; k < graph.iterations; ++k) result.iterations.push_back(iteration_report(graph, run, all, result.rank, k));
  if (graph.iterations >= 3) result.steady = result.iterations[2].begin - result.iterations[1].begin;
  const InstanceId last = last_of(graph, run, graph.iterations - 1);
  if (last != Instances::none) result.path = critical_path(graph, run, last, result.iterations.back().begin);
  const std::vector<Tick> slacks = slack(graph, run);
  for (InstanceId i = 0; i < run.instances.size(); ++i)
    if (run.instances.rank(i) == result.rank && moves(graph.tasks[run.instances.task(i)].kind))
      result.operations.push_back({run.instances.task(i), run.spans[i], slacks[i], last_end(run, i)});
  result.layers = layer_reports(graph, result);
  return result;
}

std::vector<PathInterval> critical_path(const TaskGraph& graph, const IdealRun& run, InstanceId last, Tick from) {
  using Kind = PathInterval::Kind;
  const Instances& instances = run.instances;
  const QueueOrder queues(graph, instances);
  std::vector<PathInterval> path;
  const auto add = [&](Kind kind, InstanceId i, Tick begin, Tick end) {
    begin = std::max(begin, from);
    if (begin < end) path.push_back({kind, instances.task(i), instances.rank(i), begin, end});
  };
  for (InstanceId i = last; i != Instances::none && run.spans[i].end > from;) {
    const Task& task = graph.tasks[instances.task(i)];
    Span span = run.spans[i];
    InstanceId before = Instances::none;
    if (task.kind == TaskKind::receive && run.spans[instances.partner(i)].end > span.ready) {
      i = instances.partner(i);  // the transfer belongs to the sender
      continue;
    }
    if (moves(task.kind) && task.kind != TaskKind::receive) {
      add(Kind::transfer, i, span.start, span.end);
      for (InstanceId m : instances.members(instances.meeting_of(i)))  // the last member delays all others
        if (run.spans[m].ready > span.ready) i = m, span = run.spans[m];
      add(Kind::queue, i, span.ready, span.start);
    } else {
      const Kind kind = task.kind == TaskKind::mark        ? Kind::delay
                        : task.kind == TaskKind::optimizer ? Kind::optimizer
                                                           : Kind::compute;
      add(kind, i, span.begin, span.end);
      const bool listed = on_engine(task.kind) && run.engine_before[i] != Instances::none;
      if (listed && run.spans[run.engine_before[i]].end > span.ready)
        before = run.engine_before[i];  // the engine was busy
      else
        add(Kind::queue, i, span.ready, span.begin);
    }
    if (before == Instances::none)
      for (InstanceId p : instances.before(i))
        if (before == Instances::none || run.spans[p].end > run.spans[before].end) before = p;
    const InstanceId previous = queues.before(i);
    if (before == Instances::none && previous != Instances::none && run.spans[previous].end <= span.ready) before = previous;
    i = before;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<Tick> slack(const TaskGraph& graph, const IdealRun& run) {
  const Instances& instances = run.instances;
  std::vector<Tick> latest(instances.size(), run.end);  // latest end of each instance
  const auto bound = [&](InstanceId i, Tick end) { latest[i] = std::min(latest[i], end); };
  const auto spread = [&](InstanceId i) {  // predecessors must end in time for this instance to begin
    const Span& span = run.spans[i];
    const Tick late = latest[i] - span.end;
    const bool receive = graph.tasks[instances.task(i)].kind == TaskKind::receive;
    const Tick needed = late + (receive ? span.end : span.start);
    for (InstanceId p : instances.before(i)) bound(p, needed);
    const InstanceId previous = run.engine_before[i];
    if (previous != Instances::none) bound(previous, std::max(needed, late + run.spans[previous].end));
    if (receive) bound(instances.partner(i), latest[i]);
  };
  for (std::size_t k = run.order.size(); k-- > 0;) {
    const std::uint32_t meeting = instances.meeting_of(run.order[k]);
    if (meeting == Instances::none) {
      spread(run.order[k]);
      continue;
    }
    const auto members = instances.members(meeting);  // adjacent in the order
    Tick first = never;
    for (InstanceId m : members) first = std::min(first, latest[m]);
    for (InstanceId m : members) bound(m, first);
    for (InstanceId m : members) spread(m);
    k -= members.size() - 1;
  }
  for (InstanceId i = 0; i < instances.size(); ++i) latest[i] -= run.spans[i].end;
  return latest;
}

}  // namespace tributary::training
