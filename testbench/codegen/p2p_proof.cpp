#include "testbench/codegen/p2p_proof.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/workload/buffers.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

using collective::ScheduleError;

struct P2pStep {
  int rank = 0;
  std::size_t channel = 0;  // number of the channel among those of all ranks
  std::size_t place = 0;    // in its channel, from 1
  const ChannelStep* what = nullptr;
  std::vector<std::size_t> before = {};  // steps that end before it begins
  std::size_t partner = 0, known = 0;    // steps of that channel that end before it begins, directly
};

std::string describe(const P2pStep& s) {
  return "rank " + std::to_string(s.rank) + " channel " + std::to_string(s.what->channel) + " step " +
         std::to_string(s.place);
}

/// The steps that write and read one slot, in the order of their channels.
struct P2pSlot {
  std::vector<std::size_t> writes = {}, reads = {};
};

/// Data that a receive stores: the range of the sender that they come from.
struct Stored {
  std::uint64_t bytes = 0, origin = 0;
  int from = 0;
};

class P2pProof {
 public:
  P2pProof(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs)
      : job_(job), programs_(programs), slots_(programs.size()), stored_(programs.size()) {
    if (job.ranks.size() != programs.size())
      throw ScheduleError(std::to_string(programs.size()) + " programs for " + std::to_string(job.ranks.size()) + " ranks");
    for (std::size_t r = 0; r < programs.size(); ++r)
      rank_of_[static_cast<std::uint16_t>(job.ranks[r])] = static_cast<int>(r);
    list();
    count();
    for (std::size_t i = 0; i < steps_.size(); ++i) await(i);
    check_deadlock();
    note_knowledge();
    check_slots();
    check_ranges();
    check_result(message);
  }

 private:
  using Semaphore = std::pair<int, std::uint32_t>;  // rank, number

  int rank_of(const P2pStep& s, std::uint16_t endpoint) const {
    const auto found = rank_of_.find(endpoint);
    if (found == rank_of_.end())
      throw ScheduleError(describe(s) + " names endpoint " + std::to_string(endpoint) + ", which is no rank");
    if (found->second == s.rank) throw ScheduleError(describe(s) + " names its own rank");
    return found->second;
  }
  static bool sends(const P2pStep& s) { return s.what->peer != ChannelStep::none; }

  void list() {
    std::map<std::pair<int, std::uint16_t>, std::size_t> numbers;
    for (std::size_t r = 0; r < programs_.size(); ++r)
      for (const ChannelStep& what : programs_[r].steps) {
        const int rank = static_cast<int>(r);
        const std::size_t channel = numbers.try_emplace({rank, what.channel}, channels_.size()).first->second;
        if (channel == channels_.size()) channels_.emplace_back();
        std::vector<std::size_t>& mine = channels_[channel];
        P2pStep s{rank, channel, mine.size() + 1, &what};
        if (!mine.empty()) s.before.push_back(mine.back());
        mine.push_back(steps_.size());
        check_shape(s);
        steps_.push_back(std::move(s));
      }
  }

  void check_shape(const P2pStep& s) const {
    const ChannelStep& w = *s.what;
    if (w.channel >= programs_[at(s.rank)].channels) throw ScheduleError(describe(s) + ": there is no such channel");
    if (w.bytes == 0) throw ScheduleError(describe(s) + " has no bytes");
    const bool good = sends(s) ? w.reads_own && !w.reads_input && !w.stores && w.giver == ChannelStep::none
                               : !w.reads_own && w.reads_input && w.stores;
    if (!good) throw ScheduleError(describe(s) + " neither sends local data nor stores those of a slot");
  }

  /// Lists the steps that add 1 to each semaphore in the order of their additions.
  void count() {
    const auto add = [&](std::size_t i, std::uint16_t endpoint, std::uint32_t semaphore) {
      if (endpoint == ChannelStep::none) return;
      const P2pStep& s = steps_[i];
      const int rank = rank_of(s, endpoint);
      if (semaphore >= programs_[at(rank)].semaphores)
        throw ScheduleError(describe(s) + ": there is no semaphore " + std::to_string(semaphore) + " at rank " +
                            std::to_string(rank));
      std::vector<std::size_t>& adders = adders_[{rank, semaphore}];
      if (!adders.empty() && steps_[adders[0]].channel != s.channel)
        throw ScheduleError(describe(s) + " and " + describe(steps_[adders[0]]) + " add to one semaphore");
      adders.push_back(i);
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      add(i, steps_[i].what->peer, steps_[i].what->tell);
      add(i, steps_[i].what->giver, steps_[i].what->grant);
    }
  }

