// Chunks of the part of a rank: sizes and addresses.
#include <catch2/catch.hpp>
#include <map>

#include "testbench/workload/memory_layout.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary::test_part_chunks {
namespace {

JobSpec job_of(const std::string& collective, int ranks) {
  JobSpec job;
  job.collective = collective;
  for (int r = 0; r < ranks; ++r) job.ranks.push_back(r);
  return job;
}

collective::Schedule empty_schedule(int ranks, int chunks) {
  collective::Schedule schedule{"t", ranks, chunks, 1, {}, {}};
  schedule.programs.resize(static_cast<std::size_t>(ranks));
  for (int c = 0; c < chunks; ++c) schedule.goals.push_back({});
  return schedule;
}

/// Regions by their first block; no two overlap in blocks of 128 B.
void check_apart(const std::map<std::uint64_t, std::uint64_t>& regions) {
  std::uint64_t end = 0;
  for (const auto& [begin, bytes] : regions) {
    CHECK(begin % 128 == 0);
    CHECK(begin >= end);
    end = begin + bytes;
  }
}

}  // namespace

TEST_CASE("chunks of the parts of an all-gather are contiguous", "[pure]") {
  const JobSpec job = job_of("allgather", 3);
  const Bytes message = bytes(4 * 1000);  // slices of 334, 333 and 333 elements
  const collective::Schedule schedule = empty_schedule(3, 6);
  const SizedSchedule fitting = sized(schedule, job, message);
  const ChunkPlaces places(job, message, schedule);
  // 1336 B are 11 blocks: 6, and 5 with a short last one.
  CHECK(fitting.chunk_bytes[0] == 6 * 128);
  CHECK(fitting.chunk_bytes[1] == 1336 - 6 * 128);
  CHECK(places.address(2, 1) == 6 * 128);
  std::map<std::uint64_t, std::uint64_t> regions;
  std::uint64_t all = 0;
  for (int c = 0; c < 6; ++c) {
    regions[places.address(0, c)] = fitting.chunk_bytes[static_cast<std::size_t>(c)];
    all += fitting.chunk_bytes[static_cast<std::size_t>(c)];
    CHECK_FALSE(places.relayed(1, c));
  }
  CHECK(regions.size() == 6);
  CHECK(all == message.value);
  check_apart(regions);
}

TEST_CASE("chunks of the parts of an all-to-all have the addresses of their pair", "[pure]") {
  const JobSpec job = job_of("alltoall", 3);
  const Bytes message = bytes(4 * 1000);
  const collective::Schedule schedule = empty_schedule(3, 18);
  const SizedSchedule fitting = sized(schedule, job, message);
  const ChunkPlaces places(job, message, schedule);
  for (int rank = 0; rank < 3; ++rank) {
    std::map<std::uint64_t, std::uint64_t> regions;
    std::uint64_t sent = 0, received = 0;
    for (int c = 0; c < 18; ++c) {
      const int from = c / 6, to = c % 6 / 2;
      CHECK(places.relayed(rank, c) == (from != rank && to != rank));
      if (places.relayed(rank, c)) continue;
      const std::uint64_t size = fitting.chunk_bytes[static_cast<std::size_t>(c)];
      regions[places.address(rank, c)] = size;
      (from == rank ? sent : received) += size;
    }
    CHECK(regions.size() == 10);  // 6 to all ranks, 4 from the others
    CHECK(sent == message.value);
    CHECK(sent + received > 5 * message.value / 3 - 128);
    check_apart(regions);
  }
}

// A message of 1000 B fills 8 blocks; the one that is received follows it.
TEST_CASE("chunks of a send/receive are at the sender and at the next rank", "[pure]") {
  const JobSpec job = job_of("sendrecv", 3);
  const collective::Schedule schedule = empty_schedule(3, 6);
  const SizedSchedule fitting = sized(schedule, job, 1000_B);
  const ChunkPlaces places(job, 1000_B, schedule);
  CHECK(fitting.chunk_bytes == std::vector<std::uint64_t>{512, 488, 512, 488, 512, 488});
  for (int rank = 0; rank < 3; ++rank)
    for (int c = 0; c < 6; ++c) {
      const int from = c / 2;
      CHECK(places.relayed(rank, c) == ((from + 2) % 3 == rank));
      if (from == rank) CHECK(places.address(rank, c) == static_cast<std::uint64_t>(c % 2 * 512));
      if ((from + 1) % 3 == rank) CHECK(places.address(rank, c) == static_cast<std::uint64_t>(1024 + c % 2 * 512));
    }
  CHECK(MemoryLayout::of(job, 1000_B).mailboxes == 2048);
}

}  // namespace tributary::test_part_chunks
