#pragma once
/// RtlTable: reduction_table.sv, Verilated, as the BeatTable of a port.

#include <memory>

#include "modules/nvswitch/core/beat_table.h"

namespace tributary {

/// Has 32 entries (4 KiB), a timeout of 2 us, and sums of i32 only. Throws std::invalid_argument for other types and
/// operations.
class RtlTable : public BeatTable {
 public:
  RtlTable();
  ~RtlTable() override;

  Out clock(const In& in) override;
  void reset() override;
  std::uint32_t capacity() const override { return 32; }
  /// Signals of the RTL: `rtl.occupancy`, and `rtl.lane0` for each output beat.
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Rtl;
  void edge();

  std::unique_ptr<Rtl> rtl_;
  Tick now_ = 0;  // time of the latest header, and the edges since then
  SignalProbe occupancy_, lane0_;
};

}  // namespace tributary
