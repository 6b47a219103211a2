#pragma once
/// Parameters of `tributary train` beside those of platforms: training.*, comm.*, compute.*, optimizer.*, ring.*, graph.*

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/parameter_set.h"
#include "testbench/workload/training/compute/optimizer.h"
#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/data_parallel.h"
#include "testbench/workload/training/parallel_degrees.h"
#include "testbench/workload/training/read/read_options.h"

namespace tributary::training {

/// A model that ships, or a file. Text form: its name.
struct ModelName {
  std::string text = "resnet50";
};

/// Factors of ranks whose compute takes longer. Text form: `3:1.5,7:2`, or `none`.
struct RankFactors {
  std::vector<std::pair<std::uint32_t, double>> factors;
};

enum class MessageOrder : std::uint8_t { fifo, priority };
enum class BackwardOrder : std::uint8_t { ig_wg, wg_ig };

}  // namespace tributary::training

namespace tributary {

template <>
struct ParameterText<training::ModelName> {
  static training::ModelName parse(const std::string& text);
  static std::string print(const training::ModelName& model) { return model.text; }
  static std::string legal() { return "a name of `list models`, or a file (YAML, SCALE-Sim CSV)"; }
};
template <>
struct ParameterText<training::RankFactors> {
  static training::RankFactors parse(const std::string& text);
  static std::string print(const training::RankFactors& factors);
  static std::string legal() { return "RANK:FACTOR,... with factors from 0.01 to 100, such as 3:1.5,7:2, or none"; }
};
template <>
struct EnumNames<training::MessageOrder> {
  static const std::vector<std::pair<training::MessageOrder, std::string>>& names();
};
template <>
struct EnumNames<training::BackwardOrder> {
  static const std::vector<std::pair<training::BackwardOrder, std::string>>& names();
};

}  // namespace tributary

