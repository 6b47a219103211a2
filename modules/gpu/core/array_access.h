#pragma once
/// ArrayAccess: access of kernels and channels to arrays in the memory of a GPU of an NVSwitch machine.

#include "modules/gpu/core/engine_seat.h"
#include "modules/streams/core/array_memory.h"

namespace tributary {

/// Accesses memory block by block and counts each access; its time is that of the kernel or channel.
class ArrayAccess final : public ArrayMemory {
 public:
  explicit ArrayAccess(EngineSeat seat) : seat_(seat) {}

  void add(std::uint64_t destination, const std::uint64_t* inputs, unsigned count, std::uint64_t bytes, ReduceOp op,
           ElementType type) override;
  void move(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) override;

 private:
  EngineSeat seat_;
};

}  // namespace tributary
