#pragma once

#include <vector>

#include "platforms/block_factories.h"

namespace tributary {

/// Blocks of the hardware that RunSpec::blocks may replace.
class FamilyBlocks {
 public:
  virtual ~FamilyBlocks() = default;

  virtual std::vector<BlockInfo> blocks() const = 0;
};

}  // namespace tributary
