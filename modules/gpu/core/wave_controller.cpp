#include "modules/gpu/core/wave_controller.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

bool WaveController::allocate(const Wave& wave, Tick now) {
  if (in_flight_ == rows_.size()) return false;
  std::size_t i = 0;
  while (rows_[i].busy) ++i;
  return allocate_at(i, wave, now);
}

bool WaveController::allocate_at(std::size_t i, const Wave& wave, Tick now) {
  if (rows_.at(i).busy) return false;
  rows_[i] = {wave, 0, true};
  ++in_flight_;
  probes_[i].base(now, wave.base);
  probes_[i].count(now, 0);
  return true;
}

bool WaveController::holds(std::uint64_t block, std::uint32_t tag) const {
  return in_flight_ != 0 && std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.holds(block, tag); });
}

void WaveController::belongs_to_none(std::uint64_t block) {
  throw std::logic_error("a response for block " + std::to_string(block) + " belongs to no wave");
}

void WaveController::belongs_to_another(std::uint64_t block, std::size_t counter) {
  throw std::logic_error("a response for block " + std::to_string(block) + " names wave counter " + std::to_string(counter) +
                         ", which counts other blocks");
}

std::vector<std::string> WaveController::waiting(const std::string& name) const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].busy)
      lines.push_back(name + std::to_string(i) + ": " + std::to_string(rows_[i].count) + " of " +
                      std::to_string(rows_[i].wave.goal) + " responses for blocks " + std::to_string(rows_[i].wave.base) +
                      " to " + std::to_string(rows_[i].wave.base + rows_[i].wave.blocks - 1));
  return lines;
}

void WaveController::reset() {
  for (Row& r : rows_) r = {};
  in_flight_ = 0;
  last_hit_.fill(0);
}

void WaveController::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const std::string wave = prefix + "wave" + std::to_string(i) + ".";
    directory.add_signal(wave + "base", probes_[i].base, SignalKind::level, 32, "first block of the wave in its request");
    directory.add_signal(wave + "count", probes_[i].count, SignalKind::level, counter_bits, "responses so far");
  }
}

}  // namespace tributary
