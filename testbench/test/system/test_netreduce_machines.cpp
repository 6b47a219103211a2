/// Hosts of several GPUs, and parameter servers: right sums, both modes agree, times and bytes follow the equations.
#include <catch2/catch.hpp>

#include "testbench/collective/fluid/ethernet_flows.h"
#include "testbench/run/errors.h"
#include "testbench/run/session.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_machines {

using Catch::Matchers::Contains;

namespace {

RunSpec spec_of(const std::string& platform, const std::vector<int>& ranks, const std::string& algorithm,
                const std::vector<Bytes>& sizes, const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec("allreduce", algorithm, ranks, sizes, settings);
  spec.platform = platform;
  return spec;
}

constexpr double message_us = 15.0432;
constexpr std::uint64_t message_wire_bytes = 188040, message_tensor_bytes = 174064, ack_bytes = 86;
const char* const free_additions = "netreduce.host.reduction_rate=10TB/s";

double us(const RunSpec& spec) { return static_cast<double>(run_one(without_data(spec)).row.time) * 1e-6; }

double estimated_us(int machines, int gpus, const std::string& algorithm, double bytes) {
  collective::FlowParams params;
  params.machines = machines, params.gpus = gpus;
  for (const collective::FlowEstimate& e : collective::flow_estimates(params, bytes))
    if (e.algorithm == algorithm) return e.seconds * 1e6;
  FAIL("no estimate of " << algorithm);
  return 0;
}

std::uint64_t bytes_of(const ResultRow& row, const std::string& link) {
  for (const LinkUse& use : row.links)
    if (use.name == link) return use.bytes;
  FAIL("no link " << link);
  return 0;
}

std::string refused(const RunSpec& spec) {
  try {
    Session session(spec);
  } catch (const SetupError& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("not refused: ") + e.what();
  }
  return "not refused";
}

const std::vector<std::string> algorithms{"parallel_netreduce", "parallel_ring", "tencent", "ring"};

}  // namespace

TEST_CASE("machines: every all-reduce of hosts with several GPUs is right in both modes", "[system][netreduce][machines]") {
  for (const std::string& algorithm : algorithms) {
    INFO(algorithm);
    check_modes(spec_of("rack:4x2", first_gpus(8), algorithm, {4_B, 1000_B, 100000_B}));
    check_modes(spec_of("rack:2x8", first_gpus(16), algorithm, {4_B, 5000_B, 100000_B}));
    check_modes(spec_of("spine_leaf:2x2x2", first_gpus(8), algorithm, {4_B, 1000_B, 100000_B}));
  }
}

TEST_CASE("machines: schedules over RDMA among GPUs are right in both modes", "[system][netreduce][machines]") {
  const std::vector<std::pair<std::string, std::string>> algorithms{{"allreduce", "halving_doubling"},
                                                                    {"allreduce", "double_binary_tree"},
                                                                    {"alltoall", "direct"},
                                                                    {"broadcast", "double_binary_tree"},
                                                                    {"reduce_scatter", "ring"}};
  for (const auto& [collective, algorithm] : algorithms) {
    INFO(collective << " " << algorithm);
    RunSpec spec = collective_spec(collective, algorithm, first_gpus(6), {20000_B});
    spec.platform = "rack:3x2";
    check_modes(spec);
  }
}

TEST_CASE("machines: some GPUs of the hosts, or one of each, are right", "[system][netreduce][machines]") {
  check_modes(spec_of("rack:3x4", {9, 10, 0, 3, 5, 6}, "parallel_netreduce", {30000_B}));
  check_modes(spec_of("rack:3x4", {9, 10, 0, 3, 5, 6}, "tencent", {30000_B}));
  check_modes(spec_of("rack:3x4", {7, 2, 8}, "netreduce", {30000_B}));
  check_modes(spec_of("rack:3x4", {7, 2, 8, 1, 11}, "ring", {30000_B}));
}

