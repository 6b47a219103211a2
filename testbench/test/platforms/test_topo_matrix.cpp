/// Tests texts of nvidia-smi topo -m (docs/topology_files.md#nvidia-smi-topo--m).
#include <catch2/catch.hpp>
#include <ctime>
#include <functional>

#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_topo_matrix {

using namespace tributary::topology;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::vector<int> parents(const Server& s) {
  std::vector<int> all;
  for (const PcieNode& n : s.pcie) all.push_back(n.parent);
  return all;
}

/// Returns a table of GPUs only; `cell` gives the text of a pair a < b.
std::string table(int gpus, const std::function<std::string(int, int)>& cell) {
  std::string text;
  for (int g = 0; g < gpus; ++g) text += "\tGPU" + std::to_string(g);
  for (int a = 0; a < gpus; ++a) {
    text += "\nGPU" + std::to_string(a);
    for (int b = 0; b < gpus; ++b) text += "\t" + (a == b ? " X " : cell(std::min(a, b), std::max(a, b)));
  }
  return text + "\n";
}

}  // namespace

TEST_CASE("topo -m: links are read, and the PCIe tree is inferred from NICs and affinities", "[pure]") {
  const Server s = topo_matrix_server(small_matrix, "FILE");
  CHECK_NOTHROW(check(s));
  CHECK(s.links == std::vector<std::vector<int>>{{0, 2, 0}, {2, 0, 0}, {0, 0, 0}});
  CHECK(parents(s) == std::vector<int>{-1, -1, 0});
  CHECK(s.gpu_on == std::vector<int>{2, 2, 1});
  CHECK(s.nic_on == std::vector<int>{2});
  CHECK(s.nvlink_rate == 0);
}

TEST_CASE("topo -m: tabs, escapes, joined headers, prefixes and old names are read equally", "[pure]") {
  const Server s = topo_matrix_server(small_matrix, "FILE");
  std::string tabs, prefixed;
  for (const char* at = small_matrix; *at != '\0'; ++at) {
    if (*at == ' ' && at[1] == ' ') continue;
    tabs += *at == ' ' ? '\t' : *at;
  }
  std::string old = small_matrix;
  while (old.find("SYS") != std::string::npos) old = with(old, "SYS", "SOC");
  for (const char c : std::string(small_matrix))
    prefixed += (c == '\n' ? std::string("\r\n[1,0]<stdout>:") : std::string(1, c));
  for (const std::string& text :
       {with(small_matrix, "GPU0  GPU1  GPU2  NIC0  CPU Affinity  NUMA Affinity",
             "GPU0GPU1GPU2NIC0CPU AffinityNUMA AffinityGPU NUMA ID"),
        with(with(small_matrix, "       GPU0", "\x1b[4m\tGPU0"), "NUMA Affinity\n", "NUMA Affinity\x1b[0m\n"), prefixed, old,
        tabs, with(small_matrix, "NIC Legend:\n  NIC0: mlx5_0\n", ""), with(small_matrix, "  NUMA Affinity", "")}) {
    INFO(text);
    const Server other = topo_matrix_server(text, "FILE");
    CHECK(other.links == s.links);
    CHECK(parents(other) == parents(s));
    CHECK(other.gpu_on == s.gpu_on);
    CHECK(other.nic_on == s.nic_on);
  }
}

TEST_CASE("topo -m: PIX is a switch, PXB a switch above these, PHB and NODE a socket, SYS two", "[pure]") {
  const auto cell = [](int a, int b) {
    return std::string(a / 2 == b / 2   ? "PIX"
                       : a / 4 == b / 4 ? "PXB"
                       : a / 8 == b / 8 ? (a < 4 && b < 8 ? "NODE" : "PHB")
                                        : "SYS");
  };
  const Server s = topo_matrix_server(table(9, cell), "FILE");
  // Sockets of GPUs 0 and 8; of 0 to 3 and 4 to 7 the upper switches, then those of pairs.
  CHECK(parents(s) == std::vector<int>{-1, -1, 0, 0, 2, 2, 3, 3});
  CHECK(s.gpu_on == std::vector<int>{4, 4, 5, 5, 6, 6, 7, 7, 1});
}

