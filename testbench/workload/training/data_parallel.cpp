#include "testbench/workload/training/data_parallel.h"

#include <algorithm>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/sharded_parallel.h"

namespace tributary::training {

bool repeats_attention(const StepLayer& layer, Recompute recompute) {
  return recompute == Recompute::selective && layer.attention.time > 0;
}

namespace {

constexpr std::uint32_t optimizer_queue = 1;

/// Returns the time at which the gradients of each layer are ready, from the begin of an iteration.
ReadyTimes ready_times(const DataParallelSpec& spec) {
  const auto& layers = spec.layers;
  Tick forward = 0, backward = 0;
  ReadyTimes ready(layers.size());
  const auto time = [](const StepLayer& layer, const Work& work) {
    if (work.kind != Work::Kind::time)
      throw InputError("layer '" + layer.name +
                       "': fusion needs times of compute tasks to find the gradients that are ready in a cycle");
    return work.time;
  };
  for (const StepLayer& layer : layers) forward += time(layer, layer.forward);
  for (std::size_t l = layers.size(), block = l; l-- > 0;) {
    if (spec.recompute == Recompute::full && l < block) {
      for (block = l; block > 0 && same_block(layers[block - 1], layers[block]);) --block;
      for (std::size_t k = block; k <= l; ++k) backward += time(layers[k], layers[k].forward);
    }
    if (repeats_attention(layers[l], spec.recompute)) backward += time(layers[l], layers[l].attention);
    const Tick input = l > 0 || spec.first_input_gradient ? time(layers[l], layers[l].input_gradient) : 0;
    const Tick weight = time(layers[l], layers[l].weight_gradient);
    ready[l] = backward + weight + (spec.weight_first ? 0 : input);
    backward += input + weight;
  }
  for (Tick& t : ready) t += forward * spec.accumulate + backward * (spec.accumulate - 1);
  return ready;
}

class DataParallelBuilder {
 public:
  explicit DataParallelBuilder(const DataParallelSpec& spec) : spec_(spec), graph_(spec.ranks) {
    messages_ = message_plan(spec.layers, spec.plan, spec.plan.mode == Mode::fusion ? ready_times(spec) : ReadyTimes{});
    for (const StepLayer& layer : spec.layers) graph_.layers.push_back(layer.name);
    graph_.iterations = spec.iterations;
    graph_.comm_order = spec.priority ? Order::priority : Order::listed;
    graph_.issue = spec.issue;
    graph_.credit = spec.plan.mode == Mode::partition ? spec.credit : 0;
    gate_.resize(spec.layers.size());
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < spec_.iterations; ++iteration_) {
      cycles_.clear();
      if (spec_.plan.mode == Mode::fusion) begin_ = add(mark("begin", gate_.front()));
      for (unsigned pass = 0; pass < spec_.accumulate; ++pass) forward_and_backward(pass);
      communicate();
    }
    return std::move(graph_);
  }

 private:
  Task task(std::string name, TaskKind kind, std::vector<TaskId> after) const {
    Task t;
    t.name = std::move(name);
    t.kind = kind;
    t.after = std::move(after);
    t.iteration = iteration_;
    return t;
  }
  Task mark(const std::string& name, std::vector<TaskId> after) const {
    return task(name + " " + std::to_string(iteration_), TaskKind::mark, std::move(after));
  }
  TaskId add(Task t) { return graph_.add(std::move(t)); }

  TaskId compute(const char* name, std::size_t layer, unsigned micro_batch, Pass pass, const Work& work,
                 std::vector<TaskId> after) {
    if (last_) after.push_back(*last_);
    Task t = task(name + (" " + spec_.layers[layer].name), TaskKind::compute, std::move(after));
    t.layer = static_cast<int>(layer);
    t.micro_batch = static_cast<int>(micro_batch);
    t.pass = pass;
    t.work = work;
    last_ = add(std::move(t));
    return *last_;
  }

  void forward_and_backward(unsigned pass) {
    for (std::size_t l = 0; l < spec_.layers.size(); ++l)
      compute("forward", l, pass, Pass::forward, spec_.layers[l].forward, pass == 0 ? gate_[l] : std::vector<TaskId>{});
    ready_.assign(spec_.layers.size(), 0);
    for (std::size_t l = spec_.layers.size(); l-- > 0;) {
      if (spec_.recompute == Recompute::full && ends_block(l)) repeat_block(l, pass);
      if (repeats_attention(spec_.layers[l], spec_.recompute))
        compute("repeated attention", l, pass, Pass::forward, spec_.layers[l].attention, {});
      const auto input = [&] {
        if (l > 0 || spec_.first_input_gradient)
          compute("ig", l, pass, Pass::input_gradient, spec_.layers[l].input_gradient, {});
      };
      if (!spec_.weight_first) input();
      ready_[l] = compute("wg", l, pass, Pass::weight_gradient, spec_.layers[l].weight_gradient, {});
      if (spec_.weight_first) input();
    }
  }

  bool ends_block(std::size_t l) const {
    return l + 1 == spec_.layers.size() || !same_block(spec_.layers[l], spec_.layers[l + 1]);
  }

  /// Adds forward of the block that ends with layer `last`.
  void repeat_block(std::size_t last, unsigned pass) {
    std::size_t l = last;
    while (l > 0 && same_block(spec_.layers[l - 1], spec_.layers[l])) --l;
    for (; l <= last; ++l) compute("repeated forward", l, pass, Pass::forward, spec_.layers[l].forward, {});
  }

