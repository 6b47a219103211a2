/// Send/receive and all-to-all of NCCL 2.21 and later over NVSwitches: right data in both modes, times by arithmetic,
/// refusals (docs/blocks/nccl_p2p.md).
#include <catch2/catch.hpp>

#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_nccl_p2p {

using Catch::Matchers::Contains;

namespace {

RunSpec on(const std::string& platform, const std::string& collective, const std::vector<int>& gpus,
           const std::vector<Bytes>& sizes, const std::vector<std::string>& settings) {
  RunSpec spec = collective_spec(collective, "nccl", gpus, sizes, settings);
  spec.platform = platform;
  return spec;
}
/// Eight B200 with NCCL 2.27, and no jitter of the memory.
RunSpec b200(const std::string& collective, Bytes size, std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"nvswitch.nccl.version=2.27", "nvswitch.gpu.memory.jitter=0ns"});
  return on("b200", collective, first_gpus(8), {size}, settings);
}

double us(const RunSpec& spec) { return static_cast<double>(run_one(without_data(spec)).row.time) / 1e6; }

std::string chosen(const ResultRow& row, const std::string& name) {
  for (const Choice& c : row.tuned)
    if (c.name == name) return c.text;
  return "";
}

}  // namespace

TEST_CASE("nccl p2p: both collectives leave the right data at the same times in both modes", "[system][nccl]") {
  for (const std::string collective : {"sendrecv", "alltoall"})
    for (const std::string protocol : {"ll", "simple"}) {
      INFO(collective << " with " << protocol);
      const std::vector<std::string> settings{"nvswitch.nccl.protocol=" + protocol};
      check_modes(with_hashes(on("h100", collective, {6, 3}, {12_B, 1000_B, 100004_B}, settings)));
      check_modes(with_hashes(on("h100", collective, {6, 0, 3}, {4_B, 300004_B}, settings)));
      check_modes(with_hashes(on("h100", collective, first_gpus(8), {20_B, 10000_B}, settings)));
    }
}

TEST_CASE("nccl p2p: full slots, several works of a block, two boards and other releases are right", "[system][nccl]") {
  const std::vector<std::string> crowded{"nvswitch.nccl.p2p.channels=2", "nvswitch.nccl.p2p.chunk=4KiB",
                                         "nvswitch.nccl.protocol=simple"};
  for (const std::string collective : {"sendrecv", "alltoall"}) {
    check_modes(with_hashes(on("h100", collective, first_gpus(4), {400012_B}, crowded)));
    check_modes(with_hashes(on("dgx2", collective, {0, 9, 2, 15}, {50000_B}, {"nvswitch.nccl.version=2.21"})));
    check_modes(on("a100", collective, {0, 5, 7}, {60000_B}, {"nvswitch.acks=none", "nvswitch.nccl.version=2.27"}));
    RunSpec halves = on("h100", collective, {2, 1, 5}, {5002_B, 70000_B}, {});
    halves.jobs[0].type = ElementType::bf16;
    check_modes(halves);
  }
  // Ten ranks and one block: nine works of a rank are two batches.
  check_modes(
      on("dgx2", "alltoall", first_gpus(10), {4000_B}, {"nvswitch.nccl.version=2.27", "nvswitch.nccl.p2p.channels=1"}));
}

// tuning.cc: base 6.6 and 8.4 us, hops of 0.6 us (1.3 from 2.27 on) and 3.4 us. 64 B add less than 0.2 us.
TEST_CASE("nccl p2p: a small message lasts base and a hop", "[system][nccl]") {
  const auto h100 = [](const std::string& version, const std::string& protocol) {
    return us(
        on("h100", "sendrecv", first_gpus(8), {64_B},
           {"nvswitch.nccl.version=" + version, "nvswitch.nccl.protocol=" + protocol, "nvswitch.gpu.memory.jitter=0ns"}));
  };
  CHECK(h100("2.21", "ll") == Approx(6.6 + 0.6).margin(0.2));
  CHECK(h100("2.27", "ll") == Approx(6.6 + 1.3).margin(0.2));
  CHECK(h100("2.27", "simple") == Approx(8.4 + 3.4).margin(0.2));
}

