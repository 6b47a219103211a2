#include "testbench/family/schedule_nic/fluid/class_lowering.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/schedule/symmetric_proof.h"
#include "testbench/family/schedule_nic/fluid/fluid_sends.h"
#include "testbench/family/schedule_nic/schedule_tables.h"
#include "testbench/family/schedule_nic/table_rows.h"
#include "testbench/workload/endpoint_command.h"
#include "testbench/workload/memory_layout.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {
namespace {

using collective::FusedProgram;
using collective::FusedStep;
using collective::NetworkSchedule;
using collective::Symmetry;
using topology::PortRef;

/// True if renamings keep the size of each chunk, and none is empty.
bool equally_long(const Symmetry& symmetry, const SizedSchedule& sized, int chunks) {
  if (sized.schedule.chunks != chunks) return false;
  const std::vector<std::uint64_t>& bytes = sized.chunk_bytes;
  if (std::find(bytes.begin(), bytes.end(), std::uint64_t{0}) != bytes.end()) return false;
  for (const collective::Renaming& renaming : symmetry.generators())
    for (std::size_t c = 0; c < bytes.size(); ++c)
      if (renaming.chunk[c] != collective::Renaming::unused && bytes[at(renaming.chunk[c])] != bytes[c]) return false;
  return true;
}

/// Ranks to which a rank sends.
std::set<int> receivers(const std::vector<FusedStep>& steps) {
  std::set<int> peers;
  for (const FusedStep& step : steps)
    if (step.send) peers.insert(step.send->peer);
  return peers;
}

/// Links that routes of equal ranks use alike.
class LinksAlike {
 public:
  LinksAlike(const ScheduleNicPlatform& system, const NetworkSchedule& outline, const Symmetry& symmetry)
      : system_(system),
        outline_(outline),
        symmetry_(symmetry),
        routes_(system.network()),
        numbers_(system.graph()),
        users_(system.links().size()) {}

  /// `program`: steps of the first ranks. Returns nothing if links of one place on the routes of equal ranks differ.
  std::optional<std::vector<std::uint32_t>> find(const FusedProgram& program) {
    const std::vector<int>& firsts = symmetry_.representatives();
    std::vector<std::pair<int, int>> pairs;  // first rank and receiver
    for (const int first : firsts)
      for (const int peer : receivers(program.steps[at(first)])) pairs.emplace_back(first, peer);
    for (std::size_t p = 0; p < pairs.size(); ++p)
      for (std::size_t g = 0; g < symmetry_.order(); ++g)
        for (const std::uint32_t link : route(pairs[p], g)) users_[link].push_back(static_cast<std::uint32_t>(p));
    if (!group()) return std::nullopt;
    for (const std::pair<int, int>& pair : pairs) {
      const std::vector<std::uint32_t> of_first = alike(pair, 0);
      if (std::set<std::uint32_t>(of_first.begin(), of_first.end()).size() != of_first.size()) return std::nullopt;
      for (std::size_t g = 1; g < symmetry_.order(); ++g)
        if (alike(pair, g) != of_first) return std::nullopt;
    }
    return std::move(like_);
  }

 private:
  std::vector<std::uint32_t> route(const std::pair<int, int>& pair, std::size_t renaming) const {
    const int from = symmetry_.renamed(renaming, pair.first), to = symmetry_.renamed(renaming, pair.second);
    std::vector<std::uint32_t> links;
    for (const PortRef hop : routes_.route(outline_.nodes[at(from)], outline_.nodes[at(to)])) links.push_back(numbers_(hop));
    return links;
  }

  std::vector<std::uint32_t> alike(const std::pair<int, int>& pair, std::size_t renaming) const {
    std::vector<std::uint32_t> links = route(pair, renaming);
    for (std::uint32_t& link : links) link = like_[link];
    return links;
  }

  /// Groups links by rate and users. Returns false if two sends of one class share a link.
  bool group() {
    std::map<std::pair<std::uint64_t, std::vector<std::uint32_t>>, std::uint32_t> known;
    like_.resize(users_.size());
    for (std::uint32_t link = 0; link < users_.size(); ++link) {
      std::vector<std::uint32_t>& users = users_[link];
      std::sort(users.begin(), users.end());
      if (std::adjacent_find(users.begin(), users.end()) != users.end()) return false;
      const std::uint64_t rate = system_.links()[link].transmitter->rate().value;
      like_[link] = users.empty() ? link : known.try_emplace({rate, users}, link).first->second;
    }
    return true;
  }

  const ScheduleNicPlatform& system_;
  const NetworkSchedule& outline_;
  const Symmetry& symmetry_;
  topology::PacketRoutes routes_;
  LinkNumbers numbers_;
  std::vector<std::vector<std::uint32_t>> users_;  ///< [link] pairs of ranks
  std::vector<std::uint32_t> like_;
};

/// Lowers the first ranks.
class FirstRanks {
 public:
  FirstRanks(const JobSpec& job, Bytes message, const NetworkSchedule& outline, const SizedSchedule& sized)
      : outline_(outline), sized_(sized), places_(job, message, outline.schedule) {
    program_ = {outline.schedule.algorithm,
                outline.schedule.ranks,
                outline.schedule.chunks,
                outline.schedule.slots,
                std::vector<std::vector<FusedStep>>(at(outline.schedule.ranks)),
                outline.schedule.goals,
                outline.schedule.barrier};
  }

