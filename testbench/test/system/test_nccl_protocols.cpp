/// NCCL 2.21 and later over NVSwitches: right data in both modes, times and wire by arithmetic, refusals
/// (docs/blocks/nccl_protocols.md).
#include <catch2/catch.hpp>

#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_nccl_protocols {

using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> protocols{"ll", "ll128", "simple"};
const std::vector<std::string> collectives{"allreduce", "allgather", "reduce_scatter", "broadcast", "reduce"};

RunSpec on(const std::string& platform, const std::string& collective, const std::vector<int>& gpus,
           const std::vector<Bytes>& sizes, const std::vector<std::string>& settings) {
  RunSpec spec = collective_spec(collective, "nccl", gpus, sizes, settings);
  spec.platform = platform;
  return spec;
}
RunSpec h100(const std::string& collective, unsigned gpus, Bytes size, const std::string& protocol,
             const std::string& version = "2.21", const std::string& setting = "nvswitch.gpu.memory.jitter=0ns") {
  return on(
      "h100", collective, first_gpus(static_cast<int>(gpus)), {size},
      {"nvswitch.nccl.algorithm=ring", "nvswitch.nccl.protocol=" + protocol, "nvswitch.nccl.version=" + version, setting});
}

double us(const RunSpec& spec) { return static_cast<double>(run_one(without_data(spec)).row.time) / 1e6; }

double choice(const ResultRow& row, const std::string& name) {
  for (const Choice& c : row.tuned)
    if (c.name == name) return c.value.value_or(0);
  FAIL("no choice " + name);
  return 0;
}
std::string chosen(const ResultRow& row, const std::string& name) {
  for (const Choice& c : row.tuned)
    if (c.name == name) return c.text;
  return "";
}

}  // namespace

TEST_CASE("nccl protocols: every collective leaves the right data at the same times in both modes", "[system][nccl]") {
  for (const std::string& collective : collectives)
    for (const std::string& protocol : protocols) {
      INFO(collective << " with " << protocol);
      check_modes(
          with_hashes(on("h100", collective, {6, 0, 3}, {4_B, 1000_B, 100000_B}, {"nvswitch.nccl.protocol=" + protocol})));
    }
}

TEST_CASE("nccl protocols: rings of two boards, without acks, and of other types are right", "[system][nccl]") {
  for (const std::string& protocol : protocols) {
    INFO(protocol);
    check_modes(with_hashes(on("dgx2", "allreduce", {0, 9, 2}, {1000_B, 60000_B},
                               {"nvswitch.nccl.version=2.21", "nvswitch.nccl.protocol=" + protocol})));
    check_modes(on("a100", "allreduce", {0, 5}, {60000_B}, {"nvswitch.acks=none", "nvswitch.nccl.protocol=" + protocol}));
    RunSpec halves = h100("allreduce", 4, 50000_B, protocol);
    halves.jobs[0].type = ElementType::bf16, halves.jobs[0].op = ReduceOp::max;
    CHECK(run_one(halves).row.status == Status::done);
  }
}

// tuning.cc: base 6.6, 14.0, 8.4 us; 14 hops of 0.6, 1.9, 3.4 us. A message of 64 B adds less than 1 us of bytes and flags.
TEST_CASE("nccl protocols: a small all-reduce lasts base and 2N - 2 hops", "[system][nccl]") {
  CHECK(us(h100("allreduce", 8, 64_B, "ll")) == Approx(6.6 + 14 * 0.6).epsilon(0.05));
  CHECK(us(h100("allreduce", 8, 64_B, "ll128")) == Approx(14.0 + 14 * 1.9).epsilon(0.05));
  CHECK(us(h100("allreduce", 8, 64_B, "simple")) == Approx(8.4 + 14 * 3.4).epsilon(0.05));
  CHECK(us(h100("allgather", 4, 64_B, "ll")) == Approx(6.6 + 3 * 0.6).epsilon(0.05));
  CHECK(us(h100("allreduce", 8, 64_B, "ll", "2.27")) == Approx(6.6 + 14 * 1.3).epsilon(0.05));
}

// One block crosses its links in packets of 144 B and acks of 16 B: 160 B with plain data, twice that with LL, and 16 for 15
// blocks with LL128.
TEST_CASE("nccl protocols: the wire pays for flags", "[system][nccl]") {
  const auto wire = [](const std::string& protocol) {
    return static_cast<double>(run_one(h100("allreduce", 4, 3_MiB, protocol)).row.wire_bytes);
  };
  const double plain = wire("simple"),
               blocks = 2.0 * 3 * (3 << 20) / 128;  // every block crosses 2(N-1) times, over two links
  CHECK(plain == Approx(2 * blocks * 160).epsilon(0.02));
  CHECK(wire("ll") / plain == Approx(2.0).epsilon(0.02));
  CHECK(wire("ll128") / plain == Approx(16.0 / 15.0).epsilon(0.02));
}

TEST_CASE("nccl protocols: hop and base add what they say", "[system][nccl]") {
  const auto longer = [](const std::string& protocol, const std::string& setting) {
    return us(h100("allreduce", 8, 64_B, protocol, "2.21", setting)) - us(h100("allreduce", 8, 64_B, protocol));
  };
  CHECK(longer("simple", "nvswitch.nccl.simple.hop=4.4us") == Approx(14.0).epsilon(0.001));
  CHECK(longer("ll", "nvswitch.nccl.ll.base=7.6us") == Approx(1.0).epsilon(0.001));
  CHECK(longer("simple", "nvswitch.switch.latency=250ns") == Approx(0.0).margin(0.001));  // a part of the hop
}