TEST_CASE("machines: all types, operations and buffers are right", "[system][netreduce][machines]") {
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max})
    for (const std::string& algorithm : algorithms) {
      RunSpec spec = spec_of("rack:2x4", first_gpus(8), algorithm, {30000_B});
      spec.jobs.front().type = ElementType::i32;
      spec.jobs.front().op = op;
      check_modes(spec);
    }
  for (const char* buffers : {"in_place", "staged"})
    check_modes(spec_of("rack:2x4", first_gpus(8), "parallel_netreduce", {30000_B},
                        {std::string("netreduce.flow_control.buffers=") + buffers}));
}

TEST_CASE("machines: sums are right under loss", "[system][netreduce][machines]") {
  for (const std::string& algorithm : algorithms) {
    INFO(algorithm);
    const std::vector<std::string> loss{"netreduce.link.loss_rate=0.02", "netreduce.flow_control.message_packets=9",
                                        "netreduce.nic.retry_count=0"};
    check_modes(spec_of("rack:3x2", first_gpus(6), algorithm, {60000_B}, loss));
    check_modes(spec_of("spine_leaf:2x2x2", first_gpus(8), algorithm, {60000_B}, loss));
  }
  check_modes(
      spec_of("rack:4", first_gpus(3), "parameter_server", {60000_B},
              {"netreduce.link.loss_rate=0.02", "netreduce.flow_control.message_packets=9", "netreduce.nic.retry_count=0"}));
}

TEST_CASE("machines: two jobs on GPUs of the same hosts are right", "[system][netreduce][machines]") {
  RunSpec spec = spec_of("rack:3x4", {0, 1, 4, 5, 8, 9}, "parallel_netreduce", {200000_B});
  JobSpec other = spec.jobs.front();
  other.ranks = {2, 3, 6, 7, 10, 11};
  spec.jobs.push_back(other);
  CHECK(check_modes(spec).size() == 2);
  spec.jobs[1].algorithm = "tencent";
  CHECK_THAT(refused(spec), Contains("share host0"));
  spec.jobs[0].algorithm = "ring";
  CHECK(check_modes(spec).size() == 2);
}

// Liu et al., Eqs. (1) to (3), with Be as the rate that remains for payload: the flow model.
TEST_CASE("machines: times follow the equations", "[system][netreduce][machines]") {
  const double bytes = 50e6;
  for (const char* algorithm : {"parallel_netreduce", "parallel_ring", "tencent"}) {
    INFO(algorithm);
    const double time = us(spec_of("rack:4x8", first_gpus(32), algorithm, {Bytes{50'000'000}}, {free_additions}));
    CHECK(time == Approx(estimated_us(4, 8, algorithm, bytes)).epsilon(0.02));
  }
}

TEST_CASE("machines: the flat ring takes the time of its equation", "[system][netreduce][machines]") {
  const double time = us(spec_of("rack:4x8", first_gpus(32), "ring", {Bytes{100'000'000}}, {free_additions}));
  CHECK(time == Approx(estimated_us(4, 8, "ring", 100e6)).epsilon(0.02));
}

// 2 (n-1) transfers of alpha + M/(n Bi) before and after the time of a rack of hosts with one GPU.
TEST_CASE("machines: parallel NetReduce is NetReduce between two phases inside the hosts", "[system][netreduce][machines]") {
  const std::uint64_t blocks = 12 * message_tensor_bytes / 128;  // parts consist of whole blocks
  const double parts = 4, messages = 12, part = 128.0 * static_cast<double>(blocks);
  const Bytes size{4 * 128 * blocks};
  const double inside = 2 * 3 * (1 + part / 75e3);
  const double time =
      us(spec_of("rack:4x4", first_gpus(16), "parallel_netreduce", {size}, {"netreduce.host.intra_rate=75GB/s"}));
  CHECK(time == Approx(inside + parts * messages * message_us + 3.8).epsilon(0.002));
}

