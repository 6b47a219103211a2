#pragma once

#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// A ring of ranks. Each rank sends to the next, and the last sends to the first.
struct ChannelRing {
  std::vector<int> ranks;
  std::vector<CopyPath> hops;   ///< path from each rank to the next
  std::vector<bool> host = {};  ///< hops over PCIe whose slots are in host memory; empty: none
};

}  // namespace tributary
