#include "testbench/collective/fluid/fair_shares.h"

#include <algorithm>
#include <functional>

namespace tributary::collective {

FairShares::FairShares(std::vector<double> capacities) {
  for (const double capacity : capacities) {
    links_.emplace_back();
    links_.back().capacity = capacity;
  }
}

void FairShares::change(std::uint32_t link) {
  if (links_[link].changed) return;
  links_[link].changed = true;
  changed_.push_back(link);
}

void FairShares::add(std::uint32_t activity, const FluidUse* uses, std::size_t count, double cap) {
  if (activity >= states_.size()) states_.resize(std::max<std::size_t>(activity + 1, 2 * states_.size()));
  State& s = states_[activity];
  s.uses = uses, s.count = count, s.cap = cap, s.rate = 0;
  for (std::size_t u = 0; u < count; ++u) {
    links_[uses[u].link].activities.push_back(activity);
    change(uses[u].link);
  }
  if (count == 0) touched_.push_back(activity);
}

void FairShares::remove(std::uint32_t activity) {
  const State& s = states_[activity];
  for (std::size_t u = 0; u < s.count; ++u) {
    std::vector<std::uint32_t>& on = links_[s.uses[u].link].activities;
    on.erase(std::find(on.begin(), on.end(), activity));
    change(s.uses[u].link);
  }
}

const std::vector<std::uint32_t>& FairShares::settle() {
  result_.clear();
  ++turn_;
  for (const std::uint32_t activity : touched_) {
    states_[activity].rate = states_[activity].cap;
    result_.push_back(activity);
  }
  touched_.clear();
  std::sort(changed_.begin(), changed_.end());
  for (const std::uint32_t link : changed_) {
    links_[link].changed = false;
    if (links_[link].seen == turn_) continue;
    gather(link);
    fill();
    result_.insert(result_.end(), component_.begin(), component_.end());
  }
  changed_.clear();
  std::sort(result_.begin(), result_.end());
  return result_;
}

/// Collects all links and activities connected to the link, directly or through others.
void FairShares::gather(std::uint32_t first) {
  component_.clear();
  component_links_.assign(1, first);
  links_[first].seen = turn_;
  for (std::size_t i = 0; i < component_links_.size(); ++i)
    for (const std::uint32_t activity : links_[component_links_[i]].activities) {
      State& s = states_[activity];
      if (s.seen == turn_) continue;
      s.seen = turn_;
      component_.push_back(activity);
      for (std::size_t u = 0; u < s.count; ++u) {
        Link& link = links_[s.uses[u].link];
        if (link.seen == turn_) continue;
        link.seen = turn_;
        component_links_.push_back(s.uses[u].link);
      }
    }
}

/// Fills with a heap of link levels. A level only rises as activities are fixed, so a level in the heap is never too high
/// and is recomputed when popped.
void FairShares::fill() {
  for (const std::uint32_t l : component_links_) {
    Link& link = links_[l];
    link.left = link.capacity, link.weight = 0;
    link.rising = static_cast<std::uint32_t>(link.activities.size());
  }
  caps_.clear();
  for (const std::uint32_t activity : component_) {
    State& s = states_[activity];
    s.fixed = false;
    for (std::size_t u = 0; u < s.count; ++u) links_[s.uses[u].link].weight += s.uses[u].weight;
    if (s.cap != no_cap) caps_.emplace_back(s.cap, activity);
  }
  std::sort(caps_.begin(), caps_.end(), std::greater<>());  // lowest cap last
  levels_.clear();
  for (const std::uint32_t l : component_links_)
    if (links_[l].rising > 0) levels_.emplace_back(links_[l].left / links_[l].weight, l);
  const auto later = std::greater<>();
  std::make_heap(levels_.begin(), levels_.end(), later);
  double level = 0;
  for (rising_ = component_.size(); rising_ > 0;) {
    while (!caps_.empty() && states_[caps_.back().second].fixed) caps_.pop_back();
    if (!caps_.empty() && (levels_.empty() || caps_.back().first <= levels_.front().first)) {
      level = std::max(level, caps_.back().first);
      fix(caps_.back().second, caps_.back().first);
      continue;
    }
    std::pop_heap(levels_.begin(), levels_.end(), later);
    const auto [known, l] = levels_.back();
    levels_.pop_back();
    Link& link = links_[l];
    if (link.rising == 0) continue;
    const double now = std::max(0.0, link.left / link.weight);
    if (now > known) {
      levels_.emplace_back(now, l);
      std::push_heap(levels_.begin(), levels_.end(), later);
      continue;
    }
    level = std::max(level, now);
    for (const std::uint32_t activity : link.activities)
      if (!states_[activity].fixed) fix(activity, std::min(level, states_[activity].cap));
  }
}

void FairShares::fix(std::uint32_t activity, double rate) {
  State& s = states_[activity];
  s.fixed = true;
  s.rate = rate;
  --rising_;
  for (std::size_t u = 0; u < s.count; ++u) {
    Link& link = links_[s.uses[u].link];
    link.left -= rate * s.uses[u].weight;
    link.weight -= s.uses[u].weight;
    --link.rising;
  }
}

}  // namespace tributary::collective
