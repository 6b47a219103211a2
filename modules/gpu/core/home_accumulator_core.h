#pragma once
/// HomeAccumulatorCore: engine that adds the partial sums sent to a GPU (Klenk et al., ISCA 2020, IV-C).

#include <string>
#include <vector>

#include "modules/gpu/core/engine_seat.h"
#include "modules/gpu/core/partial_sums.h"

namespace tributary {

/// A complete sum is ready after one memory read. It is multicast; if all members add it locally, or it is for this GPU
/// only, it becomes visible here.
class HomeAccumulatorCore final : public GpuEngine {
 public:
  explicit HomeAccumulatorCore(EngineSeat seat) : seat_(seat), sums_(seat.config().rank_order) {}

  EngineScope scope() const override { return {EngineScope::bit_of(Opcode::red_partial), 0, 0}; }
  void run(Tick, EngineTimer) override {}
  void packet(Packet* packet, Arrival from, Tick now) override;
  std::vector<std::string> waiting() const override { return sums_.waiting(); }
  void reset() override { sums_.reset(); }
  void describe(ProbeDirectory& directory, const std::string& name) override;

  /// Strobes with the block number: a partial sum has arrived; a sum is complete.
  SignalProbe partials, results;

 private:
  Packet* own_copy(Packet* packet);

  EngineSeat seat_;
  PartialSums sums_;
};

}  // namespace tributary
