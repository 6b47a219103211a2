#include "testbench/record/time_bins.h"

#include <algorithm>

namespace tributary {

void TimeBins::grow(Tick time) {
  while ((time >> shift_) >= most) halve();
  if (bins_.size() <= (time >> shift_)) bins_.resize((time >> shift_) + 1, 0);
}

void TimeBins::halve() {
  for (std::size_t i = 0; 2 * i < bins_.size(); ++i)
    bins_[i] = bins_[2 * i] + (2 * i + 1 < bins_.size() ? bins_[2 * i + 1] : 0);
  bins_.resize((bins_.size() + 1) / 2);
  for (std::size_t i = 0; 2 * i < peaks_.size(); ++i)
    peaks_[i] = std::max(peaks_[2 * i], 2 * i + 1 < peaks_.size() ? peaks_[2 * i + 1] : 0);
  peaks_.resize((peaks_.size() + 1) / 2);
  ++shift_;
}

void TimeBins::add_level(Tick from, Tick to, double value) {
  if (to <= from || value == 0) return;
  grow(to - 1);
  peaks_.resize(bins_.size(), 0);
  while (from < to) {
    const auto bin = static_cast<std::size_t>(from >> shift_);
    const Tick end = std::min(to, static_cast<Tick>(bin + 1) << shift_);
    bins_[bin] += value * static_cast<double>(end - from);
    peaks_[bin] = std::max(peaks_[bin], value);
    from = end;
  }
}

}  // namespace tributary
