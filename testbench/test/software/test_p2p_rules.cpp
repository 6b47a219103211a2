/// Tests the division of sends and receives among channels, protocols and warps against NCCL's rules, worked out by hand
/// (docs/blocks/nccl_p2p.md).
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "testbench/codegen/p2p_rules.h"

namespace tributary::test_p2p_rules {

using namespace nccl;

namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;
constexpr Version all_versions[] = {Version::v2_21, Version::v2_27, Version::v2_29};

System h100(unsigned gpus, Version version) { return {90, 18, gpus, 1, {}, version}; }
System b200(unsigned gpus, Version version) { return {100, 18, gpus, 1, {}, version}; }
P2pRules of(const System& system) { return {system, {}}; }

unsigned channels(const P2pRules& rules, std::uint64_t bytes) {
  return static_cast<unsigned>(rules.share(bytes).parts.size());
}

}  // namespace

// 24 rings of an H100 become 32 channels, as its log says ("32 p2p channels"); 16 rings of a B200 are 24 with those of NVLS
// up to 2.27.
TEST_CASE("p2p: channels are a power of two, and one peer has as many as leave all peers some", "[pure]") {
  for (const Version version : all_versions) CHECK(of(h100(8, version)).channels() == 32);
  CHECK(of(b200(8, Version::v2_27)).channels() == 32);
  CHECK(of(b200(8, Version::v2_29)).channels() == 16);
  const unsigned least[] = {16, 8, 8, 4, 4, 4, 4, 2};  // of 2 to 9 GPUs: 32 / GPUs, rounded down to a power of two
  for (unsigned gpus = 2; gpus <= 9; ++gpus) CHECK(of(h100(gpus, Version::v2_27)).least() == least[gpus - 2]);
  CHECK(of(h100(8, Version::v2_27)).most() == 32);
  CHECK(of({90, 4, 2, 1, {}, Version::v2_27}).most() <= 8);  // two for each NVLink
  NcclP2pParams params;
  params.channels = 12;
  CHECK_THROWS_WITH(P2pRules(h100(8, Version::v2_27), params), Catch::Matchers::Contains("legal: a power of two"));
}

// 8 GPUs: 4 channels of at least 64 KiB (a part of at most 16 MiB), then 8, 16 and 32: the steps of the send/receive
// measured on 8 B200 (128, 256 and 512 MiB last as long as 64 MiB).
TEST_CASE("p2p: a message uses more channels where its parts would exceed 32 slots", "[pure]") {
  for (const Version version : all_versions) {
    const P2pRules rules = of(h100(8, version));
    CHECK(channels(rules, 1 * MiB) == 4);
    CHECK(channels(rules, 64 * MiB) == 4);
    CHECK(channels(rules, 65 * MiB) == 8);
    CHECK(channels(rules, 128 * MiB) == 8);
    CHECK(channels(rules, 256 * MiB) == 16);
    CHECK(channels(rules, 512 * MiB) == 32);
    CHECK(channels(rules, 4096 * MiB) == 32);
  }
  const P2pRules plain = of(h100(8, Version::v2_29));
  CHECK(channels(plain, 64 * KiB) == 1);
  CHECK(channels(plain, 64 * KiB + 4) == 2);
  CHECK(channels(plain, 200 * KiB) == 4);
  const P2pRules flags = of(h100(8, Version::v2_27));  // a slot of LL has 64 KiB, so a part has 8 KiB
  CHECK(channels(flags, 8 * KiB) == 1);
  CHECK(channels(flags, 16 * KiB) == 2);
  CHECK(channels(flags, 512 * KiB) == 4);
}

TEST_CASE("p2p: the channels of a message can be set, up to those of a peer", "[pure]") {
  NcclP2pParams params;
  params.peer_channels = 6;
  CHECK(P2pRules(h100(8, Version::v2_27), params).share(4).parts.size() == 6);
  params.peer_channels = 64;
  CHECK(P2pRules(h100(8, Version::v2_27), params).share(1 * MiB).parts.size() == 32);
}

