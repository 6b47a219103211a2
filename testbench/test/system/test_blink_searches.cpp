/// The searches for Blink's trees that runs of a process share.
#include <catch2/catch.hpp>
#include <memory>

#include "modules/timing/completion_listener.h"
#include "testbench/collective/packing/kept_trees.h"
#include "testbench/run/driver.h"
#include "testbench/run/facets/searches.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_blink_searches {
namespace {

class Ignored : public CompletionListener {
  void done(unsigned, Tick) override {}
  void failed(unsigned, Tick, const std::string&) override {}
};

/// Checks that the searches of a run are all that its driver needs.
void check_prepared(const std::string& platform, const std::string& collective, std::size_t searches) {
  RunSpec spec = collective_spec(collective, "blink", {0, 1, 2, 3}, {4_MiB}, {});
  spec.platform = platform;
  spec.trees = std::make_shared<collective::KeptTrees>();
  const Family& family = family_of(spec.platform);
  family.facets().searches->make(spec);
  CHECK(spec.trees->searches() == searches);
  Ignored listener;
  const std::unique_ptr<Driver> driver = family.make(spec, resolve_parameters(spec), listener);
  CHECK(driver->memory_bytes(spec.jobs.front(), 4_MiB) > 0);
  CHECK(spec.trees->searches() == searches);
}

}  // namespace

TEST_CASE("blink: a run finds the trees of an all-reduce that its process has searched", "[system][blink]") {
  check_prepared("dgx1v", "allreduce", 1);
}

TEST_CASE("blink: a run finds the trees from each rank that its process has searched", "[system][blink]") {
  check_prepared("dgx1v", "allgather", 4);
}

}  // namespace tributary::test_blink_searches
