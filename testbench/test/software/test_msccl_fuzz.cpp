// Mutated MSCCL files are read, proved and imported, or rejected in one line with the file's name, quickly; nothing else
// may happen (the sanitizers check).
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "testbench/collective/algorithm/direct.h"
#include "testbench/collective/algorithm/halving_doubling.h"
#include "testbench/interchange/msccl/export.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/interchange/msccl/proof.h"
#include "testbench/interchange/msccl/reader.h"
#include "testbench/interchange/msccl/writer.h"
#include "testbench/test/harness/mutated_texts.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_msccl_fuzz {

using namespace tributary::msccl;

TEST_CASE("mutated MSCCL files are read or rejected quickly", "[pure][msccl]") {
  std::ifstream file(TRIBUTARY_SOURCE_DIR "/testbench/workload/data/msccl/ring4.xml", std::ios::binary);
  const std::string ring{std::istreambuf_iterator<char>(file), {}};
  const Mutation mutation{{ring, xml_of(export_schedule(collective::halving_doubling_allreduce(4), "allreduce")),
                           xml_of(export_schedule(collective::direct_alltoall(3), "alltoall"))},
                          {"<step s=\"0\" type=\"cpy\"",
                           "</tb>",
                           "</gpu>",
                           "<gpu id=\"4\"",
                           "send=\"-1\"",
                           "recv=\"7\"",
                           "type=\"rrcs\"",
                           "type=\"nop\"",
                           "depid=\"1\" deps=\"3\"",
                           "srcbuf=\"s\"",
                           "cnt=\"71\"",
                           "cnt=\"0\"",
                           "chan=\"31\"",
                           "coll=\"scatter\"",
                           "coll=\"broadcast\"",
                           "inplace=\"0\"",
                           "nchunksperloop=\"65536\"",
                           "ngpus=\"1024\"",
                           "<!--",
                           "-->",
                           "&#48;",
                           "\xff\xfe"}};
  std::size_t proved = 0;
  const auto read = [&](const std::string& text) {
    const Algorithm algorithm = read_algorithm(text, "FILE").algorithm;
    if (!prove(algorithm).proved) return;
    ++proved;
    import_schedule(algorithm, "FILE");
  };
  CHECK(fuzzed<InputError>(mutation, 31, mutations(20'000), "FILE:", read) == "");
  CHECK(proved > 100);
}

}  // namespace tributary::test_msccl_fuzz
