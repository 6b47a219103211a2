#include "testbench/collective/schedule/class_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tributary::collective {
namespace {

/// A message between two given ranks in one direction: slot and step.
using Key = std::pair<int, int>;
Key sent(const RankEvent& e) { return {e.out_slot, e.out_step}; }
Key received(const RankEvent& e) { return {e.in_slot, e.in_step}; }

/// The events of a peer that send to a rank or use its messages, by message.
struct PeerMessages {
  std::map<Key, std::size_t> senders, arrivals;
  std::map<Key, std::vector<std::size_t>> readers;

  /// `first`: number of the peer's first event. Returns false if a message is sent or awaited twice.
  bool add(const RankEvents& of_peer, int rank, std::size_t first) {
    for (std::size_t i = 0; i < of_peer.events.size(); ++i) {
      const RankEvent& e = of_peer.events[i];
      if (e.to == rank && !senders.emplace(sent(e), first + i).second) return false;
      if (e.from != rank) continue;
      if (e.waits && !arrivals.emplace(received(e), first + i).second) return false;
      readers[received(e)].push_back(first + i);
    }
    return true;
  }
};

}  // namespace

ClassGraph::ClassGraph(const Symmetry& symmetry, const EventSource& source)
    : symmetry_(symmetry), valid_(load(source) && join_messages(source) && sort()) {
  if (valid_) number_chains();
}

bool ClassGraph::load(const EventSource& source) {
  RankEvents own;
  for (std::size_t k = 0; k < symmetry_.representatives().size(); ++k) {
    own.clear();
    if (!source(symmetry_.representatives()[k], own)) return false;
    first_.push_back(events_.size());
    for (const RankEvent& e : own.events) {
      std::vector<std::size_t>& before = before_.emplace_back();
      for (std::uint32_t d = e.first_after; d < e.end_after; ++d) before.push_back(first_.back() + own.after[d]);
      class_.push_back(k);
      events_.push_back(e);
    }
  }
  first_.push_back(events_.size());
  sender_.resize(events_.size());
  reception_.resize(events_.size());
  return true;
}

bool ClassGraph::join_messages(const EventSource& source) {
  RankEvents of_peer;
  for (std::size_t k = 0; k + 1 < first_.size(); ++k) {
    std::set<int> peers;
    for (std::size_t e = first_[k]; e < first_[k + 1]; ++e)
      for (const int peer : {events_[e].from, events_[e].to})
        if (peer != RankEvent::no_peer) peers.insert(peer);
    for (const int peer : peers) {
      of_peer.clear();
      if (!source(peer, of_peer) || !join(first_[k], first_[k + 1], peer, of_peer)) return false;
    }
  }
  return true;
}

/// Joins the events from `first` to before `end`, of one rank, to those of a peer.
bool ClassGraph::join(std::size_t first, std::size_t end, int peer, const RankEvents& of_peer) {
  const std::size_t peers_first = first_[symmetry_.class_of(peer)], renaming = symmetry_.renaming_to(peer);
  PeerMessages messages;
  if (!messages.add(of_peer, rank_of(first), peers_first)) return false;
  std::set<Key> own;
  for (std::size_t e = first; e < end; ++e) {
    const RankEvent& event = events_[e];
    if (event.from == peer) {
      const auto sender = messages.senders.find(received(event));
      if (sender == messages.senders.end() || of_peer.events[sender->second - peers_first].chunk != event.chunk)
        return false;
      sender_[e] = {sender->second, renaming};
    }
    if (event.to != peer) continue;
    const auto arrival = messages.arrivals.find(sent(event));
    if (arrival == messages.arrivals.end() || !own.insert(sent(event)).second) return false;
    reception_[e] = {arrival->second, messages.readers.at(sent(event))};
  }
  return true;
}

bool ClassGraph::sort() {
  std::vector<std::vector<std::size_t>> next(events_.size());
  std::vector<std::size_t> pending(events_.size(), 0);
  for (std::size_t e = 0; e < events_.size(); ++e) {
    for (const std::size_t b : before_[e]) next[b].push_back(e), ++pending[e];
    if (events_[e].waits) next[sender_[e].event].push_back(e), ++pending[e];
    if (pending[e] == 0) order_.push_back(e);
  }
  for (std::size_t done = 0; done < order_.size(); ++done)
    for (const std::size_t n : next[order_[done]])
      if (--pending[n] == 0) order_.push_back(n);
  return order_.size() == events_.size();
}

void ClassGraph::number_chains() {
  chain_.resize(events_.size());
  position_.resize(events_.size());
  clock_.resize(events_.size());
  std::vector<std::vector<std::uint32_t>> lengths(first_.size() - 1);  // [class][chain]
  for (const std::size_t e : order_) {
    std::vector<std::uint32_t>& length = lengths[class_[e]];
    std::vector<std::uint32_t> clock(length.size(), 0);
    for (const std::size_t b : before_[e])
      for (std::size_t c = 0; c < clock_[b].size(); ++c) clock[c] = std::max(clock[c], clock_[b][c]);
    std::size_t chain = 0;
    while (chain < length.size() && clock[chain] != length[chain]) ++chain;
    if (chain == length.size()) length.push_back(0), clock.push_back(0);
    chain_[e] = chain;
    clock[chain] = position_[e] = ++length[chain];
    clock_[e] = std::move(clock);
    chains_ = std::max(chains_, length.size());
  }
}

}  // namespace tributary::collective
