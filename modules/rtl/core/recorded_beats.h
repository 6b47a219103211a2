#pragma once
/// RecordedBeats: the beats that a block in RTL would receive and send for the transactions of a record.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/blockcheck/core/block_beats.h"
#include "modules/rtl/core/beat_text.h"
#include "modules/rtl/core/clock_domain.h"

namespace tributary {

/// A class for each block converts its transactions. A beat takes a clock of its channel; requests that begin in the same
/// clock follow one another.
class RecordedBeats : public BlockBeats {
 public:
  static constexpr std::uint64_t most_bits = 65536;  ///< bits of a beat

  /// `period`: of the block's clock, ps.
  RecordedBeats(const PinTable& table, Tick period) : table_(table), clock_(period), period_(period) {}

  void accessed(const BlockAccess& access, Lines& lines) final;
  void finish(Lines& lines) final;
  std::string block() const final { return table_.block; }
  const std::map<std::string, std::uint64_t>& parameters() const final { return parameters_; }
  std::vector<Channel> channels() const final;
  Tick origin() const final { return clock_.time_of(0); }

 protected:
  /// Sets the parameters that widths depend on from the first transactions. Returns false if more are needed; `all`: there
  /// are no more.
  virtual bool determine(const std::vector<BlockAccess>& /*first*/, bool /*all*/, PinParameters& /*parameters*/) {
    return true;
  }
  /// Converts a transaction by send() and expect().
  virtual void convert(const BlockAccess& access) = 0;

  const BeatLayout& channel(unsigned number) const { return layouts_[number]; }
  std::uint64_t parameter(const char* name) const { return width_of(table_, 1, name, parameters_); }
  std::uint64_t edge_at(Tick t) const { return clock_.edge_at(t); }
  /// Returns a time in clocks, rounded up.
  std::uint64_t clocks(Tick t) const { return (t + period_ - 1) / period_; }

  /// Sends the beats of a request in successive clocks from `edge` on, or when the channel is free. The next one begins
  /// `gap` clocks after the last of them at the earliest. Returns the edge of the first beat.
  std::uint64_t send(unsigned unit, unsigned channel, std::uint64_t edge, std::vector<RtlBeat> beats, std::uint64_t gap = 1);
  /// Expects the beats of an answer, from `edge` on or when those before them have left.
  void expect(unsigned unit, unsigned channel, std::uint64_t edge, std::vector<ExpectedBeat> beats);

 private:
  void start(bool all, Lines& lines);
  std::uint64_t& free_at(unsigned unit, unsigned channel);

  const PinTable& table_;
  ClockDomain clock_;
  Tick period_;
  PinParameters parameters_;
  std::vector<BlockAccess> waiting_;  // before the parameters are known
  std::vector<BeatLayout> layouts_;
  std::vector<std::vector<std::uint64_t>> free_at_;  // edges, by unit and channel
  Lines* lines_ = nullptr;
  std::string line_;
};

/// Return the beats of a part of an accelerator or of a NIC, of a reduction table, an arbiter or a copy engine; null for
/// other blocks, and for one whose configuration pins cannot express.
std::unique_ptr<BlockBeats> recorded_accelerator_beats(const BlockPlace& place);
std::unique_ptr<BlockBeats> recorded_nic_beats(const BlockPlace& place);
std::unique_ptr<BlockBeats> recorded_table_beats(const BlockPlace& place);
std::unique_ptr<BlockBeats> recorded_arbiter_beats(const BlockPlace& place);
std::unique_ptr<BlockBeats> recorded_copy_beats(const BlockPlace& place);

/// Returns the text of a parameter in the configuration of a block; empty if there is none.
std::string config_text(const BlockPlace& place, const char* key);
/// Returns the data of a field; null if it has none.
const std::byte* data_of(const FieldValues& values, const char* key);

}  // namespace tributary
