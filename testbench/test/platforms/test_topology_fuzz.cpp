// Mutated topology files: read, or refused in one line with the file's name, at once; never anything else (the sanitizers
// look).
#include <catch2/catch.hpp>
#include <ctime>
#include <iterator>
#include <random>

#include "platforms/topology/anynet.h"
#include "platforms/topology/graph.h"
#include "testbench/test/harness/topology_texts.h"

using namespace tributary;
using namespace tributary::topology;

namespace {

// A million texts where the sanitizers look.
#if defined(__SANITIZE_ADDRESS__)
constexpr int mutations = 500'000;
#else
constexpr int mutations = 20'000;
#endif

using Texts = std::vector<std::string>;

/// One to four edits: a mark, a removal, a copy of a part, a number, a part of another text, a word of the format.
std::string mutated(const Texts& seeds, const Texts& words, std::mt19937_64& random) {
  static constexpr char marks[] = "<>/=\"'&;![]-\n\t \\x0a:.FX\r\x01\x1b\x80\xff";  // and its end
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::string text = seeds[below(seeds.size())];
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1), length = below(random() % 8 == 0 ? 400 : 12);
    const std::string& other = seeds[below(seeds.size())];
    switch (below(7)) {
      case 0:
        text.insert(at, below(20) == 0 ? 40 : 1, marks[below(sizeof marks)]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), length));
        break;
      case 3:
        text.replace(at, std::min<std::size_t>(1, text.size() - at),
                     std::to_string(static_cast<std::int64_t>(random() >> below(64))));
        break;
      case 4:
        text.insert(at, other.substr(below(other.size() + 1), length));
        break;
      case 5:
        text.replace(at, std::min(length, text.size() - at), words[below(words.size())]);
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

/// What is read is a server.
template <class Reader>
auto checked(Reader read) {
  return [read](const std::string& text, const std::string& path) { check(read(text, path)); };
}

template <class Reader>
void fuzz(Reader read, const Texts& seeds, const Texts& words, std::uint64_t seed) {
  for (const std::string& text : seeds) CHECK_NOTHROW(read(text, "FILE"));
  std::mt19937_64 random(seed);
  int accepted = 0;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < mutations; ++i) {
    const std::string text = mutated(seeds, words, random);
    try {
      read(text, "FILE");
      ++accepted;
    } catch (const std::invalid_argument& error) {  // any other exception ends the test
      const std::string what = error.what();
      if (what.compare(0, 5, "FILE:") != 0 || what.find('\n') != std::string::npos || what.size() > 400)
        FAIL("mutation " << i << ": " << what << "\n" << text);
    }
  }
  CHECK(accepted > mutations / 200);
  CHECK(accepted < mutations * 9 / 10);
  CHECK((std::clock() - begin) / mutations < CLOCKS_PER_SEC / 500);
}

}  // namespace

TEST_CASE("mutated topology files of NCCL are read or refused at once", "[pure]") {
  const std::string large = shipped_topology("dgx1v.xml");
  fuzz(checked(nccl_xml_server),
       {small_xml, small_xml, large,
        "<system version=\"2\"><cpu numaid=\"0\"><pci busid=\"0000:02:00.0\" class=\"0x030200\"/></cpu></system>"},
       {"<pci busid=\"0000:0c:00.0\" class=\"0x060400\">", "</pci>", "<nic/>", "<c2c/>", "<!--", "-->", "<![CDATA[", "&amp;",
        "<?x", "<!DOCTYPE a [", "tclass=\"0x068000\"", "fffffff:ff:ff.0", "<gpu dev=\"7\"/>", "-1", "link_speed=\"\"",
        "<cpu numaid=\"9\"/>"},
       7);
}

TEST_CASE("mutated texts of nvidia-smi topo -m are read or refused at once", "[pure]") {
  fuzz(checked(topo_matrix_server),
       {small_matrix, small_matrix, shipped_topology("dgx1v.txt"), shipped_topology("dgx1p.txt"), "GPU0\nGPU0 X\n"},
       {"NV1",     "NV6",         "PIX",  "PXB",  "PHB",         "NODE",   "SYS",     "SOC",
        "X",       "N/A",         "GPU0", "GPU1", "NIC0",        "mlx5_0", "\x1b[4m", "[1,0]<stdout>:",
        "Legend:", "NIC Legend:", "\t",   "\n\n", "CPU Affinity"},
       8);
}

TEST_CASE("mutated networks of BookSim are read or refused at once", "[pure]") {
  fuzz(read_anynet,
       {shipped_topology("three_routers.anynet"), "router 0 node 0 node 1 router 1 4 router 2\nrouter 1 node 2 router 2\nrouter 2 node 3\n",
        "router 0 node 0 router 1\nrouter 1 node 1 router 2\nrouter 2 node 2 router 3\nrouter 3 node 3 router 4\nrouter 4 node 4 router 0\n"},
       {"router 0", "node 0", "node 1", "router 2 9", "ROUTER", "\n", "//", "# ", "1000000", "-1", "1023", "router", "node"}, 9);
}
