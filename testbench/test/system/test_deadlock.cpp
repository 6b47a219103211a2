/// A run that cannot end is reported with everything that waits, by hierarchical name.
#include <catch2/catch.hpp>
#include <sstream>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_deadlock {

using Catch::Matchers::Contains;

namespace {

/// Rank 3 of 16 never sends a request.
ResultRow run_without_rank_3(const std::string& algorithm, Bytes size, const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec(algorithm, first_gpus(16), {size}, settings);
  spec.jobs[0].withheld_rank = 3;
  return run_one(spec).row;
}

std::size_t lines_with(const std::string& text, const std::string& word) {
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) count += line.find(word) != std::string::npos;
  return count;
}

}  // namespace

TEST_CASE("deadlock: operands withheld from a push wait in the tables", "[system][deadlock]") {
  // 2 KiB are 16 blocks; the entries outlive the watchdog and keep the 15 operands that arrived.
  const ResultRow row =
      run_without_rank_3("push", 2_KiB, {"nvswitch.switch.reduction_table.timeout=1s", "watchdog.window=1ms"});
  REQUIRE(row.status == Status::no_progress);
  CHECK(row.time == 0);
  CHECK_FALSE(row.wrong);
  CHECK_THAT(row.report, Contains("nothing has moved for 1ms") && Contains("16 ranks are not done"));
  // Block 0: plane 0, board 0, port 0 (docs/systems/klenk.md#address-hash).
  CHECK_THAT(row.report, Contains("dgx2.switch0_0.port0.table") && Contains("15 of 16"));
  CHECK(lines_with(row.report, "15 of 16") == 16);
  CHECK_THAT(row.report, Contains("dgx2.gpu0.rank: 16 of 16 blocks of the result are missing"));
  CHECK_THAT(row.report, Contains("dgx2.gpu0.dma.wave0: 0 of 16 responses for blocks 0 to 15"));
}

TEST_CASE("deadlock: with timeouts the operands wait at the home GPUs", "[system][deadlock]") {
  const ResultRow row = run_without_rank_3("push", 2_KiB);
  REQUIRE(row.status == Status::no_progress);
  CHECK(lines_with(row.report, "home: block") == 16);
  CHECK(lines_with(row.report, "has 15 operands") == 16);
  CHECK(lines_with(row.report, ".table") == 0);
  CHECK(row.counters.at("switch.timeouts") == 16);
}

TEST_CASE("deadlock: pull waits at the barrier", "[system][deadlock]") {
  // As an all-reduce, no rank has rank 3's block; as flags, rank 3 alone has all that others send.
  const ResultRow allreduce = run_without_rank_3("pull", 16_KiB, {"nvswitch.pull.barrier_kind=allreduce"});
  REQUIRE(allreduce.status == Status::no_progress);
  CHECK(lines_with(allreduce.report, ".rank: 1 of 16 blocks") == 16);
  const ResultRow flags = run_without_rank_3("pull", 16_KiB, {"nvswitch.pull.barrier_kind=flags"});
  REQUIRE(flags.status == Status::no_progress);
  CHECK(lines_with(flags.report, ".rank: 1 of 15 blocks") == 15);
  CHECK(lines_with(flags.report, "dgx2.gpu3.rank: 0 of 15 blocks") == 1);
}

TEST_CASE("deadlock: a pull without a barrier lacks one share", "[system][deadlock]") {
  // 16 KiB are 128 blocks, 8 for each rank.
  const ResultRow row = run_without_rank_3("pull", 16_KiB, {"nvswitch.pull.barrier=false"});
  REQUIRE(row.status == Status::no_progress);
  CHECK(lines_with(row.report, ".rank: 8 of 128 blocks of the result are missing") == 16);
}

TEST_CASE("deadlock: a ring waits for its predecessor's mailbox", "[system][deadlock]") {
  for (const char* sync : {"nvswitch.ring.sync=counted", "nvswitch.ring.sync=fence"}) {
    INFO(sync);
    const ResultRow row = run_without_rank_3("ring", 16_KiB, {sync});
    REQUIRE(row.status == Status::no_progress);
    CHECK_THAT(row.report, Contains("dgx2.gpu4.executor: command") && Contains("from gpu3"));
    CHECK(lines_with(row.report, ".executor: command") >= 15);
  }
}

