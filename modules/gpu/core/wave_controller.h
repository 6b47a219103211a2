#pragma once
/// WaveController: the counter array of a GPU's DMA engine that limits injection (Klenk et al., ISCA 2020, IV-D, Figure 6).

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/probe.h"

namespace tributary {

/// A row for each wave in flight: {busy, base, size, goal, count}. A response is counted at the row whose range holds its
/// block; at the goal the row is free again and its credits go back to the request generator.
class WaveController {
 public:
  explicit WaveController(std::uint32_t counters) : rows_(counters), probes_(counters) {}

  /// Takes a free counter for `blocks` blocks from `base` on, complete after `goal` responses; false if there is none.
  bool allocate(std::uint64_t base, std::uint32_t blocks, std::uint32_t goal, Tick now);
  /// Counts responses for a block. Returns the base of the wave that it completes; its counter is free then.
  /// Throws std::logic_error for a block of no wave in flight.
  std::optional<std::uint64_t> arrived(std::uint64_t block, Tick now, std::uint32_t responses = 1);

  std::uint32_t in_flight() const { return in_flight_; }
  /// One line per wave in flight.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Row {
    bool busy = false;
    std::uint64_t base = 0;
    std::uint32_t blocks = 0, goal = 0, count = 0;
  };
  struct RowProbes {
    SignalProbe base, count;
  };
  std::vector<Row> rows_;
  std::deque<RowProbes> probes_;
  std::uint32_t in_flight_ = 0;
  std::size_t last_hit_ = 0;
};

}  // namespace tributary
