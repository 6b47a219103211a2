#pragma once
/// BeatTablePort: connects a BeatTable to the table socket of an NVSwitch port.

#include <functional>
#include <memory>

#include "modules/nvswitch/core/beat_sequencer.h"
#include "modules/nvswitch/reduction_table_module.h"

namespace tributary {

/// docs/blocks/reduction_table.md#beats states the obligations of port and table.
class BeatTablePort : public ReductionTableModule {
 public:
  /// Throws std::invalid_argument with rank_order, which beats do not support.
  BeatTablePort(const sc_core::sc_module_name& name, const ReductionTableConfig& config, std::unique_ptr<BeatTable> table);
  ~BeatTablePort() override;

  BeatTable& table() { return *table_; }
  const BeatSequencer& sequencer() const { return sequencer_; }

  std::vector<std::string> waiting() const override { return sequencer_.waiting(); }
  void reset() override { sequencer_.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    sequencer_.describe(directory, prefix, table_->capacity());
    table_->describe(directory, prefix);
  }

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time&) override { sequencer_.access(t); }

  std::unique_ptr<BeatTable> table_;
  BeatSequencer sequencer_;
};

using BeatTableFactory = std::function<std::unique_ptr<BeatTable>(const ReductionTableConfig&)>;
/// Returns a factory for a switch or a platform whose ports drive beat tables. If `make` returns null, the port has the
/// table of `otherwise`.
ReductionTableFactory behind_beats(BeatTableFactory make, ReductionTableFactory otherwise = make_reduction_table);

/// Creates a ReferenceBeatTable of that configuration.
std::unique_ptr<BeatTable> make_reference_beat_table(const ReductionTableConfig& config);

}  // namespace tributary
