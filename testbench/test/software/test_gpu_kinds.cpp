/// Tests the constants of GPUs by their kind (docs/systems/blink.md#gpus).
#include <catch2/catch.hpp>
#include <fstream>

#include "platforms/topology/gpu_kinds.h"
#include "testbench/test/harness/temporary_folder.h"

namespace tributary::test_gpu_kinds {

using Catch::Matchers::Contains;

namespace {

/// Two GPUs with `links` NVLinks; `kind` is an attribute of a GPU.
std::string pair(const std::string& kind, int links) {
  std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
  for (int g = 0; g < 2; ++g) {
    const std::string link = "<nvlink target=\"0000:0" + std::to_string(1 - g) + ":00.0\" count=\"" + std::to_string(links) +
                             "\" tclass=\"0x030200\"/>";
    text += "<pci busid=\"0000:0" + std::to_string(g) + ":00.0\" class=\"0x030200\"><gpu dev=\"" + std::to_string(g) +
            "\" " + kind + ">" + (links > 0 ? link : "") + "</gpu></pci>";
  }
  return text + "</cpu></system>";
}

topology::GpuKind kind_of(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("machine")) << text;
  const topology::PlatformDescription platform("file:" + folder.file("machine"));
  return topology::gpu_kind(platform, *platform.file_server());
}

}  // namespace

// deviceQuery: asyncEngineCount. NCCL's ranges of compute capabilities.
TEST_CASE("GPU kinds: copy engines, kernels and channels follow from sm", "[pure]") {
  for (const auto& [sm, name, engines, channel, noted] : {std::tuple(60, "P100", 5u, 18.0, false),
                                                          {61, "P100", 5u, 18.0, false},
                                                          {70, "V100", 6u, 20.0, false},
                                                          {80, "A100", 3u, 20.0, false},
                                                          {86, "A40", 3u, 12.0, true},
                                                          {89, "L40S", 2u, 20.0, false},
                                                          {90, "H100", 3u, 20.6, false},
                                                          {100, "B200", 3u, 40.1, true},
                                                          {103, "B200", 3u, 40.1, true}}) {
    INFO("sm " << sm);
    const topology::GpuKind kind = kind_of(pair("sm=\"" + std::to_string(sm) + "\"", 4));
    CHECK(kind.name == name);
    CHECK(kind.copy_engines == engines);
    CHECK(static_cast<double>(kind.channel_rate.value) == Approx(channel * 1e9));
    CHECK(kind.note.empty() != noted);
  }
  // Three accesses of 0.87 of the memory's 3350 GB/s.
  CHECK(kind_of(pair("sm=\"90\"", 4)).kernel_rate == 972_GBps);
  CHECK(kind_of(pair("sm=\"70\"", 4)).kernel_rate == 260_GBps);
  for (const auto& [sm, multiprocessors] :
       {std::pair(60, 56u), {70, 80u}, {80, 108u}, {90, 132u}, {100, 148u}})  // white papers
    CHECK(kind_of(pair("sm=\"" + std::to_string(sm) + "\"", 4)).multiprocessors == multiprocessors);
  for (const auto& [sm, peer] :
       {std::pair(70, 400_ns), {90, 400_ns}, {100, 1_us}, {103, 1_us}})  // docs/blocks/nvls.md#constants
    CHECK(kind_of(pair("sm=\"" + std::to_string(sm) + "\"", 4)).nvls_peer == peer);
  CHECK(kind_of(pair("sm=\"89\"", 0)).name == "L40S");  // without NVLinks
}

// SDMA engines of Linux' amdgpu driver.
TEST_CASE("GPU kinds: GPUs of AMD follow from gcn", "[pure]") {
  for (const auto& [gcn, name, engines, channel, noted] : {std::tuple("906", "MI50", 2u, 24.0, false),
                                                           {"908", "MI100", 8u, 24.0, false},
                                                           {"910", "MI250X", 5u, 36.0, false},
                                                           {"gfx90a", "MI250X", 5u, 36.0, false},
                                                           {"gfx942", "MI300X", 16u, 48.0, false},
                                                           {"gfx950", "MI355X", 16u, 48.0, true}}) {
    const topology::GpuKind kind = kind_of(pair("sm=\"104\" gcn=\"" + std::string(gcn) + "\"", 1));
    CHECK(kind.name == name);
    CHECK(static_cast<double>(kind.channel_rate.value) == Approx(channel * 1e9));
    CHECK(kind.copy_engines == engines);
    CHECK(kind.note.empty() != noted);
  }
}

TEST_CASE("GPU kinds: unknown GPUs are taken for one with as many links, with a note", "[pure]") {
  for (const auto& [links, name] : {std::pair(6, "V100"), {12, "A100"}, {18, "H100"}}) {
    const topology::GpuKind kind =
        kind_of("\tGPU0\tGPU1\nGPU0\tX\tNV" + std::to_string(links) + "\nGPU1\tNV" + std::to_string(links) + "\tX\n");
    CHECK(kind.name == name);
    CHECK_THAT(kind.note, Contains("the file does not give the kind of its GPUs"));
  }
  CHECK_THAT(kind_of(pair("sm=\"52\"", 4)).note, Contains("sm 52 is unknown"));
  CHECK_THAT(kind_of(pair("sm=\"96\" gcn=\"gfx1100\"", 1)).note, Contains("gcn gfx1100 is unknown"));
  CHECK(topology::gpu_kind("dgx1p", topology::server("dgx1p")).name == "P100");
  CHECK(topology::gpu_kind("dgx1v", topology::server("dgx1v")).note.empty());
}

}  // namespace tributary::test_gpu_kinds
