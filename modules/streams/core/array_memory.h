#pragma once
/// ArrayMemory: what kernels and channels do with arrays in the memory of their GPU.

#include <cstdint>

#include "modules/base/element.h"

namespace tributary {

/// Both take no time; without data nothing is moved.
class ArrayMemory {
 public:
  virtual ~ArrayMemory() = default;
  /// Adds (op) `bytes` at each of `count` addresses, in their order, to those at `destination`, element by element.
  virtual void add(std::uint64_t destination, const std::uint64_t* inputs, unsigned count, std::uint64_t bytes, ReduceOp op,
                   ElementType type) = 0;
  /// A copy within this memory.
  virtual void move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) = 0;
};

}  // namespace tributary
