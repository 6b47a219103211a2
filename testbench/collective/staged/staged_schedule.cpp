#include "testbench/collective/staged/staged_schedule.h"

#include <algorithm>
#include <utility>

namespace tributary::collective {
namespace {

constexpr std::uint64_t block = 128, least_chunk = 256 * 1024, most_chunk = 4 * 1024 * 1024, least_part = 32 * 1024;
constexpr std::uint64_t chunks_of_message = 64;

using Where = Stage::Where;

const char* name(InsideAlgorithm algorithm) {
  constexpr const char* names[] = {"pull", "ring", "direct"};
  return names[static_cast<std::size_t>(algorithm)];
}

const char* name(BetweenAlgorithm algorithm) {
  constexpr const char* names[] = {"ring", "tree", "netreduce", "direct"};
  return names[static_cast<std::size_t>(algorithm)];
}

const std::vector<std::pair<StageWork, const char*>>& works() {
  static const std::vector<std::pair<StageWork, const char*>> all{
      {StageWork::allreduce, "allreduce"}, {StageWork::reduce_scatter, "reduce_scatter"},
      {StageWork::allgather, "allgather"}, {StageWork::broadcast, "broadcast"},
      {StageWork::scatter, "scatter"},     {StageWork::alltoall, "alltoall"},
      {StageWork::sendrecv, "sendrecv"}};
  return all;
}

const char* name(StageWork work) { return works()[static_cast<std::size_t>(work)].second; }

/// Stages of a collective in several servers with several ranks each.
struct Form {
  StageWork collective;
  std::vector<std::pair<Where, StageWork>> stages;
  bool strided;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {StageWork::allreduce,
       {{Where::inside, StageWork::reduce_scatter},
        {Where::between, StageWork::allreduce},
        {Where::inside, StageWork::allgather}},
       false},
      {StageWork::reduce_scatter,
       {{Where::inside, StageWork::reduce_scatter}, {Where::between, StageWork::reduce_scatter}},
       true},
      {StageWork::allgather, {{Where::between, StageWork::allgather}, {Where::inside, StageWork::allgather}}, true},
      {StageWork::broadcast,
       {{Where::inside, StageWork::scatter}, {Where::between, StageWork::broadcast}, {Where::inside, StageWork::allgather}},
       false},
      {StageWork::alltoall, {{Where::inside, StageWork::alltoall}, {Where::between, StageWork::alltoall}}, true},
      {StageWork::sendrecv, {{Where::inside, StageWork::sendrecv}, {Where::between, StageWork::sendrecv}}, false}};
  return all;
}

StageWork work_named(const std::string& collective) {
  for (const auto& [work, known] : works())
    if (collective == known) return work;
  throw ScheduleError(unknown_collective(collective));
}

const Form& form_of(const std::string& collective) {
  const StageWork work = work_named(collective);
  const auto found = std::find_if(forms().begin(), forms().end(), [&](const Form& f) { return f.collective == work; });
  if (found == forms().end()) throw ScheduleError(unknown_collective(collective));
  return *found;
}

/// Returns the number of parts of a chunk. A step between servers moves one part.
int parts_of(const StagedAlgorithm& algorithm, const GroupShape& shape) {
  const StageWork work = work_named(algorithm.collective);
  if (shape.servers == 1) return 1;
  if (work == StageWork::alltoall) return shape.servers;
  if (work == StageWork::broadcast) return shape.ranks_each;
  return algorithm.between == BetweenAlgorithm::ring ? shape.ranks() : 1;
}

std::uint64_t chunk_of(const StagedAlgorithm& algorithm, const GroupShape& shape, std::uint64_t bytes) {
  std::uint64_t chunk = std::clamp(bytes / chunks_of_message, least_chunk, most_chunk);
  chunk = std::max(chunk, least_part * static_cast<std::uint64_t>(parts_of(algorithm, shape)));
  return std::max(block, std::min((chunk + block - 1) / block * block, bytes));
}

}  // namespace

StageWork work_of(const Stage& stage) { return work_named(stage.collective); }

StagedSchedule staged(const std::string& collective, const std::string& algorithm, const GroupShape& shape,
                      std::uint64_t bytes, int root) {
  const StagedAlgorithm& found = staged_algorithm(collective, algorithm);
  if (root < 0 || root >= shape.ranks())
    throw ScheduleError("no root rank " + std::to_string(root) + " among " + std::to_string(shape.ranks()));
  StagedSchedule s{collective, algorithm, shape, root, {}, chunk_of(found, shape, bytes)};
  const auto add = [&](Where where, StageWork work, bool strided) {
    const char* rule = where == Where::inside ? name(found.inside) : name(found.between);
    s.stages.push_back({where, name(work), rule, static_cast<int>(s.stages.size()), strided});
  };
  const Form& form = form_of(collective);
  if (found.flat) {
    add(Where::all, form.collective, form.strided);
  } else if (shape.servers == 1 || shape.ranks_each == 1) {
    add(shape.servers == 1 ? Where::inside : Where::between, form.collective, form.strided);
  } else {
    for (const auto& [where, work] : form.stages) add(where, work, form.strided);
  }
  return s;
}

}  // namespace tributary::collective
