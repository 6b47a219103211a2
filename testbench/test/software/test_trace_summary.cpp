// Counts of the contents of traces of every format, by those in testbench/workload/data/traces.
#include <catch2/catch.hpp>
#include <fstream>

#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/read_graph.h"
#include "testbench/workload/training/read/trace_summary.h"

namespace tributary::test_trace_summary {

using namespace tributary::training;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

const std::string traces = TRIBUTARY_SOURCE_DIR "/testbench/workload/data/traces/";

Rows rows(const std::string& name) { return summary_of_trace(traces + name, "").rows; }

template <class Run>
std::string refusal(Run run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a summary of recorded collectives counts each once for its group", "[pure][training]") {
  CHECK(rows("et_moe") == Rows{{"format", "trace of PyTorch"},
                               {"ranks", "2"},
                               {"tasks", "10"},
                               {"transfers", "6"},
                               {"  allreduce", "1 of 4000 B"},
                               {"  alltoall", "2 of 16096 B"},
                               {"  broadcast", "1 of 1024 B"},
                               {"  receive", "1 of 1024 B"},
                               {"  send", "1 of 1024 B"},
                               {"groups", "1"}});
  const TraceSummary kineto = summary_of_trace(traces + "kineto_truncated_ranks.json", "");
  CHECK(kineto.rows == Rows{{"format", "trace of PyTorch"},
                            {"ranks", "8"},
                            {"tasks", "5"},
                            {"compute", "2, 70 us"},
                            {"transfers", "3"},
                            {"  allreduce", "3 of 2359296 B"},
                            {"groups", "3"}});
  REQUIRE(kineto.warnings.size() == 1);
  CHECK_THAT(kineto.warnings[0], Contains("represents all 8 ranks"));
  CHECK(rows("nccl_coll.log").front().second == "log of NCCL");
  CHECK(rows("et_ddp_2ranks.yaml").front().second == "training graph");
}

TEST_CASE("a summary of a text workload has the layout of SimAI", "[pure][training]") {
  CHECK(rows("simai_pp.txt") == Rows{{"format", "text workload of SimAI"},
                                     {"kind", "HYBRID_TRANSFORMER"},
                                     {"model group", "2 ranks"},
                                     {"ep", "1"},
                                     {"pp", "2"},
                                     {"vpp", "1"},
                                     {"ga", "4 micro-batches, which the rows repeat"},
                                     {"all_gpus", "8"},
                                     {"pp_comm", "8388608 B between stages, which are not simulated"},
                                     {"rows", "2"},
                                     {"compute", "102 units of graph.time_unit"},
                                     {"transfers", "4, as the file counts them"},
                                     {"  allgather", "1 of 131072 B"},
                                     {"  allreduce", "1 of 65536 B"},
                                     {"  broadcast", "1 of 4096 B"},
                                     {"  reduce_scatter", "1 of 131072 B"}});
  const Rows experts = rows("simai_moe.txt");
  CHECK(experts.size() == 16);
  CHECK(experts[14] == std::make_pair(std::string("  alltoall (ep)"), std::string("2 of 262144 B")));
  CHECK_THAT(refusal([] { rows("simai_short.txt"); }), Contains("simai_short.txt:4: 2 rows, but line 2 says 839"));
}

TEST_CASE("a layer table of SCALE-Sim is a model", "[pure][training]") {
  const TraceSummary table = summary_of_trace(traces + "scalesim_sparsity.csv", "");
  CHECK(table.rows == Rows{{"format", "layer table of SCALE-Sim"},
                           {"layers", "2"},
                           {"weights", std::to_string(7 * 7 * 3 * 64 + 3 * 3 * 64 * 64)},
                           {"a model for", "train --model " + traces + "scalesim_sparsity.csv"}});
  REQUIRE(table.warnings.size() == 1);
  CHECK_THAT(table.warnings[0], Contains("ignored: columns 'Sparsity'"));
  CHECK_THAT(refusal([] { read_graph(traces + "scalesim_tabs.csv"); }),
             Contains("scalesim_tabs.csv: a layer table of SCALE-Sim is a model, not a graph (legal: --model "));
}

TEST_CASE("a summary of Chakra traces has their groups, and refuses other formats among them", "[pure][training]") {
  const Rows counts = rows("stg_tp2dp2");
  CHECK(counts[0].second == "chakra");
  CHECK(counts[1] == std::make_pair(std::string("files"), std::string("4")));
  CHECK(rows("stg_tp2dp2.%d.et") == counts);
  CHECK_THAT(refusal([] { summary_of_trace(traces + "nccl_coll.log", "g.json"); }),
             Contains("nccl_coll.log is not a Chakra trace (legal: only with one)"));
  TemporaryFolder folder;
  std::ofstream(folder.file("t.0.json")) << R"({"id": 1, "name": "a", "type": "COMP_NODE"})";
  std::ofstream(folder.file("t.1.json")) << R"({"traceEvents": []})";
  CHECK_THAT(refusal([&] { summary_of_trace(folder.file("t"), ""); }), Contains("t.1.json: not a Chakra trace, but"));
  std::ofstream(folder.file("hello")) << "hello\n";
  CHECK_THAT(refusal([&] { summary_of_trace(folder.file("hello"), ""); }), Contains("hello: neither a training graph"));
}

}  // namespace tributary::test_trace_summary
