#include "testbench/workload/training/compute/attention.h"

#include "testbench/workload/training/compute/counts.h"
#include "testbench/workload/training/models/elementwise.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t sum_bytes = 4;  // f32

KernelWork work(Wide operations, Wide bytes) { return {fits_64_bits(operations), fits_64_bits(bytes)}; }

}  // namespace

AttentionWork attention_work(const Attention& attention, std::uint64_t tokens, std::uint64_t sequence,
                             std::uint64_t element_bytes, AttentionKernel kernel) {
  const Wide queries = Wide{attention.heads} * attention.width * tokens;
  const Wide keys = Wide{attention.key_heads} * attention.width * tokens;
  const Wide scores = Wide{attention.heads} * sequence * tokens;
  const Wide operations = Wide{2} * attention.width * scores;  // operations of one of the two products
  AttentionWork all;
  all.kept = fits_64_bits((queries + 2 * keys) * element_bytes);
  if (kernel == AttentionKernel::fused) {
    const Wide bytes = (2 * queries + 2 * keys) * element_bytes;  // queries, keys, values, and the result
    all.forward = {work(2 * operations, bytes)};
    all.backward = {work(5 * operations, 2 * bytes)};  // four products of gradients, and the scores again
    all.kept = fits_64_bits(Wide{all.kept} + Wide{attention.heads} * tokens * sum_bytes);
    return all;
  }
  std::vector<Elementwise> on_scores{Elementwise::softmax};
  if (attention.dropout) on_scores.push_back(Elementwise::dropout);
  const ElementwiseBytes memory = elementwise_bytes(on_scores, fits_64_bits(scores), element_bytes);
  const Wide bytes = (queries + keys + scores) * element_bytes;  // bytes of one product, with its result
  all.forward = {work(operations, bytes), work(0, memory.forward), work(operations, bytes)};
  all.backward = {work(2 * operations, 2 * bytes), work(0, memory.backward), work(2 * operations, 2 * bytes)};
  all.scores = fits_64_bits(Wide{memory.kept} + (attention.dropout ? scores * element_bytes : Wide{0}));
  return all;
}

}  // namespace tributary::training
