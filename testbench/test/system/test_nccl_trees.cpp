/// Trees of NCCL 2.21 and later over NVSwitches: right data in both modes, times by arithmetic, both directions at once
/// (docs/blocks/nccl_protocols.md#trees).
#include <catch2/catch.hpp>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_nccl_trees {
namespace {

const std::vector<std::string> protocols{"ll", "ll128", "simple"};

RunSpec tree(const std::string& platform, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
             const std::string& protocol, std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"nvswitch.nccl.algorithm=tree", "nvswitch.nccl.protocol=" + protocol});
  RunSpec spec = collective_spec("allreduce", "nccl", gpus, sizes, settings);
  spec.platform = platform;
  return spec;
}
RunSpec h100(int gpus, Bytes size, const std::string& protocol, std::vector<std::string> settings = {}) {
  settings.emplace_back("nvswitch.gpu.memory.jitter=0ns");
  return without_data(tree("h100", first_gpus(gpus), {size}, protocol, std::move(settings)));
}
double us(const RunSpec& spec) { return static_cast<double>(run_one(spec).row.time) / 1e6; }

std::string chosen(const ResultRow& row, const std::string& name) {
  for (const Choice& c : row.tuned)
    if (c.name == name) return c.text;
  return "";
}

}  // namespace

TEST_CASE("nccl trees: 2, 3, 4 and 8 GPUs have the right sums at the same times in both modes", "[system][nccl]") {
  for (const std::string& protocol : protocols)
    for (const std::vector<int>& gpus : {std::vector<int>{5, 2}, {6, 0, 3}, first_gpus(4), first_gpus(8)}) {
      INFO(gpus.size() << " GPUs with " << protocol);
      check_modes(with_hashes(tree("h100", gpus, {4_B, 1000_B, 100004_B}, protocol)));
    }
}

TEST_CASE("nccl trees: two boards, machines without acks, and other types are right", "[system][nccl]") {
  for (const std::string& protocol : protocols) {
    INFO(protocol);
    check_modes(with_hashes(tree("dgx2", {0, 9, 2}, {60000_B}, protocol, {"nvswitch.nccl.version=2.21"})));
    check_modes(tree("a100", {0, 5, 1}, {60000_B}, protocol, {"nvswitch.acks=none"}));
    RunSpec halves = tree("h100", first_gpus(4), {50000_B}, protocol);
    halves.jobs[0].type = ElementType::bf16, halves.jobs[0].op = ReduceOp::max;
    CHECK(run_one(halves).row.status == Status::done);
  }
}

TEST_CASE("nccl trees: slots that are used again leave the right sums", "[system][nccl]") {
  // 24 thread blocks have eight slots of 32 KiB each: 6.3 MB.
  check_modes(tree("h100", first_gpus(2), {7000004_B}, "ll"));
}

// tuning.cc: base 6.8, 14.0, 8.4 us; 2(N-1) hops of 0.6, 1.25, 4.0 us. A message of 64 B adds less than 1 us.
TEST_CASE("nccl trees: a small all-reduce lasts base and 2N - 2 hops", "[system][nccl]") {
  const std::string old = "nvswitch.nccl.version=2.21";
  CHECK(us(h100(8, 64_B, "ll", {old})) == Approx(6.8 + 14 * 0.6).epsilon(0.05));
  CHECK(us(h100(4, 64_B, "ll128", {old})) == Approx(14.0 + 6 * 1.25).epsilon(0.05));
  CHECK(us(h100(8, 64_B, "simple", {old})) == Approx(8.4 + 14 * 4.0).epsilon(0.05));
  CHECK(us(h100(8, 64_B, "ll")) == Approx(6.8 + 14 * 1.3).epsilon(0.05));  // LL of 2.27 and later
  CHECK(us(h100(8, 64_B, "simple", {"nvswitch.nccl.tree.simple.hop=5us"})) - us(h100(8, 64_B, "simple")) ==
        Approx(14.0).epsilon(0.001));
}

// 18 links of 25 GB/s carry 128 of 160 B: 360 GB/s. Two GPUs send in one direction each: up from one, down from the other.
TEST_CASE("nccl trees: two GPUs reduce up and broadcast down at once", "[system][nccl]") {
  const double pass = static_cast<double>((48_MiB).value) / 360e3;  // us
  const double one = us(h100(2, 48_MiB, "simple")), two = us(h100(2, 96_MiB, "simple"));
  CHECK(two - one == Approx(pass).epsilon(0.06));
  CHECK(one < 1.6 * pass);
}

// The links of the GPU in the middle carry the message twice in each direction.
TEST_CASE("nccl trees: a GPU in the middle sends a message up and down", "[system][nccl]") {
  const double once = static_cast<double>((48_MiB).value) / 360e3;
  const ResultRow one = run_one(h100(3, 48_MiB, "simple")).row, two = run_one(h100(3, 96_MiB, "simple")).row;
  CHECK(static_cast<double>(two.time - one.time) / 1e6 == Approx(2 * once).epsilon(0.06));
  CHECK(chosen(one, "algorithm") == "tree");
  CHECK(chosen(one, "channels") == "24");
  CHECK(chosen(one, "chunk") == "512KiB");
  // Every block crosses 2(N - 1) times two links, with 144 B, and an ack of 16 B back.
  CHECK(static_cast<double>(one.wire_bytes) == Approx(2.0 * 2 * 2 * 160 / 128 * (48 << 20)).epsilon(0.02));
}

// Of 640 threads 384 reduce and 256 broadcast. Where a thread block is slower than links, the slower group bounds the run.
TEST_CASE("nccl trees: each group of warps has its share of the rate of a thread block", "[system][nccl]") {
  const std::string slow = "nvswitch.nccl.tree.simple.channel_rate=5GB/s";
  const double more = us(h100(4, 48_MiB, "simple", {slow})) - us(h100(4, 24_MiB, "simple", {slow}));
  const double down = static_cast<double>((24_MiB).value) / (24 * 5e3 * 256 / 640);  // us
  // Each chunk of 512 KiB costs its group 2 us of barrier, fence and post.
  CHECK(more == Approx(down + 2 * 2.0).epsilon(0.02));
}

TEST_CASE("nccl trees: NCCL's tuner takes trees of small messages where LL128 is forced", "[system][nccl]") {
  const auto with = [](const std::string& setting, Bytes size) {
    RunSpec spec = collective_spec("allreduce", "nccl", first_gpus(8), {size}, {setting});
    spec.platform = "h100";
    return chosen(run_one(without_data(spec)).row, "algorithm");
  };
  CHECK(with("nvswitch.nccl.protocol=ll128", 64_KiB) == "tree");
  CHECK(with("nvswitch.nccl.protocol=ll128", 8_MiB) == "ring");
  CHECK(with("nvswitch.nccl.version=2.21", 64_KiB) == "ring");
}

}  // namespace tributary::test_nccl_trees
