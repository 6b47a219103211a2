#pragma once
/// ReductionUnit: module with the adders of a NIC's accelerator, for the NIC's socket (Huang et al., ISCA 2021, IV-A).

#include "modules/base/sysc/target_module.h"
#include "modules/nic/core/reduction_core.h"

namespace tributary {

/// An operand of the reduction unit. Without data: a chunk has arrived completely, and the unit adds to the delay the time
/// until it is added to the node's own chunk. With data: the data of a packet, which the unit adds to `sum` immediately, in
/// zero time; used only with Nic::Parts::unit_adds_data.
struct ReductionOperand {
  std::uint64_t elements = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  std::byte* sum = nullptr;
  const std::byte* data = nullptr;
};

struct ReductionProtocol {
  using tlm_payload_type = ReductionOperand;
  using tlm_phase_type = tlm::tlm_phase;
};

class ReductionUnit : public TargetModule<ReductionProtocol> {
 public:
  ReductionUnit(const sc_core::sc_module_name& name, const ReductionUnitParams& params, Time clock)
      : TargetModule(name), core_(params, clock) {}

  void reset() override { core_.reset(); }
  void describe(ProbeDirectory& directory) override { core_.describe(directory, std::string(name()) + "."); }

 private:
  void b_transport(ReductionOperand& operand, sc_core::sc_time& delay) override;

  ReductionCore core_;
};

}  // namespace tributary
