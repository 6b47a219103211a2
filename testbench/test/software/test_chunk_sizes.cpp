/// Chunk sizes of a Blink run: each job and message size has its own tuner.
#include <catch2/catch.hpp>

#include "testbench/family/blink/chunk_sizes.h"

namespace tributary::test_chunk_sizes {
namespace {

Bytes MB(std::uint64_t n) { return bytes(n * 1'000'000); }

JobSpec job_of(const std::string& collective, int root = 0) {
  JobSpec job;
  job.collective = collective;
  job.algorithm = "blink";
  job.ranks = {0, 1, 2};
  job.root = root;
  return job;
}

/// An iteration of a message of 8 MB that needs `time` ps.
ResultRow row_of(unsigned iteration, Tick time) {
  ResultRow row;
  row.size_bytes = 8'000'000;
  row.iteration = iteration;
  row.time = time;
  return row;
}

}  // namespace

TEST_CASE("chunk sizes: iterations tune only their own job and message size", "[pure][blink]") {
  ChunkSizes sizes(std::nullopt);
  const JobSpec job = job_of("allreduce");
  CHECK(sizes.automatic());
  CHECK(sizes.chunk(job, MB(8)) == MB(1));
  sizes.measured(job, row_of(0, 1000));
  CHECK(sizes.chunk(job, MB(8)) == MB(2));
  CHECK(sizes.choice(job, MB(8)).text == "2MB");
  CHECK(sizes.chunk(job, MB(4)) == MB(1));
  CHECK(sizes.chunk(job_of("reduce"), MB(8)) == MB(1));
  CHECK(sizes.chunk(job_of("allreduce", 1), MB(8)) == MB(1));
  sizes.measured(job, row_of(1, 500));
  CHECK(sizes.chunk(job, MB(8)) == MB(4));
  sizes.measured(job, row_of(0, 500));  // iteration 0 restarts the tuner
  CHECK(sizes.chunk(job, MB(8)) == MB(2));
}

TEST_CASE("chunk sizes: a parameter sets all of them", "[pure][blink]") {
  const ChunkSizes sizes(256_KiB);
  CHECK_FALSE(sizes.automatic());
  CHECK(sizes.chunk(job_of("allreduce"), MB(8)) == 256_KiB);
}

TEST_CASE("chunk sizes: a prediction replaces the first size", "[pure][blink]") {
  const ChunkSizes sizes(std::nullopt, [](const JobSpec&, Bytes message) { return bytes(message.value / 10); });
  CHECK(sizes.chunk(job_of("allreduce"), MB(8)) == bytes(800'000));
  CHECK(sizes.choice(job_of("allreduce"), MB(8)).text == "800kB");
  const ChunkSizes set(256_KiB, [](const JobSpec&, Bytes message) { return message; });
  CHECK(set.chunk(job_of("allreduce"), MB(8)) == 256_KiB);
}

TEST_CASE("job keys: jobs that differ in any field have different keys", "[pure][blink]") {
  const JobSpec job = job_of("allreduce");
  const auto differs = [&](auto change) {
    JobSpec other = job;
    change(other);
    return JobKey(job) < JobKey(other) || JobKey(other) < JobKey(job);
  };
  CHECK_FALSE(differs([](JobSpec&) {}));
  CHECK_FALSE(differs([](JobSpec& j) { j.items = {{"", MB(8)}}; }));
  CHECK(differs([](JobSpec& j) { j.collective = "reduce"; }));
  CHECK(differs([](JobSpec& j) { j.algorithm = "blink_hybrid"; }));
  CHECK(differs([](JobSpec& j) { j.root = 1; }));
  CHECK(differs([](JobSpec& j) { j.ranks = {0, 2, 1}; }));
  CHECK(differs([](JobSpec& j) { j.type = ElementType::f16; }));
  CHECK(differs([](JobSpec& j) { j.op = ReduceOp::max; }));
}

}  // namespace tributary::test_chunk_sizes
