#pragma once
/// Grouping of gradients into messages, and the order of issue of the messages.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// One layer of a network with the work of its passes.
struct StepLayer {
  std::string name;
  std::vector<std::uint64_t> tensors;  ///< weights of each tensor, in the order of the model's list
  Work forward, input_gradient, weight_gradient;
  int shares = -1;               ///< layer whose first tensor this layer uses too; -1: none
  int block = -1;                ///< number of the block whose forward pass is repeated as a whole; -1: a block of its own
  Work attention = {};           ///< part of forward that selective recomputation repeats
  Work attention_gradient = {};  ///< part of the input gradient

  std::uint64_t weights() const;
};

/// True if two adjacent layers belong to one block.
inline bool same_block(const StepLayer& a, const StepLayer& b) { return a.block >= 0 && a.block == b.block; }

enum class Mode : std::uint8_t {
  one_shot,    ///< one message after the last gradient
  layer_wise,  ///< one message per layer
  bucket,      ///< PyTorch's DistributedDataParallel
  fusion,      ///< Horovod
  partition    ///< ByteScheduler, P3
};

struct PlanOptions {
  Mode mode = Mode::layer_wise;
  unsigned element_bytes = 4;
  std::uint64_t first_bucket = 1 << 20, bucket = 25 << 20;  ///< DDP's caps (PyTorch, notes/ddp)
  std::uint64_t fusion = 64'000'000;                        ///< Horovod's threshold up to release 0.20
  Tick cycle = 5'000'000'000;                               ///< Horovod's cycle, ps
  std::uint64_t partition = 4'000'000;                      ///< bytes of a partition
};

/// Gradients reduced by one collective.
struct Message {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;        ///< offset in the gradient buffer, which holds messages in order of issue
  std::vector<int> layers;        ///< layers whose gradients it holds
  int last_ready = 0;             ///< awaited layer nearest the input, which backward reaches last
  std::optional<unsigned> cycle;  ///< fusion: sent no earlier than this number of cycles after the iteration's begin
};

/// Time at which the gradient of each layer is ready, in ps after the iteration's begin; used only by fusion.
using ReadyTimes = std::vector<Tick>;

/// Returns the messages in order of issue. Weights shared by layers are ready at their last use in backward, the use
/// nearest the input. Throws InputError on a network without weights, and on a layer that shares weights with itself or
/// with a layer that has none.
std::vector<Message> message_plan(const std::vector<StepLayer>& layers, const PlanOptions& options,
                                  const ReadyTimes& ready = {});

}  // namespace tributary::training

namespace tributary {
template <>
struct EnumNames<training::Mode> {
  static const std::vector<std::pair<training::Mode, std::string>>& names();
};
}  // namespace tributary
