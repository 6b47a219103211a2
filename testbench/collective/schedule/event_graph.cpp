#include "testbench/collective/schedule/event_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

bool operator<(const Message& a, const Message& b) {
  return std::tie(a.from, a.to, a.slot, a.step) < std::tie(b.from, b.to, b.slot, b.step);
}

EventGraph::EventGraph(std::vector<Event> events) : events_(std::move(events)) {
  before_.reserve(events_.size());
  for (const Event& e : events_) before_.push_back(e.after);
  match_messages();
  sort();
  number_chains();
}

void EventGraph::match_messages() {
  std::map<Message, std::size_t> sender, receiver;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& e = events_[i];
    if (e.sends && !sender.emplace(*e.sends, i).second)
      throw ScheduleError(e.label + " sends the same message as " + events_[sender.at(*e.sends)].label);
    if (e.waits_for && !receiver.emplace(*e.waits_for, i).second)
      throw ScheduleError(e.label + " receives the same message as " + events_[receiver.at(*e.waits_for)].label);
  }
  for (const auto& [message, i] : receiver) {
    const auto from = sender.find(message);
    if (from == sender.end())
      throw ScheduleError(events_[i].label + " waits forever: rank " + std::to_string(message.from) + " never sends it");
    before_[i].push_back(from->second);
  }
  for (const auto& [message, i] : sender)
    if (receiver.count(message) == 0)
      throw ScheduleError(events_[i].label + " is never received by rank " + std::to_string(message.to));
}

void EventGraph::sort() {
  std::vector<std::vector<std::size_t>> next(events_.size());
  std::vector<std::size_t> pending(events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    pending[i] = before_[i].size();
    for (const std::size_t b : before_[i]) next[b].push_back(i);
    if (pending[i] == 0) order_.push_back(i);
  }
  for (std::size_t done = 0; done < order_.size(); ++done)
    for (const std::size_t n : next[order_[done]])
      if (--pending[n] == 0) order_.push_back(n);
  if (order_.size() < events_.size()) report_cycle(pending);
}

void EventGraph::report_cycle(const std::vector<std::size_t>& pending) const {
  const auto blocked = [&](std::size_t i) { return pending[i] != 0; };
  std::size_t at = 0;
  while (!blocked(at)) ++at;
  std::vector<std::size_t> path;  // each blocked event waits for a blocked one: follow them until one repeats
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    at = *std::find_if(before_[at].begin(), before_[at].end(), blocked);
  }
  std::string text = "deadlock: ";
  for (auto i = std::find(path.begin(), path.end(), at); i != path.end(); ++i) text += events_[*i].label + " waits for ";
  throw ScheduleError(text + events_[at].label);
}

void EventGraph::number_chains() {
  chain_.resize(events_.size());
  place_.resize(events_.size());
  clock_.resize(events_.size());
  std::vector<int> length;                         // events of each chain
  std::map<int, std::vector<std::size_t>> chains;  // chains of each rank
  for (const std::size_t i : order_) {
    const std::vector<std::size_t>& before = before_[i];
    std::vector<int> clock;
    clock.reserve(length.size() + 1);  // it may begin a chain
    if (!before.empty()) clock = clock_[before.front()];
    clock.resize(length.size(), 0);
    for (std::size_t k = 1; k < before.size(); ++k) {
      const std::vector<int>& other = clock_[before[k]];
      for (std::size_t c = 0; c < other.size(); ++c) clock[c] = std::max(clock[c], other[c]);
    }

    auto& own = chains[events_[i].rank];
    const auto tail = std::find_if(own.begin(), own.end(), [&](std::size_t c) { return clock[c] == length[c]; });
    if (tail != own.end()) {
      chain_[i] = *tail;
    } else {
      chain_[i] = length.size();
      own.push_back(chain_[i]);
      length.push_back(0);
      clock.push_back(0);
    }
    place_[i] = ++length[chain_[i]];
    clock[chain_[i]] = place_[i];
    clock_[i] = std::move(clock);
  }
}

bool EventGraph::happens_before(std::size_t a, std::size_t b) const {
  const std::vector<int>& clock = clock_[b];
  return a != b && chain_[a] < clock.size() && clock[chain_[a]] >= place_[a];
}

bool EventGraph::precedes_locally(std::size_t a, std::size_t b) const {
  std::vector<bool> seen(events_.size(), false);
  std::vector<std::size_t> open = events_[b].after;
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    if (i == a) return true;
    if (seen[i]) continue;
    seen[i] = true;
    open.insert(open.end(), events_[i].after.begin(), events_[i].after.end());
  }
  return false;
}

}  // namespace tributary::collective