TEST_CASE("machines: NICs of parallel NetReduce send the messages of all rings", "[system][netreduce][machines]") {
  const Run run = run_one(spec_of("rack:3x4", first_gpus(12), "parallel_netreduce", {1_MiB}));
  const std::uint64_t messages = 4 * 2;  // for a quarter
  for (int h = 0; h < 3; ++h) {
    const std::string host = "host" + std::to_string(h) + ".port0", port = "switch.port" + std::to_string(h);
    CHECK(bytes_of(run.row, host + ">" + port) == messages * (message_wire_bytes + ack_bytes));
    CHECK(bytes_of(run.row, port + ">" + host) == messages * (message_wire_bytes + ack_bytes));
  }
}

// Bytes that the NIC of a server receives and sends: P times the tensor, and ACKs.
TEST_CASE("parameter server: its NIC carries exactly the tensor of all workers in each direction",
          "[system][netreduce][machines]") {
  const std::uint64_t slices = 6, workers = 6, packets = slices * 170;
  const Bytes size{slices * 170 * 1024};
  const std::uint64_t bytes = workers * (packets * 1106 + slices * (16 + 4)) + workers * slices * ack_bytes;
  const Run run = run_one(spec_of("rack:7", first_gpus(6), "parameter_server", {size}));
  CHECK(run.row.wrong == 0);
  CHECK(bytes_of(run.row, "host6.port0>switch.port6") == bytes);
  CHECK(bytes_of(run.row, "switch.port6>host6.port0") == bytes);
  for (int h = 0; h < 6; ++h)
    CHECK(bytes_of(run.row, "host" + std::to_string(h) + ".port0>switch.port" + std::to_string(h)) == bytes / workers);
}

TEST_CASE("parameter server: the NIC of the server determines the time", "[system][netreduce][machines]") {
  const double wire = 6 * 65536 * 1106 * 80e-6;
  const auto time = [](const std::string& window) {
    return us(spec_of("rack:7", first_gpus(6), "parameter_server", {64_MiB},
                      {free_additions, "netreduce.flow_control.window=" + window}));
  };
  const double two = time("2"), four = time("4");  // slices of a worker in flight
  CHECK(four > wire);
  CHECK(four == Approx(wire).epsilon(0.01));
  CHECK(two > four);
  CHECK(two == Approx(wire).epsilon(0.05));
}

TEST_CASE("parameter server: several servers share the tensor", "[system][netreduce][machines]") {
  const std::vector<std::string> two{"netreduce.parameter_server.servers=2"};
  check_modes(spec_of("rack:6", first_gpus(4), "parameter_server", {4_B, 700000_B}, two));
  check_modes(spec_of("spine_leaf:2x2x2", first_gpus(4), "parameter_server", {700000_B}, two));
  const double one = us(spec_of("rack:6", first_gpus(4), "parameter_server", {8_MiB}, {free_additions}));
  const double both = us(spec_of("rack:6", first_gpus(4), "parameter_server", {8_MiB}, {free_additions, two[0]}));
  CHECK(one / both > 1.8);
  CHECK(one / both <= 2.0);
}

TEST_CASE("machines: software that feeds its NIC slowly sets the rate", "[system][netreduce][machines]") {
  const std::string pace = "netreduce.host.inter_rate=60Gb/s";
  const double tensor = 16.0 * 1024 * 1024 * 8 / 60e3;  // us
  CHECK(us(spec_of("rack:4", first_gpus(4), "netreduce", {16_MiB}, {pace})) == Approx(tensor).epsilon(0.02));
  CHECK(us(spec_of("rack:4", first_gpus(4), "ring", {16_MiB}, {pace, free_additions})) ==
        Approx(1.5 * tensor).epsilon(0.02));
  check_modes(spec_of("rack:2x2", first_gpus(4), "parallel_netreduce", {100000_B}, {pace}));
}

