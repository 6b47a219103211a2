#include "testbench/workload/training/read/text_graph.h"

#include <algorithm>
#include <array>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/message_size.h"

namespace tributary::training {
namespace {

using Ids = std::vector<TaskId>;

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

bool is_recommendation(TextKind kind) {
  return kind == TextKind::recommendation || kind == TextKind::recommendation_enhanced;
}

class Builder {
 public:
  Builder(const TextWorkload& workload, const ReadOptions& options, const std::string& path)
      : workload_(workload), options_(options), path_(path), graph_(std::max(options.ranks, 1)) {
    graph_.iterations = options.iterations;
    graph_.comm_order = Order::ready;
    for (const TextRow& row : workload.rows) graph_.layers.push_back(row.name);
    add_groups();
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

  /// Adds the groups. Consecutive ranks share a model; if the data dimension comes first, consecutive ranks share data.
  void add_groups() {
    bool needed = false, data_first = false;
    for (const TextRow& row : workload_.rows) {
      needed |= reach_of(row.kind, 1, text_forward) == Reach::model;
      data_first |= row.kind == TextKind::model_data;
    }
    if (!needed) return;
    const auto size = options_.model_group ? options_.model_group : workload_.model_group;
    const auto n = static_cast<std::uint64_t>(graph_.ranks);
    if (!size) fail("unknown number of ranks that share a model (legal: a divisor of the " + std::to_string(n) + " ranks)");
    if (*size == 0 || n % *size != 0)
      fail(std::to_string(*size) + " ranks share a model (legal: a divisor of the " + std::to_string(n) + " ranks)");
    const auto model = static_cast<int>(*size), groups = graph_.ranks / model;
    const auto member = [&](int group, int i) { return data_first ? i * groups + group : group * model + i; };
    for (int g = 0; g < groups && model > 1; ++g) {
      std::vector<int> ranks;
      for (int i = 0; i < model; ++i) ranks.push_back(member(g, i));
      model_groups_.push_back(graph_.add_group("mp" + std::to_string(g), std::move(ranks)));
    }
    for (int i = 0; i < model && groups > 1; ++i) {
      std::vector<int> ranks;
      for (int g = 0; g < groups; ++g) ranks.push_back(member(g, i));
      data_groups_.push_back(graph_.add_group("dp" + std::to_string(i), std::move(ranks)));
    }
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
    const Reach reach = reach_of(r.kind, row, which);
    done.clear();
    if (step.collective.empty() || step.bytes == 0 || reach == Reach::none) return;
    static constexpr GroupId everyone = 0;
    const Ids all{everyone};
    for (const GroupId group : reach == Reach::all ? all : reach == Reach::model ? model_groups_ : data_groups_) {
      Task t = task(row, pass, step.collective.c_str());
      t.kind = TaskKind::collective;
      t.group = group;
      t.after = ready_;
      t.transfer.collective = step.collective;
      t.transfer.type = options_.type;
      const auto bytes = message_size(step.collective, step.bytes, graph_.groups[group].ranks.size());
      if (!bytes) fail("more than 2^64 bytes over all ranks", r.line);
      t.transfer.bytes = *bytes;
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
  std::vector<GroupId> model_groups_, data_groups_;
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