  /// Notes the step that raises the awaited semaphore to its value. A send waits for grants alone, a receive for arrivals.
  void await(std::size_t i) {
    P2pStep& s = steps_[i];
    const bool out = sends(s);
    if ((out ? s.what->arrivals : s.what->grants) != 0) throw ScheduleError(describe(s) + " waits for two semaphores");
    const std::uint32_t semaphore = out ? s.what->granted : s.what->arrived, value = out ? s.what->grants : s.what->arrivals;
    if (value == 0) return;
    const auto found = adders_.find({s.rank, semaphore});
    const std::size_t counted = found == adders_.end() ? 0 : found->second.size();
    if (value > counted)
      throw ScheduleError(describe(s) + " waits until semaphore " + std::to_string(semaphore) + " is " +
                          std::to_string(value) + "; it reaches only " + std::to_string(counted));
    const std::size_t adder = found->second[value - 1];
    s.before.push_back(adder);
    s.partner = steps_[adder].channel, s.known = steps_[adder].place;
  }

  /// Executes all steps, each after the steps that end before it begins.
  void check_deadlock() const {
    std::vector<std::vector<std::size_t>> followers(steps_.size());
    std::vector<std::size_t> missing(steps_.size()), ready;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      missing[i] = steps_[i].before.size();
      for (const std::size_t b : steps_[i].before) followers[b].push_back(i);
      if (missing[i] == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::size_t i = ready.back();
      ready.pop_back();
      for (const std::size_t f : followers[i])
        if (--missing[f] == 0) ready.push_back(f);
    }
    if (done == steps_.size()) return;
    for (std::size_t i = 0; i < steps_.size(); ++i)
      for (const std::size_t b : steps_[i].before)
        if (missing[i] > 0 && missing[b] > 0 && steps_[b].channel != steps_[i].channel)
          throw ScheduleError("deadlock: " + describe(steps_[i]) + " waits for " + describe(steps_[b]));
    throw ScheduleError("deadlock");
  }

  /// Steps inherit what earlier steps of their channel have waited for, as long as these waited for the same channel.
  void note_knowledge() {
    for (const std::vector<std::size_t>& channel : channels_)
      for (std::size_t k = 1; k < channel.size(); ++k) {
        P2pStep& s = steps_[channel[k]];
        const P2pStep& earlier = steps_[channel[k - 1]];
        if (s.known == 0) s.partner = earlier.partner;
        if (s.partner == earlier.partner) s.known = std::max(s.known, earlier.known);
      }
  }
  bool knows(const P2pStep& s, const P2pStep& earlier) const {
    return s.partner == earlier.channel && s.known >= earlier.place;
  }

