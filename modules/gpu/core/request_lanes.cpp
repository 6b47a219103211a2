#include "modules/gpu/core/request_lanes.h"

#include <utility>

namespace tributary {

RequestLanes::RequestLanes(const DmaParams& params, std::uint32_t counters, std::uint64_t seed, std::uint32_t gpu,
                           std::uint32_t multicast_counters)
    : params_(params),
      counters_(counters),
      seed_(seed),
      gpu_(gpu),
      first_(params, counters, seed, gpu),
      multicasts_(multicast_counters) {}

void RequestLanes::use(unsigned lanes, std::vector<Tag> tags) {
  at_ = &first_, turn_ = 0;
  if (!others_.empty()) first_.reset(), multicasts_.reset();
  others_.clear();
  tags_.clear();
  if (lanes < 2) return;
  tags_ = std::move(tags);
  uses_.assign(lanes, {});
  for (const Tag& tag : tags_) uses_.at(tag.lane)[tag.multicasts] = true;
  first_.share(first_, multicasts_);
  for (unsigned i = 1; i < lanes; ++i) others_.emplace_back(params_, counters_, seed_ + i, gpu_).share(first_, multicasts_);
}

void RequestLanes::submit(const Request& request, unsigned number, Tick now) {
  lane(number).submit(request, now);
  if (!others_.empty()) share(now);
}

void RequestLanes::arrived_shared(std::uint64_t block, Tick now, std::uint32_t responses, std::uint32_t tag) {
  const bool multicasts = tags_[tag].multicasts;
  WaveController& waves = multicasts ? multicasts_ : first_.waves();
  if (waves.in_flight() == 0 || !waves.arrived(block, now, responses, tag)) return;
  lane(tags_[tag].lane).wave_over(multicasts);
  share(now);
}

/// Grants free counters.
void RequestLanes::share(Tick now) {
  for (const bool multicasts : {false, true})
    while (RequestGenerator* const next = next_to_grant(multicasts))
      if (!next->grant_one(now)) break;
  if (!at_->ready()) next_lane();
}

RequestGenerator* RequestLanes::next_to_grant(bool multicasts) {
  const WaveController& waves = multicasts ? multicasts_ : first_.waves();
  std::uint32_t none = 0;
  for (std::size_t i = 0; i < lanes(); ++i) none += uses(i, multicasts) && lane(i).waves_held(multicasts) == 0 ? 1 : 0;
  const std::uint32_t free = waves.counters() - waves.in_flight();
  RequestGenerator* best = nullptr;
  for (std::size_t i = 0; i < lanes(); ++i) {
    RequestGenerator& l = lane(i);
    if (!l.wants() || l.multicasts() != multicasts) continue;
    const std::uint32_t held = l.waves_held(multicasts);
    if (waves.counters() != 0 && held != 0 && free <= none) continue;
    if (best == nullptr || held < best->waves_held(multicasts)) best = &l;
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
  for (std::string& line : multicasts_.waiting("dma.multicast_wave")) lines.push_back(std::move(line));
  return lines;
}

void RequestLanes::reset() {
  first_.reset();
  use(1, {});
}

void RequestLanes::reseed(std::uint64_t seed) {
  seed_ = seed;
  first_.reseed(seed);
}

}  // namespace tributary
