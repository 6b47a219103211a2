// Counts of the contents of Chakra traces.
#include <catch2/catch.hpp>
#include <sstream>

#include "testbench/test/harness/chakra_writer.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_summary.h"

namespace tributary::test_chakra_summary {

using namespace tributary::training;
using Catch::Matchers::Equals;
using Writer = ChakraWriter;
using chakra_nodes::collective;
using chakra_nodes::host;

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows rows_of(const std::vector<std::string>& files) {
  ChakraSummary summary;
  for (const std::string& bytes : files) {
    std::istringstream file(bytes);
    summary.add_file(file, "T.et");
  }
  return summary.rows();
}

}  // namespace

TEST_CASE("a summary of traces counts nodes by type, bytes of transfers and dependencies", "[pure][training]") {
  Writer first, second;
  first.add(host(1, 30));
  first.add({2, "conv", 4, 70, {1}, {99}, {}});
  first.add(collective(3, 0, 1024, {2, 98}));
  first.add(collective(4, 0, 1000, {3}));
  first.add(collective(5, 5, 0));
  first.add({6, "call", 7, 5, {}, {}, {Writer::flag("is_cpu_op", true), Writer::integer("comm_size", 4096)}});
  first.add({7, "s", 5, 0, {}, {}, {Writer::integer("comm_size", 512)}});
  second.add(collective(1, 8, 64));
  CHECK(rows_of({first.bytes()}) == Rows{{"files", "1"},
                                         {"nodes", "7"},
                                         {"compute", "2, 100 us"},
                                         {"sends", "1, 1 of them with 512 B"},
                                         {"collectives", "4, 2 of them with 2024 B, 5 us"},
                                         {"  ALL_REDUCE", "2 of 2024 B"},
                                         {"on the host", "2"},
                                         {"dependencies", "5, 2 on absent nodes"}});
  // A dependency is looked up in the rank's own file; content that no run uses is counted, too.
  CHECK(rows_of({second.bytes(), second.bytes()}) == Rows{{"files", "2"},
                                                          {"nodes", "2"},
                                                          {"collectives", "2, 2 of them with 128 B"},
                                                          {"  REDUCE_SCATTER_BLOCK", "2 of 128 B"},
                                                          {"dependencies", "0"}});
  CHECK_THROWS_AS(rows_of({first.bytes().substr(0, 40)}), InputError);
}

TEST_CASE("a summary of traces counts process groups, and names those that nothing lists", "[pure][training]") {
  ChakraWriter::Node reduce = collective(5, 0, 1000), gather = collective(6, 2, 1000);
  reduce.attributes.push_back(Writer::word("pg_name", "1"));
  gather.attributes.push_back(Writer::word("pg_name", "2"));
  std::istringstream file(Writer().add(reduce).add(gather).bytes());
  ChakraSummary summary;
  summary.add_file(file, "T.et");
  const auto row = [&](const std::string& name) {
    for (const auto& [what, numbers] : summary.rows())
      if (what == name) return numbers;
    return std::string("none");
  };
  CHECK(row("groups") == "none");
  CHECK(row("unknown groups") == "2 (1, 2)");
  CHECK_THAT(summary.refusal(),
             Equals("unknown process groups: 2 (1, 2): neither the nodes nor a file next to the trace list "
                    "them (legal: --groups FILE, PREFIX.json or comm_group.json)"));
  summary.add_groups({{"1", {0, 1}}}, "T.json");
  CHECK(row("groups") == "1, 1 of them in T.json");
  CHECK(row("unknown groups") == "1 (2)");
  CHECK_THAT(summary.refusal(), Equals("unknown process groups: 1 (2): neither the nodes nor T.json lists them"));
  summary.add_groups({{"1", {0, 1}}, {"2", {0, 7}}}, "T.json");
  CHECK(row("unknown groups") == "none");
  CHECK(summary.refusal().empty());  // one file represents any number of ranks
  file.clear(), file.seekg(0);
  summary.add_file(file, "T.1.et");
  CHECK_THAT(summary.refusal(), Equals("process group '2' has rank 7, but the traces are those of 2 ranks (legal: 0 to 1)"));
}

}  // namespace tributary::test_chakra_summary
