/// Tests what a topology file may have around its text: encodings, fences, prefixes (docs/topology_files.md).
#include <catch2/catch.hpp>

#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/files/plain_text.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_plain_text {
using namespace tributary::topology;
using Catch::Matchers::Contains;

namespace {

/// Returns an ASCII text in UTF-16.
std::string utf16(const std::string& text, bool big_endian) {
  std::string bytes;
  for (const char c : text) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

std::string prefixed(const std::string& prefix, const std::string& text) {
  std::string all = prefix;
  for (const char c : text) all += c == '\n' ? "\n" + prefix : std::string(1, c);
  return all;
}

const std::string table = "\tGPU0\tGPU1\tNUMA Affinity\nGPU0\t X \tNV2\t0\nGPU1\tNV2\t X \t1\n";

}  // namespace

TEST_CASE("plain text: marks and UTF-16 are decoded", "[pure]") {
  CHECK(plain_text("\xEF\xBB\xBF" + table).text == table);
  CHECK(plain_text("\xFF\xFE" + utf16(table, false)).text == table);
  CHECK(plain_text("\xFE\xFF" + utf16(table, true)).text == table);
  CHECK(plain_text(utf16(table, false)).text == table);
  CHECK(plain_text(utf16(table, true)).text == table);
  // U+00B5, U+20AC and U+1F600 have 2, 3 and 4 bytes in UTF-8; half of a pair and half a unit are no character.
  CHECK(plain_text("\xFF\xFE\xB5" + std::string(1, '\0') + "\xAC\x20\x3D\xD8" + std::string(1, '\0') + "\xDE").text ==
        "\xC2\xB5\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(plain_text("\xFF\xFE\x3D\xD8\x41").text == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(plain_text("").text.empty());
}

TEST_CASE("plain text: all forms are read from every encoding", "[pure]") {
  const std::string net = "router 0 node 0 node 1\n";
  for (const auto& [text, format] : {std::pair(std::string(small_xml), TopologyFormat::nccl),
                                     {table, TopologyFormat::topo_m},
                                     {net, TopologyFormat::anynet}})
    for (const std::string& bytes :
         {"\xEF\xBB\xBF" + text, "\xFF\xFE" + utf16(text, false), "```text\n" + text + "```\n",
          "Our machine:\n```\n$ ls\n```\n~~~\n" + text + "~~~\nand more\n", text + "```\n", prefixed("0: ", text),
          prefixed("> ", text), prefixed("# ", text), prefixed("2026-01-01T10:00:00.123Z node7 ", text)}) {
      INFO(bytes);
      CHECK(format_of_text(bytes) == format);
      if (format == TopologyFormat::nccl) CHECK(nccl_xml_server(bytes, "F").between(0, 1) == 2);
      if (format == TopologyFormat::topo_m) CHECK(topo_matrix_server(bytes, "F").between(0, 1) == 2);
      if (format == TopologyFormat::anynet) CHECK(read_anynet(bytes, "F").network.size() == 2);
    }
}

TEST_CASE("plain text: a prefix of all lines is left out with a note, also if its digits differ", "[pure]") {
  const PlainText plain = plain_text(prefixed("0: ", table));
  REQUIRE(plain.notes.size() == 1);
  CHECK_THAT(plain.notes[0], Contains("every line begins like '0: '"));
  CHECK(topo_matrix_server(prefixed("0: ", table), "F").notes.size() == 1);
  std::string times;
  for (const auto& [time, row] :
       {std::pair("10:00:01", "\tGPU0\tGPU1"), {"10:00:02", "GPU0\t X \tNV2"}, {"10:00:13", "GPU1\tNV2\t X"}})
    times += std::string("[") + time + "] " + row + "\n";
  CHECK(topo_matrix_server(times, "F").between(0, 1) == 2);
}

TEST_CASE("plain text: lines of a known form have no prefix", "[pure]") {
  for (const std::string& text :
       {table, std::string(small_matrix), std::string(small_xml), std::string("router 0 node 0\nrouter 0 node 1\n"),
        std::string("<a/>"), std::string("GPU0 GPU1\nGPU0 X NV1\nGPU1 NV1 X\n")}) {
    CHECK(plain_text(text).text == text);
    CHECK(plain_text(text).notes.empty());
  }
  const std::string other = "no: form\nno: here\n";
  CHECK(plain_text(other).text == other);
}

TEST_CASE("plain text: errors have the line of the file", "[pure]") {
  CHECK_THAT(matrix_refusal("text\n\n```\n" + with(table, "GPU1\tNV2", "GPU1\tNV1")),
             Contains("FILE:6: GPU1 to GPU0 differs"));
}

}  // namespace tributary::test_plain_text