// 256 KiB in each of 4 channels, one chunk: nine of the 16 warps that have 38.7 GB/s send it, then nine store it. 8 MiB are
// four chunks, each sent while the one before is stored.
TEST_CASE("nccl p2p: a block sends and receives at its rate", "[system][nccl]") {
  const double group = 9 * 38.7 / 16 * 1e3;  // bytes per us
  const double one = 256 * 1024 / group;
  CHECK(us(b200("sendrecv", 1_MiB)) == Approx(8.4 + 3.4 + 2 * one).epsilon(0.02));
  CHECK(us(b200("sendrecv", 8_MiB)) == Approx(8.4 + 3.4 + (4 + 1) * 2 * one).epsilon(0.02));
  CHECK(us(b200("alltoall", 8_MiB)) == Approx(8.4 + 3.4 + 2 * one).epsilon(0.03));  // 1 MiB to each
  CHECK(us(b200("sendrecv", 1_MiB, {"nvswitch.nccl.simple.block_rate=45GB/s"})) ==
        Approx(8.4 + 3.4 + 2 * 256 * 1024 / 45e3).epsilon(0.02));
  // 128 KiB with flags at 5 GB/s: nine warps store lines while ten send the next ones.
  CHECK(us(b200("sendrecv", 512_KiB)) == Approx(6.6 + 1.3 + 128 * 1024 / 5e3).epsilon(0.03));
  // Two blocks for seven peers: four works share a block.
  CHECK(us(b200("alltoall", 2_MiB, {"nvswitch.nccl.p2p.channels=2", "nvswitch.nccl.protocol=simple"})) ==
        Approx(8.4 + 3.4 + 4 * 2 * one).epsilon(0.03));
}

// Chunks of 4 KiB let a channel carry 128 KiB before channels are added: 4 channels carry 512 KiB, 8 carry 1 MiB in the same
// time, and so on. Without these rules twice the size would last twice as long.
TEST_CASE("nccl p2p: twice the size on twice the channels lasts as long", "[system][nccl]") {
  const std::vector<std::string> small{"nvswitch.nccl.p2p.chunk=4KiB", "nvswitch.nccl.protocol=simple"};
  const double of_four = us(b200("sendrecv", 512_KiB, small)), of_eight = us(b200("sendrecv", 1_MiB, small));
  CHECK(of_eight == Approx(of_four).epsilon(0.02));
  CHECK(us(b200("sendrecv", 256_KiB, small)) < 0.7 * of_four);
}

TEST_CASE("nccl p2p: a row has the protocol, the channels of a peer and the chunk", "[system][nccl]") {
  const auto row = [](const std::string& collective, Bytes size) {
    return run_one(without_data(b200(collective, size))).row;
  };
  const ResultRow flags = row("alltoall", 64_KiB);  // 8 KiB to each
  CHECK(chosen(flags, "algorithm") == "p2p");
  CHECK(chosen(flags, "protocol") == "ll");
  CHECK(chosen(flags, "channels") == "1");
  CHECK(chosen(flags, "chunk") == "32KiB");
  const ResultRow plain = row("sendrecv", 1_MiB);
  CHECK(chosen(plain, "protocol") == "simple");
  CHECK(chosen(plain, "channels") == "4");
  CHECK(chosen(plain, "chunk") == "512KiB");
  CHECK(flags.bus_factor == Approx(7.0 / 8));
  CHECK(plain.bus_factor == 1);
}

TEST_CASE("nccl p2p: the wire pays for flags", "[system][nccl]") {
  const auto wire = [](const std::string& protocol) {
    return static_cast<double>(
        run_one(without_data(b200("sendrecv", 256_KiB, {"nvswitch.nccl.protocol=" + protocol}))).row.wire_bytes);
  };
  CHECK(wire("simple") == Approx(8.0 * 2048 * 160 * 2).epsilon(0.02));  // blocks of 8 ranks, and acks, over two links
  CHECK(wire("ll") / wire("simple") == Approx(2.0).epsilon(0.03));
}

TEST_CASE("nccl p2p: what NCCL does not have is refused in one line", "[system][nccl]") {
  CHECK_THROWS_WITH(resolve_parameters(on("h100", "alltoall", {0, 1}, {1_KiB}, {"nvswitch.nccl.protocol=ll128"})),
                    Contains("NCCL has no alltoall with ll128 (legal: nvswitch.nccl.protocol=ll, simple)"));
  CHECK_THROWS_WITH(resolve_parameters(on("dgx2", "sendrecv", {0, 1}, {1_KiB}, {})),
                    Contains("NCCL 2.4 has no sendrecv (legal: nvswitch.nccl.version of 2.21 and later)"));
  CHECK_THROWS_WITH(resolve_parameters(on("h100", "sendrecv", {0, 1}, {1_KiB}, {"nvswitch.nccl.p2p.channels=12"})),
                    Contains("legal: a power of two"));
}

}  // namespace tributary::test_nccl_p2p
