#pragma once
/// Parameters of `tributary train` in addition to those of platforms: training.*, comm.*, compute.*, optimizer.*, ring.*,
/// graph.*

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
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/number_type.h"
#include "testbench/workload/training/parallel_degrees.h"
#include "testbench/workload/training/read/read_options.h"

namespace tributary::training {

/// A built-in model, or a file. Text form: its name.
struct ModelName {
  std::string text = "resnet50";
};

/// Slowdown factors of single ranks. Text form: `3:1.5,7:2`, or `none`.
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
  NumberType dtype = ElementType::f32;
  std::optional<std::uint32_t> iterations;
  std::uint32_t accumulate = 1;
  Sharding sharding = Sharding::none;
  std::uint32_t prefetch = 1;
  Recompute recompute = Recompute::none;
  ParallelDegrees parallel;
  bool sequence_parallel = false;
  std::uint32_t virtual_stages = 1;
  StageRule stages = StageRule::balanced;
  double capacity = 1;
  std::optional<std::uint64_t> sequence, sequences;
  std::uint32_t micro = 1;
  BackwardOrder backward_order = BackwardOrder::ig_wg;
  std::optional<bool> first_input_gradient;
  std::optional<ElementType> gradient_dtype;
};
template <class V>
void visit(V& v, TrainingParams& p) {
  const char* const page = "docs/training.md#parameters";
  v.field("model", p.model, Note("trained network").source(page));
  v.field("batch", p.batch,
          Note("samples or tokens per rank and pass")
              .role(ParameterRole::shape)
              .source("MultiTree, ISCA 2021, V-A")
              .range("1", "1000000000"));
  v.field("dtype", p.dtype,
          Note("type of weights, activations and gradients; fp8: of the products alone, and bf16 elsewhere").source(page));
  v.field(
      "gradient_dtype", p.gradient_dtype,
      Note("element type of gradients in memory and in messages")
          .automatic("f32 for types of fewer bytes with sharding=optimizer or gradients, where tensor parallel ranks or a "
                     "pipeline share the model (Megatron-LM); else dtype")
          .source("docs/training_parallel.md#sharding"));
  v.field("iterations", p.iterations,
          Note("number of simulated iterations")
              .role(ParameterRole::shape)
              .automatic("1; 3 with comm.order=priority")
              .source(page)
              .range("1", "1000"));
  v.field("accumulate", p.accumulate,
          Note("forward and backward passes per reduction of gradients")
              .role(ParameterRole::shape)
              .source(page)
              .range("1", "1000"));
  v.field("sharding", p.sharding,
          Note("state divided among replicas: none; optimizer state (ZeRO-1); gradients, too (ZeRO-2); all, with parameters "
               "(ZeRO-3)")
              .source("Rajbhandari et al., SC 2020, 5"));
  v.field("prefetch", p.prefetch,
          Note("sharding=all: layers whose parameters are gathered ahead of the computing layer")
              .role(ParameterRole::room)
              .source(page)
              .range("0", "8"));
  v.field("recompute", p.recompute,
          Note("activations that backward computes again: none, selective (attention) or full (forward of each block of "
               "layers)")
              .source("docs/training_parallel.md#recomputation"));
  v.field("parallel", p.parallel,
          Note("ranks that share each layer, ranks that divide a sequence, pipeline stages, ranks that share experts; other "
               "ranks are replicas")
              .source("docs/training_parallel.md#models-over-several-ranks"));
  v.field("sequence_parallel", p.sequence_parallel,
          Note("tensor: ranks divide the tokens between split layers; a reduce-scatter and an all-gather replace each "
               "all-reduce of activations")
              .source("Korthikanti et al., MLSys 2023, 4.2.2"));
  v.field("virtual_stages", p.virtual_stages,
          Note("pipeline: stages of each rank, in the interleaved order")
              .role(ParameterRole::shape)
              .source("Narayanan et al., SC 2021, 2.2")
              .range("1", "64"));
  v.field("stages", p.stages,
          Note("pipeline: division of the layers among stages: the longest stage as short as possible, or equal numbers of "
               "blocks of layers")
              .source("docs/training_parallel.md#models-over-several-ranks"));
  v.field("capacity", p.capacity,
          Note("expert: tokens sent per chosen token")
              .role(ParameterRole::shape)
              .source("GShard, ICLR 2021")
              .range("0.1", "16"));
  v.field("sequence", p.sequence,
          Note("tokens of a sequence, which attend to each other")
              .role(ParameterRole::shape)
              .automatic("value of the model, or the batch if that is smaller or the model has none")
              .source("docs/training_models.md#kernels")
              .range("1", "1000000000"));
  v.field(
      "sequences", p.sequences,
      Note("sequences of all replicas in an iteration, which a replica computes in passes of `micro` sequences; in place of "
           "batch and accumulate")
          .role(ParameterRole::shape)
          .automatic("batch and accumulate")
          .source("docs/training_parallel.md#sequences-of-an-iteration")
          .range("1", "1000000000"));
  v.field("micro", p.micro,
          Note("sequences of a pass, with sequences")
              .role(ParameterRole::shape)
              .source("docs/training_parallel.md#sequences-of-an-iteration")
              .range("1", "1000000"));
  v.field("backward_order", p.backward_order,
          Note("order of the input gradient (ig) and weight gradient (wg) of a layer; its message waits for wg")
              .source("docs/training.md#parameters [G]"));
  v.field("first_input_gradient", p.first_input_gradient,
          Note("computation of the first layer's input gradient, which nothing needs")
              .automatic("false; true with compute.model=table, whose times include it")
              .source("docs/training.md#parameters [G]"));
}

