#include "testbench/run/buffers.h"

#include <algorithm>
#include <numeric>

#include "testbench/collective/algorithm/software.h"
#include "testbench/run/job_group.h"
#include "testbench/run/memory_layout.h"

namespace tributary {
namespace {

using Ranks = std::vector<int>;

Ranks all_ranks(const JobSpec& job) {
  Ranks all(job.ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Whole message at address 0.
std::vector<Piece> message_results(const JobSpec& job, Bytes message) {
  const Ranks all = all_ranks(job), root{job.root};
  const std::uint64_t bytes = message.value;
  if (job.collective == "allreduce") return {{all, 0, bytes, 0, all}};
  if (job.collective == "broadcast") return {{all, 0, bytes, 0, root}};
  if (job.collective == "reduce") return {{root, 0, bytes, 0, all}};
  const Ranks group = group_of(job);
  std::vector<Piece> pieces{{group, 0, bytes, 0, root}};
  for (const int r : all)
    if (std::find(group.begin(), group.end(), r) == group.end()) pieces.push_back({{r}, 0, bytes, 0, {r}});
  return pieces;
}

std::vector<Piece> part_results(const JobSpec& job, Bytes message) {
  const collective::Parts parts = parts_of(job, message);
  const Ranks all = all_ranks(job);
  std::vector<Piece> pieces;
  for (const int r : all) {
    const auto i = static_cast<std::uint64_t>(r);
    Piece piece{all, parts.address(i), parts.bytes(i), parts.first_element(i), {r}};
    if (job.collective == "gather") piece.at = {job.root};
    if (job.collective == "reduce_scatter") piece.at = {r}, piece.operands = all;
    pieces.push_back(piece);
  }
  return pieces;
}

/// Rank i sends part i + j (modulo the ranks) of its message to rank j, from its j-th place to the i-th there.
std::vector<Piece> pair_results(const JobSpec& job, Bytes message) {
  const collective::Parts parts = parts_of(job, message);
  const std::uint64_t ranks = job.ranks.size(), received = MemoryLayout::of(job, message).received;
  std::vector<Piece> pieces;
  for (std::uint64_t i = 0; i < ranks; ++i)
    for (std::uint64_t j = 0; j < ranks; ++j) {
      const std::uint64_t part = (i + j) % ranks, address = parts.address(i) + (i == j ? 0 : received);
      pieces.push_back(
          {{static_cast<int>(j)}, address, parts.bytes(part), parts.first_element(part), {static_cast<int>(i)}});
    }
  return pieces;
}

std::vector<Piece> barrier_results(const JobSpec& job, Bytes message) {
  const Ranks all = all_ranks(job);
  const std::uint64_t bytes = message.value, block = 128 / element_size(job.type);
  if (job.algorithm == "push") return {{all, 0, bytes, 0, all}};
  std::vector<Piece> pieces;
  for (const int r : all) {
    const auto i = static_cast<std::uint64_t>(r);
    if (job.algorithm == "pull")
      pieces.push_back({all, i * 128, bytes, i * block, all});
    else
      pieces.push_back({{r}, 0, all.size() * 128, 0, {r}});
  }
  return pieces;
}

}  // namespace

std::vector<Piece> operands_of(const JobSpec& job, Bytes message) {
  using collective::Chunking;
  const collective::Parts parts = parts_of(job, message);
  const std::uint64_t ranks = job.ranks.size(), received = MemoryLayout::of(job, message).received;
  std::vector<Piece> pieces;
  for (const int r : all_ranks(job)) {
    const auto rank = static_cast<std::uint64_t>(r);
    const auto hold = [&](std::uint64_t address, std::uint64_t bytes, std::uint64_t first) {
      pieces.push_back({{r}, address, bytes, first, {r}});
    };
    const auto hold_part = [&](std::uint64_t place, std::uint64_t part) {
      hold(place, parts.bytes(part), parts.first_element(part));
    };
    const Chunking chunking = collective::chunking_of(job.collective);
    if (chunking == Chunking::even) hold(0, message.value, 0);
    if (chunking == Chunking::signal) hold(0, ranks * 128, 0);
    for (std::uint64_t j = 0; j < ranks; ++j) {
      if (chunking == Chunking::parts) hold_part(parts.address(j), j);
      if (chunking != Chunking::pairs) continue;
      hold_part(parts.address(j), (rank + j) % ranks);
      hold_part(received + parts.address(j), (rank + j) % ranks);
    }
  }
  return pieces;
}

std::vector<Piece> results_of(const JobSpec& job, Bytes message) {
  using collective::Chunking;
  switch (collective::chunking_of(job.collective)) {
    case Chunking::parts:
      return part_results(job, message);
    case Chunking::pairs:
      return pair_results(job, message);
    case Chunking::signal:
      return barrier_results(job, message);
    case Chunking::even:
      break;
  }
  return message_results(job, message);
}

void fill_buffers(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory) {
  for (const Piece& p : operands_of(job, message))
    workload::fill(memory(p.at.front()) + p.address, p.bytes, data, p.operands.front(), p.first_element);
}

std::uint64_t count_wrong(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory) {
  std::uint64_t wrong = 0;
  for (const Piece& p : results_of(job, message)) {
    std::vector<const void*> places;
    for (const int r : p.at) places.push_back(memory(r) + p.address);
    wrong += workload::count_wrong(places, p.bytes, data, p.operands, p.first_element);
  }
  return wrong;
}

}  // namespace tributary
