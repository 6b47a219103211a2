#pragma once
/// Times of a layer by the roofline, and the memory that its passes keep.

#include <cstdint>

#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/compute/times.h"
#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// Samples or tokens of a rank in a pass over a layer.
struct PassSize {
  std::uint64_t samples = 1;   ///< of the product, and of sides of the matrix that are divided among ranks
  std::uint64_t whole = 1;     ///< sides that are not divided
  std::uint64_t sequence = 1;  ///< tokens that attend to each other
  std::uint64_t element_bytes = 4;
  std::uint64_t weight_bytes = 0;  ///< of a weight in a product; 0: those of an element
};

/// Bytes that a layer keeps from forward to backward of a pass, on one rank.
struct KeptBytes {
  std::uint64_t inputs = 0;  ///< of the product; 0 if the previous layer keeps the same
  std::uint64_t rest = 0;    ///< of element-wise operations, and of attention without its scores
  std::uint64_t scores = 0;  ///< scores of attention, which selective recomputation does not keep
  std::uint64_t before = 0;  ///< what enters the layer, which full recomputation keeps of a block

  std::uint64_t sum() const { return inputs + rest + scores; }
};

/// One kernel for forward, and one for backward with twice the work, half for each gradient. With Kernels::all kernels of
/// attention and of element-wise operations follow each other; those on the outputs count with the gradient of the weights,
/// the others with that of the inputs. Throws InputError beyond 2^64 operations or bytes, and beyond 1000 s.
PassTimes roofline_times(const ModelLayer& layer, const ComputeParams& params, const PassSize& size);

/// `shared`: the previous layer has the same inputs. Throws InputError beyond 2^64 bytes.
KeptBytes kept_bytes(const ModelLayer& layer, bool shared, AttentionKernel kernel, const PassSize& size);

}  // namespace tributary::training
