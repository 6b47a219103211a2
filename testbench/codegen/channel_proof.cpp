#include "testbench/codegen/channel_proof.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/workload/buffers.h"

namespace tributary {
namespace {

using collective::ScheduleError;

/// The content of a place: the address of its elements in the ranks' local data, and how often each rank's operand is in it.
struct Content {
  std::uint64_t origin = 0, bytes = 0;
  std::vector<int> count;
};

struct Step {
  int rank = 0;
  std::size_t index = 0;
  const ChannelStep* what = nullptr;
  std::vector<std::size_t> before = {};   // steps that end before it begins
  std::vector<std::uint32_t> clock = {};  // [rank and group] steps of its thread block that end before it begins, and itself
  std::uint32_t place = 0;                // index in its rank's channel, from 1
  std::uint32_t told = 0;                 // value of its peer's semaphore after the step
};

/// The accesses to one place of a rank's memory in the execution so far.
struct Place {
  std::uint64_t bytes = 0;
  unsigned block = 0;
  std::optional<std::size_t> written = {};
  std::vector<std::size_t> read = {};  // reads since `written`
  std::optional<Content> content = {};
};

std::string describe(const Step& s) {
  return "rank " + std::to_string(s.rank) + " channel " + std::to_string(s.what->channel) + " step " +
         std::to_string(s.place);
}

class ChannelProof {
 public:
  ChannelProof(const JobSpec& job, const std::vector<StreamProgram>& programs)
      : ranks_(programs.size()), groups_(programs.empty() ? 1 : programs[0].groups) {
    if (job.ranks.size() != ranks_)
      throw ScheduleError(std::to_string(ranks_) + " programs for " + std::to_string(job.ranks.size()) + " ranks");
    for (const StreamProgram& p : programs)
      if (p.groups != groups_ || groups_ == 0) throw ScheduleError("ranks whose thread blocks have unequal groups");
    for (std::size_t r = 0; r < ranks_; ++r) rank_of_[static_cast<std::uint16_t>(job.ranks[r])] = static_cast<int>(r);
    places_.resize(ranks_);
    list(programs);
    count(programs);
    await();
    check_places();
    run();
  }

  void check(const std::vector<OperandRange>& result) const {
    for (const OperandRange& range : result)
      for (const int rank : range.at) check(range, rank);
  }

 private:
  using Semaphore = std::pair<int, std::uint32_t>;  // rank, number

  unsigned block_of(const Step& s) const { return s.what->channel / groups_; }
  /// Returns the place of the step's rank and group in a clock.
  std::size_t clock_of(const Step& s) const {
    return static_cast<std::size_t>(s.rank) * groups_ + s.what->channel % groups_;
  }

  int rank_of(const Step& s, std::uint16_t endpoint) const {
    const auto found = rank_of_.find(endpoint);
    if (found == rank_of_.end())
      throw ScheduleError(describe(s) + " names endpoint " + std::to_string(endpoint) + ", which is no rank");
    return found->second;
  }

  void list(const std::vector<StreamProgram>& programs) {
    std::map<std::pair<int, std::uint16_t>, std::size_t> last;  // last step of each channel
    for (std::size_t r = 0; r < ranks_; ++r)
      for (const ChannelStep& what : programs[r].steps) {
        Step s{static_cast<int>(r), steps_.size(), &what};
        const auto [found, first] = last.try_emplace({s.rank, what.channel}, s.index);
        s.place = first ? 1 : steps_[found->second].place + 1;
        if (!first) s.before.push_back(found->second);
        found->second = s.index;
        if (what.channel >= programs[r].channels) throw ScheduleError(describe(s) + ": there is no such channel");
        steps_.push_back(std::move(s));
      }
  }

  /// Lists the steps that add 1 to each semaphore in the order of their additions.
  void count(const std::vector<StreamProgram>& programs) {
    const auto add = [&](const Step& s, std::uint16_t endpoint, std::uint32_t semaphore) -> std::uint32_t {
      if (endpoint == ChannelStep::none) return 0;
      const int rank = rank_of(s, endpoint);
      if (rank == s.rank) throw ScheduleError(describe(s) + " signals its own rank");
      if (semaphore >= programs[static_cast<std::size_t>(rank)].semaphores)
        throw ScheduleError(describe(s) + ": there is no semaphore " + std::to_string(semaphore) + " at rank " +
                            std::to_string(rank));
      std::vector<std::size_t>& adders = adders_[{rank, semaphore}];
      if (!adders.empty() && (steps_[adders[0]].rank != s.rank || steps_[adders[0]].what->channel != s.what->channel))
        throw ScheduleError(describe(s) + " and " + describe(steps_[adders[0]]) + " add to one semaphore");
      adders.push_back(s.index);
      return static_cast<std::uint32_t>(adders.size());
    };
    for (Step& s : steps_) {
      s.told = add(s, s.what->peer, s.what->tell);
      add(s, s.what->giver, s.what->grant);
    }
  }

