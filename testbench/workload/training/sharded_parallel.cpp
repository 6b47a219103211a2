#include "testbench/workload/training/sharded_parallel.h"

#include <algorithm>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

class ShardedBuilder {
 public:
  explicit ShardedBuilder(const DataParallelSpec& spec) : spec_(spec), graph_(spec.ranks), count_(spec.layers.size()) {
    for (const StepLayer& layer : spec.layers) graph_.layers.push_back(layer.name);
    graph_.iterations = spec.iterations;
    graph_.issue = spec.issue;
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < spec_.iterations; ++iteration_) {
      forward();
      backward();
      update();
    }
    return std::move(graph_);
  }

 private:
  Task task(const std::string& name, TaskKind kind, std::vector<TaskId> after, std::size_t layer) const {
    Task t;
    t.name = name;
    t.kind = kind;
    t.after = std::move(after);
    t.iteration = iteration_;
    t.layer = static_cast<int>(layer);
    return t;
  }

  /// Adds a collective on a layer's weights; none if it has no weights.
  std::vector<TaskId> collective(const char* name, Moved moved, std::size_t layer, std::vector<TaskId> after) {
    const std::uint64_t weights = spec_.layers[layer].weights();
    if (weights == 0) return {};
    Task t = task(std::string(name) + " " + spec_.layers[layer].name, TaskKind::collective, std::move(after), layer);
    t.transfer.collective = name;
    t.form = Form::data;
    t.transfer.algorithm = spec_.algorithm;
    const bool gathers = moved == Moved::weights;
    t.transfer.type = gathers ? spec_.type : spec_.gradient_type.value_or(spec_.type);
    t.transfer.bytes = weights * (gathers ? element_size(spec_.type) : spec_.plan.element_bytes);
    return {graph_.add(std::move(t))};
  }

  void compute(const char* name, std::size_t layer, Pass pass, const Work& work, std::vector<TaskId> after) {
    if (last_) after.push_back(*last_);
    Task t = task(std::string(name) + " " + spec_.layers[layer].name, TaskKind::compute, std::move(after), layer);
    t.pass = pass;
    t.work = work;
    last_ = graph_.add(std::move(t));
  }

  /// Adds the units of a pass. The all-gather of unit k begins when unit k - `prefetch` - 1 is done; the first `prefetch` +
  /// 1 begin with the pass.
  template <class Layer, class Body>
  void units(Layer layer_of, Body body) {
    std::vector<TaskId> done;  // by unit: last compute task
    std::vector<std::vector<TaskId>> gathered(count_);
    const std::vector<TaskId> begin = begin_;
    const std::size_t ahead = spec_.prefetch;
    std::size_t next = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      for (; next < count_ && next <= k + ahead; ++next)
        gathered[next] = collective("allgather", Moved::weights, layer_of(next),
                                    next <= ahead ? begin : std::vector<TaskId>{done[next - ahead - 1]});
      body(layer_of(k), gathered[k]);
      done.push_back(*last_);
    }
  }

  void forward() {
    units([](std::size_t k) { return k; },
          [&](std::size_t l, const std::vector<TaskId>& gathered) {
            std::vector<TaskId> after = gathered;
            after.insert(after.end(), begin_.begin(), begin_.end());
            compute("forward", l, Pass::forward, spec_.layers[l].forward, std::move(after));
          });
    begin_ = {*last_};
  }

  void backward() {
    scattered_.clear();
    units([&](std::size_t k) { return count_ - 1 - k; },
          [&](std::size_t l, const std::vector<TaskId>& gathered) {
            const StepLayer& layer = spec_.layers[l];
            const auto input = [&] {
              if (l > 0 || spec_.first_input_gradient)
                compute("ig", l, Pass::input_gradient, layer.input_gradient, gathered);
            };
            if (!spec_.weight_first) input();
            compute("wg", l, Pass::weight_gradient, layer.weight_gradient, gathered);
            const TaskId ready = *last_;
            if (spec_.weight_first) input();
            for (TaskId t : collective("reduce_scatter", Moved::gradients, l, {ready})) scattered_.push_back(t);
          });
  }

  void update() {
    std::uint64_t weights = 0;
    for (const StepLayer& layer : spec_.layers) weights += layer.weights();
    std::vector<TaskId> after = scattered_;
    after.push_back(*last_);
    Task t = task("update", spec_.update ? TaskKind::optimizer : TaskKind::mark, std::move(after), 0);
    t.layer = -1;
    t.pass = Pass::update;
    if (spec_.update) t.work = Work::of_time(spec_.update(weights));
    begin_ = {graph_.add(std::move(t))};
    last_.reset();
  }

  const DataParallelSpec& spec_;
  TaskGraph graph_;
  std::size_t count_;
  std::vector<TaskId> begin_;  ///< tasks that the pass waits for
  std::vector<TaskId> scattered_;
  std::optional<TaskId> last_;  ///< last task on the compute engine
  int iteration_ = 0;
};

}  // namespace

void check_units(const std::vector<StepLayer>& layers, Mode mode, bool priority, unsigned queues) {
  if (mode != Mode::layer_wise || priority || queues != 1)
    throw InputError(
        "training.sharding=all moves parameters unit by unit (legal: comm.grouping=layer_wise, comm.order=fifo, "
        "comm.queues=1)");
  for (const StepLayer& layer : layers)
    if (layer.shares >= 0)
      throw InputError("layer '" + layer.name + "': training.sharding=all does not support shared weights");
}

TaskGraph fully_sharded(const DataParallelSpec& spec) {
  check_units(spec.layers, spec.plan.mode, spec.priority, spec.queues);
  if (spec.accumulate != 1 || spec.recompute != Recompute::none)
    throw InputError("several passes and recomputation with Sharding::all (legal: model_parallel())");
  return ShardedBuilder(spec).build();
}

}  // namespace tributary::training
