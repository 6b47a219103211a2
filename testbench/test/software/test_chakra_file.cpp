// Messages of Chakra traces.
#include <catch2/catch.hpp>
#include <sstream>

#include "testbench/test/harness/chakra_writer.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_file.h"

namespace tributary::test_chakra_file {

using namespace tributary::training;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Writer = ChakraWriter;

namespace {

std::vector<ChakraNode> nodes_of(const std::string& bytes) {
  std::istringstream file(bytes);
  std::vector<ChakraNode> nodes;
  read_chakra(file, "FILE", [&](ChakraNode&& node) { nodes.push_back(std::move(node)); });
  return nodes;
}

std::string refusal(const std::string& bytes) {
  try {
    nodes_of(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refused_node(const Writer::Node& node) { return refusal(Writer().add(node).bytes()); }

}  // namespace

TEST_CASE("nodes of a Chakra trace are read with their fields and attributes", "[pure][training]") {
  Writer writer;
  writer.add({7,
              "conv1",
              4,
              1300,
              {},
              {3},
              {Writer::integer("num_ops", 5'000'000'000), Writer::unsigned_number("tensor_size", 4096)}});
  writer.add({0,
              "reduce",
              7,
              0,
              {7, 300},
              {},
              {Writer::flag("is_cpu_op", false), Writer::integer("comm_type", 7), Writer::integer("comm_size", 1 << 20),
               Writer::word("pg_name", "dp0"), Writer::flags("involved_dim", {true, true})}});
  const auto nodes = nodes_of(writer.bytes());
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].id == 7);
  CHECK(nodes[0].offset == 8);  // after the metadata: length, tag, length, "0.0.4"
  CHECK(nodes[0].type == ChakraType::compute);
  CHECK(nodes[0].micros == 1300);
  CHECK(nodes[0].control_deps == std::vector<std::uint64_t>{3});
  CHECK(nodes[0].operations == 5'000'000'000u);
  CHECK(nodes[0].tensor_bytes == 4096u);
  CHECK_FALSE(nodes[0].bytes);
  CHECK(nodes[1].id == 0);  // not written, since protobuf omits zeros
  CHECK(nodes[1].type == ChakraType::collective);
  CHECK(nodes[1].data_deps == std::vector<std::uint64_t>{7, 300});
  CHECK(nodes[1].type_number == 7u);
  CHECK(nodes[1].bytes == 1u << 20);
  CHECK(nodes[1].group == "dp0");
  CHECK_FALSE(nodes[1].part_of_dimensions);
}

TEST_CASE("dependencies of a Chakra node are read packed and one by one", "[pure][training]") {
  for (const bool packed : {true, false}) {
    Writer::Node node{1, "n", 4};
    node.data = {5, 1ull << 40, 0};
    node.packed = packed;
    CHECK(nodes_of(Writer().add(node).bytes()).at(0).data_deps == node.data);
  }
}

TEST_CASE("a Chakra trace in the format of ASTRA-sim's microbenchmarks is read byte by byte", "[pure][training]") {
  // astra-sim/astra-sim examples/workload/microbenchmarks/all_reduce (MIT): version "0.0.4"; one all-reduce of 1 MiB.
  const std::string bytes(
      "\x07\x0a\x05"
      "0.0.4"
      "\x48\x12\x14"
      "all_reduce_8npus_1MB"
      "\x18\x07\x52\x0e\x0a\x09"
      "is_cpu_op"
      "\xd8\x01\x00\x52\x0d\x0a\x09"
      "comm_type"
      "\x48\x00\x52\x0f\x0a\x09"
      "comm_size"
      "\x48\x80\x80\x40",
      81);
  const auto nodes = nodes_of(bytes);
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].name == "all_reduce_8npus_1MB");
  CHECK_FALSE(nodes[0].on_cpu);
  CHECK(nodes[0].type_number == 0u);
  CHECK(nodes[0].bytes == 1048576u);
  for (std::size_t size = 9; size < bytes.size(); ++size)
    CHECK_THAT(refusal(bytes.substr(0, size)), Contains("FILE: byte 8: "));
}

TEST_CASE("process groups of a Chakra trace are read or rejected", "[pure][training]") {
  Writer::Node node{1, "## process_group:init ##", 1};
  node.input_values =
      R"(['[{"pg_name": "0", "pg_desc": "default_pg", "ranks": []}, {"pg_name": "17", "ranks": [2, 6], "group_size": 2}]'])";
  const auto groups = nodes_of(Writer().add(node).bytes()).at(0).groups;
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "0");
  CHECK(groups[0].ranks.empty());
  CHECK(groups[1].name == "17");
  CHECK(groups[1].ranks == std::vector<std::uint64_t>{2, 6});
  node.input_values = "['[{\"pg_name\": \"0\", \"ranks\": [-1]}]']";
  CHECK_THAT(refused_node(node), Contains("node 1 '## process_group:init ##': process groups"));
  node.input_values = R"(['[{"pg_name": "3", "ranks": [4, 0, 4]}]'])";
  CHECK_THAT(refused_node(node), Contains("process group '3' has rank 4 twice (legal: a list of different ranks)"));
  node.input_values = "['[{\"pg_name\": 0}]']";
  CHECK_THAT(refused_node(node), Contains("process groups"));
  node.input_values = "['[{]}]']";
  CHECK_THAT(refused_node(node), Contains("process groups"));
  node.input_values = "[1, 2]";  // another kind of metadata
  CHECK(nodes_of(Writer().add(node).bytes()).at(0).groups.empty());
}

TEST_CASE("attributes of a Chakra trace may be integers of any type", "[pure][training]") {
  const auto size_of = [](const Writer::Attribute& a) {
    return nodes_of(Writer().add({5, "d", 7, 0, {}, {}, {a}}).bytes()).at(0).bytes;
  };
  for (const std::uint32_t field : {7u, 9u, 11u, 13u}) CHECK(size_of({"comm_size", field, 4096}) == 4096u);
  for (const std::uint32_t field : {15u, 17u}) {
    CHECK(size_of({"comm_size", field, 2 * 4096}) == 4096u);  // zigzag
    CHECK_THAT(refused_node({5, "d", 7, 0, {}, {}, {{"comm_size", field, 7}}}), Contains("attribute comm_size is negative"));
  }
  for (const std::uint32_t field : {19u, 21u, 23u, 25u}) CHECK(size_of({"comm_size", field, 4096}) == 4096u);
  for (const std::uint32_t field : {23u, 25u})
    CHECK_THAT(refused_node({5, "d", 7, 0, {}, {}, {{"comm_size", field, -4}}}),
               Contains("attribute comm_size is negative"));
}

TEST_CASE("invalid content of a Chakra trace is rejected with its byte and node", "[pure][training]") {
  CHECK_THAT(refused_node({5, "d", 4711}), Contains("unknown node type 4711"));
  CHECK_THAT(refused_node({5, "d", 7, 0, {}, {}, {Writer::integer("comm_size", -4)}}),
             Contains("attribute comm_size is negative"));
  CHECK_THAT(refused_node({5, "d", 7, 0, {}, {}, {Writer::word("comm_size", "4")}}),
             Contains("comm_size has a value of another type (field 29"));
  CHECK_THAT(refused_node({5, "d", 7, 0, {}, {}, {Writer::flag("pg_name", true)}}),
             Contains("pg_name has a value of another type"));
  CHECK(nodes_of(Writer().add({5, "d", 7, 0, {}, {}, {Writer::flags("involved_dim", {true, false})}}).bytes())
            .at(0)
            .part_of_dimensions);

  CHECK_THAT(refusal(""), Equals("FILE: empty (legal: a Chakra trace, with metadata and nodes)"));
  CHECK_THAT(refusal("\xff\xff\xff\xff\xff\x01"), Contains("FILE: byte 0: a length of more than five bytes"));
  CHECK_THAT(refusal("\xff\xff\xff\x7f"), Contains("FILE: byte 0: a message of 268435455 bytes (legal: up to 16777216)"));
  Writer only_nodes;
  only_nodes.add({5, "n", 4});
  CHECK_THAT(refusal(only_nodes.bytes().substr(8)), Contains("FILE: byte 0: the first message is not metadata"));
  Writer broken;
  broken.frame("\x0a\x7fno");
  CHECK_THAT(refusal(broken.bytes()), Contains("FILE: byte 8: a message is not valid Protocol Buffers"));
}

TEST_CASE("names of a Chakra trace become one line of UTF-8", "[pure][training]") {
  CHECK(nodes_of(Writer().add({1, "a\nb\x01\xff\xc3\xa9", 4}).bytes()).at(0).name == "a\\nb\\x01?\xc3\xa9");
  CHECK(nodes_of(Writer().add({1, std::string(5000, 'x'), 4}).bytes()).at(0).name == std::string(200, 'x'));
  const std::string wide = nodes_of(Writer()
                                        .add({1,
                                              "x" +
                                                  [] {
                                                    std::string s;
                                                    for (int i = 0; i < 200; ++i) s += "\xc3\xa9";
                                                    return s;
                                                  }(),
                                              4})
                                        .bytes())
                               .at(0)
                               .name;
  CHECK(wide.size() == 199);  // no character is split
}

}  // namespace tributary::test_chakra_file