  void await() {
    const auto wait = [&](Step& s, std::uint32_t semaphore, std::uint32_t value) {
      if (value == 0) return;
      const auto found = adders_.find({s.rank, semaphore});
      const std::size_t counted = found == adders_.end() ? 0 : found->second.size();
      if (value > counted)
        throw ScheduleError(describe(s) + " waits until semaphore " + std::to_string(semaphore) + " is " +
                            std::to_string(value) + "; it reaches only " + std::to_string(counted));
      const std::size_t adder = found->second[value - 1];
      if (block_of(steps_[adder]) != block_of(s))
        throw ScheduleError(describe(s) + " waits for another channel, " + describe(steps_[adder]));
      s.before.push_back(adder);
    };
    for (Step& s : steps_) {
      wait(s, s.what->arrived, s.what->arrivals);
      wait(s, s.what->granted, s.what->grants);
    }
  }

  /// Assigns the place at `address` to the step's thread block, and enlarges it to the step's bytes. Only a mailbox slot
  /// (`slot`) may be used with different sizes.
  void reserve(const Step& s, int rank, std::uint64_t address, bool slot) {
    Place& place = places_[static_cast<std::size_t>(rank)][address];
    if (place.bytes == 0) place.block = block_of(s);
    if (place.block != block_of(s)) throw ScheduleError(describe(s) + " uses a place of another channel");
    if (!slot && place.bytes != 0 && place.bytes != s.what->bytes)
      throw ScheduleError(describe(s) + " uses part of a slice of local data");
    place.bytes = std::max(place.bytes, s.what->bytes);
  }

  void check_places() {
    for (const Step& s : steps_) {
      if (s.what->bytes == 0) throw ScheduleError(describe(s) + " has no bytes");
      if (s.what->reads_own || s.what->stores) reserve(s, s.rank, s.what->own, false);
      if (s.what->reads_input) reserve(s, s.rank, s.what->input, true);
      if (s.what->peer != ChannelStep::none) reserve(s, rank_of(s, s.what->peer), s.what->destination, true);
    }
    for (std::size_t r = 0; r < ranks_; ++r) {
      std::uint64_t end = 0;
      for (const auto& [address, place] : places_[r]) {
        if (address < end)
          throw ScheduleError("rank " + std::to_string(r) + ": places of channels overlap at address " +
                              std::to_string(address));
        end = address + place.bytes;
      }
    }
  }

  /// Executes all steps, each after the steps that end before it begins.
  void run() {
    std::vector<std::vector<std::size_t>> followers(steps_.size());
    std::vector<std::size_t> missing(steps_.size()), ready;
    for (const Step& s : steps_) {
      missing[s.index] = s.before.size();
      for (const std::size_t b : s.before) followers[b].push_back(s.index);
      if (s.before.empty()) ready.push_back(s.index);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::size_t i = ready.back();
      ready.pop_back();
      carry_out(steps_[i]);
      for (const std::size_t f : followers[i])
        if (--missing[f] == 0) ready.push_back(f);
    }
    if (done < steps_.size()) report_deadlock(missing);
  }

  [[noreturn]] void report_deadlock(const std::vector<std::size_t>& missing) const {
    std::string text = "deadlock:";
    unsigned named = 0;
    for (const Step& s : steps_)
      for (const std::size_t b : s.before)
        if (missing[s.index] > 0 && missing[b] > 0 && steps_[b].rank != s.rank && ++named <= 3)
          text += (named > 1 ? ", " : " ") + describe(s) + " waits for " + describe(steps_[b]);
    throw ScheduleError(text);
  }

  bool happens_before(std::size_t a, const Step& b) const { return b.clock[clock_of(steps_[a])] >= steps_[a].place; }

