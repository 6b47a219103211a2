#pragma once
/// The graph of a distributed model while it is built: tasks of layers on the ranks that hold them.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/parallel_groups.h"

namespace tributary::training {

using TaskIds = std::vector<TaskId>;

/// Adds `more` to the end of `ids`.
void append(TaskIds& ids, const TaskIds& more);

/// Communication queues. The messages of gradients use `gradient_queue`, and with several queues those after `tie_queue`.
enum StageQueue : std::uint32_t {
  activation_queue,
  forward_queue,
  backward_queue,
  gradient_queue,
  tie_queue,
  key_queue = tie_queue + 8  ///< keys and values among context parallel ranks
};

/// A stage is a run of layers. Stage s is at place s % pipeline, and a place has `virtual_stages` stages.
class StageGraph {
 public:
  explicit StageGraph(const ModelParallelSpec& spec);

  const ModelParallelSpec& spec;
  TaskGraph graph;
  const ParallelGroups groups;
  const std::vector<std::size_t> first;  ///< first layer of each stage, and one past the last layer
  int iteration = 0, micro_batch = 0;    ///< of the tasks that follow

  unsigned places() const { return spec.degrees.pipeline; }
  unsigned stages() const { return places() * spec.virtual_stages; }
  unsigned tensor() const { return spec.degrees.tensor; }
  unsigned context() const { return spec.degrees.context; }
  bool sequence() const { return spec.sequence && tensor() > 1; }
  unsigned place_of(unsigned stage) const { return stage % places(); }
  unsigned stage_with(std::size_t layer) const;
  unsigned place_with(std::size_t layer) const { return place_of(stage_with(layer)); }
  const PartLayer& layer(std::size_t l) const { return spec.layers[l]; }
  /// True if the experts of the layer are on several ranks.
  bool spread(std::size_t l) const { return spec.degrees.expert > 1 && layer(l).chosen > 0; }
  /// Returns the groups that sum the gradients of a layer; none if a single rank has them.
  const std::vector<GroupId>& sum_groups(std::size_t l) const;
  std::size_t members(const std::vector<GroupId>& of) const {
    return of.empty() ? 1 : graph.groups[of.front()].ranks.size();
  }

  /// Returns a task of the present iteration and micro-batch.
  Task task(std::string name, TaskKind kind, TaskIds after) const;
  Task of_layer(const std::string& name, TaskKind kind, std::size_t l, TaskIds after) const;
  TaskId compute(const std::string& name, std::size_t l, Pass pass, const Work& work, TaskIds after);
  /// Returns the number of alike ranks of a stage that a rank with tasks represents.
  unsigned alike() const { return spec.classes ? spec.replicas * tensor() : 1; }
  /// Adds one collective per group.
  TaskIds collective(const std::string& name, const char* collective, std::size_t l, std::uint64_t bytes,
                     const std::vector<GroupId>& of, std::uint32_t queue, const TaskIds& after, Form form);
  /// Adds one collective of gradients per group.
  TaskIds gradients(const std::string& name, const char* collective, std::size_t l, std::uint64_t elements,
                    const std::vector<GroupId>& of, std::uint32_t queue, const TaskIds& after);
  /// Adds a collective of activations among the ranks that share a layer.
  TaskIds activations(const std::string& name, const char* collective, std::size_t l, std::uint64_t elements,
                      const TaskIds& after);
  /// Adds attention of a layer. Context parallel ranks compute it in parts, one for the keys and values of each rank, which
  /// go round a ring of the ranks. `rounds`: elements that a step of the ring moves, in those of a rank's keys and values.
  TaskIds attention(const std::string& name, std::size_t l, Pass pass, const Work& work, unsigned rounds, TaskIds after);
  /// Adds the all-to-alls of a run of layers with experts.
  TaskIds exchange(const std::string& name, std::size_t l, std::uint64_t elements, const TaskIds& after);
  /// Adds a send, or a receive, from every rank of a stage to the same rank of the next stage, or back.
  TaskIds move(const char* name, TaskKind kind, unsigned stage, unsigned peer, const TaskIds& after);

 private:
  TaskIds ring_step(const std::string& name, std::size_t l, unsigned rounds, const TaskIds& after);
  /// Returns the group of a move, which represents those of all ranks of the stages.
  GroupId moves_between(int from, int to);
  /// Returns those of the tasks that have an instance on one of the ranks.
  TaskIds shared(const TaskIds& tasks, const std::vector<int>& ranks) const;
  std::uint64_t known(std::uint64_t elements, std::size_t l) const;
  std::uint64_t boundary(std::size_t l) const;
  std::uint64_t of_tokens(std::uint64_t elements) const;

  std::map<std::pair<int, int>, GroupId> moves_;  ///< with `classes`, by both ends
};

}  // namespace tributary::training
