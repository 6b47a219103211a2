#pragma once

#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// Ranks in the order in which each sends to the next, and the last to the first.
struct ChannelRing {
  std::vector<int> ranks;
  std::vector<CopyPath> hops;  ///< the way from each of them to the next
};

}  // namespace tributary
