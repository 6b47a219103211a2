/// Symbolic execution of staged schedules.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/collective/staged/staged_schedule.h"

namespace tributary::collective {
namespace {

constexpr int most_proved_ranks = 128, servers_of_large_groups = 4;

std::string part_text(int rank, int part) { return "rank " + std::to_string(rank) + ", part " + std::to_string(part); }

/// Proves the schedule among the ranks of a server or of a rail. Reduction in switches and accelerators adds each operand
/// once by construction, and direct sends have nothing to prove.
void prove_within(StageWork work, const Stage& stage, int ranks) {
  static const std::map<std::string, const char*> schedule_of{{"ring", "ring"}, {"tree", "double_binary_tree"}};
  const auto schedule = schedule_of.find(stage.algorithm);
  if (schedule == schedule_of.end() || ranks < 2 || work == StageWork::scatter) return;
  if (find_software(stage.collective, schedule->second) == nullptr)
    throw ScheduleError("proof of the stages: no " + stage.collective + " by " + stage.algorithm);
  verify_any(software_schedule(stage.collective, schedule->second, ranks, 0, 2 * 128));
}

/// Operands that each rank holds of each part, counted by rank of origin, in two buffers.
class State {
 public:
  enum Buffer : std::uint8_t { operands, results };
  using Counts = std::vector<std::uint8_t>;

  explicit State(int ranks) : ranks_(ranks), counts_(2 * size() * size(), Counts()), read_(counts_.size(), -1) {}

  /// Returns the counts by origin; empty: no data.
  const Counts& read(Buffer buffer, int rank, int part, int stage) {
    int& reader = read_[at(buffer, rank, part)];
    if (reader < 0) reader = stage;
    return counts_[at(buffer, rank, part)];
  }
  const Counts& peek(Buffer buffer, int rank, int part) const { return counts_[at(buffer, rank, part)]; }
  void put(Buffer buffer, int rank, int part, Counts counts, int stage) {
    const int reader = read_[at(buffer, rank, part)];
    if (reader >= 0 && reader < stage)
      throw ScheduleError("proof of the stages: " + part_text(rank, part) + ": stage " + std::to_string(stage) +
                          " overwrites what stage " + std::to_string(reader) + " reads");
    counts_[at(buffer, rank, part)] = std::move(counts);
  }
  Counts of(int origin) const {
    Counts counts(size(), 0);
    counts[static_cast<std::size_t>(origin)] = 1;
    return counts;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(ranks_); }
  std::size_t at(Buffer buffer, int rank, int part) const {
    return (buffer * size() + static_cast<std::size_t>(rank)) * size() + static_cast<std::size_t>(part);
  }

  int ranks_;
  std::vector<Counts> counts_;
  std::vector<int> read_;  ///< first stage that reads a place; -1: none
};

/// One execution of all stages, each as a whole.
class Proof {
 public:
  explicit Proof(const StagedSchedule& s) : s_(s), m_(s.shape.servers), q_(s.shape.ranks_each), state_(s.shape.ranks()) {
    fill();
    for (const Stage& stage : s.stages) {
      run(stage);
      ++number_;
    }
    check();
  }

 private:
  using Ranks = std::vector<int>;

  int ranks() const { return m_ * q_; }
  /// Returns the parts that place `g` of a server carries.
  Ranks parts_of(int g, bool strided) const {
    Ranks parts;
    for (int i = 0; i < m_; ++i) parts.push_back(strided ? i * q_ + g : g * m_ + i);
    return parts;
  }
  Ranks all() const {
    Ranks everyone;
    for (int r = 0; r < ranks(); ++r) everyone.push_back(r);
    return everyone;
  }
  Ranks server(int i) const {
    Ranks members;
    for (int g = 0; g < q_; ++g) members.push_back(s_.shape.rank(i, g));
    return members;
  }
  Ranks rail(int g) const {
    Ranks members;
    for (int i = 0; i < m_; ++i) members.push_back(s_.shape.rank(i, g));
    return members;
  }

