/// Software schedules as streams of commands (docs/systems/blink.md#schedules-of-files).
#include <catch2/catch.hpp>
#include <set>

#include "testbench/codegen/schedule_streams.h"
#include "testbench/codegen/stream_proof.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/test/harness/stream_executor.h"
#include "testbench/workload/chunk_commands.h"

namespace tributary::test_schedule_streams {

using Catch::Matchers::Contains;
using Kind = StreamCommand::Kind;

namespace {

JobSpec job_of(const std::string& collective, int ranks) {
  JobSpec job;
  job.collective = collective;
  for (int r = 0; r < ranks; ++r) job.ranks.push_back(2 * r + 1);  // endpoints differ from ranks
  job.root = collective == "broadcast" || collective == "reduce" || collective == "gather" ? ranks - 1 : 0;
  job.type = ElementType::i32;
  return job;
}

CopyPath nvlinks(int, int) { return CopyPath::nvlink; }

StreamPlan planned(const JobSpec& job, const std::string& algorithm, std::uint64_t message,
                   const StreamOptions& options = {}, const PathBetween& path = nvlinks, int loops = 1) {
  const collective::Schedule schedule = collective::looped(
      collective::software_schedule(job.collective, algorithm, static_cast<int>(job.ranks.size()), job.root, message),
      loops);
  collective::verify_any(schedule);
  return schedule_streams(job, bytes(message), proved_for(schedule, job, bytes(message)), path, options);
}

std::vector<StreamCommand> all_of(const StreamPlan& plan, Kind kind) {
  std::vector<StreamCommand> found;
  for (const StreamProgram& program : plan.programs)
    for (const StreamCommand& c : program.commands)
      if (c.kind == kind) found.push_back(c);
  return found;
}

/// Barriers have no data to copy; a multicast is a broadcast among its members.
bool runs_on_copies(const collective::SoftwareAlgorithm& a) {
  return std::string(a.collective) != "barrier" && std::string(a.collective) != "multicast";
}

}  // namespace

TEST_CASE("schedule streams: every algorithm is proved, and correct in any order of commands", "[pure][streams]") {
  for (const collective::SoftwareAlgorithm& a : collective::software_algorithms())
    for (const int ranks : {2, 3, 5, 8})
      for (const unsigned queues : {1u, 2u, 32u})
        for (const bool own : {false, true}) {
          if (!runs_on_copies(a)) continue;
          const JobSpec job = job_of(a.collective, ranks);
          StreamOptions options;
          options.queues = queues, options.own_kernel_streams = own;
          for (const std::uint64_t message : {4u, 1000u, 20000u}) {
            INFO(a.collective << " " << a.name << ", " << ranks << " ranks, " << message << " B, " << queues << " queues");
            const StreamPlan plan = planned(job, a.name, message, options);
            for (const unsigned seed : {1u, 2u})
              CHECK(StreamExecutor(job, bytes(message), plan.programs, plan.memory, queues, seed).run().empty());
          }
        }
}

TEST_CASE("schedule streams: each message has a copy, and each added message a kernel", "[pure][streams]") {
  const JobSpec job = job_of("allreduce", 4);
  const StreamPlan plan = planned(job, "ring", 4096);
  CHECK(all_of(plan, Kind::copy).size() == 4 * 6);
  CHECK(all_of(plan, Kind::kernel).size() == 4 * 3);
  // Three sums arrive before the last one is sent on, in the sending stream: one wait each, and one for each later slice.
  const std::vector<StreamCommand>& first = plan.programs.front().commands;
  std::vector<Kind> kinds;
  for (const StreamCommand& c : first)
    if (c.stream == first.front().stream) kinds.push_back(c.kind);
  const std::vector<Kind> send{Kind::copy, Kind::record}, sum{Kind::wait, Kind::kernel}, wait{Kind::wait};
  std::vector<Kind> expected = send;
  for (const auto* before : {&sum, &sum, &sum, &wait, &wait}) {
    expected.insert(expected.end(), before->begin(), before->end());
    expected.insert(expected.end(), send.begin(), send.end());
  }
  CHECK(kinds == expected);
  // Kernels in their own streams signal the streams of the copies.
  StreamOptions apart;
  apart.own_kernel_streams = true;
  std::set<std::uint16_t> copies, kernels;
  const StreamPlan both = planned(job, "ring", 4096, apart);
  for (const StreamCommand& c : both.programs.front().commands)
    if (c.kind == Kind::copy || c.kind == Kind::kernel) (c.kind == Kind::copy ? copies : kernels).insert(c.stream);
  CHECK((copies.size() == 1 && kernels.size() == 1 && copies != kernels));
}

TEST_CASE("schedule streams: copies and their records use the route that connects the ranks", "[pure][streams]") {
  const JobSpec job = job_of("allgather", 4);
  const PathBetween path = [](int from, int to) { return (from < 2) == (to < 2) ? CopyPath::pcie : CopyPath::network; };
  const StreamPlan plan = planned(job, "ring", 4096, {}, path);
  for (std::size_t r = 0; r < 4; ++r)
    for (const StreamCommand& c : plan.programs[r].commands) {
      const bool leaves = (r < 2) != (c.peer < job.ranks[2]);
      if (c.kind == Kind::copy || (c.kind == Kind::record && c.peer != job.ranks[r]))
        CHECK(c.path == (leaves ? CopyPath::network : CopyPath::pcie));
    }
}

TEST_CASE("schedule streams: several loops send every slice of every chunk", "[pure][streams]") {
  for (const char* collective : {"allreduce", "allgather", "reduce_scatter"}) {
    const JobSpec job = job_of(collective, 4);
    for (const int loops : {2, 3}) {
      INFO(collective << " in " << loops << " loops");
      for (const std::uint64_t message : {1000u, 20000u}) {
        const StreamPlan plan = planned(job, "ring", message, {}, nvlinks, loops);
        CHECK(StreamExecutor(job, bytes(message), plan.programs, plan.memory, 32, 7).run().empty());
        std::uint64_t sent = 0;
        for (const StreamCommand& c : all_of(plan, Kind::copy)) sent += c.bytes;
        CHECK(sent == (std::string(collective) == "allreduce" ? 6 : 3) * message);  // 4 ranks send (n - 1)/n of it, or twice
      }
    }
  }
}

// In a chain of messages that only arrive, each loop waits for the message of the previous loop.
TEST_CASE("schedule streams: a stream waits once for data that have arrived with the last of many messages",
          "[pure][streams]") {
  const JobSpec job = job_of("allgather", 4);
  const StreamPlan plan = planned(job, "ring", 400'000, {}, nvlinks, 50);
  CHECK(all_of(plan, Kind::copy).size() == 4 * 3 * 50);
  CHECK(all_of(plan, Kind::wait).size() == 4 * (2 * 50 + 1));  // for all forwarded messages, and at the end for the last
}

TEST_CASE("loops: an operation waits for the same operation of the previous loop, and for its dependencies", "[pure]") {
  using collective::OperationKind;
  collective::Schedule one{"two", 2, 2, 2, {}};
  one.programs = {{{OperationKind::send, 7, 1, 0, 0, 0, {}}, {OperationKind::send, 9, 1, 1, 1, 0, {7}}}, {}};
  const collective::Schedule twice = collective::looped(one, 2);
  const auto& program = twice.programs[0];
  REQUIRE(program.size() == 4);
  CHECK((twice.chunks == 4 && twice.slots == 4));
  CHECK(program[0].deps.empty());
  CHECK(program[1].deps == std::vector<int>{0});
  CHECK(program[2].deps == std::vector<int>{0});
  CHECK(program[3].deps == std::vector<int>{2, 1});
  CHECK((program[3].chunk == 3 && program[3].slot == 3 && program[2].chunk == 1));
  CHECK(collective::looped(one, 1).programs[0].size() == 2);
  CHECK_THROWS_WITH(collective::looped(one, 0), Contains("0 slices; at least 1"));
}

}  // namespace tributary::test_schedule_streams
