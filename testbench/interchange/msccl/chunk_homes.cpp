#include "testbench/interchange/msccl/chunk_homes.h"

#include <algorithm>
#include <string>

#include "modules/base/index.h"

namespace tributary::msccl {

using collective::every_rank;
using collective::Goal;
using collective::ScheduleError;

ChunkHomes::ChunkHomes(const collective::Schedule& schedule, const CollectiveRule& rule)
    : schedule_(schedule), rule_(rule), extent_{schedule.ranks, schedule.chunks, 0}, scratch_(at(schedule.ranks)) {
  const auto refuse = [&] {
    throw ScheduleError(schedule.algorithm + ": its chunks are not those of an MSCCL " + rule.name);
  };
  extent_.part = rule.cut ? extent_.whole / extent_.ranks : extent_.whole;
  if (rule.cut && rule.chunks(extent_) != schedule.chunks) {  // there is a part for each pair of ranks
    extent_.whole = extent_.part;
    extent_.part = extent_.whole / extent_.ranks;
  }
  if (extent_.part == 0 || schedule.barrier || rule.chunks(extent_) != schedule.chunks) refuse();
  if (rule.rooted && !schedule.goals.empty()) {
    const Goal& first = schedule.goals.front();
    root_ = std::max(0, first.from == every_rank || rule.output_at_root ? first.to : first.from);
  }
  for (int c = 0; c < schedule.chunks; ++c) {
    const Goal goal = schedule.goals.empty() ? Goal{} : schedule.goals[at(c)], wanted = rule.goal(extent_, root_, c);
    if (goal.from != wanted.from || goal.to != wanted.to) refuse();
  }
}

Algorithm ChunkHomes::frame() const {
  Algorithm a;
  a.name = schedule_.algorithm;
  a.protocol = "Simple";
  a.collective = rule_.name;
  a.chunks_per_loop = extent_.whole;
  a.inplace = !moves();
  a.out_of_place = moves();
  a.gpus.resize(at(extent_.ranks));
  for (int r = 0; r < extent_.ranks; ++r) {
    Gpu& gpu = a.gpus[at(r)];
    gpu.input = rule_.inputs(extent_);
    const bool apart = moves() || rule_.parts_in != rule_.parts_out;  // otherwise the input is the only buffer
    gpu.output = apart && (!rule_.output_at_root || r == root_) ? rule_.outputs(extent_) : 0;
  }
  return a;
}

Place ChunkHomes::of(int rank, int chunk) {
  if (moves()) {
    const int from = chunk / extent_.whole, to = chunk % extent_.whole / extent_.part, rest = chunk % extent_.part;
    if (rank == from) return {Buffer::input, to * extent_.part + rest};
    if (rank == to) return {Buffer::output, from * extent_.part + rest};
    return {Buffer::scratch, scratch_of(rank, chunk)};
  }
  if (!rule_.parts_in) return {Buffer::input, chunk};
  if (!rule_.output_at_root || rank == root_) return {Buffer::output, chunk};
  if (chunk / extent_.part == rank) return {Buffer::input, chunk % extent_.part};
  return {Buffer::scratch, scratch_of(rank, chunk)};
}

std::vector<Step> ChunkHomes::copies(int rank) const {
  std::vector<Step> steps;
  for (int c = 0; moves() && c < extent_.part; ++c) {
    Step step;
    step.type = StepType::copy;
    step.source = {Buffer::input, rank * extent_.part + c};
    step.destination = {Buffer::output, rank * extent_.part + c};
    step.count = 1;
    steps.push_back(step);
  }
  return steps;
}

void ChunkHomes::count_scratch(Algorithm& algorithm) const {
  for (std::size_t r = 0; r < scratch_.size(); ++r) algorithm.gpus[r].scratch = static_cast<int>(scratch_[r].size());
}

int ChunkHomes::scratch_of(int rank, int chunk) {
  std::map<int, int>& mine = scratch_[at(rank)];
  return mine.emplace(chunk, static_cast<int>(mine.size())).first->second;
}

}  // namespace tributary::msccl