TEST_CASE("deadlock: the receivers of a broadcast wait for the root", "[system][deadlock]") {
  RunSpec spec = run_spec("multicast", first_gpus(16), {2_KiB});
  spec.jobs[0].withheld_rank = 0;
  const ResultRow row = run_one(spec).row;
  REQUIRE(row.status == Status::no_progress);
  CHECK(lines_with(row.report, ".rank: 16 of 16 blocks") == 15);
}

TEST_CASE("deadlock: push results on the request VC deadlock, on the response VC they do not", "[system][deadlock]") {
  // A result goes up after its operand came down: one VC then waits for itself in a cycle. That requires small buffers,
  // and tables that evict many blocks.
  const auto run = [](const std::string& vc, const std::string& discipline) {
    return run_one(run_spec("push", first_gpus(16), {256_KiB},
                            {"nvswitch.switch.push_result_vc=" + vc, "nvswitch.switch.input_discipline=" + discipline,
                             "nvswitch.switch.input_buffer=144B", "nvswitch.switch.output_queue=144B",
                             "nvswitch.switch.table_queue=144B", "nvswitch.switch.replication_buffer.bytes=144B",
                             "nvswitch.gpu.dma.waves=0", "nvswitch.fabric.hash=random"}))
        .row;
  };
  for (const char* discipline : {"fifo", "voq"}) {
    INFO(discipline);
    const ResultRow stuck = run("request", discipline);
    REQUIRE(stuck.status == Status::deadlock);
    CHECK_THAT(stuck.report, Contains("dgx2.switch") && Contains("input.vc0") && Contains("replication buffer is full"));
    CHECK(stuck.report.find("dgx2.gpu") >
          stuck.report.rfind("dgx2.switch"));  // the cycle first, then the GPUs that miss data
    const ResultRow free = run("response", discipline);
    CHECK(free.status == Status::done);
    CHECK(free.wrong == 0);
  }
}

TEST_CASE("deadlock: a deadlock leaves no state in the machine", "[system][deadlock]") {
  // The next message in the same elaboration starts from a clean machine, and ends in the same deadlock.
  RunSpec spec = run_spec("push", first_gpus(16), {64_KiB, 2_KiB});
  spec.jobs[0].withheld_rank = 3;
  const std::vector<Run> both = run_all(with_hashes(spec));
  spec.jobs[0].items.erase(spec.jobs[0].items.begin());
  CHECK(both[0].row.status == Status::no_progress);
  CHECK(difference(run_one(with_hashes(spec)), both[1]) == "");
}

TEST_CASE("deadlock: the time limit ends a run with a report", "[system][deadlock]") {
  RunSpec spec = run_spec("push", first_gpus(16), {1_MiB});
  spec.time_limit = 2_us;
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::time_limit);
  CHECK_THAT(row.report, Contains("simulated for 2us") && Contains("16 ranks are not done") && Contains("dgx2.gpu0.rank: "));
}

TEST_CASE("deadlock: a time limit beyond the end changes nothing", "[system][deadlock]") {
  RunSpec spec = with_hashes(run_spec("pull", first_gpus(16), {16_KiB}));
  const Run free = run_one(spec);
  spec.time_limit = 1_ms;
  CHECK(difference(free, run_one(spec)) == "");
  CHECK(free.row.status == Status::done);
}

TEST_CASE("deadlock: the DMA engine gives up after retry_limit tries and reports it", "[system][deadlock]") {
  // There is one wave counter, and the flags of the barrier hold it until their acks arrive, when the message requests
  // one.
  RunSpec spec = run_spec("pull", first_gpus(16), {16_KiB},
                          {"nvswitch.gpu.dma.waves=1", "nvswitch.pull.barrier_kind=flags",
                           "nvswitch.gpu.dma.retry_delay=1ns", "nvswitch.gpu.dma.retry_limit=1"});
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::gave_up);
  CHECK_THAT(row.report, Contains("reports at") && Contains("no free wave counter after 1 tries"));
  CHECK_THAT(row.report, Contains("dgx2.gpu"));
}

TEST_CASE("deadlock: without a retry limit the DMA engine tries until a counter is free", "[system][deadlock]") {
  RunSpec spec =
      run_spec("pull", first_gpus(16), {16_KiB},
               {"nvswitch.gpu.dma.waves=1", "nvswitch.pull.barrier_kind=flags", "nvswitch.gpu.dma.retry_delay=1ns"});
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::done);
  CHECK(row.wrong == 0);
  CHECK(row.counters.at("gpu.dma_retries") > 0);
}

}  // namespace tributary::test_deadlock
