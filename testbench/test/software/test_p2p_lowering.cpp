/// Tests sends and receives as steps of channels: every program is proved, and damaged ones are refused
/// (docs/blocks/nccl_p2p.md).
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "testbench/codegen/p2p_lowering.h"
#include "testbench/codegen/p2p_proof.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::test_p2p_lowering {

using Catch::Matchers::Contains;
using collective::ScheduleError;
using nccl::P2pRules;
using nccl::Protocol;
using nccl::Version;

namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

JobSpec job_of(const std::string& collective, int ranks) {
  JobSpec job;
  job.collective = collective, job.algorithm = "nccl";
  job.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(job.ranks.begin(), job.ranks.end(), 3);  // GPUs are not ranks
  return job;
}

P2pRules rules_of(const JobSpec& job, Version version = Version::v2_27) {
  return {{90, 18, static_cast<unsigned>(job.ranks.size()), 1, {}, version}, {}};
}

ChannelPlan plan_of(const JobSpec& job, std::uint64_t size, Protocol protocol, Version version = Version::v2_27) {
  return lower_p2p(job, bytes(size), rules_of(job, version), protocol, {});
}

std::uint64_t sent(const StreamProgram& program) {
  std::uint64_t all = 0;
  for (const ChannelStep& s : program.steps)
    if (s.peer != ChannelStep::none) all += s.bytes;
  return all;
}

