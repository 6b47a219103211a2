// Reports of the endpoints of a round, and its results.

#include <algorithm>

#include "modules/link/link_protocol.h"
#include "testbench/by_name/rounds/machine_rounds.h"
#include "testbench/run/task.h"

namespace tributary {

void MachineRounds::done(unsigned endpoint, Tick when) {
  completion_.done(endpoint, when);
  const Rank rank = rank_of_.at(endpoint);
  Posting& posting = *round_.postings.at(rank.job);
  posting.end_of.at(rank.rank) = when;
  if (!completion_.done(rank.job)) return;
  const Tick now = kernel_now();
  posting.state = Posting::State::done;
  posting.end = completion_.last(rank.job);
  posting.finished.notify(to_sc_time(std::max(posting.end, now) - now));
}

void MachineRounds::failed(unsigned endpoint, Tick when, const std::string& why) {
  completion_.failed(endpoint, when, why);
  note_failure(endpoint);
}

void MachineRounds::bad_value(unsigned endpoint, Tick when, const std::string& why) {
  completion_.bad_value(endpoint, when, why);
  note_failure(endpoint);
}

/// Keeps the report of the earliest failure, with its time from the start of the collective.
void MachineRounds::note_failure(unsigned endpoint) {
  Posting& posting = *round_.postings.at(rank_of_.at(endpoint).job);
  posting.failure = completion_.error(posting.start);
}

std::vector<OperandRange> MachineRounds::results_of(const Posting& posting) {
  return driver_->results(posting.job, posting.message);
}

std::uint64_t MachineRounds::count_wrong(const Posting& posting) {
  if (posting.operands) return posting.operands->count_wrong(results_of(posting), memory_of(posting.job));
  const auto place = std::find_if(round_.postings.begin(), round_.postings.end(),
                                  [&](const std::shared_ptr<Posting>& one) { return one.get() == &posting; });
  const auto index = static_cast<std::size_t>(place - round_.postings.begin());
  return tributary::count_wrong(results_of(posting), data_of(round_.spec, posting.job, index), memory_of(posting.job));
}

std::vector<std::vector<std::byte>> MachineRounds::results(const Posting& posting) {
  std::vector<std::vector<std::byte>> all(posting.job.ranks.size());
  const MemoryOfRank memory = memory_of(posting.job);
  for (const OperandRange& range : results_of(posting))
    for (const int rank : range.at) {
      const std::byte* const first = memory(rank) + range.address;
      std::vector<std::byte>& own = all[static_cast<std::size_t>(rank)];
      own.insert(own.end(), first, first + range.bytes);
    }
  return all;
}

/// Stores the results of the last round while a handle exists, before its memories are used again.
void MachineRounds::keep_results() {
  if (spec_.data == DataMode::none) return;
  for (const std::shared_ptr<Posting>& posting : round_.postings) {
    if (posting.use_count() == 1 || posting->state != Posting::State::done || posting->results) continue;
    posting->wrong = count_wrong(*posting);
    posting->results = results(*posting);
  }
}

}  // namespace tributary