  Place& access(const Step& s, int rank, std::uint64_t address, bool writes) {
    Place& place = places_[static_cast<std::size_t>(rank)].at(address);
    const auto ordered = [&](std::size_t earlier) {
      if (earlier != s.index && !happens_before(earlier, s))
        throw ScheduleError(describe(s) + " and " + describe(steps_[earlier]) + " race for address " +
                            std::to_string(address) + " of rank " + std::to_string(rank));
    };
    if (place.written) ordered(*place.written);
    if (!writes) {
      place.read.push_back(s.index);
      return place;
    }
    for (const std::size_t reader : place.read) ordered(reader);
    place.read.clear();
    place.written = s.index;
    return place;
  }

  /// Returns the content of local data, which is the rank's operand until a step has stored another value.
  const Content& own(Place& place, const Step& s) const {
    if (!place.content) {
      place.content = Content{s.what->own, s.what->bytes, std::vector<int>(ranks_, 0)};
      place.content->count[static_cast<std::size_t>(s.rank)] = 1;
    }
    return *place.content;
  }

  void carry_out(Step& s) {
    s.clock.assign(ranks_ * groups_, 0);
    for (const std::size_t b : s.before)
      for (std::size_t c = 0; c < s.clock.size(); ++c) s.clock[c] = std::max(s.clock[c], steps_[b].clock[c]);
    s.clock[clock_of(s)] = s.place;

    std::optional<Content> value;
    if (s.what->reads_input) {
      // A step that adds and does not store makes the sum in the slot.
      const bool in_slot = s.what->reads_own && !s.what->stores;
      check_arrived(s, places_[static_cast<std::size_t>(s.rank)].at(s.what->input));
      value = access(s, s.rank, s.what->input, in_slot).content;
    }
    if (s.what->reads_own) {
      const Content& mine = own(access(s, s.rank, s.what->own, false), s);
      if (value && (value->origin != mine.origin || value->bytes != mine.bytes))
        throw ScheduleError(describe(s) + " adds elements of another address");
      if (!value) {
        value = mine;
      } else {
        for (std::size_t r = 0; r < ranks_; ++r) value->count[r] += mine.count[r];
      }
    }
    if (!value || value->bytes != s.what->bytes) throw ScheduleError(describe(s) + " does not have the data that it names");
    if (s.what->stores) {
      if (value->origin != s.what->own) throw ScheduleError(describe(s) + " stores elements of another address");
      access(s, s.rank, s.what->own, true).content = value;
    }
    if (s.what->peer == ChannelStep::none) return;
    Place& slot = access(s, rank_of(s, s.what->peer), s.what->destination, true);
    slot.content = std::move(value);
  }

  /// Checks that the step waits for the count that announces the content of the slot.
  void check_arrived(const Step& s, const Place& slot) const {
    if (!slot.content) throw ScheduleError(describe(s) + " reads a slot to which nothing has been sent");
    const Step& writer = steps_[*slot.written];
    if (writer.what->tell != s.what->arrived || writer.told > s.what->arrivals)
      throw ScheduleError(describe(s) + " does not wait for the data that " + describe(writer) + " sends");
  }

  /// Checks that a rank ends with these operands at that address, each once.
  void check(const OperandRange& range, int rank) const {
    const auto& places = places_[static_cast<std::size_t>(rank)];
    std::vector<int> wanted(ranks_, 0), untouched(ranks_, 0);
    for (const int operand : range.operands) wanted[static_cast<std::size_t>(operand)] = 1;
    untouched[static_cast<std::size_t>(rank)] = 1;
    for (std::uint64_t a = range.address, end = range.address + range.bytes; a < end;) {
      const auto next = places.lower_bound(a);
      const bool here = next != places.end() && next->first == a;
      if ((here && next->second.content ? next->second.content->count : untouched) != wanted)
        throw ScheduleError("rank " + std::to_string(rank) + " does not end with each operand once at address " +
                            std::to_string(a));
      a = here ? a + next->second.bytes : next == places.end() ? end : next->first;
    }
  }

  std::size_t ranks_;
  unsigned groups_;
  std::map<std::uint16_t, int> rank_of_;  // by endpoint
  std::vector<Step> steps_;
  std::map<Semaphore, std::vector<std::size_t>> adders_;
  std::vector<std::map<std::uint64_t, Place>> places_;  // [rank], by address
};

}  // namespace

void prove_channels(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs) {
  ChannelProof(job, programs).check(of_all_kernels(job, message, collective_of(job.collective).result(job, message)));
}

}  // namespace tributary
