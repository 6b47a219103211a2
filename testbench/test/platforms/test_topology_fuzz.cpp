// Tests that mutated topology files are read, or quickly refused in one line with the file's name, with no other effect
// (checked by sanitizers).
#include <catch2/catch.hpp>

#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/server_graph.h"
#include "testbench/test/harness/mutated_texts.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_topology_fuzz {

using namespace tributary::topology;

namespace {

using Texts = std::vector<std::string>;

const std::string marks = "<>/=\"'&;![]-\n\t \\x0a:.FX\r\x01\x1b\x80\xff" + std::string(1, '\0');

/// Reads a server as `file:FILE` does, the GPUs of a text of topo -m as those of each of some kinds, and makes the graph of
/// its devices.
auto checked(TopologyFormat format) {
  return [format](const std::string& text, const std::string& path) {
    for (const char* kind : {"", "+sm:70", "+sm:80"}) {
      const Server server = server_of_text(text, file_reading(path + kind), format);
      is_fabric(server);
      ServerGraph(path, server, 1);
      if (format == TopologyFormat::nccl) return;
    }
  };
}

template <class Reader>
void fuzz(Reader read, const Texts& seeds, const Texts& words, std::uint64_t seed) {
  CHECK(fuzzed<std::invalid_argument>({seeds, words, marks}, seed, mutations(20'000),
                                      "FILE:", [&](const std::string& text) { read(text, "FILE"); }) == "");
}

}  // namespace

TEST_CASE("mutated topology files of NCCL are read or refused quickly", "[pure]") {
  const std::string large = shipped_topology("dgx1v.xml");
  fuzz(checked(TopologyFormat::nccl),
       {small_xml, small_xml, large,
        "<system version=\"2\"><cpu numaid=\"0\"><pci busid=\"0000:02:00.0\" class=\"0x030200\"/></cpu></system>"},
       {"<pci busid=\"0000:0c:00.0\" class=\"0x060400\">", "</pci>", "<nic/>", "<c2c/>", "<!--", "-->", "<![CDATA[", "&amp;",
        "<?x", "<!DOCTYPE a [", "tclass=\"0x068000\"", "fffffff:ff:ff.0", "fffffff:ffff:ff", "<gpu dev=\"7\"/>", "-1",
        "link_speed=\"\"", "<cpu numaid=\"9\"/>"},
       7);
}

TEST_CASE("mutated texts of nvidia-smi topo -m are read or refused quickly", "[pure]") {
  fuzz(checked(TopologyFormat::topo_m),
       {small_matrix, small_matrix, shipped_topology("dgx1v.txt"), shipped_topology("dgx1p.txt"), "GPU0\nGPU0 X\n",
        "```\n| | GPU0 | GPU1 |\n|---|---|---|\n| GPU0 | X | NV4 |\n| GPU1 | NV4 | X |\n```\n",
        "> \tGPU0\tGPU1\n> GPU0\tX\tNV4\n> GPU1\tNV4\tX\n>\n",
        "\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tNV6\tNV6\tNV5\nGPU1\tNV6\tX\tNV6\tNV5\nGPU2\tNV6\tNV6\tX\tNV5\n"
        "GPU3\tNV5\tNV5\tNV5\tX\n",
        "\tGPU0\tGPU1\tGPU2\nGPU0\tX\tNV12\tSYS\nGPU1\tNV12\tX\tSYS\nGPU2\tSYS\tSYS\tX\n"},
       {"NV1",
        "NV6",
        "NV18",
        "PIX",
        "PXB",
        "PHB",
        "NODE",
        "SYS",
        "SOC",
        "X",
        "N/A",
        "GPU0",
        "GPU1",
        "NIC0",
        "mlx5_0",
        "\x1b[4m",
        "[1,0]<stdout>:",
        "Legend:",
        "NIC Legend:",
        "\t",
        "\n\n",
        "CPU Affinity",
        "\xEF\xBB\xBF",
        "\xFF\xFE",
        "\n```\n",
        "|",
        "OK",
        "GPU0:"},
       8);
}

TEST_CASE("mutated networks of BookSim are read or refused quickly", "[pure]") {
  fuzz(read_anynet,
       {shipped_topology("three_routers.anynet"),
        "router 0 node 0 node 1 router 1 4 router 2\nrouter 1 node 2 router 2\nrouter 2 node 3\n",
        "router 0 node 0 router 1\nrouter 1 node 1 router 2\nrouter 2 node 2 router 3\nrouter 3 node 3 router 4\nrouter 4 "
        "node 4 router 0\n"},
       {"router 1 router 1", "\xFF\xFE", "\n```\n", "router 0", "node 0", "node 1", "router 2 9", "ROUTER", "\n", "//", "# ",
        "1000000", "-1", "1023", "router", "node"},
       9);
}

}  // namespace tributary::test_topology_fuzz