struct CommParams {
  Mode mode = Mode::layer_wise;
  MessageOrder order = MessageOrder::fifo;
  std::uint32_t queues = 1;
  Issue issue = Issue::serial;
  Bytes first_bucket = 1_MiB, bucket = 25_MiB;
  Bytes fusion = bytes(64'000'000);
  Time cycle = 5_ms;
  Bytes partition = 4_MiB, credit = bytes(0);
  TensorOverlap tensor_overlap = TensorOverlap::none;
};
template <class V>
void visit(V& v, CommParams& p) {
  const char* const page = "docs/training.md#messages";
  v.field("grouping", p.mode, Note("grouping of gradients into messages").source(page));
  v.field("order", p.order,
          Note("order of issue: by readiness, or the layer nearest the input first, where forward of a layer waits only "
               "for its own message")
              .source(page));
  v.field("queues", p.queues,
          Note("communication queues, used in turn, each with one message in flight")
              .role(ParameterRole::room)
              .source(page)
              .range("1", "8"));
  v.field(
      "issue", p.issue,
      Note("begin of the next message of a queue: when the previous one is done, or is entirely in flight").source(page));
  v.field("first_bucket", p.first_bucket,
          Note("grouping=bucket: size that closes the first bucket")
              .role(ParameterRole::shape)
              .source("PyTorch, notes/ddp")
              .range("1B", "1TB"));
  v.field("bucket", p.bucket,
          Note("grouping=bucket: size that closes the other buckets")
              .role(ParameterRole::shape)
              .source("PyTorch, notes/ddp")
              .range("1B", "1TB"));
  v.field("fusion", p.fusion,
          Note("grouping=fusion: largest message; 128MB since Horovod 0.21")
              .role(ParameterRole::shape)
              .source("Horovod 0.20")
              .range("1B", "1TB"));
  v.field("cycle", p.cycle,
          Note("grouping=fusion: period at whose end ready gradients are sent; 1ms since Horovod 0.21")
              .role(ParameterRole::delay)
              .source("Horovod 0.20")
              .range("1ns", "1s"));
  v.field("partition", p.partition,
          Note("grouping=partition: size of a partition of a tensor")
              .role(ParameterRole::shape)
              .source("ByteScheduler, SOSP 2019 [G]")
              .range("128B", "1TB"));
  v.field("credit", p.credit,
          Note("grouping=partition: bytes issued and not done; 0B: one partition")
              .role(ParameterRole::room)
              .source("ByteScheduler, SOSP 2019 [G]"));
  v.field("tensor_overlap", p.tensor_overlap,
          Note("sequence_parallel: transfers of tensor parallel ranks follow the products of split layers (none), or run "
               "during them (gemm)")
              .source("docs/training_parallel.md#overlap-with-products"));
}

struct GraphParams {
  std::optional<std::uint64_t> model_group;
  std::optional<Time> time_unit;
  std::optional<std::uint64_t> step;
  Time compute_gap = 0_ps;
  ControlDependencies control = ControlDependencies::automatic;
  std::optional<GroupFile> groups;
};
template <class V>
void visit(V& v, GraphParams& p) {
  const char* const page = "docs/training_graphs.md";
  v.field("model_group", p.model_group,
          Note("ranks that share a model in the hybrid kinds of an ASTRA-sim text workload")
              .role(ParameterRole::structure)
              .automatic("value in the file")
              .source(page)
              .range("1", "1000000"));
  v.field("time_unit", p.time_unit,
          Note("time unit of a text workload of ASTRA-sim or SimAI")
              .role(ParameterRole::delay)
              .automatic("a cycle of compute.clock")
              .source("docs/training_graphs.md#astra-sim-text-workloads")
              .range("1ps", "1s"));
  v.field("step", p.step,
          Note("number of the only step that is read from a trace of PyTorch's profiler")
              .role(ParameterRole::structure)
              .automatic("the whole trace")
              .source("docs/training_graphs.md#traces-of-pytorch"));
  v.field("compute_gap", p.compute_gap,
          Note("computation between the collectives of a trace without times: an execution trace of PyTorch, a log of NCCL")
              .role(ParameterRole::delay)
              .source("docs/training_graphs.md#traces-of-pytorch")
              .range("0ps", "100s"));
  v.field("control", p.control, Note("use of the control dependencies of a Chakra trace").source(page));
  v.field("groups", p.groups,
          Note("file with the process groups of Chakra traces, where their nodes do not list them")
              .automatic("PREFIX.json or comm_group.json next to the traces")
              .source("docs/training_graphs.md#process-groups"));
}

struct StragglerParams {
  double jitter = 0;
  RankFactors factors;
};
template <class V>
void visit(V& v, StragglerParams& p) {
  v.field("jitter", p.jitter,
          Note("largest relative increase of each time, drawn by a hash of seed, rank and task")
              .role(ParameterRole::fault)
              .source("docs/training.md#parameters")
              .range("0", "10"));
  v.field("factors", p.factors, Note("factors on the compute times of single ranks").source("docs/training.md#parameters"));
}

struct TrainParams {
  TrainingParams training;
  CommParams comm;
  ComputeParams compute;
  StragglerParams stragglers;
  OptimizerParams optimizer;
  SoftwareCollectiveParams ring;
  GraphParams graph;

  /// Returns the fields by path. The set must not outlive this object.
  ParameterSet fields();
  /// True if the first part of the path is one of these prefixes.
  static bool owns(const std::string& path);
  std::uint32_t iterations() const;
  bool first_input_gradient() const;
  ElementType gradient_type() const;  ///< of gradients in memory and in messages
  /// Returns the first non-default parameter that --graph ignores; empty if there is none.
  std::string unused_by_graph() const;
};

}  // namespace tributary::training
