/// Tests topology files of NCCL (docs/topology_files.md#nccl-xml).
#include <catch2/catch.hpp>
#include <ctime>

#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_nccl_xml {

using namespace tributary::topology;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

TEST_CASE("NCCL XML: links, PCIe tree, NICs and rates are read", "[pure]") {
  const Server s = nccl_xml_server(small_xml, "FILE");
  CHECK_NOTHROW(check(s));
  CHECK(s.links == std::vector<std::vector<int>>{{0, 2}, {2, 0}});
  REQUIRE(s.pcie.size() == 3);  // two sockets, then the switch
  CHECK((s.pcie[0].parent == -1 && s.pcie[0].number == 0));
  CHECK((s.pcie[1].parent == -1 && s.pcie[1].number == 4));
  CHECK((s.pcie[2].parent == 0 && s.pcie[2].up.speed == 16 && s.pcie[2].up.width == 16));
  CHECK(s.gpu_on == std::vector<int>{1, 2});  // in the order of dev, not of the file
  CHECK(s.nic_on == std::vector<int>{2});
  CHECK((s.gpu_up[0].speed == 0 && s.gpu_up[0].width == 16));
  CHECK((s.gpu_up[1].speed == 8 && s.gpu_up[1].width == 8));
  CHECK((s.nic_up[0].speed == 0 && s.nic_up[0].width == 0));
  CHECK(s.nic_rate == std::vector<std::uint64_t>{15'625'000'000});  // two ports: 125 Gb/s
  CHECK(s.nvlink_rate == 25'000'000'000);                           // A100
  CHECK(s.switches() == 0);
  CHECK(s.notes.empty());
}

TEST_CASE("NCCL XML: PCIe rates account for line coding", "[pure]") {
  CHECK(pcie_rate({8, 16}) == 15'753'846'154);  // 128b/130b
  CHECK(pcie_rate({16, 16}) == 31'507'692'308);
  CHECK(pcie_rate({5, 8}) == 4'000'000'000);  // 8b/10b
  CHECK(pcie_rate({2.5, 1}) == 250'000'000);
  CHECK(pcie_rate({64, 16}) == 121'000'000'000);  // 242 of 256 B
  CHECK(pcie_rate({0, 16}) == 0);
}

TEST_CASE("NCCL XML: NVSwitches that NCCL marks as hidden are one, in both spellings", "[pure]") {
  for (const char* target : {"fffffff:ffff:ff", "fffffff:ff:ff.0", "FFFFFFF:FF:FF.0"}) {
    std::string text = small_xml;
    for (const char* peer : {"target=\"0000:0A:00.0\" count=\"2\" tclass=\"0x030200\"",
                             "target=\"0000:02:00.0\" count=\"2\" tclass=\"0x030200\""})
      text = with(text, peer, "target=\"" + std::string(target) + "\" count=\"12\" tclass=\"0x068000\"");
    CHECK(nccl_xml_server(text, "FILE").switch_links == std::vector<std::vector<int>>{{12}, {12}});
  }
}

TEST_CASE("NCCL XML: links to a GPU that the file does not have are left out with a note", "[pure]") {
  const Server s = nccl_xml_server(with(small_xml, "0000:0A:00.0", "0000:0b:00.0"), "FILE");
  CHECK(s.between(0, 1) == 2);  // as the other GPU says
  REQUIRE(s.notes.size() == 2);
  CHECK_THAT(s.notes[0], Contains("line 6: GPU 1 has links to bus id 0000:0b:00.0, which no GPU of the file has"));
}

TEST_CASE("NCCL XML: NVSwitches that are hidden from one GPU are those of another", "[pure]") {
  const auto text = [](int count, const char* target) {
    std::string all = "<system version=\"1\"><cpu numaid=\"0\">";
    for (int g = 0; g < 3; ++g) {
      const std::string bus = "0000:0" + std::to_string(g) + ":00.0";
      all += "<pci busid=\"" + bus + "\" class=\"0x030200\"><gpu dev=\"" + std::to_string(g) + "\" sm=\"90\">";
      if (g == 1)
        all +=
            "<nvlink target=\"" + std::string(target) + "\" count=\"" + std::to_string(count) + "\" tclass=\"0x068000\"/>";
      else
        all +=
            "<nvlink target=\"0000:f0:00.0\" count=\"5\" tclass=\"0x068000\"/><nvlink target=\"0000:f1:00.0\" "
            "count=\"4\" tclass=\"0x068000\"/>";
      all += "</gpu></pci>";
    }
    return all + "</cpu></system>";
  };
  const Server equal = nccl_xml_server(text(9, "fffffff:ffff:ff"), "FILE");
  CHECK(equal.switch_links == std::vector<std::vector<int>>{{5, 4}, {5, 4}, {5, 4}});
  REQUIRE(equal.notes.size() == 1);
  CHECK_THAT(equal.notes[0], Contains("GPU 1 has 9 links to hidden NVSwitches: assumed to be the NVSwitches of GPU 0"));
  CHECK(nccl_xml_server(text(7, "fffffff:ffff:ff"), "FILE").switch_links[1] == std::vector<int>{4, 3});
  CHECK(nccl_xml_server(text(10, "fffffff:ffff:ff"), "FILE").switch_links[1] == std::vector<int>{0, 0, 10});
  CHECK(nccl_xml_server(text(9, "0000:f2:00.0"), "FILE").notes.empty());
}

TEST_CASE("NCCL XML: a speed that no NIC has is unknown, with a note", "[pure]") {
  const Server s = nccl_xml_server(with(small_xml, "speed=\"100000\"", "speed=\"200000000\""), "FILE");
  CHECK(s.nic_rate.front() == 3'125'000'000);  // the other net
  REQUIRE(s.notes.size() == 1);
  CHECK_THAT(s.notes[0], Contains("line 9: a speed of 200000000 Mb/s is more than a NIC has"));
}

TEST_CASE("NCCL XML: comments, declarations, versions, speeds and unknown attributes are accepted", "[pure]") {
  for (const std::string& text :
       {"<?xml version=\"1.0\"?>\n<!-- a\nb -->\n" + std::string(small_xml),
        with(small_xml, "version=\"1\"", "version=\"2\""),
        with(small_xml, "numaid=\"0\"", "numaid=\"-1\" affinity=\"ffff\" arch=\"x86_64\" future=\"1\""),
        with(small_xml, "16.0 GT/s PCIe", "5 GT/s"), with(small_xml, "16.0 GT/s PCIe", "2.5 GT/s PCIe"),
        with(small_xml, "16.0 GT/s PCIe", "64.0 GT/s PCIe"), with(small_xml, "<nic>", "<nic><!-- card -->"),
        with(small_xml, "0000:0A", "00000000:0A")})
    CHECK(xml_refusal(text) == "accepted");
  CHECK(
      nccl_xml_server(with(small_xml, "<net name=\"mlx5_0\" dev=\"0\"", "<net name=\"mlx5_0\""), "FILE").nic_rate.front() ==
      3'125'000'000);  // a net without dev is ignored
  CHECK(nccl_xml_server(with(small_xml, "speed=\"100000\"", "speed=\"-1\""), "FILE").nic_rate.front() == 3'125'000'000);
}

TEST_CASE("NCCL XML: the rate of xGMI links depends on gcn, not on sm", "[pure]") {
  std::string text = small_xml;
  for (int i = 0; i < 2; ++i) {
    text = with(text, "<nvlink", "<xgmi");
    text = with(text, "sm=\"80\"", "sm=\"70\" gcn=\"gfx90a\"");
    text = with(text, "tclass=\"0x030200\"", "tclass=\"0x038000\"");
  }
  const Server s = nccl_xml_server(text, "FILE");
  CHECK(s.between(0, 1) == 2);
  CHECK(s.nvlink_rate == 50'000'000'000);
  CHECK(s.gcn == "gfx90a");
  for (const char* row : {"gfx90a", "gfx90a"}) text = with(text, row, "gfx1100");
  CHECK(nccl_xml_server(text, "FILE").nvlink_rate == 0);
  CHECK_THAT(xml_refusal(with(text, "gfx1100", "gfx942")), Contains("links between GPUs of gcn 'gfx1100' and 'gfx942'"));
}

TEST_CASE("NCCL XML: unknown elements and links that differ by direction are noted", "[pure]") {
  const auto noted = [](const std::string& from, const std::string& to, const std::string& what) {
    const Server s = nccl_xml_server(with(small_xml, from, to), "FILE");
    INFO(to);
    REQUIRE(s.notes.size() == 1);
    CHECK(s.notes[0] == what);
    CHECK(s.between(0, 1) == 2);
  };
  noted("version=\"1\"", "version=\"3\"", "line 1: version 3 is read like 1 (NCCL) and 2 (RCCL)");
  noted("<cpu numaid=\"4\">", "<cpu numaid=\"4\"><memory><bank/></memory>",
        "line 11: <memory> in <cpu> is unknown and ignored");
  noted("<nvlink target=\"0000:0A", "<nvswitch/><nvlink target=\"0000:0A",
        "line 6: <nvswitch> in <gpu> is unknown and ignored");
  noted("count=\"2\"", "count=\"1\"", "line 6: GPU 0 has 2 links to GPU 1, but GPU 1 has 1 link to GPU 0: 2 are used");
  noted("<nvlink target=\"0000:0A:00.0\" count=\"2\" tclass=\"0x030200\"/>", "",
        "line 14: GPU 0 has 2 links to GPU 1, but GPU 1 has 0 links to GPU 0: 2 are used");
}

TEST_CASE("NCCL XML: links of GPUs to themselves are ignored with a note", "[pure]") {
  const Server s = nccl_xml_server(
      with(with(small_xml, "0000:02:00.0\" count", "0000:0a:00.0\" count"), "0000:0A:00.0", "0000:02:00.0"), "FILE");
  CHECK_NOTHROW(check(s));
  CHECK(s.links == std::vector<std::vector<int>>{{0, 0}, {0, 0}});
  REQUIRE(s.notes.size() == 2);
  CHECK(s.notes[0] == "line 14: GPU 0 has links to itself, which are ignored");
  CHECK_THAT(s.notes[1], Contains("line 6: GPU 1"));
}

TEST_CASE("NCCL XML: hidden NVSwitches share a bus id, and unsimulated links are noted", "[pure]") {
  std::string text =
      with(small_xml, "0000:0A:00.0\" count=\"2\" tclass=\"0x030200\"", "0000:1A:00.0\" count=\"2\" tclass=\"0x068000\"");
  text = with(text, "<nvlink target=\"0000:02:00.0\" count=\"2\" tclass=\"0x030200\"/>",
              "<nvlink target=\"0000:1a:00.0\" count=\"3\" tclass=\"0x068000\"/>"
              "<nvlink target=\"fffffff:ff:ff.0\" count=\"1\" tclass=\"0x068000\"/>"
              "<nvlink target=\"fffffff:ff:ff.0\" count=\"1\" tclass=\"0x068000\"/>"
              "<c2c bw=\"100\" count=\"1\"/><nvlink target=\"0000:0b:00.0\" count=\"1\" tclass=\"0x068001\"/>");
  const Server s = nccl_xml_server(text, "FILE");
  CHECK(s.links == std::vector<std::vector<int>>{{0, 0}, {0, 0}});
  CHECK(s.switch_links == std::vector<std::vector<int>>{{3, 2}, {2, 0}});
  REQUIRE(s.notes.size() == 2);
  CHECK_THAT(s.notes[0], Contains("line 14") && Contains("c2c"));
  CHECK_THAT(s.notes[1], Contains("processor"));
}

TEST_CASE("NCCL XML: in a file with only cpu and pci, GPUs are found by class, in the order of bus ids", "[pure]") {
  const char* const text =
      "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"ffff:ff:01.0\" class=\"0x060400\">"
      "<pci busid=\"0003:00:00.0\" class=\"0x030200\"/><pci busid=\"0103:00:00.0\" class=\"0x020700\"/></pci>"
      "<pci busid=\"ffff:ff:02.0\" class=\"0x060400\"><pci busid=\"ffff:ff:03.0\" class=\"0x060400\"><pci "
      "busid=\"ffff:ff:04.0\" class=\"0x060400\"/></pci>"
      "<pci busid=\"0001:00:00.0\" class=\"0x030200\"/></pci></cpu></system>";
  const Server s = nccl_xml_server(text, "FILE");
  CHECK(s.gpus() == 2);
  CHECK(s.between(0, 1) == 0);
  CHECK(s.pcie.size() == 3);  // there is nothing below ffff:ff:03.0
  CHECK(s.gpu_on == std::vector<int>{2, 1});
  CHECK(s.nic_on == std::vector<int>{1});
  // With elements <gpu> the class alone makes no GPU: here a display.
  CHECK(nccl_xml_server(
            with(small_xml, "<cpu numaid=\"0\">", "<cpu numaid=\"0\"><pci busid=\"0000:ee:00.0\" class=\"0x030000\"/>"),
            "FILE")
            .gpus() == 2);
}

TEST_CASE("NCCL XML: a repeated bus id is another device, with a note", "[pure]") {
  const std::string text = with(small_xml, "<cpu numaid=\"0\">",
                                "<cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" class=\"0x060400\"><pci "
                                "busid=\"0000:03:00.0\" class=\"0x020000\"/></pci>");
  const Server s = nccl_xml_server(text, "FILE");
  CHECK(s.nic_on.size() == 2);
  REQUIRE(s.notes.size() == 2);
  CHECK_THAT(s.notes[0], Equals("line 3: bus id 0000:01:00.0 repeated: taken for another device"));
}

TEST_CASE("NCCL XML: unknown or contradictory contents are refused with their line", "[pure]") {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& why) {
    CHECK_THAT(xml_refusal(with(small_xml, from, to)), Contains(why));
  };
  refused("version=\"1\"", "version=\"x\"", "FILE:1: <system>: version 'x' is given (legal: 0 to 65535)");
  refused("<system version=\"1\">", "<system>", "FILE:1: <system> has no version");
  refused("<system version=\"1\">", "<graphs version=\"1\">", "no XML");
  refused("<cpu numaid=\"4\">", "<cpu>", "FILE:11: <cpu> has no numaid");
  refused("<cpu numaid=\"4\">", "<cpu numaid=\"0\">", "FILE:11: <cpu>: a second one with numaid 0");
  refused("<cpu numaid=\"4\">", "<cpu numaid=\"4\" host_hash=\"0x1\">", "FILE:11: a second host");
  refused(" class=\"0x060400\"", "", "FILE:3: <pci> has no class");
  refused("class=\"0x060400\"", "class=\"-1\"", "FILE:3: <pci>: class '-1' is given (legal: 0x and six hexadecimal digits");
  refused("0000:01:00.0", "0000:01", "FILE:3: <pci>: busid '0000:01' is given (legal: domain, bus, device and function");
  refused("16.0 GT/s PCIe", "7 GT/s", "FILE:3: <pci>: link_speed '7 GT/s' is given (legal: 2.5, 5, 8, 16, 32 or 64 GT/s)");
  refused("link_width=\"16\"", "link_width=\"64\"", "FILE:3: <pci>: link_width '64' is given (legal: 0 to 32)");
  refused("dev=\"1\"", "dev=\"0\"", "a second one with dev 0");
  refused("dev=\"1\"", "dev=\"x\"", "FILE:5: <gpu>: dev 'x' is given");
  refused("sm=\"80\"", "sm=\"70\"", "links between GPUs of sm 80 and 70 (legal: GPUs of one kind)");
  refused("count=\"2\"", "count=\"0\"", "FILE:6: <nvlink>: count '0' is given (legal: 1 to 18)");
  refused("tclass=\"0x030200\"", "tclass=\"0xffffffff\"", "FILE:6: <nvlink>: tclass '0xffffffff' is given");
  refused("tclass=\"0x030200\"", "tclass=\"0x060400\"", "FILE:6: links to a device of an unexpected class");
  refused("0000:0a:00.0", "0000:02:00.0", "FILE:13: a second GPU with bus id 0000:02:00.0");
  refused("<cpu numaid=\"4\">", "<cpu numaid=\"4\"><gpu dev=\"2\" sm=\"80\"/>",
          "FILE:11: <gpu> in <cpu> (legal: in the <pci>");
  refused("<cpu numaid=\"4\">", "<cpu numaid=\"4\">words", "FILE:11: text in <cpu>");
  refused("rank=\"0\"", "dev=\"1\"", "FILE:5: attribute 'dev' is given twice");
  refused("speed=\"100000\"", "speed=\"fast\"", "FILE:9: <net>: speed 'fast' is given");
  refused("</gpu></pci>\n<pci", "</gpu>\n<pci", "no XML: Start-end tags mismatch");
  const char* const more = "<nvlink target=\"fffffff:ff:ff.0\" count=\"17\" tclass=\"0x068000\"/></gpu>";
  refused("</gpu>", more, "FILE:5: GPU 1 has 19 links in all (legal: up to 18)");
  CHECK_THAT(xml_refusal(""), Contains("FILE:1: no XML"));
  CHECK_THAT(xml_refusal("<system version=\"1\"/>"), Equals("FILE:1: no GPU (legal: <gpu>, or <pci> of class 0x0302)"));
  CHECK_THAT(xml_refusal(std::string(small_xml) + "<system/>"), Contains("more than one root element"));
  CHECK_THAT(xml_refusal(std::string("<system>\n\0</system>", 19)), Contains("FILE:2: a control character, number 0"));
  CHECK_THAT(xml_refusal("<graphs version=\"1\"/>"), Contains("the root is <graphs> (legal: <system>)"));
}

namespace {

/// Returns a text of `count` GPUs without links.
std::string many_gpus(int count) {
  std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
  const auto bus = [](int i) { return "0000:" + std::to_string(10 + i / 8) + ":0" + std::to_string(i % 8) + ".0"; };
  for (int i = 0; i < count; ++i)
    text += "<pci busid=\"" + bus(i) + "\" class=\"0x030200\"><gpu dev=\"" + std::to_string(i) + "\"/></pci>";
  return text + "</cpu></system>";
}

}  // namespace

TEST_CASE("NCCL XML: depth, elements, attributes and devices are bounded, and the excess is refused quickly", "[pure]") {
  const std::clock_t begin = std::clock();
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<pci>";
  CHECK_THAT(xml_refusal(deep), Contains("no XML"));
  deep.clear();
  for (int i = 0; i < 50'000; ++i) deep += "<p>";
  for (int i = 0; i < 50'000; ++i) deep += "</p>";
  CHECK_THAT(xml_refusal(deep), Equals("FILE:1: elements nested too deeply (legal: up to 32 levels)"));
  std::string wide = "<system version=\"1\">";
  for (int i = 0; i < 20'000; ++i) wide += "\n<a/>";
  CHECK_THAT(xml_refusal(wide + "</system>"), Equals("FILE:16385: too many elements (legal: up to 16384)"));
  std::string attributes = "<system";
  for (int i = 0; i < 65; ++i) attributes += " a" + std::to_string(i) + "=\"1\"";
  CHECK_THAT(xml_refusal(attributes + "/>"), Contains("too many attributes (legal: up to 64)"));
  CHECK(xml_refusal(many_gpus(64)) == "accepted");
  CHECK_THAT(xml_refusal(many_gpus(65)), Equals("FILE:1: too many GPUs (legal: up to 64)"));
  CHECK(std::clock() - begin < 2 * CLOCKS_PER_SEC);
}

}  // namespace tributary::test_nccl_xml
