#include "testbench/workload/collective.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "modules/base/units.h"
#include "testbench/workload/job_group.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::Chunking;
using Ranks = std::vector<int>;
using Ranges = std::vector<OperandRange>;

Ranks all_ranks(const JobSpec& job) {
  Ranks all(job.ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// ---- before

/// Returns the elements from `first` on of the rank's own operand, at `address`.
OperandRange own(int rank, std::uint64_t address, std::uint64_t bytes, std::uint64_t first) {
  return {{rank}, address, bytes, first, {rank}};
}

Ranges message_of_each(const JobSpec& job, Bytes message) {
  Ranges ranges;
  for (const int r : all_ranks(job)) ranges.push_back(own(r, 0, message.value, 0));
  return ranges;
}

Ranges block_for_each(const JobSpec& job, Bytes) {
  Ranges ranges;
  for (const int r : all_ranks(job)) ranges.push_back(own(r, 0, job.ranks.size() * block_bytes, 0));
  return ranges;
}

Ranges parts_of_each(const JobSpec& job, Bytes message) {
  const collective::Parts parts = parts_of(job, message);
  Ranges ranges;
  for (const int r : all_ranks(job))
    for (std::uint64_t j = 0; j < job.ranks.size(); ++j)
      ranges.push_back(own(r, parts.address(j), parts.bytes(j), parts.first_element(j)));
  return ranges;
}

Ranges part_for_each(const JobSpec& job, Bytes message) {
  const collective::Parts parts = parts_of(job, message);
  const std::uint64_t ranks = job.ranks.size(), received = MemoryLayout::of(job, message).received;
  Ranges ranges;
  for (const int r : all_ranks(job))
    for (std::uint64_t j = 0; j < ranks; ++j) {
      const std::uint64_t part = (static_cast<std::uint64_t>(r) + j) % ranks;
      for (const std::uint64_t place : {std::uint64_t{0}, received})
        ranges.push_back(own(r, place + parts.address(j), parts.bytes(part), parts.first_element(part)));
    }
  return ranges;
}

Ranges message_for_next(const JobSpec& job, Bytes message) {
  const std::uint64_t received = MemoryLayout::of(job, message).received;
  Ranges ranges;
  for (const int r : all_ranks(job))
    for (const std::uint64_t place : {std::uint64_t{0}, received}) ranges.push_back(own(r, place, message.value, 0));
  return ranges;
}

// ---- after

Ranges sum_at_all(const JobSpec& job, Bytes message) { return {{all_ranks(job), 0, message.value, 0, all_ranks(job)}}; }
Ranges sum_at_root(const JobSpec& job, Bytes message) { return {{{job.root}, 0, message.value, 0, all_ranks(job)}}; }
Ranges root_at_all(const JobSpec& job, Bytes message) { return {{all_ranks(job), 0, message.value, 0, {job.root}}}; }

/// Ranks outside the group keep their data.
Ranges root_at_group(const JobSpec& job, Bytes message) {
  const Ranks group = group_of(job);
  Ranges ranges{{group, 0, message.value, 0, {job.root}}};
  for (const int r : all_ranks(job))
    if (std::find(group.begin(), group.end(), r) == group.end()) ranges.push_back(own(r, 0, message.value, 0));
  return ranges;
}

/// Returns one range per slice: slice i of rank i, modified by `finish`.
template <class Finish>
Ranges part_by_part(const JobSpec& job, Bytes message, Finish finish) {
  const collective::Parts parts = parts_of(job, message);
  Ranges ranges;
  for (const int r : all_ranks(job)) {
    const auto i = static_cast<std::uint64_t>(r);
    ranges.push_back(finish(own(r, parts.address(i), parts.bytes(i), parts.first_element(i))));
  }
  return ranges;
}

Ranges parts_at_all(const JobSpec& job, Bytes message) {
  return part_by_part(job, message, [&](OperandRange p) { return p.at = all_ranks(job), p; });
}
Ranges parts_at_root(const JobSpec& job, Bytes message) {
  return part_by_part(job, message, [&](OperandRange p) { return p.at = {job.root}, p; });
}
Ranges part_of_sum_at_each(const JobSpec& job, Bytes message) {
  return part_by_part(job, message, [&](OperandRange p) { return p.operands = all_ranks(job), p; });
}

/// Rank i sends slice i + j (modulo the number of ranks) of its message to rank j, from its j-th range to the i-th range
/// there.
Ranges part_from_each(const JobSpec& job, Bytes message) {
  const collective::Parts parts = parts_of(job, message);
  const std::uint64_t ranks = job.ranks.size(), received = MemoryLayout::of(job, message).received;
  Ranges ranges;
  for (std::uint64_t i = 0; i < ranks; ++i)
    for (std::uint64_t j = 0; j < ranks; ++j) {
      const std::uint64_t part = (i + j) % ranks, address = parts.address(i) + (i == j ? 0 : received);
      ranges.push_back(
          {{static_cast<int>(j)}, address, parts.bytes(part), parts.first_element(part), {static_cast<int>(i)}});
    }
  return ranges;
}

/// A rank alone keeps its message.
Ranges message_of_previous(const JobSpec& job, Bytes message) {
  const std::uint64_t received = MemoryLayout::of(job, message).received;
  const int ranks = static_cast<int>(job.ranks.size());
  Ranges ranges;
  for (int r = 0; r < ranks; ++r) ranges.push_back({{(r + 1) % ranks}, ranks == 1 ? 0 : received, message.value, 0, {r}});
  return ranges;
}

}  // namespace

const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all{
      {"allreduce", "every rank receives the sum of all ranks' messages", Chunking::even, false, false, true, 2, true,
       message_of_each, sum_at_all},
      {"broadcast", "every rank receives the root's message", Chunking::even, true, false, false, 1, false, message_of_each,
       root_at_all},
      {"multicast", "the ranks of --targets receive the root's message", Chunking::even, true, true, false, 1, false,
       message_of_each, root_at_group},
      {"reduce", "the root receives the sum of all ranks' messages", Chunking::even, true, false, true, 1, false,
       message_of_each, sum_at_root},
      {"reduce_scatter", "every rank receives its slice of the sum of all ranks' messages", Chunking::parts, false, false,
       true, 1, true, parts_of_each, part_of_sum_at_each},
      {"allgather", "every rank receives the slices of all ranks", Chunking::parts, false, false, false, 1, true,
       parts_of_each, parts_at_all},
      {"gather", "the root receives the slices of all ranks", Chunking::parts, true, false, false, 1, true, parts_of_each,
       parts_at_root},
      {"alltoall", "every rank receives a slice from every rank", Chunking::pairs, false, false, false, 1, true,
       part_for_each, part_from_each},
      {"sendrecv", "every rank receives the message of the rank before it", Chunking::neighbors, false, false, false, 1,
       false, message_for_next, message_of_previous},
      {"barrier", "no rank continues before every rank has arrived", Chunking::signal, false, false, false, 1, false,
       block_for_each, block_for_each},
  };
  return all;
}

const Collective& collective_of(const std::string& name) {
  std::vector<std::string> names;
  for (const Collective& c : collectives()) {
    if (name == c.name) return c;
    names.emplace_back(c.name);
  }
  throw std::invalid_argument(unknown_name("collective", name, names));
}

double Collective::bus_factor(std::size_t ranks) const {
  const auto n = static_cast<double>(ranks);
  return own_part_remains ? passes * (n - 1) / n : passes;
}

}  // namespace tributary
