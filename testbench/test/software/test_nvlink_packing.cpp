/// The choice of a packing of trees into NVLinks (docs/systems/blink.md#trees).
#include <catch2/catch.hpp>

#include "testbench/family/blink/nvlink_packing.h"

namespace tributary::test_nvlink_packing {
namespace {

struct Case {
  const char* server;
  const char* collective;
  std::vector<int> gpus, islands;
  bool alone = true;
};

Packing packing(const Case& c, const CodegenParams& params = {}) {
  const topology::ServerPart part{c.gpus, c.gpus};
  return packing_of({tree_algorithm(c.collective, "blink"), part, 0, 0, c.alone}, c.islands,
                    topology::server(std::string(c.server)), params);
}

}  // namespace

TEST_CASE("the links that join the GPUs decide the packing", "[pure]") {
  CHECK(packing({"dgx1v", "allreduce", {0, 1, 2, 3}, {0, 0, 0, 0}}) == Packing::generated);
  CHECK(packing({"dgx1v", "allreduce", {1, 4}, {0, 1}}) == Packing::none);
  CHECK(packing({"dgx1v", "allreduce", {0, 1, 6}, {0, 0, 1}}) == Packing::islands);
  CHECK(packing({"h100", "allreduce", {0, 1, 2}, {0, 0, 0}}) == Packing::switched);
  CHECK(packing({"dgx1v", "allreduce", {5}, {0}}) == Packing::generated);  // one GPU
}

TEST_CASE("parts of ranks have directed trees in one server without NVSwitches", "[pure]") {
  CHECK(packing({"dgx1v", "allgather", {0, 1, 2, 3}, {0, 0, 0, 0}}) == Packing::each_rank);
  CHECK(packing({"dgx1v", "reduce_scatter", {0, 1, 2, 3}, {0, 0, 0, 0}}) == Packing::each_rank);
  CHECK(packing({"dgx1v", "allgather", {0, 1, 2, 3}, {0, 0, 0, 0}, false}) == Packing::generated);
  CHECK(packing({"dgx1v", "allgather", {0, 1, 6}, {0, 0, 1}}) == Packing::islands);
  CHECK(packing({"h100", "allgather", {0, 1, 2}, {0, 0, 0}}) == Packing::switched);
  CodegenParams undirected;
  undirected.treegen.allgather = TreeDirections::undirected;
  CHECK(packing({"dgx1v", "allgather", {0, 1, 2, 3}, {0, 0, 0, 0}}, undirected) == Packing::generated);
}

TEST_CASE("given trees replace all others in one server", "[pure]") {
  CodegenParams params;
  params.trees = ParameterText<GivenTrees>::parse("0>1>2>3");
  CHECK(packing({"dgx1v", "allgather", {0, 1, 2, 3}, {0, 0, 0, 0}}, params) == Packing::given);
  CHECK(packing({"dgx1v", "allreduce", {0, 1, 2, 3}, {0, 0, 0, 0}, false}, params) == Packing::generated);
}

}  // namespace tributary::test_nvlink_packing
