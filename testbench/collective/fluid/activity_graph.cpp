#include "testbench/collective/fluid/activity_graph.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tributary::collective {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("fluid: " + what); }

}  // namespace

std::uint32_t ActivityGraph::add_link(double rate, double multiplicity) {
  if (!(rate > 0) || !std::isfinite(rate) || !(multiplicity > 0)) refuse("a link needs a rate and a multiplicity above 0");
  rate_.push_back(rate);
  link_multiplicity_.push_back(multiplicity);
  return static_cast<std::uint32_t>(rate_.size() - 1);
}

ActivityGraph::Id ActivityGraph::add(const Activity& a) {
  if (!(a.bytes >= 0) || !std::isfinite(a.bytes) || !(a.latency >= 0) || !std::isfinite(a.latency) || !(a.cap > 0) ||
      !(a.multiplicity > 0))
    refuse("an activity with a negative number");
  if (a.bytes > 0 && a.uses.empty() && a.cap == no_cap) refuse("an activity with bytes needs a link or a cap");
  for (std::size_t i = 0; i < a.uses.size(); ++i) {
    const FluidUse& use = a.uses[i];
    if (use.link >= rate_.size()) refuse("unknown link " + std::to_string(use.link));
    if (!(use.weight > 0) || !std::isfinite(use.weight)) refuse("a weight must be above 0");
    for (std::size_t j = 0; j < i; ++j)
      if (a.uses[j].link == use.link) refuse("link " + std::to_string(use.link) + " is listed twice");
  }
  for (const FluidUse& use : a.uses) uses_.push_back({use.link, use.weight * a.multiplicity / link_multiplicity_[use.link]});
  bytes_.push_back(a.bytes);
  cap_.push_back(a.cap);
  latency_.push_back(a.latency);
  start_.push_back(0);
  first_use_.push_back(static_cast<std::uint32_t>(uses_.size()));
  missing_.push_back(0);
  first_follower_.push_back(none);
  lane_.push_back(a.lane);
  if (a.lane != no_lane) lanes_ = std::max(lanes_, a.lane + 1);
  return static_cast<Id>(bytes_.size() - 1);
}

void ActivityGraph::after(Id later, Id earlier, Moment moment, double delay, DelayKind kind) {
  if (later >= size() || earlier >= size()) refuse("unknown activity " + std::to_string(std::max(later, earlier)));
  if (!(delay >= 0) || !std::isfinite(delay)) refuse("a negative delay");
  followers_.push_back({later, moment, kind, delay, first_follower_[earlier]});
  first_follower_[earlier] = static_cast<std::uint32_t>(followers_.size() - 1);
  ++missing_[later];
}

void ActivityGraph::not_before(Id activity, double when) { start_.at(activity) = std::max(start_.at(activity), when); }

void ActivityGraph::reserve(std::size_t activities, std::size_t uses, std::size_t waits) {
  for (std::vector<double>* of_each : {&bytes_, &cap_, &latency_, &start_}) of_each->reserve(activities);
  for (std::vector<std::uint32_t>* of_each : {&first_use_, &missing_, &first_follower_, &lane_})
    of_each->reserve(activities + 1);
  uses_.reserve(uses);
  followers_.reserve(waits);
}

std::vector<double> ActivityGraph::link_bytes() const {
  std::vector<double> bytes(rate_.size(), 0);
  for (std::size_t a = 0; a < size(); ++a)
    for (std::size_t u = first_use_[a]; u < first_use_[a + 1]; ++u) bytes[uses_[u].link] += bytes_[a] * uses_[u].weight;
  return bytes;
}

}  // namespace tributary::collective
