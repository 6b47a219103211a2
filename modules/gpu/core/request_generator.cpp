#include "modules/gpu/core/request_generator.h"

#include <algorithm>
#include <numeric>

#include "modules/base/random.h"

namespace tributary {

RequestGenerator::RequestGenerator(const DmaParams& params, std::uint32_t counters, std::uint64_t seed, std::uint32_t gpu)
    : params_(params), counters_(counters), seed_(seed), gpu_(gpu), own_waves_(counters) {}

void RequestGenerator::submit(const Request& request, Tick now) {
  requests_.push_back(request);
  if (requests_.size() == 1) grant(now);
}

void RequestGenerator::grant(Tick now) {
  if (requests_.empty() || shared_) return;
  const Request& r = requests_.front();
  if (limited(r))
    grant_waves(r, now);
  else if (without_waves(r) && r.responses_per_block != 0)
    grant_without_waves(r, now);
  else
    granted_ = r.block_count;
  credits_probe(now, granted_ - issued_);
}

void RequestGenerator::share(RequestGenerator& first, WaveController& multicasts) {
  waves_ = &first.own_waves_;
  multicasts_ = &multicasts;
  shared_ = true;
}

bool RequestGenerator::wants() const { return !requests_.empty() && (granted_ < requests_.front().block_count); }

bool RequestGenerator::grant_one(Tick now) {
  const Request& r = requests_.front();
  if (!limited(r)) {
    granted_ = r.block_count;
    return true;
  }
  const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(r.wave_blocks, r.block_count - granted_));
  WaveController::Wave wave{r.first_block + granted_, blocks, blocks * r.responses_per_block, r.tag};
  if (r.responses_per_wave != 0) wave.goal = r.responses_per_wave;
  if (!waves_of(r).allocate(wave, now)) return false;
  granted_ += blocks;
  ++held_[r.multicasts];
  return true;
}

void RequestGenerator::grant_waves(const Request& r, Tick now) {
  while (granted_ < r.block_count) {
    const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(r.wave_blocks, r.block_count - granted_));
    WaveController::Wave wave{r.first_block + granted_, blocks, blocks * r.responses_per_block, r.tag};
    if (r.responses_per_wave != 0) wave.goal = r.responses_per_wave;
    const bool found = params_.counter_lookup == CounterLookup::address
                           ? waves_->allocate(wave, now)
                           : waves_->allocate_at(granted_ / r.wave_blocks % counters_, wave, now);
    if (!found) break;
    granted_ += blocks;
  }
  const bool starved = granted_ == 0 && r.block_count != 0;
  if (!starved) {
    tries_ = 0;
    retry_at_ = never;
  } else if (retry_at_ == never || retry_at_ <= now) {
    retry_at_ = now + params_.retry_delay.value;
  }
}

void RequestGenerator::grant_without_waves(const Request& r, Tick now) {
  if (r.outstanding != 0) {
    const std::uint64_t in_flight = (pending_ + r.responses_per_block - 1) / r.responses_per_block;
    const std::uint64_t room = r.outstanding > in_flight ? r.outstanding - in_flight : 0;
    granted_ = std::min(r.block_count, std::max(granted_, issued_ + room));
    return;
  }
  if (pending_ != 0 || issued_ < granted_ || granted_ == r.block_count) return;
  if (granted_ == 0 || retry_at_ == now) {
    granted_ = std::min<std::uint64_t>(r.block_count, granted_ + r.segment_blocks);
    retry_at_ = never;
  } else if (retry_at_ == never) {
    retry_at_ = now + params_.request_delay.value;
  }
}

std::uint8_t RequestGenerator::counter() const {
  if (counters_ == 0 || params_.counter_lookup == CounterLookup::address) return 0;
  return static_cast<std::uint8_t>(issued_ / requests_.front().wave_blocks % counters_);
}