TEST_CASE("p2p: flags are used up to 16 KiB for each channel that a peer may have, or has from 2.29 on", "[pure]") {
  const auto largest_with_flags = [](Version version) {
    const P2pRules rules = of(h100(8, version));
    std::uint64_t largest = 0;
    for (std::uint64_t size = 4 * KiB; size <= 2 * MiB; size += 4 * KiB)
      if (rules.share(size).protocol == Protocol::ll) largest = size;
    return largest;
  };
  CHECK(largest_with_flags(Version::v2_21) == 16 * KiB);
  CHECK(largest_with_flags(Version::v2_27) == 512 * KiB);
  // 64 KiB have one channel, and more have as many as 64 KiB fit: only 16 KiB for each remain.
  CHECK(largest_with_flags(Version::v2_29) == 16 * KiB);
  const P2pRules rules = of(h100(8, Version::v2_27));
  CHECK(rules.share(1 * MiB, Protocol::ll).protocol == Protocol::ll);
  CHECK(rules.share(4, Protocol::simple).protocol == Protocol::simple);
  CHECK_THROWS_WITH(rules.share(4, Protocol::ll128), Catch::Matchers::Contains("legal: ll, simple"));
}

TEST_CASE("p2p: parts cover a message once, in multiples of 4 KiB", "[pure]") {
  for (const Version version : all_versions)
    for (const unsigned gpus : {2u, 3u, 8u, 13u})
      for (const std::uint64_t size : {4 * 1ul, 4100 * 1ul, 65 * KiB + 4, 1 * MiB + 124, 70 * MiB + 12, 900 * MiB}) {
        INFO(gpus << " GPUs, " << size << " B");
        const P2pShare share = of(h100(gpus, version)).share(size);
        std::uint64_t end = 0;
        for (const P2pPart& part : share.parts) {
          CHECK(part.offset == end);
          CHECK((part.offset % (4 * KiB) == 0 || part.bytes == 0));
          end += part.bytes;
        }
        CHECK(end == size);
      }
  CHECK(of(h100(8, Version::v2_27)).share(0).parts.empty());
}

TEST_CASE("p2p: every distance has one round, in NCCL's order", "[pure]") {
  using Order = std::vector<unsigned>;
  CHECK(of(h100(8, Version::v2_27)).rounds() == Order{0, 1, 3, 6, 2, 7, 5, 4});
  CHECK(of(h100(6, Version::v2_29)).rounds() == Order{0, 1, 3, 2, 5, 4});
  CHECK(of(h100(4, Version::v2_21)).rounds() == Order{0, 1, 2, 3});
  for (const Version version : all_versions)
    for (unsigned gpus = 2; gpus <= 20; ++gpus) {
      const Order order = of(h100(gpus, version)).rounds();
      CHECK(std::set<unsigned>(order.begin(), order.end()).size() == gpus);
      CHECK(order.size() == gpus);
    }
}

// 8 peers with 4 channels each: every channel has the work of one round.
TEST_CASE("p2p: the parts of all rounds are spread evenly over the channels", "[pure]") {
  for (const Version version : all_versions) {
    const P2pRules rules = of(h100(8, version));
    for (const unsigned parts : {4u, 8u, 32u}) {
      std::vector<unsigned> works(32);
      for (unsigned round = 0; round < 8; ++round)
        for (unsigned p = 0; p < parts; ++p) ++works[rules.channel(round, p)];
      INFO(parts << " parts");
      CHECK(std::set<unsigned>(works.begin(), works.end()).size() == 1);
    }
  }
  const P2pRules rules = of(h100(8, Version::v2_27));
  CHECK(rules.channel(3, 1) == 19);
  CHECK(rules.channel(3, 2) == 11);
}

// 20 warps. A send of three or more leaves one of them to fences.
TEST_CASE("p2p: works of a batch share the warps of a block", "[pure]") {
  const auto warps = [](Version version, unsigned works, Protocol protocol) {
    const P2pWarps w = of(h100(8, version)).warps(works, true, true, protocol);
    return std::pair(w.sends, w.receives);
  };
  using P = std::pair<unsigned, unsigned>;
  CHECK(warps(Version::v2_27, 1, Protocol::simple) == P(9, 9));
  CHECK(warps(Version::v2_27, 1, Protocol::ll) == P(10, 9));
  CHECK(warps(Version::v2_27, 2, Protocol::simple) == P(4, 4));
  CHECK(warps(Version::v2_27, 4, Protocol::ll) == P(3, 2));
  CHECK(warps(Version::v2_27, 8, Protocol::simple) == P(1, 1));
  CHECK(warps(Version::v2_21, 1, Protocol::simple) == P(8, 8));
  CHECK(warps(Version::v2_21, 2, Protocol::ll) == P(5, 4));
  CHECK(warps(Version::v2_21, 8, Protocol::ll) == P(1, 1));
  CHECK(of(h100(8, Version::v2_27)).warps(1, true, false, Protocol::simple).sends == 18);
  CHECK(of(h100(8, Version::v2_27)).warps(1, false, true, Protocol::simple).receives == 19);
}

}  // namespace tributary::test_p2p_rules
