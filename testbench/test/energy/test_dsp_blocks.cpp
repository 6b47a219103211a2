/// DSP blocks in the adders of an accelerator (docs/energy.md#dsp-blocks).
#include <catch2/catch.hpp>
#include <numeric>

#include "modules/base/parameter_set.h"
#include "testbench/run/energy/energy.h"
#include "testbench/run/resolve.h"
#include "testbench/run/run_spec.h"

namespace tributary::test_dsp_blocks {
namespace {

struct Ring {
  std::string platform, algorithm;
  int ranks = 0;
  std::vector<std::string> settings = {};
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

AreaReport area(const Ring& ring) {
  RunSpec spec;
  spec.platform = ring.platform;
  JobSpec& job = spec.jobs.front();
  job.collective = "allreduce", job.algorithm = ring.algorithm;
  job.type = ring.type, job.op = ring.op;
  job.ranks.resize(static_cast<std::size_t>(ring.ranks));
  std::iota(job.ranks.begin(), job.ranks.end(), 0);
  job.items.push_back({"", 1_MiB});
  const ParameterSet parameters = spec.parameters.fields();
  for (const std::string& setting : ring.settings) parameters.set_assignment(setting);
  return area_of(spec, resolve_parameters(spec));
}

/// Returns nothing without an accelerator that has a ring.
std::optional<double> dsp_blocks(const Ring& ring) {
  for (const auto& [name, value] : area(ring).values)
    if (name == "dsp48") return value;
  return std::nullopt;
}

}  // namespace

// Lanes of 64 B: 16 of f32, 32 of f16, 8 of f64. A ring of H members has H - 1 adders in each lane.
TEST_CASE("DSP blocks: the adders of a ring are its lanes times the members but one", "[pure][energy]") {
  CHECK(dsp_blocks({"rack:6", "netreduce", 6}) == 5.0 * 16 * 2);
  CHECK(dsp_blocks({"rack:6", "netreduce", 4}) == 3.0 * 16 * 2);
  CHECK(dsp_blocks({"rack:6", "netreduce", 6, {"netreduce.accelerator.beat=32B"}}) == 5.0 * 8 * 2);
  CHECK(dsp_blocks({"rack:6", "netreduce", 6, {"netreduce.accelerator.order=chain"}}) == 5.0 * 16 * 2);
  CHECK_THAT(area({"rack:6", "netreduce", 6}).text,
             Catch::Matchers::Contains("; 160 DSP blocks of 80 adders; logic is not modelled"));
}

TEST_CASE("DSP blocks: an adder has those of its type", "[pure][energy]") {
  const auto of = [](ElementType type, ReduceOp op = ReduceOp::sum, std::vector<std::string> settings = {}) {
    return dsp_blocks({"rack:6", "netreduce", 6, std::move(settings), type, op});
  };
  CHECK(of(ElementType::f64) == 5.0 * 8 * 3);
  CHECK(of(ElementType::f16) == 5.0 * 32 * 2);
  CHECK(of(ElementType::bf16) == 5.0 * 32 * 2);
  CHECK(of(ElementType::i32) == 0.0);
  CHECK(of(ElementType::f32, ReduceOp::sum, {"area.dsp.fp32=0"}) == 0.0);
  CHECK(of(ElementType::f32, ReduceOp::max) == 0.0);
  CHECK(of(ElementType::f32, ReduceOp::max, {"area.dsp.int32=1"}) == 5.0 * 16);
  CHECK(of(ElementType::i64, ReduceOp::sum, {"area.dsp.int32=1"}) == 5.0 * 8 * 2);
}

TEST_CASE("DSP blocks: rings that share a unit share its adders", "[pure][energy]") {
  // Eight rings of four hosts, in eight units or in two.
  const Ring eight{"rack:4x8", "parallel_netreduce", 32};
  CHECK(dsp_blocks(eight) == 8.0 * 3 * 16 * 2);
  CHECK(dsp_blocks({eight.platform, eight.algorithm, 32, {"netreduce.accelerator.combinators=2"}}) == 2.0 * 3 * 16 * 2);
  // Leaves of three hosts have two adders in a lane, the root of two leaves has one.
  CHECK(dsp_blocks({"spine_leaf:2x3", "netreduce", 6}) == 2.0 * 16 * 2);
  CHECK_FALSE(dsp_blocks({"rack:6", "ring", 6}));
}

}  // namespace tributary::test_dsp_blocks
