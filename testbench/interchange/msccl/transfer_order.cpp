#include "testbench/interchange/msccl/transfer_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "modules/base/index.h"

namespace tributary::msccl {
namespace {

using collective::Operation;
using collective::OperationKind;
using collective::Schedule;
using MessageKey = std::tuple<int, int, int, int>;  // from, to, slot, step

MessageKey message_of(int rank, const Operation& o) {
  if (o.kind == OperationKind::send) return {rank, o.peer, o.slot, o.step};
  return {o.peer, rank, o.slot, o.step};
}

/// Transfers before they are ordered.
class Unordered {
 public:
  explicit Unordered(const Schedule& schedule) {
    std::map<MessageKey, std::size_t> sent;
    for (int r = 0; r < schedule.ranks; ++r) add_rank(r, schedule.programs[at(r)], sent);
    for (const auto& [key, receiver] : received_) {
      before_[receiver].push_back(sent.at(key));
      messages_.push_back({sent.at(key), receiver});
    }
  }

  std::vector<Transfer> ordered() {
    std::vector<std::size_t> order = sorted(), place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    set_channels(place);
    std::vector<Transfer> result;
    for (const std::size_t t : order) {
      result.push_back(std::move(transfers_[t]));
      for (std::size_t& other : result.back().after) other = place[other];
    }
    return result;
  }

 private:
  void add_rank(int rank, const std::vector<Operation>& program, std::map<MessageKey, std::size_t>& sent) {
    std::map<int, std::size_t> transfer_of;  // transfer by operation
    std::map<MessageKey, std::size_t> mine;  // transfers that this rank receives
    for (std::size_t i = 0; i < program.size(); ++i) {
      const Operation& o = program[i];
      const MessageKey key = message_of(rank, o);
      const bool sends = o.kind == OperationKind::send;
      const auto known = mine.find(key);
      const std::size_t t = !sends && known != mine.end() ? known->second : transfers_.size();
      if (t == transfers_.size()) {
        transfers_.push_back({rank, o.peer, o.chunk, sends, false, !sends, 0, {}});
        keys_.emplace_back();
        before_.emplace_back();
      }
      keys_[t] = {i, rank};
      if (o.kind == OperationKind::reduce) transfers_[t].reduces = true;
      if (o.kind == OperationKind::reduce || o.kind == OperationKind::copy) transfers_[t].signals = false;
      (sends ? sent : mine)[key] = t;
      transfer_of[o.id] = t;
    }
    for (const Operation& o : program)
      for (const int d : o.deps)
        if (transfer_of.at(d) != transfer_of.at(o.id)) {
          transfers_[transfer_of[o.id]].after.push_back(transfer_of[d]);
          before_[transfer_of[o.id]].push_back(transfer_of[d]);
        }
    received_.insert(mine.begin(), mine.end());
  }

  /// Orders the transfers by the time at which they would begin if each message lasted one unit of time on the link between
  /// its ranks.
  std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> missing(transfers_.size(), 0), order;
    std::vector<std::size_t> begins(transfers_.size(), 0);
    std::vector<std::vector<std::size_t>> next(transfers_.size());
    std::map<std::pair<int, int>, std::size_t> link_free;  // (from, to)
    std::set<std::tuple<std::size_t, std::pair<std::size_t, int>, std::size_t>> ready;
    for (std::size_t t = 0; t < transfers_.size(); ++t) {
      missing[t] = before_[t].size();
      for (const std::size_t b : before_[t]) next[b].push_back(t);
      if (missing[t] == 0) ready.insert({0, keys_[t], t});
    }
    while (!ready.empty()) {
      const auto [time, key, t] = *ready.begin();
      ready.erase(ready.begin());
      std::size_t end = time;
      if (transfers_[t].sends) {
        std::size_t& free = link_free[{transfers_[t].rank, transfers_[t].peer}];
        if (free > time) {
          ready.insert({free, key, t});
          continue;
        }
        end = free = time + 1;
      }
      order.push_back(t);
      for (const std::size_t n : next[t]) {
        begins[n] = std::max(begins[n], end);
        if (--missing[n] == 0) ready.insert({begins[n], keys_[n], n});
      }
    }
    if (order.size() < transfers_.size())
      throw collective::ScheduleError("messages wait for sums of other messages, which wait for them");
    return order;
  }

  /// Assigns channels by first fit, in the order of sends.
  void set_channels(const std::vector<std::size_t>& place) {
    std::sort(messages_.begin(), messages_.end(),
              [&](const auto& a, const auto& b) { return place[a.first] < place[b.first]; });
    // (from, to) -> receiver of the last message of each channel
    std::map<std::pair<int, int>, std::vector<std::size_t>> last;
    for (const auto& [sender, receiver] : messages_) {
      std::vector<std::size_t>& channels = last[{transfers_[sender].rank, transfers_[sender].peer}];
      const auto free =
          std::find_if(channels.begin(), channels.end(), [&](std::size_t before) { return before < place[receiver]; });
      transfers_[sender].channel = transfers_[receiver].channel = static_cast<int>(free - channels.begin());
      if (free == channels.end())
        channels.push_back(place[receiver]);
      else
        *free = place[receiver];
    }
  }

  std::vector<Transfer> transfers_;
  std::vector<std::pair<std::size_t, int>> keys_;  ///< (position in its program, rank)
  std::vector<std::vector<std::size_t>> before_;   ///< transfers that must precede it
  std::map<MessageKey, std::size_t> received_;
  std::vector<std::pair<std::size_t, std::size_t>> messages_;  ///< (sender, receiver)
};

}  // namespace

std::vector<Transfer> transfers_of(const Schedule& schedule) { return Unordered(schedule).ordered(); }

}  // namespace tributary::msccl
