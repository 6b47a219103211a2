#include "testbench/workload/training/compute/roofline_times.h"

#include <algorithm>

#include "testbench/workload/training/compute/counts.h"
#include "testbench/workload/training/models/model_part.h"

namespace tributary::training {
namespace {

/// Elements of both sides of a layer in a pass.
struct Sides {
  std::uint64_t inputs, outputs;
};

Sides sides_of(const ModelLayer& layer, const PassSize& size) {
  const std::uint64_t experts = std::max<std::uint64_t>(1, layer.chosen);
  return {times(times(input_elements(layer), experts), layer.split == Split::inputs ? size.samples : size.whole),
          times(times(output_elements(layer), experts), layer.split == Split::outputs ? size.samples : size.whole)};
}

/// Returns the bytes of weights and activations that a product reads and writes; 0: unknown.
std::uint64_t product_bytes(const ModelLayer& layer, Kernels kernels, const PassSize& size) {
  std::uint64_t each = layer.activations;
  if (each == 0 && kernels == Kernels::all)
    each = times(input_elements(layer) + output_elements(layer), std::max<std::uint64_t>(1, layer.chosen));
  if (each == 0) return 0;
  const std::uint64_t weight = size.weight_bytes == 0 ? size.element_bytes : size.weight_bytes;
  return fits_64_bits(Wide{layer.weights()} * weight + Wide{each} * size.samples * size.element_bytes);
}

/// Returns the bytes of the logits in f32, of which the loss is computed where the step has a type of fewer bytes
/// (Megatron-LM: cross entropy). A layer whose outputs enter a softmax computes logits.
std::uint64_t loss_bytes(const ModelLayer& layer, std::uint64_t outputs, std::uint64_t element_bytes) {
  constexpr std::uint64_t single = 4;
  const bool logits = std::find(layer.after.begin(), layer.after.end(), Elementwise::softmax) != layer.after.end();
  return logits && element_bytes < single ? times(outputs, single) : 0;
}

/// Time of kernels, and the part of it that memory bounds.
struct KernelSum {
  Tick time = 0, by_memory = 0;

  void add(const KernelWork& work, const RooflineParams& gpu) {
    const Tick t = kernel_time(work, gpu);
    time += t;
    if (memory_bound(work, gpu)) by_memory += t;
  }
};

}  // namespace

PassTimes roofline_times(const ModelLayer& layer, const ComputeParams& params, const PassSize& size) {
  const RooflineParams& gpu = params.roofline;
  const std::uint64_t operations = times(2, times(layer.multiplications, size.samples));
  const KernelWork product{operations, product_bytes(layer, params.kernels, size)};
  const KernelWork gradients{times(2, product.operations), times(2, product.bytes)};
  const Tick back = kernel_time(gradients, gpu);
  KernelSum forward, attention, attended, inputs, outputs;
  forward.add(product, gpu);
  if (params.kernels == Kernels::all) {
    const Sides sides = sides_of(layer, size);
    const ElementwiseBytes before = elementwise_bytes(layer.before, sides.inputs, size.element_bytes);
    const ElementwiseBytes after = elementwise_bytes(layer.after, sides.outputs, size.element_bytes);
    forward.add({0, before.forward}, gpu), forward.add({0, after.forward}, gpu);
    inputs.add({0, before.backward}, gpu), outputs.add({0, after.backward}, gpu);
    if (layer.attention) {
      const AttentionWork work =
          attention_work(*layer.attention, size.samples, size.sequence, size.element_bytes, params.attention);
      for (const KernelWork& kernel : work.forward) attention.add(kernel, gpu);
      for (const KernelWork& kernel : work.backward) attended.add(kernel, gpu);
    }
  }
  PassTimes t;
  t.forward = forward.time + attention.time + gpu.launch.value;
  t.input_gradient = back / 2 + inputs.time + attended.time;
  t.weight_gradient = back - back / 2 + outputs.time + gpu.launch.value;
  t.attention = attention.time;
  t.attention_gradient = attended.time;
  const Tick all = forward.time + attention.time, memory = forward.by_memory + attention.by_memory;
  t.memory_bound = memory > all - memory;
  return t;
}

KeptBytes kept_bytes(const ModelLayer& layer, bool shared, AttentionKernel kernel, const PassSize& size) {
  const Sides sides = sides_of(layer, size);
  KeptBytes kept;
  kept.before = times(sides.inputs, size.element_bytes);
  kept.inputs = shared ? 0 : kept.before;
  kept.rest = fits_64_bits(Wide{shared ? 0 : elementwise_bytes(layer.before, sides.inputs, size.element_bytes).kept} +
                           elementwise_bytes(layer.after, sides.outputs, size.element_bytes).kept +
                           loss_bytes(layer, sides.outputs, size.element_bytes));
  if (!layer.attention) return kept;
  const AttentionWork work = attention_work(*layer.attention, size.samples, size.sequence, size.element_bytes, kernel);
  kept.rest = fits_64_bits(Wide{kept.rest} + work.kept);
  kept.scores = work.scores;
  return kept;
}

}  // namespace tributary::training