  TaskId collective(const char* name, Moved moved, const Message& message, std::size_t number, std::vector<TaskId> after) {
    Task t = task(std::string(name) + " " + message.name, TaskKind::collective, std::move(after));
    t.layer = t.priority = message.last_ready;
    t.queue = static_cast<std::uint32_t>(number % spec_.queues);
    t.transfer.collective = name;
    t.transfer.algorithm = spec_.algorithm;
    const bool weights = moved == Moved::weights;
    t.transfer.type = weights ? spec_.type : spec_.gradient_type.value_or(spec_.type);
    t.transfer.bytes = weights ? message.bytes / spec_.plan.element_bytes * element_size(spec_.type) : message.bytes;
    t.transfer.buffer = BufferRange{message.first, message.bytes};
    t.form = Form::data;
    return add(std::move(t));
  }

  TaskId update(const std::string& name, int layer, std::uint64_t bytes, std::vector<TaskId> after) {
    Task t = task(name, TaskKind::optimizer, std::move(after));
    t.layer = layer;
    t.pass = Pass::update;
    t.queue = optimizer_queue + (spec_.priority && layer >= 0 ? static_cast<std::uint32_t>(layer) : 0);
    t.work = Work::of_time(spec_.update(bytes / spec_.plan.element_bytes));
    return add(std::move(t));
  }

  /// Returns the mark at the end of a cycle, when fused messages are sent.
  TaskId end_of_cycle(unsigned number) {
    const auto found = std::find_if(cycles_.begin(), cycles_.end(), [&](const auto& c) { return c.first == number; });
    if (found != cycles_.end()) return found->second;
    Task t = mark("cycle " + std::to_string(number) + " of", {begin_});
    t.delay = number * spec_.plan.cycle;
    cycles_.emplace_back(number, add(std::move(t)));
    return cycles_.back().second;
  }

  void communicate() {
    const bool sharded = spec_.sharding != Sharding::none, updates = static_cast<bool>(spec_.update);
    std::vector<TaskId> last;  // last task of each message
    std::uint64_t bytes = 0;
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const Message& message = messages_[m];
      std::vector<TaskId> after{ready_[static_cast<std::size_t>(message.last_ready)]};
      if (message.cycle) after.push_back(end_of_cycle(*message.cycle));
      last.push_back(collective(sharded ? "reduce_scatter" : "allreduce", Moved::gradients, message, m, std::move(after)));
      bytes += message.bytes;
    }
    if (updates && spec_.update_each)
      for (std::size_t m = 0; m < messages_.size(); ++m)
        last[m] = update("update " + messages_[m].name, messages_[m].last_ready, messages_[m].bytes, {last[m]});
    else if (updates)
      last.assign(messages_.size(), update("update", -1, bytes, last));
    if (sharded)
      for (std::size_t m = 0; m < messages_.size(); ++m)
        last[m] = collective("allgather", Moved::weights, messages_[m], m, {last[m]});
    open_gates(last);
  }

  /// Sets the tasks that forward of the next iteration waits for.
  void open_gates(const std::vector<TaskId>& last) {
    for (auto& gate : gate_) gate.clear();
    if (!spec_.priority) {
      std::vector<TaskId> after = last;
      std::sort(after.begin(), after.end());
      after.erase(std::unique(after.begin(), after.end()), after.end());
      after.push_back(*last_);
      gate_.front().push_back(add(mark("end", std::move(after))));
      return;
    }
    for (std::size_t l = 0; l < spec_.layers.size(); ++l)
      for (std::size_t m = 0; m < messages_.size(); ++m) {
        const auto holds = [&](int layer) {
          return std::find(messages_[m].layers.begin(), messages_[m].layers.end(), layer) != messages_[m].layers.end();
        };
        if (holds(static_cast<int>(l)) || holds(spec_.layers[l].shares)) gate_[l].push_back(last[m]);
      }
  }

  const DataParallelSpec& spec_;
  TaskGraph graph_;
  std::vector<Message> messages_;
  std::vector<std::vector<TaskId>> gate_;  ///< by layer
  std::vector<TaskId> ready_;              ///< by layer: task that completes its gradients
  std::vector<std::pair<unsigned, TaskId>> cycles_;
  std::optional<TaskId> last_;  ///< last task on the compute engine's queue
  TaskId begin_ = 0;
  int iteration_ = 0;
};

}  // namespace

TaskGraph data_parallel(const DataParallelSpec& spec) {
  if (spec.layers.empty()) throw InputError("the network has no layers");
  if (spec.sharding == Sharding::all) return fully_sharded(spec);
  return DataParallelBuilder(spec).build();
}

}  // namespace tributary::training

namespace tributary {

const std::vector<std::pair<training::Sharding, std::string>>& EnumNames<training::Sharding>::names() {
  using training::Sharding;
  static const std::vector<std::pair<Sharding, std::string>> all{{Sharding::none, "none"},
                                                                 {Sharding::optimizer, "optimizer"},
                                                                 {Sharding::gradients, "gradients"},
                                                                 {Sharding::all, "all"}};
  return all;
}

const std::vector<std::pair<training::Recompute, std::string>>& EnumNames<training::Recompute>::names() {
  using training::Recompute;
  static const std::vector<std::pair<Recompute, std::string>> all{
      {Recompute::none, "none"}, {Recompute::selective, "selective"}, {Recompute::full, "full"}};
  return all;
}

}  // namespace tributary
