#include "testbench/workload/training/message_plan.h"

#include <algorithm>
#include <numeric>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

/// A single gradient.
struct Gradient {
  std::string name;
  std::uint64_t bytes;
  int layer, last_ready;
};

/// Returns, for each layer, the layer nearest the input that uses its first tensor.
std::vector<int> last_uses(const std::vector<StepLayer>& layers) {
  const int count = static_cast<int>(layers.size());
  std::vector<int> last(layers.size());
  std::iota(last.begin(), last.end(), 0);
  for (int l = 0; l < count; ++l) {
    const StepLayer& layer = layers[static_cast<std::size_t>(l)];
    if (layer.shares == -1) continue;
    const bool legal = layer.shares >= 0 && layer.shares < count && layer.shares != l &&
                       !layers[static_cast<std::size_t>(layer.shares)].tensors.empty();
    if (!legal) throw InputError("layer '" + layer.name + "' shares its weights with a layer that has none");
    int& use = last[static_cast<std::size_t>(layer.shares)];
    use = std::min(use, l);
  }
  return last;
}

/// Returns the gradients in the order of backward: from the last layer to the first, tensors of a layer from the last to
/// the first.
std::vector<Gradient> gradients(const std::vector<StepLayer>& layers, unsigned element_bytes) {
  const std::vector<int> last_use = last_uses(layers);
  std::vector<Gradient> all;
  for (std::size_t l = layers.size(); l-- > 0;) {
    const StepLayer& layer = layers[l];
    for (std::size_t t = layer.tensors.size(); t-- > 0;)
      if (layer.tensors[t] > 0)
        all.push_back({layer.tensors.size() == 1 ? layer.name : layer.name + "." + std::to_string(t),
                       layer.tensors[t] * element_bytes, static_cast<int>(l), t == 0 ? last_use[l] : static_cast<int>(l)});
  }
  if (all.empty()) throw InputError("the network has no weights");
  return all;
}

void join(Message& message, const Gradient& gradient) {
  if (message.layers.empty()) message.last_ready = gradient.last_ready;
  if (message.layers.empty() || message.layers.back() != gradient.layer) message.layers.push_back(gradient.layer);
  message.last_ready = std::min(message.last_ready, gradient.last_ready);
  message.bytes += gradient.bytes;
}

/// Sorts gradients by the order in which they become ready.
void by_readiness(std::vector<Gradient>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Gradient& a, const Gradient& b) { return a.last_ready > b.last_ready; });
}

std::vector<Message> one_shot(const std::vector<Gradient>& all) {
  Message message;
  message.name = "all gradients";
  for (const Gradient& gradient : all) join(message, gradient);
  return {message};
}

std::vector<Message> layer_wise(const std::vector<Gradient>& all, const std::vector<StepLayer>& layers) {
  std::vector<Message> messages;
  for (const Gradient& gradient : all) {
    if (messages.empty() || messages.back().layers.front() != gradient.layer)
      messages.emplace_back().name = layers[static_cast<std::size_t>(gradient.layer)].name;
    join(messages.back(), gradient);
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.last_ready > b.last_ready; });
  return messages;
}

std::vector<Message> buckets(const std::vector<Gradient>& all, const PlanOptions& options) {
  std::vector<Message> messages(1);
  for (const Gradient& gradient : all) {
    const std::uint64_t cap = messages.size() == 1 ? options.first_bucket : options.bucket;
    join(messages.back(), gradient);
    if (messages.back().bytes >= cap) messages.emplace_back();
  }
  if (messages.back().bytes == 0) messages.pop_back();
  for (std::size_t b = 0; b < messages.size(); ++b) messages[b].name = "bucket " + std::to_string(b);
  return messages;
}

/// Fuses, cycle by cycle, all ready gradients in order of readiness, up to the threshold.
std::vector<Message> fused(std::vector<Gradient> all, const PlanOptions& options, const ReadyTimes& ready) {
  if (options.cycle == 0) throw InputError("a cycle of 0 never ends (legal: at least 1ps)");
  by_readiness(all);
  const auto cycle_of = [&](const Gradient& gradient) {
    const Tick at = ready.at(static_cast<std::size_t>(gradient.last_ready));
    return static_cast<unsigned>(std::max<Tick>(1, (at + options.cycle - 1) / options.cycle));
  };
  std::vector<Message> messages;
  for (const Gradient& gradient : all) {
    const unsigned cycle = cycle_of(gradient);
    const bool fits =
        !messages.empty() && messages.back().cycle == cycle && messages.back().bytes + gradient.bytes <= options.fusion;
    if (!fits) {
      messages.emplace_back().name = "fused " + std::to_string(messages.size());
      messages.back().cycle = cycle;
    }
    join(messages.back(), gradient);
  }
  return messages;
}

std::vector<Message> parts(std::vector<Gradient> all, const PlanOptions& options) {
  if (options.partition == 0) throw InputError("partitions of 0 bytes (legal: at least one element)");
  by_readiness(all);
  const std::uint64_t size = std::max<std::uint64_t>(1, options.partition / options.element_bytes) * options.element_bytes;
  std::vector<Message> messages;
  for (const Gradient& gradient : all) {
    std::uint64_t left = gradient.bytes;
    for (unsigned part = 0; left > 0; ++part) {
      Gradient cut = gradient;
      cut.bytes = std::min(left, size);
      left -= cut.bytes;
      messages.emplace_back().name = gradient.name + (gradient.bytes > size ? "/" + std::to_string(part) : "");
      join(messages.back(), cut);
    }
  }
  return messages;
}

std::vector<Message> planned(const std::vector<StepLayer>& layers, const PlanOptions& options, const ReadyTimes& ready) {
  const std::vector<Gradient> all = gradients(layers, options.element_bytes);
  switch (options.mode) {
    case Mode::one_shot:
      return one_shot(all);
    case Mode::layer_wise:
      return layer_wise(all, layers);
    case Mode::bucket:
      return buckets(all, options);
    case Mode::fusion:
      return fused(all, options, ready);
    case Mode::partition:
      return parts(all, options);
  }
  return {};
}

}  // namespace

std::uint64_t StepLayer::weights() const { return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0}); }

std::vector<Message> message_plan(const std::vector<StepLayer>& layers, const PlanOptions& options,
                                  const ReadyTimes& ready) {
  std::vector<Message> messages = planned(layers, options, ready);
  std::uint64_t first = 0;
  for (Message& message : messages) message.first = first, first += message.bytes;
  return messages;
}

}  // namespace tributary::training

namespace tributary {

const std::vector<std::pair<training::Mode, std::string>>& EnumNames<training::Mode>::names() {
  using training::Mode;
  static const std::vector<std::pair<Mode, std::string>> all{{Mode::one_shot, "one_shot"},
                                                             {Mode::layer_wise, "layer_wise"},
                                                             {Mode::bucket, "bucket"},
                                                             {Mode::fusion, "fusion"},
                                                             {Mode::partition, "partition"}};
  return all;
}

}  // namespace tributary
