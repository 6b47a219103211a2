/// NVLS on whole machines: sums, both modes, bytes on the wire, chunks, waits, and parts that a user swaps
/// (docs/blocks/nvls.md).
#include <catch2/catch.hpp>
#include <map>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_nvls_system {

using Catch::Matchers::Contains;

namespace {

using Settings = std::vector<std::string>;

RunSpec nvls(const std::string& platform, int gpus, const std::vector<Bytes>& sizes, const Settings& settings = {}) {
  RunSpec spec = run_spec("nvls", first_gpus(gpus), sizes, settings);
  spec.platform = platform;
  return spec;
}

Tick time_of(const Settings& settings, Bytes size = 1_MiB, int gpus = 4) {
  return run_one(without_data(nvls("h100", gpus, {size}, settings))).row.time;
}

/// Bytes of all links that leave and enter each GPU.
std::map<std::string, std::uint64_t> bytes_of_gpus(const ResultRow& row) {
  std::map<std::string, std::uint64_t> all;
  for (const LinkUse& link : row.links) {
    const std::size_t to = link.name.find('>') + 1;
    if (link.name.rfind("gpu", 0) == 0) all[link.name.substr(0, link.name.find('.')) + " out"] += link.bytes;
    if (link.name.compare(to, 3, "gpu") == 0) all[link.name.substr(to, link.name.find('.', to) - to) + " in"] += link.bytes;
  }
  return all;
}

}  // namespace

TEST_CASE("nvls: sums are right at equal times in both modes", "[system][nvls]") {
  for (const char* platform : {"h100", "dgx2"})
    for (const int gpus : {2, 3, 8}) {
      INFO(platform << ", " << gpus << " GPUs");
      check_modes(with_hashes(nvls(platform, gpus, {4_B, 1000_B, 20000_B, 300000_B}, {"nvswitch.nvls.chunk=1KiB"})));
    }
  check_modes(with_hashes(nvls("dgx2", 16, {100000_B}, {"nvswitch.nvls.chunk=256B", "nvswitch.nvls.slots=1"})));
}

TEST_CASE("nvls: parts of a reduce-scatter and an all-gather are right at equal times in both modes", "[system][nvls]") {
  for (const char* collective : {"reduce_scatter", "allgather"})
    for (const Settings& settings : {Settings{"nvswitch.nvls.chunk=512B"},
                                     {"nvswitch.nvls.registered=true"},
                                     {"nvswitch.nvls.payload=32B"},
                                     {"nvswitch.acks=none", "nvswitch.nvls.chunk=512B", "nvswitch.nvls.slots=2"}})
      for (const char* platform : {"h100", "dgx2"}) {
        INFO(collective << ", " << settings.front() << ", " << platform);
        RunSpec spec = collective_spec(collective, "nvls", {0, 2, 5, 7, 3}, {4_B, 1000_B, 300000_B}, settings);
        spec.platform = platform;
        check_modes(with_hashes(spec));
      }
}

TEST_CASE("nvls: every setting leaves the right sums in both modes", "[system][nvls]") {
  for (const Settings& settings :
       {Settings{"nvswitch.nvls.registered=true"},
        {"nvswitch.nvls.payload=128B"},
        {"nvswitch.nvls.payload=16B"},
        {"nvswitch.nvls.merge_acks=false"},
        {"nvswitch.switch.ack_table.entries=1"},
        {"nvswitch.nvls.window=128B"},
        {"nvswitch.acks=merged"},
        {"nvswitch.acks=none", "nvswitch.nvls.chunk=512B"},
        {"nvswitch.acks=none", "nvswitch.nvls.payload=32B"},
        {"nvswitch.nvls.copy_rate=0GB/s", "nvswitch.nvls.peer=0ns"},
        {"nvswitch.switch.reduction_table.order=rank", "nvswitch.switch.reduction_table.bytes=2KiB"}}) {
    INFO(settings.front());
    check_modes(with_hashes(nvls("h100", 4, {1000_B, 100004_B}, settings)));
  }
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::i32}) {
    RunSpec spec = nvls("h100", 3, {50000_B});
    spec.jobs[0].type = type, spec.jobs[0].op = ReduceOp::max;
    CHECK(run_one(spec).row.status == Status::done);
  }
}

