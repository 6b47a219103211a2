#include "testbench/workload/training/read/recorded_ranks.h"

#include <algorithm>
#include <numeric>

#include "testbench/workload/input_error.h"

namespace tributary::training {

bool RecordedRanks::find() {
  if (!take_stated() && !find_joined()) return false;
  find_sent();
  return true;
}

/// Takes the ranks that several processes state. Returns false if the first of them states none.
bool RecordedRanks::take_stated() {
  if (processes_.size() < 2 || !processes_.front().rank) return false;
  if (processes_.size() != all_)
    throw InputError(path_ + ": traces of " + std::to_string(processes_.size()) + " ranks, but they name " +
                     std::to_string(all_) + " ranks (legal: a trace for each rank, or one for all)");
  for (const RecordedProcess& process : processes_) {
    rank_.push_back(process.rank.value_or(all_));
    for (const RecordedCall& call : process.calls) take_members(call, process);
  }
  return true;
}

void RecordedRanks::take_members(const RecordedCall& call, const RecordedProcess& process) {
  const auto fail = [&](const std::string& what) {
    throw InputError(call.place + ": process group '" + call.comm + "'" + what);
  };
  std::vector<int> members = call.members;
  if (members.empty() && call.ranks == all_) {
    members.resize(static_cast<std::size_t>(all_));
    std::iota(members.begin(), members.end(), 0);
  }
  if (members.empty()) fail(" of " + std::to_string(call.ranks) + " ranks, which are not recorded");
  if (std::find(members.begin(), members.end(), static_cast<int>(rank_.back())) == members.end())
    fail(", which does not have the rank of the trace, " + std::to_string(rank_.back()));
  std::map<std::uint64_t, int>& places = ranks_of_[id_of(call, process)];
  for (std::size_t place = 0; place < members.size(); ++place) places[place] = members[place];
}

/// Finds the rank of each process in the communicator of all ranks. Returns false if the records lack any rank.
bool RecordedRanks::find_joined() {
  if (processes_.size() != all_ || all_ < 2) return false;
  for (const RecordedProcess& process : processes_) {
    const auto whole = std::find_if(process.members.begin(), process.members.end(),
                                    [&](const auto& entry) { return entry.second.ranks == all_; });
    if (whole == process.members.end() || whole->second.rank >= all_) return false;
    rank_.push_back(whole->second.rank);
    for (const auto& [comm, member] : process.members)
      if (!member.id.empty()) ranks_of_[member.id][member.rank] = static_cast<int>(rank_.back());
  }
  std::vector<std::uint64_t> sorted = rank_;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
  for (const RecordedProcess& process : processes_)
    for (const RecordedCall& call : process.calls) {
      const auto member = process.members.find(call.comm);
      if (member == process.members.end() || member->second.id.empty()) return false;
      if (ranks_of_[member->second.id].size() != call.ranks) return false;
    }
  return true;
}

/// Process groups of one name may have different ranks, so their ranks are part of the name.
std::string RecordedRanks::id_of(const RecordedCall& call, const RecordedProcess& process) {
  if (!process.rank) return process.members.at(call.comm).id;
  std::string id = call.comm;
  for (const int rank : call.members) id += " " + std::to_string(rank);
  return id;
}

void RecordedRanks::find_sent() {
  for (const RecordedProcess& process : processes_) {
    std::map<std::string, std::size_t> number;
    for (const RecordedCall& call : process.calls) {
      if (!call.exchange) continue;
      const std::string id = id_of(call, process);
      std::vector<Sent>& sent = sent_[id];
      const std::size_t k = number[id]++;
      if (k == sent.size()) sent.emplace_back();
      sent[k].most = std::max(sent[k].most, call.bytes);
      sent[k].least = std::min(sent[k].least, call.bytes);
    }
  }
}

}  // namespace tributary::training
