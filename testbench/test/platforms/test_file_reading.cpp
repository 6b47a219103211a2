/// Tests the options after the name of a topology file, and the rates of device kinds (docs/topology_files.md).
#include <catch2/catch.hpp>

#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/files/file_reading.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_file_reading {

using namespace tributary::topology;
using Catch::Matchers::Contains;

TEST_CASE("file readings: keys follow a path in any order", "[pure]") {
  const FileReading plain = file_reading("a+b:c.xml");
  CHECK(plain.path == "a+b:c.xml");
  CHECK(plain.fill_nvlink.empty());
  const FileReading all = file_reading("x.xml+pcie:gen5x8+sm:90+fill_nvlink:hgx-h100+rates:nccl");
  CHECK(all.path == "x.xml");
  CHECK(all.fill_nvlink == "hgx-h100");
  CHECK(all.sm == 90);
  CHECK(all.rates == RatesOf::nccl);
  CHECK((all.pcie.speed == 32 && all.pcie.width == 8));
  CHECK_THROWS_WITH(file_reading("x+sm:90+sm:80"), Contains("sm is given twice"));
  for (const char* wrong : {"x+sm:59", "x+sm:1000", "x+sm:", "x+rates:fast", "x+pcie:gen0x4", "x+pcie:4x4", "x+pcie:gen4",
                            "x+pcie:gen4x33", "x+fill_nvlink:dgx9"})
    CHECK_THROWS_AS(file_reading(wrong), std::invalid_argument);
}

TEST_CASE("file readings: links hidden by clouds are filled in by machine", "[pure]") {
  const std::string tree = [] {
    std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
    for (int g = 0; g < 8; ++g) text += "<pci busid=\"0000:0" + std::to_string(g) + ":00.0\" class=\"0x030200\"/>";
    return text + "</cpu></system>";
  }();
  const auto filled = [&](const std::string& machine) {
    return server_of_text(tree, file_reading("F+fill_nvlink:" + machine), TopologyFormat::nccl);
  };
  const Server h100 = filled("hgx-h100"), a100 = filled("hgx-a100"), dgx1v = filled("dgx1v");
  CHECK(h100.switch_links == std::vector<std::vector<int>>(8, {5, 5, 4, 4}));
  CHECK(a100.switch_links == std::vector<std::vector<int>>(8, {2, 2, 2, 2, 2, 2}));
  CHECK(dgx1v.links == server("dgx1v").links);
  for (const Server* s : {&h100, &a100, &dgx1v}) CHECK(s->nvlink_rate == 25'000'000'000);
  CHECK_THROWS_WITH(filled("dgx2"), Contains("8 GPUs, but dgx2 has 16"));
  const Server bare = server_of_text(tree, file_reading("F"), TopologyFormat::nccl);
  REQUIRE(bare.notes.size() == 1);
  CHECK_THAT(bare.notes[0], Contains("no NVLink joins its GPUs: all copies cross PCIe (--fill-nvlink hgx-h100"));
}

TEST_CASE("file readings: PCIe links get missing values, or NCCL's rates", "[pure]") {
  const Server given = server_of_text(small_xml, file_reading("F+pcie:gen4x8"), TopologyFormat::nccl);
  CHECK(pcie_rate(given.gpu_up[1]) == pcie_rate({8, 8}));    // as given by the file
  CHECK(pcie_rate(given.gpu_up[0]) == pcie_rate({16, 16}));  // its width is given
  CHECK(pcie_rate(given.nic_up[0]) == pcie_rate({16, 8}));
  const Server planned = server_of_text(small_xml, file_reading("F+rates:nccl"), TopologyFormat::nccl);
  CHECK(pcie_rate(planned.gpu_up[1]) == 6'000'000'000);
  CHECK(planned.nvlink_rate == 20'000'000'000);
  const Server other = server_of_text(small_xml, file_reading("F+sm:60"), TopologyFormat::nccl);
  CHECK(other.nvlink_rate == 20'000'000'000);
}

// Constants of NVIDIA/nccl and ROCm/rccl, src/graph/topo.h, in GB/s.
TEST_CASE("rates of links: equal to those of NCCL and RCCL", "[pure]") {
  CHECK(nccl_pcie_rate({8, 16}) == 12'000'000'000);
  CHECK(nccl_pcie_rate({32, 16}) == 48'000'000'000);
  CHECK(nccl_pcie_rate({2.5, 8}) == 1'500'000'000);
  CHECK(nccl_pcie_rate({0, 0}) == 12'000'000'000);  // neither known: 16 lanes of 8 GT/s
  for (const auto& [sm, wires, planned] : {std::tuple(60, 20.0, 18.0),
                                           {70, 25.0, 20.0},
                                           {80, 25.0, 20.0},
                                           {75, 25.0, 20.0},
                                           {86, 14.0625, 12.0},
                                           {89, 25.0, 20.0},
                                           {90, 25.0, 20.6},
                                           {103, 50.0, 40.1},
                                           {120, 50.0, 40.1},
                                           {100, 50.0, 40.1}}) {
    INFO("sm " << sm);
    CHECK(static_cast<double>(nvlink_rate_of(sm)) == wires * 1e9);
    CHECK(static_cast<double>(nvlink_rate_of(sm, RatesOf::nccl)) == Approx(planned * 1e9));
  }
  CHECK(nvlink_rate_of(52) == 0);
  for (const auto& [gcn, wires, planned] :
       {std::tuple("906", 23, 24), {"908", 23, 24}, {"910", 50, 36}, {"gfx90a", 50, 36}, {"gfx942", 64, 48}}) {
    INFO(gcn);
    CHECK(xgmi_rate_of(gcn) == static_cast<std::uint64_t>(wires) * 1'000'000'000);
    CHECK(xgmi_rate_of(gcn, RatesOf::nccl) == static_cast<std::uint64_t>(planned) * 1'000'000'000);
  }
  CHECK(xgmi_rate_of("gfx950") == 76'800'000'000);
  CHECK(xgmi_rate_of("gfx950", RatesOf::nccl) == 48'000'000'000);
  CHECK(xgmi_rate_of("gfx1100") == 0);
  for (const auto& [arch, vendor, family, model, rate] : {std::tuple("x86_64", "GenuineIntel", 6, 0x4F, 6),
                                                          {"x86_64", "GenuineIntel", 6, 0x55, 10},
                                                          {"x86_64", "GenuineIntel", 6, 0x8F, 22},
                                                          {"x86_64", "GenuineIntel", 6, 0xCF, 40},
                                                          {"x86_64", "GenuineIntel", 6, 0xAD, 40},
                                                          {"x86_64", "AuthenticAMD", 143, 49, 16},
                                                          {"x86_64", "AuthenticAMD", 175, 1, 24},
                                                          {"x86_64", "AuthenticAMD", 26, 2, 32},
                                                          {"ppc64", "IBM", 0, 0, 32},
                                                          {"arm64", "ARM", 0, 0, 6}}) {
    INFO(vendor << " " << family << " " << model);
    CHECK(nccl_processor_rate(arch, vendor, family, model) == static_cast<std::uint64_t>(rate) * 1'000'000'000);
  }
}

}  // namespace tributary::test_file_reading