TEST_CASE("nvls: each direction of each GPU carries the message 1 + 1/N times, with its requests and acks",
          "[system][nvls]") {
  for (const int gpus : {2, 4, 8}) {
    constexpr std::uint64_t message = 1 << 20, blocks = message / 128;
    const auto n = static_cast<std::uint64_t>(gpus);
    const ResultRow row = run_one(nvls("h100", gpus, {bytes(message)}, {"nvswitch.switch.ack_table.entries=1024"})).row;
    // Out: answers to all heads, stores and load-reduces of the own share, acks of all stores. In: sums of the own share,
    // stores and load-reduces of all heads, an ack for each own store. A block has two load-reduces of 64 B and a store.
    const std::uint64_t loads = 2 * (16 + 64), out = blocks * (loads + 16) + blocks / n * (144 + 2 * 16),
                        in = blocks / n * (loads + 16) + blocks * (144 + 2 * 16);
    CHECK(in == out);  // 1.375 S (1 + 1/N)
    // Flags of a flit with a header, and their acks, of 16 thread blocks and loops of 256 KiB N. Each rank posts `filled`
    // and `taken` to N - 1 heads, and multicasts `summed`.
    const std::uint64_t loops = gpus == 2 ? 2 : 1, flags_out = loops * 16 * ((2 * (n - 1) + 1) * 32 + 3 * (n - 1) * 16),
                        flags_in = loops * 16 * (3 * (n - 1) * 32 + 3 * (n - 1) * 16);
    for (const auto& [gpu, sum] : bytes_of_gpus(row)) {
      if (std::stoi(gpu.substr(3)) >= gpus) continue;
      INFO(gpus << " GPUs, " << gpu);
      CHECK(sum == (gpu.find("out") != std::string::npos ? out + flags_out : in + flags_in));
    }
  }
}

TEST_CASE("nvls: a payload of 64 B doubles headers and requests of load-reduces, acks may be merged", "[system][nvls]") {
  const auto bytes_in = [](const Settings& settings) {
    return bytes_of_gpus(run_one(without_data(nvls("h100", 8, {1_MiB}, settings))).row).at("gpu0 in");
  };
  constexpr std::uint64_t units = (1 << 20) / 128;
  CHECK(bytes_in({}) - bytes_in({"nvswitch.nvls.payload=128B"}) == units * 16 + units / 8 * 16);
  CHECK(bytes_in({"nvswitch.nvls.merge_acks=false"}) - bytes_in({}) == units * 16 - units / 8 * 16);
}

TEST_CASE("nvls: base, flags of peers, copies and the window take their time", "[system][nvls]") {
  const Tick usual = time_of({});
  CHECK(time_of({"nvswitch.nvls.base=35us"}) == usual + 10'000'000);
  // one loop, and reduce alone polls
  CHECK(time_of({"nvswitch.nvls.peer=500ns"}) == usual + 4 * 100'000);
  CHECK(time_of({"nvswitch.nvls.copy_rate=0GB/s"}) < usual);
  CHECK(time_of({"nvswitch.nvls.registered=true"}) < usual);
  CHECK(time_of({"nvswitch.nvls.window=128B"}) > usual + 10'000'000);
}

TEST_CASE("nvls: smaller chunks make more loops, each with the flags of all peers", "[system][nvls]") {
  const Settings instant{"nvswitch.nvls.copy_rate=0GB/s"};
  const auto with = [&](const std::string& chunk) {
    Settings all = instant;
    all.push_back("nvswitch.nvls.chunk=" + chunk);
    return time_of(all);
  };
  // 1 MiB of 16 thread blocks and 4 heads: 1 loop of 16 KiB, 4 of 4 KiB
  CHECK(with("4KiB") > with("16KiB") + 3 * 4 * 400'000);
}

TEST_CASE("nvls: tables, adders and memories of a user set the time", "[system][nvls]") {
  const Tick usual = time_of({});
  CHECK(time_of({"nvswitch.switch.reduction_table.bytes=128B"}) > usual);
  CHECK(time_of({"nvswitch.switch.reduction_table.add_cycles=500"}) > usual);
  CHECK(time_of({"nvswitch.gpu.memory.latency=2us"}) > usual);
}

TEST_CASE("nvls: what cannot work is refused", "[system][nvls]") {
  CHECK_THROWS_WITH(run_one(nvls("h100", 4, {1_KiB}, {"nvswitch.nvls.payload=96B"})), Contains("no power of two"));
  CHECK_THROWS_WITH(
      run_one(nvls("h100", 8, {1_KiB},
                   {"nvswitch.switch.reduction_table.order=rank", "nvswitch.switch.reduction_table.bytes=896B"})),
      Contains("nvswitch.switch.reduction_table.bytes of at least 1KiB"));
}

TEST_CASE("nvls: the flag that a thread block waits for is named", "[system][nvls]") {
  RunSpec spec = nvls("h100", 4, {1_MiB});
  spec.jobs[0].withheld_rank = 2;
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("nvls0.reduce: step 1 of 1 waits for operands of rank 2"));
}

}  // namespace tributary::test_nvls_system