/// Returns what the proof says of the plan after `change` to the steps of rank 0.
template <class Change>
std::string refused(const std::string& collective, std::uint64_t size, Change change) {
  const JobSpec job = job_of(collective, 3);
  ChannelPlan plan = plan_of(job, size, Protocol::simple);
  change(plan.programs[0]);
  try {
    prove_p2p(job, bytes(size), plan.programs);
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

ChannelStep& first(StreamProgram& program, bool sends, std::size_t number = 0) {
  for (ChannelStep& s : program.steps)
    if ((s.peer != ChannelStep::none) == sends && number-- == 0) return s;
  throw std::logic_error("no such step");
}

}  // namespace

TEST_CASE("p2p lowering: all sizes, ranks, protocols and releases are proved", "[pure]") {
  for (const std::string collective : {"sendrecv", "alltoall"})
    for (const int ranks : {2, 3, 5, 8, 17})
      for (const Version version : {Version::v2_21, Version::v2_27, Version::v2_29})
        for (const Protocol protocol : {Protocol::ll, Protocol::simple})
          for (const std::uint64_t size : {4 * 1ul, 20 * 1ul, 1000 * 1ul, 300 * KiB + 4, 5 * MiB + 12}) {
            JobSpec job = job_of(collective, ranks);
            job.back_to_back = ranks == 3 ? 3 : 1;
            INFO(collective << " of " << ranks << " ranks, " << size << " B, " << name_of(protocol));
            const ChannelPlan plan = plan_of(job, size, protocol, version);
            std::uint64_t all = 0;
            for (const StreamProgram& program : plan.programs) all += sent(program);
            all /= job.back_to_back;
            if (collective == "sendrecv") CHECK(all == size * static_cast<std::uint64_t>(ranks));
            if (collective == "alltoall" && size % (4 * static_cast<std::uint64_t>(ranks)) == 0)
              CHECK(all == size * static_cast<std::uint64_t>(ranks - 1));
          }
}

// 16 MiB to the next of 8 ranks: 4 channels of 4 MiB, which are 8 chunks of 512 KiB; 9 chunks wait for one free slot.
TEST_CASE("p2p lowering: a channel has eight slots, and the ninth chunk waits for the first", "[pure]") {
  const JobSpec job = job_of("sendrecv", 8);
  const auto granted = [&](std::uint64_t size) {
    std::uint32_t all = 0;
    const ChannelPlan plan = plan_of(job, size, Protocol::simple);
    CHECK(plan.programs[0].channels == 8);  // a group that sends and one that receives in each of four thread blocks
    for (const ChannelStep& s : plan.programs[0].steps) all += s.grants != 0 ? 1 : 0;
    return all;
  };
  CHECK(granted(16 * MiB) == 0);
  CHECK(granted(16 * MiB + 4 * 512 * KiB) == 4);
  const ChannelPlan plan = plan_of(job, 1 * MiB, Protocol::simple);
  CHECK(plan.programs[0].steps.size() == 8);  // 256 KiB is one chunk
  CHECK(plan.programs[0].steps[0].bytes == 256 * KiB);
  CHECK(plan.programs[0].steps[0].warps == 9);
  CHECK(plan.programs[0].steps[0].of_warps == 9);
}

// Nine warps receive lines of 8 B for each of 32 threads: 2304 B. 8 KiB are four such steps, the last one shorter.
TEST_CASE("p2p lowering: with flags a step moves the lines that all receiving warps read at once", "[pure]") {
  const JobSpec job = job_of("sendrecv", 8);
  const ChannelPlan plan = plan_of(job, 8 * KiB, Protocol::ll);
  REQUIRE(plan.programs[0].steps.size() == 8);
  CHECK(plan.programs[0].steps[0].bytes == 2304);
  CHECK(plan.programs[0].steps[3].bytes == 8 * KiB - 3 * 2304);
  CHECK(plan.programs[0].steps[0].warps == 10);
  CHECK(plan.programs[0].steps[4].warps == 9);
}

// 16 parts of 8 peers are four works in each of 32 blocks; 5 warps have two receivers and three senders, one of them for
// fences.
TEST_CASE("p2p lowering: all peers of an all-to-all are served at once", "[pure]") {
  const JobSpec job = job_of("alltoall", 8);
  const ChannelPlan small = plan_of(job, 8 * MiB, Protocol::simple);
  CHECK(small.programs[5].channels == 2 * 4 * 7);
  const ChannelPlan large = plan_of(job, 8 * 160 * MiB, Protocol::simple);  // 16 channels of 10 MiB
  CHECK(large.programs[5].channels == 2 * 16 * 7);
  std::set<std::pair<unsigned, unsigned>> warps;
  for (const ChannelStep& s : large.programs[5].steps) warps.insert({s.warps, s.of_warps});
  CHECK(warps ==
        std::set<std::pair<unsigned, unsigned>>{{2, 6}, {2, 8}});  // three or four works: one round is the rank's own
}

TEST_CASE("p2p lowering: works beyond eight in a block follow in its groups", "[pure]") {
  const JobSpec job = job_of("alltoall", 5);
  NcclP2pParams params;
  params.channels = 1;  // four peers, one thread block
  const P2pRules narrow({90, 18, 5, 1, {}, Version::v2_27}, params);
  CHECK(lower_p2p(job, bytes(6000), narrow, Protocol::simple, {}).programs[0].channels == 2 * 4);
  const JobSpec many = job_of("alltoall", 17);
  const P2pRules narrower({90, 18, 17, 1, {}, Version::v2_27}, params);
  const ChannelPlan plan = lower_p2p(many, bytes(6800), narrower, Protocol::simple, {});
  CHECK(plan.programs[0].channels == 2 * 8);  // two batches of eight peers
  CHECK(plan.programs[0].steps.size() == 2 * 16);
}

TEST_CASE("p2p lowering: the proof names what is wrong", "[pure]") {
  const std::uint64_t size = 40 * MiB;  // 8 channels of 5 MiB: 10 chunks in 8 slots
  CHECK(refused("sendrecv", size, [](StreamProgram&) {}).empty());
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, true, 8).grants = 0; }),
             Contains("overwrites a slot"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, false, 1).arrivals = 1; }),
             Contains("does not wait for the data"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, false, 1).arrivals = 11; }),
             Contains("it reaches only 10"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, true).grants = 1; }), Contains("deadlock"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, true).own += 128; }), Contains("overlap"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, false).own = first(p, false, 1).own; }),
             Contains("for the second time"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { std::swap(first(p, true).own, first(p, true, 1).own); }),
             Contains("does not end with the data of rank 0"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, false).bytes -= 4; }),
             Contains("does not have the bytes"));
  CHECK_THAT(refused("sendrecv", size, [](StreamProgram& p) { first(p, true).tell += 1; }), Contains("semaphore"));
  CHECK_THAT(refused("alltoall", 6000, [](StreamProgram& p) { std::swap(first(p, false).own, first(p, false, 1).own); }),
             Contains("does not end with the data"));
  CHECK_THAT(refused("alltoall", 6000, [](StreamProgram& p) { first(p, true).reads_input = true; }),
             Contains("neither sends local data"));
  CHECK_THAT(refused("alltoall", 6000, [](StreamProgram& p) { first(p, true).peer = 3; }), Contains("its own rank"));
  CHECK_THAT(refused("alltoall", 6000, [](StreamProgram& p) { p.steps.pop_back(); }), Contains("no step reads"));
}

}  // namespace tributary::test_p2p_lowering
