/// Tests the pieces of NVLS against NCCL's, and that the proof refuses each kind of wrong plan (docs/blocks/nvls.md).
#include <catch2/catch.hpp>
#include <utility>

#include "testbench/codegen/nvls_plan.h"
#include "testbench/codegen/nvls_proof.h"

namespace tributary::test_nvls_plan {

using Catch::Matchers::Contains;

namespace {

NvlsParams params(std::uint32_t channels = 16) {
  NvlsParams p;
  p.channels = channels;
  return p;
}

/// Two ranks, two slots of 128 B and four steps of one thread block.
NvlsPlan small() {
  NvlsParams p = params(1);
  p.slots = 2, p.chunk = 128_B;
  return plan_nvls(2, 1024_B, p);
}

}  // namespace

TEST_CASE("nvls plan: chunks of 8 GPUs double at 8 MiB, 64 MiB and 1 GiB", "[pure][nvls]") {
  const auto chunk = [](Bytes message) { return nvls_chunk(message.value, 8, 16); };
  CHECK(chunk(2_MiB) == 16 * 1024);
  CHECK((chunk(bytes((8 << 20) - 1)) == 16 * 1024 && chunk(8_MiB) == 32 * 1024));
  CHECK((chunk(bytes((64 << 20) - 1)) == 32 * 1024 && chunk(64_MiB) == 64 * 1024));
  CHECK((chunk(bytes((1 << 30) - 1)) == 64 * 1024 && chunk(bytes(1 << 30)) == 128 * 1024));
  CHECK(nvls_chunk(96 << 20, 8, 24) == 64 * 1024);  // a B200: 24 thread blocks
  CHECK(nvls_chunk((96 << 20) - 1, 8, 24) == 32 * 1024);
}

TEST_CASE("nvls plan: a loop has a chunk of each head and thread block, the last is shorter", "[pure][nvls]") {
  const NvlsPlan plan = plan_nvls(8, bytes(5 << 20), params());  // loops of 2 MiB
  REQUIRE(plan.blocks.size() == 16);
  for (const auto& steps : plan.blocks) {
    REQUIRE(steps.size() == 3);
    for (std::uint32_t h = 0; h < 8; ++h) {
      CHECK(plan.range(steps[0], h).bytes == 16 * 1024);
      CHECK(plan.range(steps[2], h).bytes == 8 * 1024);
    }
  }
  CHECK(plan.slots == 3);
  CHECK(plan.slot_bytes() == std::uint64_t{16} * 8 * 2 * 3 * 16 * 1024);
  CHECK(plan_nvls(8, 64_MiB, params()).slots == 8);
  CHECK(plan.window == 5 * 4 * 512);
  CHECK(plan_nvls(6, 64_MiB, params()).window == 7 * 4 * 512);
}

TEST_CASE("nvls plan: messages of any size are proved", "[pure][nvls]") {
  for (const std::uint32_t ranks : {2u, 3u, 7u, 16u})
    for (const Bytes message : {4_B, 128_B, 129_B, 5000_B, 1_MiB, bytes(3'000'004)})
      for (const bool registered : {false, true}) {
        NvlsParams p = params(5);
        p.registered = registered;
        CHECK_NOTHROW(plan_nvls(ranks, message, p));
      }
}

TEST_CASE("nvls plan: each rank is the head of its part", "[pure][nvls]") {
  const collective::Parts parts(5 << 20, 4, 8);
  for (const bool loads : {true, false}) {
    const NvlsPlan plan = plan_nvls_parts(parts, 8, bytes(5 << 20), loads, params());
    REQUIRE((plan.blocks.size() == 16 && plan.blocks[0].size() == 3));  // 640 KiB over 16 thread blocks, 16 KiB each
    for (std::uint32_t h = 0; h < 8; ++h) {
      CHECK(plan.range(plan.blocks[0][0], h).offset == h * (640 << 10));
      CHECK(plan.range(plan.blocks[15][2], h).offset + plan.range(plan.blocks[15][2], h).bytes == (h + 1) * (640 << 10));
    }
    CHECK(plan.slot_bytes() == std::uint64_t{16} * 8 * 3 * 16 * 1024);
    CHECK((plan.blocks[0][0].reduce_filled == (loads ? 1 : 0) && plan.blocks[0][0].gather_sums == (loads ? 0 : 1)));
  }
  for (const std::uint32_t ranks : {2u, 3u, 7u})
    for (const std::uint64_t message : {4u, 400u, 5000u, 3'000'004u})
      CHECK_NOTHROW(plan_nvls_parts({message, 4, ranks}, ranks, bytes(message), true, params(5)));
}

TEST_CASE("nvls proof: a head that reduces the part of another is refused", "[pure][nvls]") {
  NvlsPlan plan = plan_nvls_parts({1024, 4, 2}, 2, 1024_B, true, params(1));
  std::swap(plan.ranges[0], plan.ranges[1]);
  CHECK_THROWS_WITH(prove_nvls(plan, {{0, 512}, {512, 512}}), Contains("never"));
}

TEST_CASE("nvls plan: payloads and windows that do not work are refused", "[pure][nvls]") {
  NvlsParams p = params();
  p.payload = 96_B;
  CHECK_THROWS_WITH(plan_nvls(8, 1_MiB, p), Contains("nvswitch.nvls.payload: 96B") && Contains("legal"));
  p.payload = 64_B, p.window = 32_B;
  CHECK_THROWS_WITH(plan_nvls(8, 1_MiB, p), Contains("nvswitch.nvls.window: 32B holds no load-reduce"));
}

TEST_CASE("nvls proof: each kind of wrong plan is refused", "[pure][nvls]") {
  const auto refused = [](const std::string& why, const auto& change) {
    NvlsPlan plan = small();
    REQUIRE((plan.slots == 2 && plan.blocks.at(0).size() == 4));
    change(plan, plan.blocks[0]);
    CHECK_THROWS_WITH(prove_nvls(plan, {{0, 1024}}), Contains(why));
  };
  using Steps = std::vector<NvlsStep>;
  refused("reduces byte 256 never", [](NvlsPlan& p, Steps&) { p.ranges[2].bytes = 0; });
  refused("twice", [](NvlsPlan& p, Steps&) { p.ranges[2].offset = 128; });
  refused("reduces 896 of 1024 B", [](NvlsPlan& p, Steps&) { p.ranges[7].bytes = 0; });
  refused("larger than a slot", [](NvlsPlan& p, Steps&) { p.ranges[2].bytes = 256; });
  refused("begins within a block", [](NvlsPlan& p, Steps&) { p.ranges[2].offset += 16; });
  refused("no such slot", [](NvlsPlan&, Steps& s) { s[1].slot = 2; });
  refused("step 2 reads operands before", [](NvlsPlan&, Steps& s) { s[1].reduce_filled = 1; });
  refused("step 3 reads sums before", [](NvlsPlan&, Steps& s) { s[2].gather_sums = 2; });
  refused("step 3 overwrites operands", [](NvlsPlan&, Steps& s) { s[2].scatter_sums = 0; });
  refused("step 4 overwrites sums", [](NvlsPlan&, Steps& s) { s[3].reduce_taken = 1; });
  refused("never ends", [](NvlsPlan&, Steps& s) { s[2].scatter_sums = 3; });
}

TEST_CASE("nvls plan: kernels back to back have messages of their own, and slots and flags go on", "[pure][nvls]") {
  NvlsParams p = params(1);
  p.slots = 3, p.chunk = 128_B;
  const NvlsPlan plan = plan_nvls(2, 1024_B, p, {2, 4096});
  REQUIRE(plan.blocks[0].size() == 8);  // four steps each
  for (std::uint32_t s = 0; s < 8; ++s) {
    const NvlsStep& step = plan.blocks[0][s];
    CHECK(step.slot == s % 3);
    CHECK((step.reduce_filled == s + 1 && step.reduce_taken == (s < 3 ? 0 : s - 2)));
    CHECK(plan.range(step, 0).offset == (s < 4 ? 256 * s : 4096 + 256 * (s - 4)));
  }
  NvlsPlan broken = plan;
  broken.ranges.back().offset -= 4096;  // the second kernel adds to the message of the first one
  CHECK_THROWS_WITH(prove_nvls(broken, {{0, 1024}}), Contains("NVLS reduces byte 896 twice"));
}

}  // namespace tributary::test_nvls_plan
