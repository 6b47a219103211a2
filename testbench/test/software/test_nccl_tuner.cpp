/// Tests NCCL's tuner against the table that NCCL 2.29 prints on H100, and the division of messages.
#include <catch2/catch.hpp>
#include <tuple>

#include "testbench/codegen/nccl_tuner.h"
#include "testbench/codegen/nccl_work.h"

namespace tributary::test_nccl_tuner {

using namespace nccl;

namespace {

System h100(unsigned gpus, Version version = Version::v2_29) { return {90, 18, gpus, 1, {}, version}; }

/// One row of the log of an H100 server: latency in us and bandwidth in GB/s by protocol LL, LL128, Simple.
struct LogRow {
  Collective collective;
  Algorithm algorithm;
  unsigned gpus;
  double latency[3], bandwidth[3];
};

void check_equal(const LogRow& row) {
  const Tuner tuner(h100(row.gpus));
  for (const Protocol p : all_protocols) {
    INFO(name_of(row.algorithm) << " " << name_of(p) << " of " << row.gpus << " GPUs");
    const auto i = static_cast<std::size_t>(p);
    const auto found = tuner.estimate(row.collective, row.algorithm, p);
    REQUIRE(found);
    CHECK(found->latency == Approx(row.latency[i]).margin(0.051));
    CHECK(found->bandwidth == Approx(row.bandwidth[i]).margin(0.051));
  }
}

Choice chosen(const System& system, Bytes size, Collective collective = Collective::all_reduce) {
  return Tuner(system).choose(collective, size).value();
}

}  // namespace

// waynehacking8/nccl-collectives-bench 38c093e, results/scaling_attributed: the table that NCCL 2.29.2 prints. Trees of two
// GPUs have 12 channels there, which this table does not follow.
TEST_CASE("NCCL's tuner: latency and bandwidth equal the table that NCCL prints on H100", "[pure]") {
  using C = Collective;
  for (const LogRow& row : {LogRow{C::all_reduce, Algorithm::tree, 4, {10.4, 21.5, 32.4}, {43.6, 128.8, 165.6}},
                            LogRow{C::all_reduce, Algorithm::tree, 6, {12.8, 26.5, 48.4}, {43.6, 128.8, 165.6}},
                            LogRow{C::all_reduce, Algorithm::ring, 2, {7.8, 17.8, 15.2}, {141, 331.2, 360}},
                            LogRow{C::all_reduce, Algorithm::ring, 4, {10.2, 25.4, 28.8}, {94, 220.8, 240}},
                            LogRow{C::all_reduce, Algorithm::ring, 6, {12.6, 33.0, 42.4}, {84.6, 198.7, 216}},
                            LogRow{C::all_gather, Algorithm::ring, 2, {7.2, 15.9, 11.8}, {282, 662.4, 720}},
                            LogRow{C::all_gather, Algorithm::ring, 4, {8.4, 19.7, 18.6}, {188, 441.6, 480}},
                            LogRow{C::all_gather, Algorithm::ring, 6, {9.6, 23.5, 25.4}, {169.2, 397.4, 432}},
                            LogRow{C::reduce_scatter, Algorithm::ring, 4, {8.4, 19.7, 18.6}, {188, 441.6, 480}},
                            LogRow{C::broadcast, Algorithm::ring, 2, {7.2, 15.9, 11.8}, {141, 331.2, 360}},
                            LogRow{C::broadcast, Algorithm::ring, 6, {7.2, 15.9, 11.8}, {141, 331.2, 360}},
                            LogRow{C::reduce, Algorithm::ring, 4, {7.2, 15.9, 11.8}, {141, 331.2, 360}}})
    check_equal(row);
  for (const auto& [gpus, bandwidth] : {std::pair(2u, 102.0), {4, 160.0}, {6, 216.0}, {8, 274.3}}) {
    const auto found = Tuner(h100(gpus)).estimate(C::all_reduce, Algorithm::nvls, Protocol::simple);
    REQUIRE(found);
    CHECK(found->latency == 25.0);
    CHECK(found->bandwidth == Approx(bandwidth).margin(0.051));
  }
}

// github.com/NVIDIA/nccl-tests/issues/309: LL rings up to 1 MiB, NVLS from 2 MiB.
TEST_CASE("NCCL's tuner: eight H100 use LL rings to 1 MiB and NVLS from 2 MiB", "[pure]") {
  for (const Version version : {Version::v2_21, Version::v2_27, Version::v2_29}) {
    INFO("version " << static_cast<int>(version));
    for (std::uint64_t size = 8; size <= (std::uint64_t{1} << 20); size *= 2) {
      const Choice choice = chosen(h100(8, version), bytes(size));
      INFO(size << " B by " << name_of(choice.algorithm));
      CHECK(choice.algorithm == Algorithm::ring);
      CHECK(choice.protocol == Protocol::ll);
    }
    for (std::uint64_t size = std::uint64_t{2} << 20; size <= (std::uint64_t{16} << 30); size *= 2)
      CHECK(chosen(h100(8, version), bytes(size)).algorithm == Algorithm::nvls);
  }
}

// The log of the same server: the ring has 240 GB/s with four GPUs, NVLS 160.
TEST_CASE("NCCL's tuner: two and four H100 use rings for large messages", "[pure]") {
  for (const unsigned gpus : {2u, 4u}) {
    CHECK(chosen(h100(gpus), 1024_MiB).algorithm == Algorithm::ring);
    CHECK(chosen(h100(gpus), 1024_MiB).protocol == Protocol::simple);
  }
  CHECK_FALSE(Tuner(h100(2, Version::v2_21)).estimate(Collective::all_reduce, Algorithm::nvls, Protocol::simple));
}

// Neither is a tree on a server of up to 16 GPUs; it is with LL128 forced.
TEST_CASE("NCCL's tuner: no all-reduce of one server is by a tree unless a protocol is forced", "[pure]") {
  for (const auto& [capability, links] : {std::pair(70u, 6u), {80u, 12u}, {90u, 18u}, {100u, 18u}})
    for (const Version version : {Version::v2_21, Version::v2_27, Version::v2_29})
      for (unsigned gpus = 2; gpus <= 16; ++gpus)
        for (std::uint64_t size = 4; size < std::uint64_t{1} << 34; size += size / 8 + 1) {
          const Choice choice = chosen({capability, links, gpus, 1, {}, version}, bytes(size));
          if (choice.algorithm == Algorithm::tree) FAIL_CHECK(capability << " " << gpus << " GPUs, " << size << " B");
        }
  CHECK(Tuner(h100(8)).choose(Collective::all_reduce, 64_KiB, {{}, Protocol::ll128})->algorithm == Algorithm::tree);
}

TEST_CASE("NCCL's tuner: a forced algorithm and protocol leave no choice", "[pure]") {
  const Tuner tuner(h100(8));
  const auto forced = tuner.choose(Collective::all_reduce, 1_KiB, {{Algorithm::nvls}, {}});
  REQUIRE(forced);
  CHECK(forced->algorithm == Algorithm::nvls);
  CHECK(tuner.choose(Collective::all_reduce, 1024_MiB, {{}, Protocol::ll})->protocol == Protocol::ll);
  CHECK_FALSE(tuner.choose(Collective::all_reduce, 1_KiB, {{Algorithm::nvls}, Protocol::ll}));
  CHECK_FALSE(tuner.choose(Collective::all_gather, 1_KiB, {{Algorithm::tree}, {}}));
  CHECK_FALSE(Tuner({80, 12, 8}).choose(Collective::all_reduce, 1_KiB, {{Algorithm::nvls}, {}}));
}

// The log prints 24 channels of 15 GB/s on H100; p2p.cu of 2.4 makes 12 of 10 on a DGX-2.
TEST_CASE("NCCL's tuner: channels of rings by generation", "[pure]") {
  for (const auto& [capability, links, channels, rate] :
       {std::tuple(70u, 6u, 12u, 10.0), {80, 12, 24, 10.0}, {90, 18, 24, 15.0}, {100, 18, 16, 45.0}}) {
    const GraphChannels found = ring_channels({capability, links, 8});
    CHECK(found.channels == channels);
    CHECK(found.rate == Approx(rate));
  }
  CHECK(generation(103).capability == 100);
  CHECK(generation(86).capability == 80);
  CHECK_THROWS_WITH(generation(60), Catch::Matchers::Contains("legal: at least 70"));
}

TEST_CASE("NCCL's tuner: impossible systems are refused in one line", "[pure]") {
  for (const System& system : {System{90, 18, 1}, System{90, 18, 9, 2, 400_GBps}, System{90, 18, 16, 2}, System{90, 0, 8}}) {
    try {
      Tuner tuner(system);
      FAIL_CHECK("accepted");
    } catch (const std::invalid_argument& error) {
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
  }
}

// enqueue.cc: LL of a ring moves 8 B a thread and rank, so one channel suffices below 64 KiB on 8 GPUs, and all 24 are used
// from 768 KiB; LL128 uses all from 120 KiB.
TEST_CASE("NCCL's work: channels by size", "[pure]") {
  const auto channels = [](Protocol p, Bytes size) {
    return work_of(h100(8), Collective::all_reduce, Algorithm::ring, p, size).channels;
  };
  CHECK(channels(Protocol::ll, 32_KiB) == 1);
  CHECK(channels(Protocol::ll, 64_KiB) == 2);
  CHECK(channels(Protocol::ll, 768_KiB) == 24);
  CHECK(channels(Protocol::ll, bytes(768 * 1024 - 1)) == 23);
  CHECK(channels(Protocol::ll128, 120_KiB) == 24);
  CHECK(channels(Protocol::ll128, bytes(120 * 1024 - 1)) == 23);
  CHECK(channels(Protocol::simple, 768_KiB) == 24);
  CHECK(channels(Protocol::simple, bytes(768 * 1024 - 1)) == 23);
  CHECK(work_of(h100(8), Collective::all_reduce, Algorithm::nvls, Protocol::simple, 8_B).channels == 16);
}

TEST_CASE("NCCL's work: threads are halved for messages of one channel", "[pure]") {
  const auto threads = [](Protocol p, Bytes size) {
    return work_of(h100(8), Collective::all_reduce, Algorithm::ring, p, size).threads;
  };
  CHECK(threads(Protocol::simple, 32_KiB) == 512);
  CHECK(threads(Protocol::simple, 16_KiB) == 256);
  CHECK(threads(Protocol::simple, 8_B) == 96);  // 512, 256, 128, 64, and at least 96
}

// The chunks of 8 H100: 16 KiB below 8 MiB, 32 KiB to 64 MiB, 64 KiB to 1 GiB, 128 KiB above.
TEST_CASE("NCCL's work: chunks of NVLS by size", "[pure]") {
  for (const auto& [size, chunk] : {std::pair(2_MiB, 16_KiB),
                                    {bytes((8 << 20) - 1), 16_KiB},
                                    {8_MiB, 32_KiB},
                                    {bytes((64 << 20) - 1), 32_KiB},
                                    {64_MiB, 64_KiB},
                                    {1024_MiB, 128_KiB}})
    CHECK(work_of(h100(8), Collective::all_reduce, Algorithm::nvls, Protocol::simple, size).chunk == chunk);
}

TEST_CASE("NCCL's work: chunks and slices of rings", "[pure]") {
  const Work simple = work_of(h100(8), Collective::all_reduce, Algorithm::ring, Protocol::simple, 1024_MiB);
  CHECK(simple.chunk == 2_MiB);
  CHECK(simple.slice == 1_MiB);
  CHECK(work_of(h100(8), Collective::broadcast, Algorithm::ring, Protocol::simple, 1024_MiB).chunk == 512_KiB);
  CHECK(work_of(h100(8), Collective::all_reduce, Algorithm::ring, Protocol::ll, 1024_MiB).chunk == 32_KiB);
  // 120 words of 8 B for each of 640 threads are 600 KiB, 15 of 16 of them data.
  CHECK(work_of(h100(8), Collective::all_reduce, Algorithm::ring, Protocol::ll128, 1024_MiB).chunk == bytes(576'000));
}

// enqueue.cc: a tree with plain data counts 512 threads and has 128 more, from 2.27 on always 640. all_reduce.h: half of
// them go up, and 64 more if that is at least 256; with flags 70 % in whole warps.
TEST_CASE("NCCL's work: threads of trees, up and down", "[pure]") {
  const auto threads = [](Version version, Protocol p, Bytes size) {
    return work_of(h100(8, version), Collective::all_reduce, Algorithm::tree, p, size).threads;
  };
  for (const Protocol p : all_protocols) CHECK(threads(Version::v2_27, p, 8_B) == 640);
  CHECK(threads(Version::v2_21, Protocol::simple, 1_MiB) == 640);
  CHECK(threads(Version::v2_21, Protocol::simple, 16_KiB) == 384);  // 256 and 128
  CHECK(threads(Version::v2_21, Protocol::ll, 1_MiB) == 512);
  CHECK(threads(Version::v2_21, Protocol::ll, 8_B) == 96);
  CHECK(threads_up(Protocol::simple, 640) == 384);
  CHECK(threads_up(Protocol::simple, 384) == 192);
  CHECK(threads_up(Protocol::ll128, 640) == 448);
  CHECK(threads_up(Protocol::ll, 512) == 352);
  CHECK(threads_up(Protocol::ll, 96) == 64);
}

// A chunk of LL128 is halved while floor(size / (channels x chunk)) is below 1.8 x 64 / 8 = 14.4 on 8 GPUs and the chunk is
// above 128 KiB, then while it is below 3.6 and above 32 KiB.
TEST_CASE("NCCL's work: channels and chunks of trees", "[pure]") {
  const auto work = [](Protocol p, Bytes size) {
    return work_of(h100(8), Collective::all_reduce, Algorithm::tree, p, size);
  };
  CHECK(work(Protocol::simple, 768_KiB).channels == 24);  // 512 threads of 64 B
  CHECK(work(Protocol::simple, bytes(768 * 1024 - 1)).channels == 23);
  CHECK(work(Protocol::ll, 96_KiB).channels == 24);  // 8 B for each of 512 threads
  CHECK(work(Protocol::simple, 1_MiB).chunk == 512_KiB);
  CHECK(work(Protocol::ll, 1_MiB).chunk == 32_KiB);
  const auto chunk = [&](std::uint64_t size) { return work(Protocol::ll128, bytes(size)).chunk.value; };
  constexpr std::uint64_t channels = 24;
  CHECK(chunk(15 * channels * 576'000) == 576'000);
  CHECK(chunk(15 * channels * 576'000 - 1) == 288'000);
  CHECK(chunk(15 * channels * 144'000) == 144'000);
  CHECK(chunk(15 * channels * 144'000 - 1) == 72'000);
  CHECK(chunk(4 * channels * 72'000) == 72'000);
  CHECK(chunk(4 * channels * 72'000 - 1) == 36'000);
  CHECK(chunk(1 << 20) == 18'000);
}

}  // namespace tributary::test_nccl_tuner
