#include "modules/gpu/core/wave_controller.h"

#include <stdexcept>

namespace tributary {

bool WaveController::allocate(std::uint64_t base, std::uint32_t blocks, std::uint32_t goal, Tick now) {
  if (in_flight_ == rows_.size()) return false;
  std::size_t i = 0;
  while (rows_[i].busy) ++i;
  rows_[i] = {true, base, blocks, goal, 0};
  ++in_flight_;
  probes_[i].base(now, base);
  probes_[i].count(now, 0);
  return true;
}

std::optional<std::uint64_t> WaveController::arrived(std::uint64_t block, Tick now, std::uint32_t responses) {
  const auto holds = [&](const Row& r) { return r.busy && block - r.base < r.blocks; };
  std::size_t i = last_hit_;
  if (i >= rows_.size() || !holds(rows_[i])) {
    for (i = 0; i < rows_.size() && !holds(rows_[i]);) ++i;
    if (i == rows_.size()) throw std::logic_error("a response for block " + std::to_string(block) + " belongs to no wave");
    last_hit_ = i;
  }
  Row& row = rows_[i];
  row.count += responses;
  probes_[i].count(now, row.count);
  if (row.count < row.goal) return std::nullopt;
  row.busy = false;
  --in_flight_;
  return row.base;
}

std::vector<std::string> WaveController::waiting() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].busy)
      lines.push_back("dma.wave" + std::to_string(i) + ": " + std::to_string(rows_[i].count) + " of " +
                      std::to_string(rows_[i].goal) + " responses for blocks " + std::to_string(rows_[i].base) + " to " +
                      std::to_string(rows_[i].base + rows_[i].blocks - 1));
  return lines;
}

void WaveController::reset() {
  for (Row& r : rows_) r = {};
  in_flight_ = 0;
  last_hit_ = 0;
}

void WaveController::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const std::string wave = prefix + "wave" + std::to_string(i) + ".";
    directory.add_signal(wave + "base", probes_[i].base, SignalKind::level, 32, "first block of the wave in its request");
    directory.add_signal(wave + "count", probes_[i].count, SignalKind::level, 16, "responses so far");
  }
}

}  // namespace tributary
