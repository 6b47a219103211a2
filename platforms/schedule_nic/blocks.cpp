#include "platforms/schedule_nic/blocks.h"

#include "modules/base/sysc/payload_fields.h"
#include "modules/nic/core/entry_code.h"
#include "modules/nic/reduction_fields.h"
#include "platforms/observed_blocks.h"

namespace tributary {
namespace {

/// An access is one of a row.
struct RowFields : PayloadFields {
  RowFields() : PayloadFields(sizeof(EntryCode)) {}
};

Tick nic_clock(const NicCore::Config& c) { return c.schedule.params.clock.value; }

void nic_fields(FieldVisitor& v, NicCore::Config& c) {
  v.number("node", c.schedule.node);
  v.number("table_entries", c.table_entries);
  if (v.sets() && c.table_entries > 65535)
    throw FieldError("field `table_entries` is " + std::to_string(c.table_entries) + " (legal: at most 65535)");
  visit_parameters(v, ParameterSet(c.schedule.params));
}

const ObservableBlock<TargetKit<tlm::tlm_base_protocol_types, RowFields>, NicCore::Config>& observable_table() {
  static const ObservableBlock<TargetKit<tlm::tlm_base_protocol_types, RowFields>, NicCore::Config> table{
      schedule_table_slot,
      [](const char* name, const NicCore::Config& c) { return std::make_unique<ScheduleTable>(name, c.table_entries); },
      nic_clock, nic_fields, monitor_of<MemoryMonitor>(unsigned{sizeof(EntryCode)})};
  return table;
}

const ObservableBlock<TargetKit<ReductionProtocol, ReductionFields>, NicCore::Config>& observable_unit() {
  static const ObservableBlock<TargetKit<ReductionProtocol, ReductionFields>, NicCore::Config> unit{
      reduction_unit_slot,
      [](const char* name, const NicCore::Config& c) {
        return std::make_unique<ReductionUnit>(name, c.schedule.params.reduction);
      },
      nic_clock, nic_fields, monitor_of<ReductionMonitor>()};
  return unit;
}

}  // namespace

std::vector<BlockInfo> schedule_nic_blocks() {
  return {
      {schedule_table_slot.name, "schedule table of each NIC (Nic::Factory<TargetModule<>>)", "modules/nic/nic.h"},
      {reduction_unit_slot.name,
       "reduction unit of each NIC, which also adds the data (Nic::Factory<TargetModule<ReductionProtocol>>)",
       "modules/nic/nic.h"},
      {nic_memory_slot.name, "memory of each NIC, a MemoryModule (Nic::Factory<TargetModule<>>)", "modules/nic/nic.h"},
      {nic_compute_slot.name,
       "compute engine of each NIC's node, in training steps by packets (Nic::Factory<ComputeModule>)", "modules/nic/nic.h"},
  };
}

std::unique_ptr<BlockDriver> drive_schedule_nic_block(const std::string& block, const char* name,
                                                      const BlockFactories* factories, const FieldValues& config) {
  return drive_block(block, name, factories, config, observable_table(), observable_unit());
}

BlockPlace schedule_nic_block_alone(const std::string& block) {
  return block_alone(block, observable_table(), observable_unit());
}

Tick schedule_nic_block_clock(const std::string& block, const FieldValues& config) {
  return block_clock(block, config, observable_table(), observable_unit());
}

void replace_blocks(Nic::Parts& parts, const BlockFactories& blocks) {
  observable_table().replace(parts.table, blocks);
  if (const auto* make = blocks.find(nic_memory_slot)) parts.memory = *make;
  if (const auto* make = blocks.find(nic_compute_slot)) parts.compute = *make;
  if (observable_unit().replace(parts.reduction_unit, blocks)) parts.unit_adds_data = true;
}

}  // namespace tributary