void RequestGenerator::retry(Tick now) {
  if (!requests_.empty() && without_waves(requests_.front())) return grant(now);
  retries(now, ++tries_);
  grant(now);
  if (retry_at_ == never || params_.retry_limit == 0 || tries_ < params_.retry_limit) return;
  error_ = "dma: no free wave counter after " + std::to_string(tries_) + " tries";
  retry_at_ = never;
}

/// Returns the block of the request at a position of a shuffled order of windows of `width` blocks.
std::uint64_t RequestGenerator::shuffled(const Request& r, std::uint64_t width, std::uint64_t position) {
  const bool in_waves = limited(r);
  if (in_waves) width = std::min<std::uint64_t>(width, r.wave_blocks);  // a block outside the waves in flight has no counter
  if (width < 2) return position;
  const std::uint64_t wave_start = in_waves ? position / r.wave_blocks * r.wave_blocks : 0;
  const std::uint64_t start = wave_start + (position - wave_start) / width * width;
  if (start != window_start_) {
    const std::uint64_t end = in_waves ? std::min(r.block_count, wave_start + r.wave_blocks) : r.block_count;
    window_.resize(static_cast<std::size_t>(std::min(width, end - start)));
    std::iota(window_.begin(), window_.end(), 0u);
    const std::uint64_t stream = mix64((serial_ << 32) ^ gpu_) ^ start;
    for (std::size_t i = window_.size(); i > 1; --i)
      std::swap(window_[i - 1], window_[below(random_at(seed_, stream, i), i)]);
    window_start_ = start;
  }
  return start + window_[position - start];
}

bool RequestGenerator::issued(Tick now) {
  ++issued_;
  if (without_waves(requests_.front())) pending_ += requests_.front().responses_per_block;
  credits_probe(now, granted_ - issued_);
  if (issued_ < requests_.front().block_count) return false;
  requests_.pop_front();
  issued_ = granted_ = 0;
  window_start_ = ~std::uint64_t{0};
  ++serial_;
  grant(now);
  return true;
}

void RequestGenerator::arrived(std::uint64_t block, Tick now, std::uint32_t responses, unsigned counter, std::uint32_t tag) {
  if (pending_ != 0 && !waves_->holds(block, tag)) {
    pending_ -= std::min<std::uint64_t>(pending_, responses);
    return grant(now);
  }
  if (counters_ == 0 || waves_->in_flight() == 0) return;
  const auto over = params_.counter_lookup == CounterLookup::address
                        ? waves_->arrived(block, now, responses, tag)
                        : waves_->arrived_at(counter, block, now, responses, tag);
  if (!over) return;
  const bool starved = !requests_.empty() && granted_ == 0;  // a request without any counter waits for its next try
  if (!starved) grant(now);
}

std::vector<std::string> RequestGenerator::waiting() const {
  std::vector<std::string> lines = waves_->waiting();
  if (!requests_.empty())
    lines.push_back("dma: " + std::to_string(issued_) + " of " + std::to_string(requests_.front().block_count) +
                    " blocks issued, " + std::to_string(granted_ - issued_) + " credits" +
                    (retry_at_ == never ? "" : ", waits for a free wave counter"));
  return lines;
}

void RequestGenerator::reset() {
  own_waves_.reset();
  requests_.clear();
  waves_ = &own_waves_;
  multicasts_ = nullptr;
  shared_ = false;
  held_ = {};
  issued_ = granted_ = pending_ = 0;
  tries_ = 0;
  retry_at_ = never;
  error_.clear();
  window_start_ = ~std::uint64_t{0};
  serial_ = 0;
}

void RequestGenerator::describe(ProbeDirectory& directory, const std::string& prefix) {
  own_waves_.describe(directory, prefix);
  directory.add_signal(prefix + "credits", credits_probe, SignalKind::level, 32, "blocks that may be requested now");
  directory.add_signal(prefix + "retries", retries, SignalKind::strobe, 32, "no free counter (number of tries)");
}

}  // namespace tributary