TEST_CASE("machines: unsupported runs are refused in one line", "[system][netreduce][machines]") {
  CHECK_THAT(refused(spec_of("rack:4x2", first_gpus(8), "netreduce", {1_KiB})), Contains("parallel_netreduce"));
  CHECK_THAT(refused(spec_of("rack:4x2", {0, 1, 2}, "parallel_netreduce", {1_KiB})), Contains("ordered by host"));
  CHECK_THAT(refused(spec_of("rack:4x2", {0, 2, 1, 3}, "parallel_ring", {1_KiB})), Contains("ordered by host"));
  CHECK_THAT(refused(spec_of("rack:4x2", {0, 1}, "parallel_netreduce", {1_KiB})), Contains("at least 2"));
  CHECK_THAT(refused(spec_of("rack:4x3", first_gpus(12), "tencent", {1_KiB})), Contains("1, 2, 4, 8 or 16"));
  CHECK_THAT(refused(spec_of("rack:4", first_gpus(4), "parameter_server", {1_KiB})), Contains("--gpus 3 at most"));
  RunSpec twice = spec_of("rack:8", {0, 1}, "parameter_server", {1_KiB});
  twice.jobs.push_back(twice.jobs.front());
  twice.jobs[1].ranks = {2, 3};
  CHECK_THAT(refused(twice), Contains("legal: one"));
}

// GPUs of a host notify only each other of these additions, in sequence; a server adds the operands of all.
TEST_CASE("machines: long hops and slow additions are no deadlock", "[system][netreduce][machines]") {
  for (const char* algorithm : {"parallel_netreduce", "tencent", "ring"}) {
    INFO(algorithm);
    const RunSpec spec = spec_of("rack:2x8", first_gpus(16), algorithm, {8_KiB}, {"netreduce.host.hop=1ms"});
    CHECK(run_one(spec).row.status == Status::done);
  }
  const RunSpec served =
      spec_of("rack:24", first_gpus(23), "parameter_server", {170_KiB}, {"netreduce.host.reduction_rate=1GB/s"});
  CHECK(run_one(served).row.status == Status::done);
}

TEST_CASE("machines: the loss of a message of one ring is repaired", "[system][netreduce][machines]") {
  RunSpec spec =
      spec_of("rack:3x2", first_gpus(6), "parallel_netreduce", {60000_B}, {"netreduce.flow_control.message_packets=9"});
  for (const char* fault : {"drop:result:1:0:3", "drop:gradient:2:1:4", "drop:ack:0:0"}) {
    INFO(fault);
    spec.frame_faults = {fault};
    const ResultRow row = check_modes(spec).front().row;
    if (fault != std::string("drop:ack:0:0")) CHECK(row.counters.at("nic.rewinds") > 0);
  }
}

// Both jobs send over the NIC of each host. The ring needs 2 x 3/4 of its bytes, NetReduce all of them.
TEST_CASE("machines: a ring over RDMA runs beside NetReduce on the same hosts", "[system][netreduce][machines]") {
  RunSpec spec = run_spec("netreduce", {0, 2, 4, 6}, {2_MiB}, {"netreduce.access=queue_pairs"});
  spec.platform = "rack:4x2";
  JobSpec ring = spec.jobs.front();
  ring.algorithm = "ring";
  ring.ranks = {1, 3, 5, 7};
  spec.jobs.push_back(ring);
  const std::vector<Run> both = check_modes(spec);
  REQUIRE(both.size() == 2);
  const auto alone = [&](const JobSpec& job) {
    RunSpec one = without_data(spec);
    one.jobs = {job};
    return static_cast<double>(run_one(one).row.time);
  };
  for (std::size_t j = 0; j < 2; ++j) {
    const double slower = static_cast<double>(both[j].row.time) / alone(spec.jobs[j]);
    CHECK(slower > 1.3);
    CHECK(slower < 2.2);
    CHECK(both[j].row.counters.at("nic.retries") == 0);
  }
  spec.jobs[1].algorithm = "netreduce";
  check_modes(spec);
}

}  // namespace tributary::test_netreduce_machines
