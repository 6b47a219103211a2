#pragma once
/// ReductionUnit: module with the adders of a NIC's accelerator, for the NIC's socket (Huang et al., ISCA 2021, IV-A).

#include "modules/base/access_timing.h"
#include "modules/base/element.h"
#include "modules/base/late_answer.h"
#include "modules/base/sysc/target_module.h"
#include "modules/nic/nic_params.h"

namespace tributary {

/// An operand of the reduction unit. Without data: a chunk has arrived completely, and enters the unit. The NIC counts the
/// passes of the chunk (ReductionCore). The unit adds to `timing.interval` the time for which it is busy beyond them, and to
/// the delay the latency of the sum beyond them. With data: the data of a packet, which the unit adds to `sum` immediately,
/// in zero time; used only with Nic::Parts::unit_adds_data. A unit with the facet DeferringBlock copies the data of a packet
/// instead, and writes its sum by the time at which its chunk is added; `sum` stays valid until then.
struct ReductionOperand {
  std::uint64_t elements = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  std::byte* sum = nullptr;
  const std::byte* data = nullptr;
  Timing timing{};
  std::uint64_t chunk = 0;  ///< in: number of the chunk; its packets have the same number
  LateAnswer late{};        ///< for a chunk: its sum is added later, and with `interval_follows` the next chunk accepted
};

struct ReductionProtocol {
  using tlm_payload_type = ReductionOperand;
  using tlm_phase_type = tlm::tlm_phase;
};

/// The latency is the parameter `reduction.latency`.
class ReductionUnit : public TargetModule<ReductionProtocol> {
 public:
  ReductionUnit(const sc_core::sc_module_name& name, const ReductionUnitParams& params)
      : TargetModule(name), latency_(params.latency) {}

 private:
  void b_transport(ReductionOperand& operand, sc_core::sc_time& delay) override;

  Time latency_;
};

}  // namespace tributary
