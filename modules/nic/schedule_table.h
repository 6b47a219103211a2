#pragma once
/// ScheduleTable: module with the schedule table of a NIC, for the NIC's socket (Huang et al., ISCA 2021, IV-A).

#include "modules/base/sysc/target_module.h"
#include "modules/nic/core/schedule_rows.h"

namespace tributary {

/// Accessed by generic payloads: software writes entries of 200 bits (entry_code.h), the NIC reads them; row r is at
/// address r x 25. An access needs no time beyond the parameter `table.read`, which the NIC counts; one beyond the last row
/// returns TLM_ADDRESS_ERROR_RESPONSE.
class ScheduleTable : public TargetModule<> {
 public:
  ScheduleTable(const sc_core::sc_module_name& name, std::uint32_t entries) : TargetModule(name), rows_(entries) {}

  std::uint32_t capacity() const { return rows_.capacity(); }
  void reset() override { rows_.reset(); }
  void describe(ProbeDirectory& directory) override { rows_.describe(directory, std::string(name()) + "."); }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;

  ScheduleRows rows_;
};

}  // namespace tributary
