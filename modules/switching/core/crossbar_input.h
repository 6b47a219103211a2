#pragma once
/// CrossbarInput: the one way into the crossbar that all queues of a port share.

#include <cstdint>

#include "modules/link/core/serializer.h"

namespace tributary {

struct alignas(64) CrossbarInput {
  CrossbarInput(Bandwidth rate, unsigned flit_size) : line(rate, flit_size) {}

  Serializer line;
  Tick transfer_end = never;          ///< never: idle
  std::uint8_t output = 0;            ///< that it crosses to
  std::uint16_t outputs_beside = 0;   ///< a bit for each further one that its packet reaches in the same crossing
  std::uint8_t replicated_flits = 0;  ///< to free in the replication buffer at the end
  /// Packets are routed when their time comes, though the input be busy, for one of them may claim an entry then. Otherwise
  /// they wait, unseen, until the input is free.
  bool eager = false;

  bool busy() const { return transfer_end != never; }
  void reset() {
    line.reset();
    transfer_end = never;
    outputs_beside = 0;
    eager = false;
  }
};

}  // namespace tributary
