#pragma once
/// WaveController: the counter array of a GPU's DMA engine that limits injection (Klenk et al., ISCA 2020, IV-D, Figure 6).

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/probe.h"

namespace tributary {

/// Has a row for each wave in flight: {busy, base, size, goal, count}. A response is counted in the row whose range holds
/// its block; at the goal the row is freed, and the request generator regains its credits.
class WaveController {
 public:
  explicit WaveController(std::uint32_t counters) : rows_(counters), probes_(counters) {}

  /// Blocks of a request; requests of different messages use the same block numbers.
  struct Wave {
    std::uint64_t base = 0;
    std::uint32_t blocks = 0;
    std::uint32_t goal = 0;  ///< responses that complete it
    std::uint32_t tag = 0;   ///< tag of its request

    bool holds(std::uint64_t block, std::uint32_t of) const { return block - base < blocks && tag == of; }
  };

  /// Allocates a free counter; returns false if there is none.
  bool allocate(const Wave& wave, Tick now);
  /// Allocates that counter; returns false if it is busy.
  bool allocate_at(std::size_t counter, const Wave& wave, Tick now);
  /// Returns true if a wave in flight waits for that block of the request `tag`.
  bool holds(std::uint64_t block, std::uint32_t tag) const;
  /// Counts responses for a block. Returns the base of the wave that they complete; its counter is then free. Throws
  /// std::logic_error for a block of no wave in flight.
  std::optional<std::uint64_t> arrived(std::uint64_t block, Tick now, std::uint32_t responses = 1, std::uint32_t tag = 0);

  /// As arrived(), by the number of the counter.
  std::optional<std::uint64_t> arrived_at(std::size_t counter, std::uint64_t block, Tick now, std::uint32_t responses = 1,
                                          std::uint32_t tag = 0);

  std::uint32_t counters() const { return static_cast<std::uint32_t>(rows_.size()); }
  std::uint32_t in_flight() const { return in_flight_; }
  /// Returns a line per wave in flight. `name`: of a counter, before its number.
  std::vector<std::string> waiting(const std::string& name = "dma.wave") const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Row {
    Wave wave;
    std::uint32_t count = 0;
    bool busy = false;
    bool holds(std::uint64_t block, std::uint32_t tag) const { return busy && wave.holds(block, tag); }
  };
  struct RowProbes {
    SignalProbe base, count;
  };
  std::size_t row_of(std::uint64_t block, std::uint32_t tag);
  std::optional<std::uint64_t> count(std::size_t i, Tick now, std::uint32_t responses);
  [[noreturn, gnu::cold]] static void belongs_to_none(std::uint64_t block);
  [[noreturn, gnu::cold]] static void belongs_to_another(std::uint64_t block, std::size_t counter);

  std::vector<Row> rows_;
  std::deque<RowProbes> probes_;
  std::uint32_t in_flight_ = 0;
  static constexpr std::uint64_t near_blocks = 32;  // half of the default wave
  std::array<std::uint32_t, 128> last_hit_{};       // by block / near_blocks: the row of the last hit
};

// Responses arrive in any order, but nearby blocks mostly belong to one row.
inline std::size_t WaveController::row_of(std::uint64_t block, std::uint32_t tag) {
  std::uint32_t& hit = last_hit_[block / near_blocks % last_hit_.size()];
  if (hit < rows_.size() && rows_[hit].holds(block, tag)) return hit;
  for (hit = 0; hit < rows_.size(); ++hit)
    if (rows_[hit].holds(block, tag)) return hit;
  belongs_to_none(block);
}

inline std::optional<std::uint64_t> WaveController::arrived(std::uint64_t block, Tick now, std::uint32_t responses,
                                                            std::uint32_t tag) {
  return count(row_of(block, tag), now, responses);
}

inline std::optional<std::uint64_t> WaveController::arrived_at(std::size_t i, std::uint64_t block, Tick now,
                                                               std::uint32_t responses, std::uint32_t tag) {
  if (i >= rows_.size() || !rows_[i].holds(block, tag)) belongs_to_another(block, i);
  return count(i, now, responses);
}

inline std::optional<std::uint64_t> WaveController::count(std::size_t i, Tick now, std::uint32_t responses) {
  Row& row = rows_[i];
  row.count += responses;
  probes_[i].count(now, row.count);
  if (row.count < row.wave.goal) return std::nullopt;
  row.busy = false;
  --in_flight_;
  return row.wave.base;
}

}  // namespace tributary