TEST_CASE("topo -m: if NVLinks hide all PCIe paths, affinities give the sockets, without them there is one", "[pure]") {
  const std::string all = table(4, [](int, int) { return "NV4"; });  // 4 A100: 12 links each
  const Server one = topo_matrix_server(all, "FILE");
  CHECK(one.between(0, 3) == 4);
  CHECK(one.switches() == 0);
  CHECK(parents(one) == std::vector<int>{-1});
  std::string two =
      with(all, "GPU3\nGPU0\t X \tNV4\tNV4\tNV4", "GPU3\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\tNV4\tNV4\t0-3\t0");
  two = with(two, "X \tNV4\tNV4\nGPU2", "X \tNV4\tNV4\t\t1\nGPU2");  // processors unknown: the NUMA node is used
  two = with(two, "X \tNV4\nGPU3\tNV4\tNV4\tNV4\t X ", "X \tNV4\t0-3\t0\nGPU3\tNV4\tNV4\tNV4\t X \tN/A\t1");
  CHECK(topo_matrix_server(two, "FILE").gpu_on == std::vector<int>{0, 1, 0, 1});
  // Equal affinities precede unknown ones: GPU1 shares a socket with GPU3, so GPU0, which is not at GPU3's socket,
  // shares one with GPU2.
  std::string apart = table(4, [](int a, int b) { return a == 0 && b == 3 ? "SYS" : "NV4"; });
  apart = with(apart, "GPU3\nGPU0", "GPU3\tCPU Affinity\nGPU0");
  apart = with(apart, "X \tNV4\tNV4\nGPU2\tNV4\tNV4\t X \tNV4", "X \tNV4\tNV4\t0-3\nGPU2\tNV4\tNV4\t X \tNV4\t4-7");
  apart = with(apart, "GPU3\tSYS\tNV4\tNV4\t X ", "GPU3\tSYS\tNV4\tNV4\t X \t0-3");
  CHECK(topo_matrix_server(apart, "FILE").gpu_on == std::vector<int>{0, 1, 0, 1});
}

TEST_CASE("topo -m: equal links to every GPU, too many for direct ones, lead to NVSwitches", "[pure]") {
  for (const auto& [gpus, links, switched] : {std::tuple(8, 18, true),
                                              {8, 8, true},
                                              {16, 6, true},
                                              {4, 6, true},
                                              {3, 6, true},
                                              {3, 8, true},
                                              {4, 12, true},
                                              {4, 4, false},
                                              {2, 12, false},
                                              {2, 18, true}}) {
    const int count = links;
    const Server s = topo_matrix_server(table(gpus, [&](int, int) { return "NV" + std::to_string(count); }), "FILE");
    INFO(gpus << " GPUs, NV" << links);
    CHECK(s.switches() == (switched ? 1 : 0));
    CHECK(s.between(0, 1) == (switched ? 0 : links));
    if (switched) CHECK(s.switch_links == std::vector<std::vector<int>>(static_cast<std::size_t>(gpus), {links}));
  }
  CHECK_THAT(matrix_refusal(table(5, [](int a, int b) { return a + b == 1 ? "NV4" : "NV5"; })),
             Contains("FILE:2: GPU0 has 19 NVLinks (legal: up to 18, or the same number to every GPU, over NVSwitches)"));
}

TEST_CASE("topo -m: tables of Markdown, lists of GPUs and other headers are read", "[pure]") {
  std::string bars =
      "| | GPU0 | GPU1 | CPU Affinity | NUMA |\n|---|:--:|---|---|---|\n| GPU0 | X | NV2 | | 0 |\n| GPU1 | NV2 | X | | 1 "
      "|\n";
  CHECK(topo_matrix_server(bars, "FILE").between(0, 1) == 2);
  CHECK(topo_matrix_server(bars, "FILE").gpu_on == std::vector<int>{0, 1});
  CHECK_THAT(matrix_refusal(with(bars, "GPU1 | NV2", "GPU1 | NV1")), Contains("FILE:4: GPU1 to GPU0 differs"));
  const std::string list = "GPU0: NVIDIA A100\nGPU1: NVIDIA A100\n" + std::string(small_matrix);
  CHECK(topo_matrix_server(list, "FILE").between(0, 1) == 2);
}