namespace tributary::training {

struct TrainingParams {
  ModelName model;
  std::uint64_t batch = 16;
  ElementType dtype = ElementType::f32;
  std::optional<std::uint32_t> iterations;
  std::uint32_t accumulate = 1;
  Sharding sharding = Sharding::none;
  std::uint32_t prefetch = 1;
  ParallelDegrees parallel;
  double capacity = 1;
  BackwardOrder backward_order = BackwardOrder::ig_wg;
  bool first_input_gradient = true;
};
template <class V>
void visit(V& v, TrainingParams& p) {
  const char* const page = "docs/training.md#parameters";
  v.field("model", p.model, Note("network that is trained").source(page));
  v.field("batch", p.batch,
          Note("samples or tokens of one rank in a pass").source("MultiTree, ISCA 2021, V-A").range("1", "1000000000"));
  v.field("dtype", p.dtype, Note("elements of weights, activations and gradients").source(page));
  v.field("iterations", p.iterations,
          Note("simulated one after another").automatic("1; with comm.order=priority 3").source(page).range("1", "1000"));
  v.field("accumulate", p.accumulate,
          Note("forward and backward passes before gradients are reduced").source(page).range("1", "1000"));
  v.field(
      "sharding", p.sharding,
      Note("what each rank keeps a part of: nothing; gradients and optimizer state (ZeRO-1, 2); parameters, too (ZeRO-3)")
          .source("Rajbhandari et al., SC 2020, 5"));
  v.field("prefetch", p.prefetch,
          Note("sharding=all: layers whose parameters are gathered ahead of the one that computes")
              .source(page)
              .range("0", "8"));
  v.field("parallel", p.parallel,
          Note("ranks that share each layer, stages of a pipeline, ranks that share experts; the other ranks are replicas")
              .source("docs/training.md#models-over-several-ranks"));
  v.field("capacity", p.capacity,
          Note("expert: tokens that are sent for each that is chosen").source("GShard, ICLR 2021").range("0.1", "16"));
  v.field("backward_order", p.backward_order,
          Note("of a layer's gradients, of the inputs and of the weights; its message waits for the latter")
              .source("docs/training.md#parameters [G]"));
  v.field("first_input_gradient", p.first_input_gradient,
          Note("gradient of the inputs of the first layer, which nothing needs, is computed")
              .source("docs/training.md#parameters [G]"));
}

struct CommParams {
  Mode mode = Mode::layer_wise;
  MessageOrder order = MessageOrder::fifo;
  std::uint32_t streams = 1;
  Issue issue = Issue::serial;
  Bytes first_bucket = 1_MiB, bucket = 25_MiB;
  Bytes fusion = bytes(64'000'000);
  Time cycle = 5_ms;
  Bytes partition = 4_MiB, credit = bytes(0);
};
template <class V>
void visit(V& v, CommParams& p) {
  const char* const page = "docs/training.md#messages";
  v.field("grouping", p.mode, Note("which gradients are reduced together").source(page));
  v.field("order", p.order,
          Note("messages are issued as they are ready, or the layer nearest the input first; then forward of a layer waits "
               "for its own message alone")
              .source(page));
  v.field("queues", p.streams, Note("messages take turns on; one in flight on each").source(page).range("1", "8"));
  v.field("issue", p.issue,
          Note("the next message of a queue begins when the one before is done, or has all of it under way").source(page));
  v.field("first_bucket", p.first_bucket,
          Note("grouping=bucket: closes the first").source("PyTorch, notes/ddp").range("1B", "1TB"));
  v.field("bucket", p.bucket, Note("grouping=bucket: closes the others").source("PyTorch, notes/ddp").range("1B", "1TB"));
  v.field(
      "fusion", p.fusion,
      Note("grouping=fusion: at most so much together; 128MB since Horovod 0.21").source("Horovod 0.20").range("1B", "1TB"));
  v.field("cycle", p.cycle,
          Note("grouping=fusion: what is ready leaves at its end; 1ms since Horovod 0.21")
              .source("Horovod 0.20")
              .range("1ns", "1s"));
  v.field("partition", p.partition,
          Note("grouping=partition: parts of a tensor").source("ByteScheduler, SOSP 2019 [G]").range("128B", "1TB"));
  v.field("credit", p.credit,
          Note("grouping=partition: parts that are issued and not done; 0B: one").source("ByteScheduler, SOSP 2019 [G]"));
}

struct GraphParams {
  std::optional<std::uint64_t> model_group;
  ControlDependencies control = ControlDependencies::automatic;
};
template <class V>
void visit(V& v, GraphParams& p) {
  const char* const page = "docs/training_graphs.md";
  v.field("model_group", p.model_group,
          Note("ranks that share a model in hybrid kinds of an ASTRA-sim text workload")
              .automatic("what the file says")
              .source(page)
              .range("1", "1000000"));
  v.field("control", p.control, Note("control dependencies of a Chakra trace count, or not").source(page));
}

struct StragglerParams {
  double jitter = 0;
  RankFactors factors;
};
template <class V>
void visit(V& v, StragglerParams& p) {
  v.field("jitter", p.jitter,
          Note("a share of each time, from 0 to this, by a hash of seed, rank and task")
              .source("docs/training.md#parameters")
              .range("0", "10"));
  v.field("factors", p.factors, Note("ranks whose compute takes longer").source("docs/training.md#parameters"));
}

struct TrainParams {
  TrainingParams training;
  CommParams comm;
  ComputeParams compute;
  StragglerParams stragglers;
  OptimizerParams optimizer;
  SoftwareCollectiveParams ring;
  GraphParams graph;

  /// By path. The set must not outlive this.
  ParameterSet fields();
  /// Whether a path is one of these, by its first part.
  static bool owns(const std::string& path);
  std::uint32_t iterations() const;
  /// What does not bear on a graph that is read, and is not as it is by default; empty: nothing.
  std::string unused_by_graph() const;
};

}  // namespace tributary::training
