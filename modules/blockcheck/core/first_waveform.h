#pragma once
/// FirstWaveform: a value change dump of the transactions and pins around the first difference of a shadow.

#include <cstdint>
#include <deque>
#include <string>

#include "modules/blockcheck/core/block_access.h"
#include "modules/blockcheck/core/pin_waveform.h"

namespace tributary {

class FirstWaveform {
 public:
  static constexpr std::size_t most_before = 64;  ///< transactions, that of the difference included
  static constexpr std::size_t most_after = 64;

  /// A transaction with the answers of the model and of the block. Call after the comparison; `differs`: the answers differ.
  void add(const BlockAccess& model, const BlockAccess& block, bool differs);
  /// The next transactions are the last ones that are kept.
  bool full() const { return found_ && after_ == most_after; }

  /// Returns the dump. `place` names the scope. Requests change at their times, and answers at the times at which they are
  /// valid; a transaction that is not later than the one before is shown 1 ps after it. `pins`: `rtl.PIN` of a block in RTL,
  /// which are `shift` later than their requests.
  std::string vcd(const std::string& place, const PinWaveform* pins = nullptr, Tick shift = 0) const;

 private:
  struct Step {
    BlockAccess model;
    FieldValues answer;  // the answer of the block
    Tick interval = 0, latency = 0;
    bool differs = false;
  };
  std::deque<Step> steps_;
  std::size_t after_ = 0;
  bool found_ = false;
};

}  // namespace tributary
