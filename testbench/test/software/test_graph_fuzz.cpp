// Mutated training graphs are read, or rejected in one line with the file's name, quickly; nothing else may happen (the
// sanitizers check).
#include <catch2/catch.hpp>
#include <sstream>

#include "testbench/test/harness/chakra_writer.h"
#include "testbench/test/harness/graph_equality.h"
#include "testbench/test/harness/mutated_texts.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/graph_yaml.h"
#include "testbench/workload/training/read/read_graph.h"

namespace tributary::test_graph_fuzz {

using namespace tributary::training;
using Writer = ChakraWriter;

namespace {

using Texts = std::vector<std::string>;

void fuzz(const Texts& seeds, const Texts& words, std::uint64_t seed) {
  ReadOptions options;
  options.ranks = 4;
  options.model_group = 2;
  int taken = 0;
  const auto read = [&](const std::string& text) {
    const TaskGraph graph = read_graph_text(text, "FILE", options);
    if (++taken % 16 != 0) return;  // a graph that is read can also be written
    std::ostringstream out;
    write_graph_yaml(graph, out);
    if (!equal(read_graph_yaml(out.str(), "FILE"), graph)) FAIL("read differently:\n" << out.str());
  };
  CHECK(fuzzed<InputError>({seeds, words}, seed, mutations(20'000), "FILE:", read, 4000) == "");
}

}  // namespace

TEST_CASE("mutated Chakra traces are read or rejected quickly", "[pure][training]") {
  Writer small, large;
  small.add({0,
             "all_reduce",
             7,
             0,
             {},
             {},
             {Writer::flag("is_cpu_op", false), Writer::integer("comm_type", 0), Writer::integer("comm_size", 1 << 20)}});
  Writer::Node groups{1, "groups", 1};
  groups.input_values = R"(['[{"pg_name": "0", "ranks": [0, 1, 2, 3]}, {"pg_name": "1", "ranks": []}]'])";
  large.add(groups);
  large.add(
      {2, "gemm", 4, 1300, {1}, {1}, {Writer::integer("num_ops", 1 << 30), Writer::unsigned_number("tensor_size", 4096)}});
  large.add({3, "launch", 4, 7, {5}, {}, {Writer::flag("is_cpu_op", true)}});
  large.add({4,
             "reduce",
             7,
             0,
             {2, 3},
             {},
             {Writer::integer("comm_type", 2), Writer::integer("comm_size", 8192), Writer::word("pg_name", "0"),
              Writer::flags("involved_dim", {true}), Writer::integer("comm_priority", 3)}});
  large.add({5, "load", 2, 9});
  fuzz({small.bytes(), large.bytes(), large.bytes()},
       {"comm_type", "is_cpu_op", "pg_name", "comm_size", "comm_src", "\x08\x05", "\x18\x07", "\x2a\x01\x02",
        "\x52\x0d\x0a\x09", "\xff\xff\xff\xff\x7f", "[{\"pg_name\": \"2\", \"ranks\": [9]}]", "[[[[[[[["},
       21);
}

TEST_CASE("mutated text workloads are read or rejected quickly", "[pure][training]") {
  const std::string rows =
      "2\nA\t-1\t13\tALLGATHER\t37\t12\tNONE\t0\t9\tALLREDUCE\t4096\t3\nfc -1 1 NONE 0 1 ALLTOALL 64 1 REDUCESCATTER 64 0\n";
  fuzz({"DATA\n" + rows, "MODEL\n" + rows, "HYBRID_DATA_MODEL\n" + rows, "HYBRID_DLRM 0\n" + rows, "MICRO\n" + rows,
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 checkpoint_initiates: 1 1\n" + rows,
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 8 all_gpus: 4 pp_comm: 8.0\n" + rows,
        "HYBRID_CUSTOMIZED\n1\nA -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1 MODEL\n"},
       {"DATA",
        "MODEL",
        "HYBRID_MODEL_DATA",
        "HYBRID_TRANSFORMER",
        "HYBRID_DLRM_ENHANCED",
        "NONE",
        "ALLREDUCE",
        "checkpoints:",
        "ep:",
        "pp:",
        "ga:",
        "all_gpus:",
        "pp_comm",
        "BROADCAST",
        "_EP",
        "_DP_EP",
        "-1",
        "1e9",
        "0",
        "\n\n",
        "\t",
        "18446744073709551615"},
       22);
}

TEST_CASE("mutated YAML graphs are read or rejected quickly", "[pure][training]") {
  fuzz({"training_graph: 1\nranks: 4\niterations: 2\ncompute_order: listed\ncomm_order: ready\nissue: serial\ncredit: "
        "4MB\nlayers: [a, b]\n"
        "groups:\n  - {name: \"dp0\", ranks: [0-1, 3]}\ntasks:\n"
        "  - {name: \"fwd\", kind: compute, time: 1ms, layer: 0, pass: forward}\n"
        "  - {id: r, kind: collective, group: dp0, collective: \"allreduce\", bytes: 8196000B, type: f16, after: [0], "
        "buffer: [0, 64]}\n"
        "  - {kind: send, rank: 1, peer: 2, tag: 3, bytes: 4KiB, after: [r]}\n  - {kind: optimizer, flop: 100, bytes: 20B}\n"
        "  - {kind: mark, delay: 5ps, after: [2, r], micro_batch: 1, priority: -4, queue: 1}\n",
        "{\"training_graph\": 1, \"ranks\": 4, \"tasks\": [{\"kind\": \"compute\", \"rows\": 1, \"columns\": 2, \"length\": "
        "3}]}"},
       {"kind: mark", "tasks:", "- {", "&a", "*a", "<<: *a", "after: [0-9]", "time: 1ps", "!!str", "---\n", "...\n",
        "rank: 3", "group: all", "99999999999", "0-3", "- &x {kind: mark}\n  - *x\n", "~"},
       23);
}

}  // namespace tributary::test_graph_fuzz