  /// Lowers a rank once. Lowering keeps the order and the equality of numbers, so equal forms remain equal.
  const std::vector<FusedStep>& steps(int rank) {
    std::vector<FusedStep>& steps = program_.steps[at(rank)];
    if (steps.empty()) steps = collective::fused_rank(outline_.schedule, rank, outline_.program(rank), false);
    return steps;
  }
  const FusedProgram& program() const { return program_; }

  NicProgram commands(int rank) {
    NicProgram made;
    for (const FusedStep& step : steps(rank)) {
      ChunkCommand c;
      c.receives = step.receive.has_value();
      c.reduce = step.reduce;
      c.address = c.from = places_.address(rank, step.chunk);
      c.bytes = sized_.chunk_bytes[at(step.chunk)];
      c.chunk = step.chunk;
      if (step.receive) c.peer = step.receive->peer;
      if (step.send) c.send = ChunkCommand::Target{step.send->peer, receiving(rank, *step.send), 0};
      for (const int before : step.after) c.after.push_back(static_cast<std::uint32_t>(before));
      collective::check_nic_chunk(c.address, c.bytes);
      made.commands.push_back(endpoint_command<NicCommand>(c, outline_.nodes));
    }
    return made;
  }

 private:
  /// Returns the command of a peer that waits for the message.
  std::uint16_t receiving(int rank, const collective::MailboxSlot& message) {
    const auto [known, is_new] = receiver_.try_emplace({message.peer, rank});
    if (is_new) {
      const std::vector<FusedStep>& there = steps(message.peer);
      for (std::size_t i = 0; i < there.size(); ++i)
        if (there[i].receive && there[i].receive->peer == rank)
          known->second[{there[i].receive->slot, there[i].receive->step}] = static_cast<std::uint16_t>(i);
    }
    return known->second.at({message.slot, message.step});
  }

  const NetworkSchedule& outline_;
  const SizedSchedule& sized_;
  ChunkPlaces places_;
  FusedProgram program_;  ///< steps of the ranks that steps() has been called for
  std::map<std::pair<int, int>, std::map<std::pair<int, int>, std::uint16_t>>
      receiver_;  ///< (receiver, sender): (slot, step)
};

/// True if no two rows have the same place in the order of a table but for the numbers of their chunks.
bool ordered_without_chunks(const std::vector<ScheduleEntry>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ScheduleEntry one = rows[i - 1], other = rows[i];
    one.tree = other.tree = 0;
    if (!collective::goes_before(one, other)) return false;
  }
  return true;
}

}  // namespace

std::optional<ClassLowering> lower_classes(const JobSpec& job, Bytes message, const NetworkSchedule& outline,
                                           const Symmetry& symmetry, const ScheduleNicPlatform& system) {
  if (outline.trees || outline.pipelined) return std::nullopt;
  const SizedSchedule sizes = sized(outline.schedule, job, message);
  if (!equally_long(symmetry, sizes, outline.schedule.chunks)) return std::nullopt;
  FirstRanks firsts(job, message, outline, sizes);
  const collective::EventSource source = [&](int rank, collective::RankEvents& events) {
    return append_events(firsts.steps(rank), events);
  };
  const collective::ScheduleShape shape{outline.schedule.ranks, outline.schedule.chunks, outline.schedule.slots,
                                        outline.schedule.goals};
  if (!holds_by_symmetry(symmetry, source, shape, collective::Landing::directly)) return std::nullopt;
  ClassLowering made;
  std::optional<std::vector<std::uint32_t>> like = LinksAlike(system, outline, symmetry).find(firsts.program());
  if (!like) return std::nullopt;
  made.like = std::move(*like);
  made.lowered.work.resize(at(outline.schedule.ranks));
  const bool rows = system.params().nic.issue == NicIssue::table;
  for (const int rank : symmetry.representatives()) {
    if (firsts.steps(rank).size() > 0xFFFF) return std::nullopt;  // lower_network() gives the reason
    made.lowered.work[at(rank)] = firsts.commands(rank);
  }
  const StepsOfCommands steps = rows ? steps_of_algorithm(firsts.program()) : StepsOfCommands();
  for (const int rank : symmetry.representatives()) {
    NicProgram& program = made.lowered.work[at(rank)];
    if (rows) add_table_rows(firsts.program(), rank, steps[at(rank)], outline.nodes, program);
    if (!ordered_without_chunks(program.table.entries)) return std::nullopt;
  }
  for (int rank = 0; rank < outline.schedule.ranks; ++rank)
    made.first_rank.push_back(at(symmetry.representatives()[symmetry.class_of(rank)]));
  check_tables(job, made.lowered, system.params());
  return made;
}

}  // namespace tributary
