#include "testbench/workload/training/read/text_graph.h"

#include <algorithm>
#include <array>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/text_groups.h"

namespace tributary::training {
namespace {

using Ids = std::vector<TaskId>;

bool is_recommendation(TextKind kind) {
  return kind == TextKind::recommendation || kind == TextKind::recommendation_enhanced;
}

class Builder {
 public:
  Builder(const TextWorkload& workload, const ReadOptions& options, const std::string& path)
      : workload_(workload),
        options_(options),
        path_(path),
        graph_(std::max(options.ranks, 1)),
        groups_(workload, options, path, graph_) {
    graph_.iterations = options.iterations;
    graph_.comm_order = Order::ready;
    for (const TextRow& row : workload.rows) graph_.layers.push_back(row.name);
  }

  TaskGraph build() {
    updated_.resize(workload_.rows.size());
    for (iteration_ = 0; iteration_ < options_.iterations; ++iteration_) {
      if (workload_.kind == TextKind::micro) {
        for (std::size_t row = 0; row < rows(); ++row)
          collective(row, text_weight_gradient, Pass::weight_gradient, updated_[row]);
        continue;
      }
      forward_all();
      if (workload_.kind == TextKind::data || is_recommendation(workload_.kind)) {
        backward_weights_first();
      } else {
        backward_inputs_first();
      }
    }
    return std::move(graph_);
  }

 private:
  std::size_t rows() const { return workload_.rows.size(); }

  [[noreturn]] void fail(const std::string& what, std::size_t line = 1) const {
    throw InputError(path_ + ":" + std::to_string(line) + ": " + what);
  }

  Tick time(std::uint64_t units, std::size_t line) const {
    Tick ps = 0;
    if (__builtin_mul_overflow(units, options_.time_unit, &ps) || ps > 1'000'000'000'000'000'000u)
      fail("a time of " + std::to_string(units) + " units of " + to_string(picoseconds(options_.time_unit)) +
               " (legal: up to 10^18 ps)",
           line);
    return ps;
  }

  Task task(std::size_t row, Pass pass, const char* name) const {
    Task t;
    t.name = std::string(name) + " " + workload_.rows[row].name;
    t.iteration = iteration_;
    t.layer = static_cast<std::int32_t>(row);
    t.priority = t.layer;
    t.pass = pass;
    return t;
  }

  /// Adds a compute task after `after` and after the rank's previous compute; later compute tasks wait for it.
  void compute(std::size_t row, TextPass which, Pass pass, Ids after) {
    constexpr std::array<const char*, text_passes> names{"fwd", "ig", "wg"};
    Task t = task(row, pass, names[which]);
    t.work = Work::of_time(time(workload_.rows[row].steps[which].time, workload_.rows[row].line));
    after.insert(after.end(), ready_.begin(), ready_.end());
    t.after = sorted(std::move(after));
    ready_ = {graph_.add(std::move(t))};
  }

  /// Adds the collectives of a step, one task per group, after `ready_`, and returns the last tasks in `done`.
  void collective(std::size_t row, TextPass which, Pass pass, Ids& done) {
    const TextRow& r = workload_.rows[row];
    const TextStep& step = r.steps[which];
    done.clear();
    if (step.collective.empty() || step.bytes == 0) return;
    for (const GroupId group : groups_.of(row, which)) {
      Task t = task(row, pass, step.collective.c_str());
      t.kind = TaskKind::collective;
      t.group = group;
      t.after = ready_;
      t.transfer.collective = step.collective;
      t.transfer.type = options_.type;
      t.transfer.bytes = groups_.message_of(step, group, r.line);
      done.push_back(graph_.add(std::move(t)));
    }
    if (which == text_weight_gradient && !done.empty() && r.update > 0) {
      Task t = task(row, Pass::update, "update");
      t.kind = TaskKind::mark;
      t.delay = time(r.update, r.line);
      t.after = done;
      done = {graph_.add(std::move(t))};
    }
  }

  static Ids sorted(Ids ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }

  void join(const Ids& more) {
    ready_ = sorted([&] {
      Ids all = ready_;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    }());
  }

  void forward(std::size_t row) {
    compute(row, text_forward, Pass::forward, updated_[row]);
    Ids done;
    collective(row, text_forward, Pass::forward, done);
    if (is_recommendation(workload_.kind)) {
      if (row == 0) exchanged_ = done;
      if (row == workload_.last_bottom) join(exchanged_);
    } else {
      join(done);
    }
  }

  void forward_all() {
    for (std::size_t row = 0; row < rows(); ++row) forward(row);
  }

  /// Backward: weight gradient, its collective, then the input gradient, which the next row waits for.
  void backward_weights_first() {
    Ids returned;  // row 0's exchange in the backward pass
    for (std::size_t row = rows(); row-- > 0;) {
      compute(row, text_weight_gradient, Pass::weight_gradient,
              row == 0 && workload_.kind == TextKind::recommendation ? returned : Ids{});
      collective(row, text_weight_gradient, Pass::weight_gradient, updated_[row]);
      if (row > 0) compute(row, text_input_gradient, Pass::input_gradient, {});
      if (is_recommendation(workload_.kind) && row == workload_.last_bottom + 1)
        collective(0, text_input_gradient, Pass::input_gradient, returned);
    }
  }

  /// Backward: input gradient, its collective, weight gradient, its collective. The next row waits for the collective of
  /// the input gradient.
  void backward_inputs_first() {
    const bool transformer = workload_.kind == TextKind::transformer || workload_.kind == TextKind::transformer_recomputing;
    for (std::size_t row = rows(); row-- > 0;) {
      repeat_forward(row);
      compute(row, text_input_gradient, Pass::input_gradient, {});
      Ids exchanged;
      if (row > 0 || transformer) collective(row, text_input_gradient, Pass::input_gradient, exchanged);
      if (transformer) join(exchanged);
      compute(row, text_weight_gradient, Pass::weight_gradient, {});
      collective(row, text_weight_gradient, Pass::weight_gradient, updated_[row]);
      join(exchanged);
    }
  }

  /// Recomputes activations that were not kept: forward from the nearest checkpoint to the row before.
  void repeat_forward(std::size_t row) {
    const auto& starts = workload_.initiators;
    if (workload_.kind != TextKind::transformer_recomputing || std::find(starts.begin(), starts.end(), row) == starts.end())
      return;
    std::size_t from = 0;
    for (const std::size_t c : workload_.checkpoints)
      if (c <= row) from = std::max(from, c);
    for (; from < row; ++from) {
      compute(from, text_forward, Pass::forward, {});
      Ids done;
      collective(from, text_forward, Pass::forward, done);
      join(done);
    }
  }

  const TextWorkload& workload_;
  const ReadOptions& options_;
  const std::string& path_;
  TaskGraph graph_;
  TextGroups groups_;
  std::int32_t iteration_ = 0;
  Ids ready_;                 ///< tasks that the next compute task of every rank waits for
  Ids exchanged_;             ///< row 0's exchange of a recommendation network
  std::vector<Ids> updated_;  ///< by row: tasks that its next forward waits for
};

}  // namespace

TaskGraph graph_of_text(const TextWorkload& workload, const ReadOptions& options, const std::string& path) {
  return Builder(workload, options, path).build();
}

}  // namespace tributary::training
