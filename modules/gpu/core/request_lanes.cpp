#include "modules/gpu/core/request_lanes.h"

namespace tributary {

RequestLanes::RequestLanes(const DmaParams& params, std::uint32_t counters, std::uint64_t seed, std::uint32_t gpu)
    : params_(params), counters_(counters), seed_(seed), gpu_(gpu), first_(params, counters, seed, gpu) {}

void RequestLanes::use(unsigned lanes, std::size_t tags) {
  at_ = &first_, turn_ = 0;
  if (!others_.empty()) first_.reset();
  others_.clear();
  lane_of_tag_.clear();
  if (lanes < 2) return;
  lane_of_tag_.resize(tags);
  first_.share(first_);
  for (unsigned i = 1; i < lanes; ++i) others_.emplace_back(params_, counters_, seed_ + i, gpu_).share(first_);
}

void RequestLanes::submit(const Request& request, unsigned number, Tick now) {
  lane(number).submit(request, now);
  if (others_.empty()) return;
  lane_of_tag_[request.tag] = number;
  share(now);
}

void RequestLanes::arrived_shared(std::uint64_t block, Tick now, std::uint32_t responses, std::uint32_t tag) {
  if (counters_ == 0 || first_.waves().in_flight() == 0) return;
  if (!first_.waves().arrived(block, now, responses, tag)) return;
  lane(lane_of_tag_[tag]).wave_over();
  share(now);
}

/// Grants free counters.
void RequestLanes::share(Tick now) {
  while (RequestGenerator* const next = next_to_grant())
    if (!next->grant_one(now)) break;
  if (!at_->ready()) next_lane();
}

RequestGenerator* RequestLanes::next_to_grant() {
  std::uint32_t none = 0;
  for (std::size_t i = 0; i < lanes(); ++i) none += lane(i).waves_held() == 0 ? 1 : 0;
  const std::uint32_t free = counters_ - first_.waves().in_flight();
  RequestGenerator* best = nullptr;
  for (std::size_t i = 0; i < lanes(); ++i) {
    RequestGenerator& l = lane(i);
    if (!l.wants()) continue;
    if (counters_ != 0 && l.waves_held() != 0 && free <= none) continue;
    if (best == nullptr || l.waves_held() < best->waves_held()) best = &l;
  }
  return best;
}

/// Selects the next lane that may issue; keeps the lane if none may.
void RequestLanes::next_lane() {
  for (std::size_t k = 1; k <= lanes(); ++k) {
    const std::size_t i = (turn_ + k) % lanes();
    if (!lane(i).ready()) continue;
    turn_ = i, at_ = &lane(i);
    return;
  }
}

std::vector<std::string> RequestLanes::waiting() const {
  std::vector<std::string> lines = first_.waiting();
  for (const RequestGenerator& other : others_)
    for (std::string& line : other.waiting())
      // the first generator reports the waves of all lanes
      if (line.rfind("dma.wave", 0) != 0) lines.push_back(std::move(line));
  return lines;
}

void RequestLanes::reset() {
  first_.reset();
  use(1, 0);
}

void RequestLanes::reseed(std::uint64_t seed) {
  seed_ = seed;
  first_.reseed(seed);
}

}  // namespace tributary