  void fill();
  void run(const Stage& stage);
  void among(StageWork work, const Ranks& group, const std::vector<Ranks>& parts, int root);
  State::Counts sum(const Ranks& group, int part);
  void move(int from, const Ranks& group, int part);
  void check() const;
  State::Counts wanted(int part) const;

  const StagedSchedule& s_;
  int m_, q_, number_ = 0;
  State state_;
  State::Buffer from_ = State::operands, to_ = State::operands;
};

void Proof::fill() {
  const StageWork work = work_of({{}, s_.collective, {}});
  for (int r = 0; r < ranks(); ++r)
    for (int p = 0; p < ranks(); ++p) {
      const bool holds = work == StageWork::allgather ? r == p : work != StageWork::broadcast || r == s_.root;
      if (holds) state_.put(State::operands, r, p, state_.of(r), 0);
    }
}

/// The first of several stages inside leaves its parts in the buffer that it reads, for the next stage.
void Proof::run(const Stage& stage) {
  const StageWork work = work_of(stage);
  const bool first = number_ == 0, last = number_ + 1 == static_cast<int>(s_.stages.size());
  const bool stays = (first && !last && stage.where == Stage::Where::inside) || stage.overwrites;
  to_ = stays ? from_ : State::results;
  const bool flat = stage.where == Stage::Where::all;
  prove_within(work, stage, flat ? ranks() : stage.where == Stage::Where::inside ? q_ : m_);
  std::vector<Ranks> own;
  if (flat) {
    for (int r = 0; r < ranks(); ++r) own.push_back({r});
    among(work, all(), own, s_.root);
  } else if (stage.where == Stage::Where::inside) {
    for (int g = 0; g < q_; ++g) own.push_back(parts_of(g, stage.strided));
    for (int i = 0; i < m_; ++i) among(work, server(i), own, s_.root);
  } else {
    for (int g = 0; g < q_; ++g) {
      own.clear();
      for (const int p : parts_of(g, stage.strided)) own.push_back({p});
      among(work, rail(g), own, s_.shape.rank(s_.root / q_, g));
    }
  }
  from_ = to_;
}

State::Counts Proof::sum(const Ranks& group, int part) {
  State::Counts total(static_cast<std::size_t>(ranks()), 0);
  for (const int r : group) {
    const State::Counts& held = state_.read(from_, r, part, number_);
    if (held.empty())
      throw ScheduleError("proof of the stages: " + part_text(r, part) + ": stage " + std::to_string(number_) +
                          " has no data");
    for (std::size_t o = 0; o < held.size(); ++o) total[o] = static_cast<std::uint8_t>(std::min(255, total[o] + held[o]));
  }
  return total;
}

/// Copies a part to all of a group; a rank without the data sends nothing.
void Proof::move(int from, const Ranks& group, int part) {
  const State::Counts held = state_.read(from_, from, part, number_);
  if (held.empty()) return;
  for (const int r : group)
    if (r != from || from_ != to_) state_.put(to_, r, part, held, number_);
}

/// `parts`: those of each member of the group.
void Proof::among(StageWork work, const Ranks& group, const std::vector<Ranks>& parts, int root) {
  const bool is_rooted = work == StageWork::broadcast || work == StageWork::scatter;
  if (is_rooted && std::find(group.begin(), group.end(), root) == group.end()) return;
  for (std::size_t member = 0; member < group.size(); ++member)
    for (const int p : parts[member]) {
      const int to = group[member];
      if (work == StageWork::allreduce) {
        const State::Counts total = sum(group, p);
        for (const int r : group) state_.put(to_, r, p, total, number_);
      } else if (work == StageWork::reduce_scatter) {
        state_.put(to_, to, p, sum(group, p), number_);
      } else if (work == StageWork::allgather) {
        move(to, group, p);
      } else {
        move(root, work == StageWork::broadcast ? group : Ranks{to}, p);
      }
    }
}

/// Returns the operands that the collective names for a part.
State::Counts Proof::wanted(int part) const {
  const StageWork work = work_of({{}, s_.collective, {}});
  if (work == StageWork::allgather) return state_.of(part);
  if (work == StageWork::broadcast) return state_.of(s_.root);
  return State::Counts(static_cast<std::size_t>(ranks()), 1);
}

void Proof::check() const {
  const StageWork work = work_of({{}, s_.collective, {}});
  for (int r = 0; r < ranks(); ++r)
    for (int p = 0; p < ranks(); ++p) {
      if (work == StageWork::reduce_scatter && p != r) continue;
      const State::Counts& held = state_.peek(State::results, r, p);
      if (held.empty()) throw ScheduleError("proof of the stages: " + part_text(r, p) + ": no result");
      const State::Counts goal = wanted(p);
      for (std::size_t o = 0; o < held.size(); ++o)
        if (held[o] != goal[o])
          throw ScheduleError("proof of the stages: " + part_text(r, p) + ": operand of rank " + std::to_string(o) +
                              (held[o] < goal[o] ? " is missing"
                               : goal[o] == 0    ? " is no part of the result"
                                                 : " is added twice"));
    }
}

/// Slices of an all-to-all by source and destination: each is at one rank.
void verify_exchange(const StagedSchedule& s) {
  const int q = s.shape.ranks_each, ranks = s.shape.ranks();
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      int at = from;
      for (const Stage& stage : s.stages) {
        if (work_of(stage) != StageWork::alltoall)
          throw ScheduleError("proof of the stages: " + stage.collective + " in an all-to-all");
        // Inside, to the GPU of the destination's rail; between, to the destination's server.
        at = stage.where == Stage::Where::inside ? at / q * q + to % q : to / q * q + at % q;
      }
      if (at != to)
        throw ScheduleError("proof of the stages: " + part_text(to, from) + ": the slice of rank " + std::to_string(from) +
                            " is missing; it ends at rank " + std::to_string(at));
    }
}

/// Follows the message of each rank: inside to the next GPU, the last one to the first; between to the next server, from the
/// first GPU alone.
void verify_shift(const StagedSchedule& s) {
  const int q = s.shape.ranks_each, ranks = s.shape.ranks();
  for (int from = 0; from < ranks; ++from) {
    int at = from;
    bool leaves = q == 1;
    for (const Stage& stage : s.stages) {
      if (work_of(stage) != StageWork::sendrecv)
        throw ScheduleError("proof of the stages: " + stage.collective + " in a sendrecv");
      if (stage.where == Stage::Where::inside) {
        leaves = (at + 1) % q == 0;
        at = leaves ? at + 1 - q : at + 1;
      } else if (leaves) {
        at = (at + q) % ranks;
      }
    }
    const int to = (from + 1) % ranks;
    if (at != to)
      throw ScheduleError("proof of the stages: rank " + std::to_string(to) + ": the message of rank " +
                          std::to_string(from) + " is missing; it ends at rank " + std::to_string(at));
  }
}

void check_form(const StagedSchedule& s) {
  if (s.stages.empty()) throw ScheduleError("proof of the stages: no stages");
  if (s.chunk == 0) throw ScheduleError("proof of the stages: chunks of 0 B");
  if (s.shape.servers < 1 || s.shape.ranks_each < 1) throw ScheduleError("proof of the stages: no ranks");
  if (s.root < 0 || s.root >= s.shape.ranks())
    throw ScheduleError("proof of the stages: no root rank " + std::to_string(s.root));
  std::set<int> streams;
  for (const Stage& stage : s.stages)
    if (!streams.insert(stage.stream).second)
      throw ScheduleError("proof of the stages: two stages share stream " + std::to_string(stage.stream));
}

}  // namespace

bool proved_for_fewer_servers(const GroupShape& shape) {
  return shape.ranks() > most_proved_ranks && shape.servers > servers_of_large_groups;
}

void verify(const StagedSchedule& schedule) {
  check_form(schedule);
  StagedSchedule s = schedule;
  if (proved_for_fewer_servers(s.shape)) {
    s.shape.servers = servers_of_large_groups;
    s.root %= s.shape.ranks();
  }
  if (work_of({{}, s.collective, {}}) == StageWork::alltoall) return verify_exchange(s);
  if (work_of({{}, s.collective, {}}) == StageWork::sendrecv) return verify_shift(s);
  Proof{s};
}

}  // namespace tributary::collective
