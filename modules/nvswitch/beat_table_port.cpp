#include "modules/nvswitch/beat_table_port.h"

#include <stdexcept>
#include <utility>

#include "modules/nvswitch/core/reference_beat_table.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

BeatTablePort::BeatTablePort(const sc_core::sc_module_name& name, const ReductionTableConfig& config,
                             std::unique_ptr<BeatTable> table)
    : ReductionTableModule(name), table_(std::move(table)), sequencer_(this->name(), *table_, config.line_rate) {
  if (config.rank_order)
    throw std::invalid_argument(std::string(this->name()) + ": a beat table adds in order of arrival, not of ranks");
}

BeatTablePort::~BeatTablePort() = default;

ReductionTableFactory behind_beats(BeatTableFactory make, ReductionTableFactory otherwise) {
  return [make = std::move(make), otherwise = std::move(otherwise)](
             const char* name, const ReductionTableConfig& config) -> std::unique_ptr<ReductionTableModule> {
    std::unique_ptr<BeatTable> table = make(config);
    if (table == nullptr) return otherwise(name, config);
    return std::make_unique<BeatTablePort>(name, config, std::move(table));
  };
}

std::unique_ptr<BeatTable> make_reference_beat_table(const ReductionTableConfig& config) {
  return std::make_unique<ReferenceBeatTable>(static_cast<std::uint32_t>(config.bytes / block_bytes), config.timeout);
}

}  // namespace tributary
