#include "testbench/run/driver.h"

#include "testbench/observe/block_trace.h"

namespace tributary {

std::unique_ptr<LifeTrace> Driver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<BlockTrace>(platform().links(), probes, query,
                                      [this](const PacketView& packet) { return chunk_of(packet); });
}

}  // namespace tributary
