#pragma once
/// ArrayMemory: operations of kernels and channels on arrays in the memory of their GPU.

#include <cstdint>

#include "modules/base/element.h"

namespace tributary {

/// Both operations happen in zero time. In runs without data they do nothing.
class ArrayMemory {
 public:
  virtual ~ArrayMemory() = default;
  /// Reduces (op) the `bytes` at each of `count` addresses, in their order, into the `bytes` at `destination`, element by
  /// element.
  virtual void add(std::uint64_t destination, const std::uint64_t* inputs, unsigned count, std::uint64_t bytes, ReduceOp op,
                   ElementType type) = 0;
  /// Copies within this memory.
  virtual void move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) = 0;
};

}  // namespace tributary
