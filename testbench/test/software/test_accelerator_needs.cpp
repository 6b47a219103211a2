// Memory, tables and rules that rings of NetReduce need (docs/blocks/accelerator.md#memory).
#include <catch2/catch.hpp>

#include "testbench/family/netreduce/accelerator_needs.h"
#include "testbench/family/netreduce/driver.h"
#include "testbench/run/errors.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_accelerator_needs {
namespace {

RunSpec spec_of(const std::string& platform, int ranks, const std::string& algorithm,
                const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec(algorithm, first_gpus(ranks), {1_MiB}, settings);
  spec.platform = platform;
  return spec;
}

CostReport cost_of(const RunSpec& spec) {
  const RunParameters params = resolve_parameters(spec);
  const auto& p = params.of<NetReducePlatformParams>();
  return accelerator_cost(spec, p, racks_of(spec.platform.name(), p));
}

std::uint64_t value_of(const CostReport& report, const std::string& name) {
  for (const auto& [key, value] : report.values)
    if (key == name) return std::get<std::uint64_t>(value);
  FAIL("no value " << name);
  return 0;
}

std::string refusal(const RunSpec& spec) {
  try {
    resolve_parameters(spec);
  } catch (const SetupError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// Eight rings of four hosts, 680 slots each: 680 x 4 x (1024 + 70), 680 x 41 bits, 680 x 1024 (Liu et al., Table 9, 5.1).
TEST_CASE("the eight rings of Table 9 need 29.4 MB, more than the prototype's FPGA has", "[pure][netreduce]") {
  const CostReport stored = cost_of(spec_of("rack:4x8", 32, "parallel_netreduce"));
  CHECK(value_of(stored, "accelerator_bytes") == 29'403'880);
  CHECK(value_of(stored, "rings_per_accelerator") == 8);
  CHECK(value_of(stored, "block_rams") == 6382);
  CHECK(value_of(stored, "connections") == 32);
  CHECK(value_of(stored, "access_rules") == 4);
  CHECK_THAT(stored.text, Catch::Matchers::Contains("168.8 % of the 3780 of the prototype's FPGA"));
  CHECK(value_of(cost_of(spec_of("rack:4x8", 32, "parallel_netreduce", {"netreduce.accelerator.value=recomputed"})),
                 "accelerator_bytes") == 23'833'320);
  CHECK(cost_of(spec_of("rack:4", 4, "ring")).text == "# no accelerator has a ring\n");
  CHECK(prototype_block_rams * 2627 / 10'000 == 993);
}

TEST_CASE("finite queues of all ports are part of an accelerator's memory", "[pure][netreduce]") {
  const std::vector<std::string> queues{"netreduce.accelerator.input_fifo=64KiB",
                                        "netreduce.accelerator.output_queue=32KiB"};
  CHECK(value_of(cost_of(spec_of("rack:6", 6, "netreduce", queues)), "queue_bytes") == 6 * 96 * 1024);
  CHECK(value_of(cost_of(spec_of("rack:6", 6, "netreduce", queues)), "accelerator_bytes") == 5'163'665 + 6 * 96 * 1024);
}

TEST_CASE("rings that need more entries or rules than there are, are refused", "[pure][netreduce]") {
  using Catch::Matchers::Contains;
  const std::string clt = "netreduce.accelerator.clt.entries=", ctt = "netreduce.accelerator.ctt.entries=",
                    rules = "netreduce.switch.access_rules=";
  CHECK_THAT(refusal(spec_of("rack:6", 6, "netreduce", {clt + "5"})),
             Contains("the rings of accelerator need 6 connections, and netreduce.accelerator.clt.entries=5; legal: "));
  CHECK(refusal(spec_of("rack:6", 6, "netreduce", {clt + "6", ctt + "1"})).empty());
  // Two connections of hosts in each direction; two leaves times two at the spine.
  CHECK_THAT(refusal(spec_of("spine_leaf:2x2", 4, "netreduce", {ctt + "3"})), Contains("need 4 translations"));
  CHECK(refusal(spec_of("spine_leaf:2x2", 4, "netreduce", {ctt + "4"})).empty());
  CHECK_THAT(refusal(spec_of("rack:6", 6, "netreduce", {rules + "5"})),
             Contains("the rings of switch need 6 rules of the access list, and netreduce.switch.access_rules=5"));
  CHECK(refusal(spec_of("rack:6", 6, "ring", {rules + "1", clt + "1"})).empty());
}

TEST_CASE("jobs without room fall back to a ring, in their order", "[pure][netreduce]") {
  RunSpec spec = spec_of("rack:9", 9, "netreduce", {"netreduce.accelerator.memory=6MB"});
  JobSpec job = spec.jobs.front();
  spec.jobs.clear();
  for (const std::vector<int>& ranks : {std::vector<int>{0, 1, 2, 3, 4, 5}, {6, 7}, {8, 9}}) {  // 5.16, 2.19 MB, and a ring
    job.ranks = ranks;
    spec.jobs.push_back(job);
  }
  spec.platform = "rack:10";
  spec.jobs[2].algorithm = "ring";
  CHECK_THAT(refusal(spec), Catch::Matchers::Contains("the rings of accelerator need"));
  const auto admit = [](RunSpec& s) {
    const auto& p = s.parameters.of<NetReducePlatformParams>();
    admit_jobs(s, p, racks_of(s.platform.name(), p));
  };
  RunSpec refused = spec;
  admit(refused);
  CHECK(refused.notes.empty());
  spec.parameters.of<NetReducePlatformParams>().admission = JobAdmission::fallback;
  admit(spec);
  CHECK((spec.jobs[0].algorithm == "netreduce" && spec.jobs[0].asked_algorithm.empty()));
  CHECK((spec.jobs[1].algorithm == "ring" && spec.jobs[1].asked_algorithm == "netreduce"));
  CHECK((spec.jobs[2].algorithm == "ring" && spec.jobs[2].asked_algorithm.empty()));
  REQUIRE(spec.notes.size() == 1);
  CHECK_THAT(spec.notes.front(),
             Catch::Matchers::Contains("job 1 falls back from netreduce to ring: the rings of accelerator need"));
  CHECK(refusal(spec).empty());
  RunSpec machines = spec_of("rack:4x8", 32, "parallel_netreduce",
                             {"netreduce.accelerator.memory=17418240B", "netreduce.admission=fallback"});
  admit(machines);
  CHECK(machines.jobs.front().algorithm == "parallel_ring");
}

TEST_CASE("rings that share slots in time need memory for one message, and ranks in one rack", "[pure][netreduce]") {
  using Catch::Matchers::Contains;
  const std::string share = "netreduce.admission=share", memory = "netreduce.accelerator.memory=";
  // 5 163 665 B for four messages of six hosts.
  CHECK(refusal(spec_of("rack:6", 6, "netreduce", {share, memory + "1290917B"})).empty());
  CHECK_THAT(refusal(spec_of("rack:6", 6, "netreduce", {share, memory + "1290916B"})),
             Contains("the rings of accelerator need 1290917 B"));
  const RunSpec half = spec_of("rack:6", 6, "netreduce", {share, memory + "2600000B"});
  CHECK(value_of(cost_of(half), "accelerator_bytes") == 2 * 1'290'917);
  CHECK(value_of(cost_of(half), "access_rules") == 12);  // with one for the answers of each connection
  CHECK_THAT(refusal(spec_of("spine_leaf:2x3", 6, "netreduce", {share, memory + "2600000B"})),
             Contains("rings of several racks share no slots"));
  CHECK(refusal(spec_of("spine_leaf:2x3", 6, "netreduce", {share, memory + "6MB"})).empty());
}

TEST_CASE("buffers too small for a frame, or for a pause, are refused", "[pure][netreduce]") {
  using Catch::Matchers::Contains;
  const std::string fifo = "netreduce.accelerator.input_fifo=", queue = "netreduce.accelerator.output_queue=",
                    mtu = "netreduce.nic.mtu=4096B";
  CHECK_THAT(refusal(spec_of("rack:6", 6, "netreduce", {queue + "2KiB", mtu})),
             Contains("output_queue=2KiB is too small; legal"));
  CHECK(refusal(spec_of("rack:6", 6, "netreduce", {queue + "2KiB", fifo + "2KiB"})).empty());
  CHECK_THAT(refusal(spec_of("rack:6", 6, "netreduce", {fifo + "8KiB", "netreduce.switch.pfc.on=true"})),
             Contains("input_fifo=8KiB is too small; legal: at least") && Contains("after a pause"));
}

}  // namespace tributary::test_accelerator_needs