  void check_slots() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const ChannelStep& w = *steps_[i].what;
      if (sends(steps_[i]))
        slots_[at(rank_of(steps_[i], w.peer))][w.destination].writes.push_back(i);
      else
        slots_[at(steps_[i].rank)][w.input].reads.push_back(i);
    }
    for (const auto& of_rank : slots_)
      for (const auto& [address, slot] : of_rank) check_slot(slot);
  }

  void check_slot(const P2pSlot& slot) {
    if (slot.reads.size() > slot.writes.size())
      throw ScheduleError(describe(steps_[slot.reads[slot.writes.size()]]) + " reads a slot to which nothing has been sent");
    if (slot.reads.size() < slot.writes.size())
      throw ScheduleError("no step reads what " + describe(steps_[slot.writes[slot.reads.size()]]) + " sends");
    for (std::size_t i = 0; i < slot.reads.size(); ++i) {
      const P2pStep &write = steps_[slot.writes[i]], &read = steps_[slot.reads[i]];
      if (write.channel != steps_[slot.writes[0]].channel || read.channel != steps_[slot.reads[0]].channel)
        throw ScheduleError(describe(write) + " and " + describe(read) + " use a slot of other channels");
      if (!knows(read, write))
        throw ScheduleError(describe(read) + " does not wait for the data that " + describe(write) + " sends");
      if (i > 0 && !knows(write, steps_[slot.reads[i - 1]]))
        throw ScheduleError(describe(write) + " overwrites a slot before " + describe(steps_[slot.reads[i - 1]]) +
                            " has read it");
      if (write.what->bytes != read.what->bytes)
        throw ScheduleError(describe(read) + " does not have the bytes that " + describe(write) + " sends");
      const Stored stored{read.what->bytes, write.what->own, write.rank};
      if (!stored_[at(read.rank)].try_emplace(read.what->own, stored).second)
        throw ScheduleError(describe(read) + " stores at an address for the second time");
    }
  }

  void check_ranges() const {
    struct Range {
      std::uint64_t begin, end;
      bool slot;
    };
    std::vector<std::vector<Range>> ranges(programs_.size());  // [rank]
    for (const P2pStep& s : steps_) {
      const ChannelStep& w = *s.what;
      ranges[at(s.rank)].push_back({w.own, w.own + w.bytes, false});
      if (!sends(s)) ranges[at(s.rank)].push_back({w.input, w.input + w.bytes, true});
    }
    for (std::size_t r = 0; r < ranges.size(); ++r) {
      std::sort(ranges[r].begin(), ranges[r].end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
      Range last{0, 0, false};
      for (const Range& range : ranges[r]) {
        const bool again = range.slot && last.slot && range.begin == last.begin;  // a slot is used in turn
        if (range.begin < last.end && !again)
          throw ScheduleError("rank " + std::to_string(r) + ": ranges of memory overlap at address " +
                              std::to_string(range.begin));
        last = {range.begin, again ? std::max(range.end, last.end) : range.end, range.slot};
      }
    }
  }

  /// Returns the element of the rank's operand that begins the range in its memory at the start.
  std::uint64_t element_at(int rank, std::uint64_t address, std::uint64_t bytes) const {
    const auto& mine = initial_.at(rank);
    const auto next = mine.upper_bound(address);
    if (next == mine.begin() || address + bytes > std::prev(next)->second.address + std::prev(next)->second.bytes)
      throw ScheduleError("rank " + std::to_string(rank) + " sends from address " + std::to_string(address) +
                          ", where it has no data");
    const OperandRange& range = std::prev(next)->second;
    return range.first_element + (address - range.address) / element_size(job_.type);
  }

  void check_result(Bytes message) {
    const Collective& collective = collective_of(job_.collective);
    for (const OperandRange& range : of_all_kernels(job_, message, collective.initial(job_, message)))
      if (range.bytes > 0) initial_[range.at.front()].emplace(range.address, range);
    std::size_t used = 0, all = 0;
    for (const OperandRange& range : of_all_kernels(job_, message, collective.result(job_, message)))
      for (const int rank : range.at) used += check_range(range, rank);
    for (const auto& of_rank : stored_) all += of_rank.size();
    if (used != all) throw ScheduleError("data are stored that are no result");
  }

  /// Returns the number of receives that stored the range. Data that no receive stored are the rank's own.
  std::size_t check_range(const OperandRange& range, int rank) const {
    const auto& mine = stored_[at(rank)];
    std::size_t used = 0;
    for (std::uint64_t a = range.address, end = range.address + range.bytes; a < end;) {
      const auto next = mine.lower_bound(a);
      const bool here = next != mine.end() && next->first == a;
      const int from = here ? next->second.from : rank;
      const std::uint64_t size = here ? next->second.bytes : next == mine.end() ? end - a : std::min(end, next->first) - a;
      const std::uint64_t element = element_at(from, here ? next->second.origin : a, size);
      if (range.operands != std::vector<int>{from} || a + size > end ||
          element != range.first_element + (a - range.address) / element_size(job_.type))
        throw ScheduleError("rank " + std::to_string(rank) + " does not end with the data of rank " +
                            std::to_string(range.operands.front()) + " at address " + std::to_string(a));
      a += size;
      used += here ? 1 : 0;
    }
    return used;
  }

  const JobSpec& job_;
  const std::vector<StreamProgram>& programs_;
  std::map<std::uint16_t, int> rank_of_;  // by endpoint
  std::vector<P2pStep> steps_;
  std::vector<std::vector<std::size_t>> channels_;  // [channel] its steps
  std::map<Semaphore, std::vector<std::size_t>> adders_;
  std::vector<std::map<std::uint64_t, P2pSlot>> slots_;  // [rank], by address
  std::vector<std::map<std::uint64_t, Stored>> stored_;  // [rank], by address
  std::map<int, std::map<std::uint64_t, OperandRange>> initial_;
};

}  // namespace

void prove_p2p(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs) {
  P2pProof(job, message, programs);
}

}  // namespace tributary