namespace {

/// Returns the time of an all-reduce of 4 H100 over one ring in each of 24 channels, us.
double of_four(Bytes size, const std::string& protocol, std::vector<std::string> settings = {}) {
  settings.insert(settings.end(),
                  {"nvswitch.nccl.algorithm=ring", "nvswitch.nccl.protocol=" + protocol, "nvswitch.nccl.version=2.21"});
  return us(on("h100", "allreduce", first_gpus(4), {size}, settings));
}

}  // namespace

// 3 MiB are one loop: chunks of 32 KiB, each of one slice, which a channel copies at 38.7 GB/s.
TEST_CASE("nccl protocols: without direct writes the last step copies", "[system][nccl]") {
  const std::string copies = "nvswitch.nccl.direct=false";
  CHECK(of_four(3_MiB, "simple", {copies}) - of_four(3_MiB, "simple") == Approx(32768 / 38.7e3).epsilon(0.01));
  CHECK(of_four(3_MiB, "ll", {copies}) == of_four(3_MiB, "ll"));
}

// 3 MiB are one loop: chunks of 32 KiB, which leave at 141 GB/s / 24 in each of 6 steps. The last step sends nothing, and
// moves its chunk at the 24 GB/s of a channel; most of it has arrived during the step before.
TEST_CASE("nccl protocols: lines of LL pass on as they arrive, and only sends share the rate", "[system][nccl]") {
  const double chunk = 32 * 1024 / (141e3 / 24), last = 32 * 1024 / 24e3;
  CHECK(of_four(3_MiB, "ll") == Approx(6.6 + 6 * chunk + last).epsilon(0.002));
  CHECK(of_four(64_B, "ll", {"nvswitch.nccl.ll.hop=1.6us"}) - of_four(64_B, "ll") == Approx(6).epsilon(0.01));
  CHECK(of_four(3_MiB, "ll", {"nvswitch.nccl.ll.hop=1.6us"}) - of_four(3_MiB, "ll") < 2);
}

// A chunk of 8 MiB / 4 / 24 needs 6.2 us on the links, so the network's part of a hop is hidden, and the block's is not.
TEST_CASE("nccl protocols: a block is busy for its part of a hop with LL128, once for each chunk", "[system][nccl]") {
  const double plain = of_four(8_MiB, "ll128");
  const std::string longer = "nvswitch.nccl.ll128.hop=2.9us", busy = "nvswitch.nccl.ll128.overhead=2.3us";
  CHECK(of_four(8_MiB, "ll128", {longer}) - plain < 2);
  CHECK(of_four(8_MiB, "ll128", {longer, busy}) - plain == Approx(6).margin(1));
  CHECK(of_four(64_B, "ll128", {busy, longer}) == Approx(of_four(64_B, "ll128", {longer})).epsilon(0.001));
}

TEST_CASE("nccl protocols: the tuner's choice is in the row", "[system][nccl]") {
  const auto row = [](Bytes size, const std::vector<std::string>& settings = {}) {
    return run_one(without_data(on("h100", "allreduce", first_gpus(8), {size}, settings))).row;
  };
  const ResultRow small = row(32_KiB);
  CHECK(chosen(small, "algorithm") == "ring");
  CHECK(chosen(small, "protocol") == "ll");
  CHECK(choice(small, "channels") == 1);
  CHECK(choice(row(64_KiB), "channels") == 2);
  CHECK(chosen(row(64_KiB, {"nvswitch.nccl.protocol=simple"}), "protocol") == "simple");
  CHECK(run_one(on("dgx2", "allreduce", {0, 1}, {1_KiB}, {})).row.tuned.empty());  // NCCL 2.4 has no tuner
}

// 8 H100: rings with LL to 1 MiB, NVLS from 2 MiB (github.com/NVIDIA/nccl-tests/issues/309).
TEST_CASE("nccl protocols: an all-reduce of 2 MiB on 8 H100 is one by NVLS", "[system][nccl]") {
  const RunSpec tuned = on("h100", "allreduce", first_gpus(8), {1_MiB, 2_MiB}, {});
  check_modes(with_hashes(tuned));
  const std::vector<Run> runs = run_all(tuned);
  CHECK(chosen(runs[0].row, "algorithm") == "ring");
  CHECK(chosen(runs[1].row, "algorithm") == "nvls");
  RunSpec nvls = collective_spec("allreduce", "nvls", first_gpus(8), {2_MiB}, {});
  nvls.platform = "h100";
  CHECK(run_one(nvls).row.time == runs[1].row.time);
  CHECK(us(on("h100", "allreduce", first_gpus(8), {64_KiB}, {"nvswitch.nccl.algorithm=nvls"})) > 25);  // its base
}

TEST_CASE("nccl protocols: what NCCL does not have is refused in one line", "[system][nccl]") {
  CHECK_THROWS_WITH(resolve_parameters(on("h100", "allgather", {0, 1}, {1_KiB}, {"nvswitch.nccl.algorithm=tree"})),
                    Contains("NCCL has no allgather by tree on 2 of these GPUs"));
  CHECK_THROWS_WITH(resolve_parameters(on("a100", "allreduce", {0, 1}, {1_KiB}, {"nvswitch.nccl.algorithm=nvls"})),
                    Contains("NCCL has no allreduce by nvls"));
}

}  // namespace tributary::test_nccl_protocols