TEST_CASE("topo -m: the kind of GPU decides between direct links and NVSwitches, or a note does", "[pure]") {
  const auto equal = [](int gpus, int links) { return table(gpus, [&](int, int) { return "NV" + std::to_string(links); }); };
  for (const auto& [gpus, links, sm, switched] : {std::tuple(4, 6, 70, true),
                                                  {4, 6, 80, true},
                                                  {4, 6, 90, false},
                                                  {3, 6, 70, true},
                                                  {3, 6, 80, false},
                                                  {4, 2, 70, false},
                                                  {4, 4, 80, false},
                                                  {4, 4, 70, true}}) {
    INFO(gpus << " GPUs, NV" << links << ", sm " << sm);
    const Server s = topo_matrix_server(equal(gpus, links), "FILE", sm);
    CHECK(s.switches() == (switched ? 1 : 0));
    CHECK(s.notes.empty());
  }
  for (const auto& [gpus, links] : {std::pair(3, 6), {4, 6}, {3, 8}}) {
    const Server s = topo_matrix_server(equal(gpus, links), "FILE");
    REQUIRE(s.notes.size() == 1);
    CHECK_THAT(s.notes[0], Contains("assumed to be all links of a GPU, to NVSwitches (--sm of GPUs with"));
  }
  CHECK(topo_matrix_server(equal(8, 18), "FILE").notes.empty());
}

TEST_CASE("topo -m: GPUs at NVSwitches may have fewer links, or none", "[pure]") {
  const auto degraded = [](const char* cell) {
    return table(8, [&](int, int b) { return std::string(b == 7 ? cell : "NV18"); });
  };
  const Server fewer = topo_matrix_server(degraded("NV17"), "FILE"), none = topo_matrix_server(degraded("SYS"), "FILE");
  CHECK(fewer.switch_links[0] == std::vector<int>{18});
  CHECK(fewer.switch_links[7] == std::vector<int>{17});
  CHECK(none.switch_links[6] == std::vector<int>{18});
  CHECK(none.switch_links[7] == std::vector<int>{0});
  const Server two =
      topo_matrix_server(table(8, [](int a, int b) { return std::string(a / 4 == b / 4 ? "NV12" : "SYS"); }), "FILE");
  CHECK(two.switch_links[3] == std::vector<int>{12, 0});
  CHECK(two.switch_links[4] == std::vector<int>{0, 12});
}

TEST_CASE("topo -m: a legend of NICs without rows has a note", "[pure]") {
  const Server s = topo_matrix_server(
      table(2, [](int, int) { return "NV2"; }) + "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n", "FILE");
  REQUIRE(s.notes.size() == 1);
  CHECK_THAT(s.notes[0], Contains("line 7: the legend names 'NIC0', but the table has no rows of NICs"));
}

TEST_CASE("topo -m: a cell N/A gives no path, with a note", "[pure]") {
  std::string text =
      with(with(small_matrix, "GPU0    X    NV2   SYS   PIX", "GPU0    X    NV2   N/A   PIX"), "GPU2   SYS ", "GPU2   N/A ");
  const Server s = topo_matrix_server(text, "FILE");
  CHECK(s.links == std::vector<std::vector<int>>{{0, 2, 0}, {2, 0, 0}, {0, 0, 0}});
  CHECK(s.gpu_on == std::vector<int>{2, 2, 1});  // inferred from GPU1 at the same switch
  REQUIRE(s.notes.size() == 1);
  CHECK_THAT(s.notes[0], Contains("N/A"));
  CHECK_THAT(matrix_refusal(with(text, "GPU2   N/A ", "GPU2   SYS ")), Contains("a symmetric table"));
}

