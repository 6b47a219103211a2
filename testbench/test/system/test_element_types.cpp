/// All element types on all families, from one element on (docs/data.md).
#include <catch2/catch.hpp>

#include "modules/base/field_type.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_element_types {
namespace {

RunSpec spec_of(const std::string& platform, const std::string& algorithm, int ranks, ElementType type,
                const std::vector<Bytes>& sizes) {
  RunSpec spec = run_spec(algorithm, first_gpus(ranks), sizes);
  spec.platform = platform;
  spec.jobs.front().type = type;
  return spec;
}

}  // namespace

TEST_CASE("element types: one element, and an odd number of them, are right on every family", "[system][data]") {
  struct Case {
    const char *platform, *algorithm;
    int ranks;
  };
  for (const Case& c : std::vector<Case>{{"dgx2", "push", 3},
                                         {"dgx2", "pull", 3},
                                         {"torus:2x2", "multitree", 4},
                                         {"dgx1v", "blink", 4},
                                         {"dgx1v", "nccl", 4},
                                         {"rack:3", "netreduce", 3},
                                         {"spine_leaf:2x2", "netreduce", 4},
                                         {"rack:3", "ring", 3},
                                         {"rack:2x2", "parallel_netreduce", 4},
                                         {"rack:4", "parameter_server", 3}})
    for (const ElementType type :
         {ElementType::f64, ElementType::f16, ElementType::i8, ElementType::i16, ElementType::i64}) {
      INFO(c.platform << " " << c.algorithm << " " << FieldType<ElementType>::print(type));
      const std::uint64_t size = element_size(type);
      for (const Run& run : check_modes(spec_of(c.platform, c.algorithm, c.ranks, type, {bytes(size), bytes(1001 * size)})))
        CHECK(run.row.wrong == 0u);
    }
}

TEST_CASE("element types: random f64, and minima of signed types, are right", "[system][data]") {
  for (const char* algorithm : {"netreduce", "ring"}) {
    RunSpec spec = spec_of("rack:4", algorithm, 4, ElementType::f64, {100'000_B});
    spec.data = DataMode::random;
    CHECK(run_one(spec).row.wrong == 0u);
    for (const ElementType type : {ElementType::f64, ElementType::i8, ElementType::i16, ElementType::i64}) {
      RunSpec least = spec_of("rack:4", algorithm, 4, type, {8000_B});
      least.jobs.front().op = ReduceOp::min;
      CHECK(run_one(least).row.wrong == 0u);
    }
  }
}

TEST_CASE("element types: sums of 1024 hosts are checked", "[system][data]") {
  const ResultRow row = run_one(spec_of("spine_leaf:32x32", "netreduce", 1024, ElementType::f32, {64_KiB})).row;
  CHECK(row.status == Status::done);
  CHECK(row.wrong == 0u);
}

}  // namespace tributary::test_element_types
