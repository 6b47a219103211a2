#pragma once
/// Which gradients are reduced together, and in which order the messages are issued.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// One layer of a network, with what its passes have to do.
struct StepLayer {
  std::string name;
  std::vector<std::uint64_t> tensors;  ///< weights of each, in the order of the model's list
  Work forward, input_gradient, weight_gradient;
  int shares = -1;  ///< a layer whose first tensor this one uses, too

  std::uint64_t weights() const;
};

enum class Mode : std::uint8_t {
  one_shot,    ///< one message, after the last gradient
  layer_wise,  ///< one for each layer
  bucket,      ///< PyTorch's DistributedDataParallel
  fusion,      ///< Horovod
  partition    ///< ByteScheduler, P3
};

struct PlanOptions {
  Mode mode = Mode::layer_wise;
  unsigned element_bytes = 4;
  std::uint64_t first_bucket = 1 << 20, bucket = 25 << 20;  ///< DDP's caps (PyTorch, notes/ddp)
  std::uint64_t fusion = 64'000'000;                        ///< Horovod's threshold up to release 0.20
  Tick cycle = 5'000'000'000;                               ///< and its cycle, ps
  std::uint64_t partition = 4'000'000;                      ///< bytes of a part
};

/// Gradients that one collective reduces.
struct Message {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;        ///< place in the gradient buffer, which holds messages in the order of their issue
  std::vector<int> layers;        ///< whose gradients it holds
  int last_ready = 0;             ///< the layer nearest the input of those that it waits for: backward goes down to it
  std::optional<unsigned> cycle;  ///< fusion: leaves no sooner than so many cycles after the iteration's begin
};

/// When the gradient of each layer is ready, in ps after the iteration's begin: needed by fusion alone.
using ReadyTimes = std::vector<Tick>;

/// In the order of issue. Weights that layers share are ready at their last use in backward, that nearest the input.
/// Throws InputError: no weights at all, a layer that shares weights with itself, or with a layer that has none.
std::vector<Message> message_plan(const std::vector<StepLayer>& layers, const PlanOptions& options,
                                  const ReadyTimes& ready = {});

}  // namespace tributary::training

namespace tributary {
template <>
struct EnumNames<training::Mode> {
  static const std::vector<std::pair<training::Mode, std::string>>& names();
};
}  // namespace tributary