TEST_CASE("topo -m: unknown or contradictory contents are refused with their line", "[pure]") {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& why) {
    CHECK_THAT(matrix_refusal(with(small_matrix, from, to)), Contains(why));
  };
  refused("GPU1   NV2", "GPU1   NV1", "FILE:4: GPU1 to GPU0 differs from GPU0 to GPU1 of line 3 (legal: a symmetric table)");
  refused("GPU1   NV2", "GPU1   NV19",
          "FILE:4: GPU1 to GPU0: 'NV19' (legal: X, NV1 to NV18, PIX, PXB, PHB, NODE, SYS, SOC, N/A)");
  refused("GPU1   NV2", "GPU1   NV0", "'NV0' (legal");
  refused("GPU1   NV2", "GPU1   NV+2", "'NV+2' (legal");
  refused("GPU1   NV2", "GPU1   PXI", "FILE:4: GPU1 to GPU0: 'PXI' (legal");
  refused("GPU1   NV2", "GPU1   X", "GPU1 to GPU0: 'X' (legal: X only on the diagonal)");
  refused("GPU0    X ", "GPU0   PIX", "FILE:3: GPU0 to GPU0: 'PIX' (legal: X)");
  refused("GPU1   NV2", "GPU0   NV2", "FILE:4: a second row of 'GPU0'");
  refused("GPU2   SYS   SYS    X    SYS   8-15          1\n", "",
          "FILE:2: the header has no column 'NIC0' at the position of its row");
  refused("GPU2  NIC0", "GPU2", "FILE:2: the header has no column 'NIC0'");
  refused("CPU Affinity", "CPU Affinities", "FILE:2: the header continues with 'CPUAffinitiesNUMAAffinity'");
  refused("GPU2   SYS   SYS    X    SYS   8-15          1", "GPU2   SYS   SYS    X",
          "FILE:5: GPU2 has 3 cells (legal: 4, one for each row)");
  refused("NIC0   PIX   PIX   SYS    X", "NIC0   PIX   PIX   PIX    X",
          "FILE:6: NIC0 to GPU2 differs from GPU2 to NIC0 of line 5");
  refused("  NIC0: mlx5_0", "  NIC1: mlx5_0", "FILE:11: the legend names 'NIC1'");
  refused("  NIC0: mlx5_0", "  NIC0: mlx5_0\n  NIC0: mlx5_1", "FILE:12: the legend names 'NIC0' twice");
  refused("NUMA Affinity\n", "NUMA Affinity\x1b[0\n", "FILE:2: an escape sequence without end");
  refused("       GPU0", "\x01", "FILE:2: a control character, number 1");
  refused("GPU1   NV2", "NODE   NV2", "FILE:4: a line that begins with the cell 'NODE': lines are wrapped (legal: each row");
  refused("GPU1   NV2", "GPU1   OK ",
          "FILE:4: GPU1 to GPU0: 'OK' is of nvidia-smi topo -p2p, which has no links (legal: text");
  refused("$ nvidia-smi topo -m",
          "=== Hops between two GPUs ===", "FILE:1: text of rocm-smi --showtopo, which has no numbers of");
  CHECK_THAT(matrix_refusal(""), Contains("FILE:1: no header, a line that begins with GPU0"));
  CHECK_THAT(matrix_refusal("GPU0 GPU1\n"), Contains("FILE:1: no rows below the header"));
  CHECK_THAT(matrix_refusal("\tGPU1\tGPU0\nGPU1\t X\tSYS\nGPU0\tSYS\t X\n"), Contains("FILE:3: GPU0 below GPU1"));
  CHECK_THAT(matrix_refusal(table(3, [](int a, int b) { return b - a == 1 ? "PIX" : "SYS"; })),
             Equals("FILE:4: GPU2 to GPU0: other cells imply a shorter PCIe path (legal: cells of one PCIe tree)"));
  CHECK_THAT(
      matrix_refusal(with(with(small_matrix, "X    NV2   SYS   PIX", "X    NV2   SYS   NV1"), "NIC0   PIX", "NIC0   NV1")),
      Contains("FILE:3: GPU0 to NIC0: 'NV1' (legal: NVLinks between GPUs)"));
}

TEST_CASE("topo -m: GPUs and rows are bounded, and the largest table is read quickly", "[pure]") {
  const std::clock_t begin = std::clock();
  const auto apart = [](int, int) { return std::string("SYS"); };
  CHECK(topo_matrix_server(table(64, apart), "FILE").pcie.size() == 64);
  CHECK_THAT(matrix_refusal(table(65, apart)), Equals("FILE:66: too many GPUs (legal: up to 64)"));
  std::string nics = table(320, apart);
  for (std::size_t at = 0, seen = 0; (at = nics.find("GPU", at)) != std::string::npos; ++seen)
    if (seen != 0 && seen != 320)
      nics.replace(at, 3, "NIC");
    else
      at += 3;
  CHECK(topo_matrix_server(nics, "FILE").nic_on.size() == 319);
  CHECK_THAT(matrix_refusal(table(321, apart)), Contains("too many rows (legal: up to 320)"));
  CHECK(std::clock() - begin < 2 * CLOCKS_PER_SEC);
}

}  // namespace tributary::test_topo_matrix
