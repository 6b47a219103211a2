#include <catch2/catch.hpp>

#include "testbench/cli/command_line.h"

namespace tributary::test_estimate_request {

using Catch::Matchers::Contains;

TEST_CASE("estimate: machines, tensor and window", "[pure]") {
  const auto parse = [](std::vector<std::string> more) {
    more.insert(more.begin(), "estimate");
    return std::get<EstimateRequest>(parse_command_line(more));
  };
  const EstimateRequest plain = parse({});
  CHECK(plain.size == bytes(100'000'000));
  CHECK(plain.machine.gpus == 32);
  CHECK(plain.machine.gpus_per_machine == 8);
  CHECK(plain.machine.inter_rate == 12.5e9);
  CHECK(plain.flow.window == 2);
  CHECK(plain.json.empty());
  const EstimateRequest other =
      parse({"--machines",        "6",    "--gpus",       "1",      "--racks",      "2",      "--size",   "64MiB",
             "--alpha",           "10us", "--intra-rate", "50GB/s", "--inter-rate", "40Gb/s", "--window", "4",
             "--message-packets", "85",   "--payload",    "2KiB",   "--turnaround", "3us"});
  CHECK(other.machine.gpus == 6);
  CHECK(other.machine.intra_rate == 50e9);
  CHECK(other.machine.inter_rate == 5e9);
  CHECK(other.machine.step_time == Approx(10e-6));
  CHECK(other.size == 64_MiB);
  CHECK(other.flow.machines == 6);
  CHECK(other.flow.racks == 2);
  CHECK(other.flow.window == 4);
  CHECK(other.flow.message_packets == 85);
  CHECK(other.flow.payload == 2048);
  CHECK(other.flow.turnaround == Approx(3e-6));
  CHECK_THROWS_WITH(parse({"--machines", "1"}), Contains("--machines") && Contains("2 to 4096"));
  CHECK_THROWS_WITH(parse({"--machines", "4096"}), Contains("32768 GPUs"));
  CHECK_THROWS_WITH(parse({"--racks", "3"}), Contains("4 machines cannot be divided equally among 3 racks"));
  CHECK_THROWS_WITH(parse({"--size", "0B"}), Contains("--size") && Contains("1B to 1TiB"));
  CHECK_THROWS_WITH(parse({"--size", "12"}), Contains("--size"));
  CHECK_THROWS_WITH(parse({"--window", "65"}), Contains("--window") && Contains("1 to 64"));
  CHECK_THROWS_WITH(parse({"--alpha", "2s"}), Contains("--alpha"));
  CHECK_FALSE(plain.fluid);
  const EstimateRequest flows = parse({"--mode", "fluid", "--machines", "16384"});
  CHECK(flows.fluid);
  CHECK(flows.machine.gpus == 131'072);
  CHECK_THROWS_WITH(parse({"--mode", "fluid", "--machines", "16385"}),
                    Contains("131080 GPUs in all (legal: at most 131072)"));
  CHECK_THROWS_WITH(parse({"--mode", "fluid", "--racks", "2"}), Contains("--racks") && Contains("legal: 1"));
  CHECK_THROWS_WITH(parse({"--mode", "windowed"}), Contains("--mode") && Contains("equations or fluid"));
  CHECK_THROWS_WITH(parse({"--json", ""}), Contains("a file name is missing"));
}

}  // namespace tributary::test_estimate_request
