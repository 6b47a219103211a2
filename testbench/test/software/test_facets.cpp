#include <catch2/catch.hpp>
#include <stdexcept>

#include "testbench/run/facets/background.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/family.h"

namespace tributary::test_facets {

using Catch::Matchers::Contains;
using Kinds = std::vector<std::string>;

TEST_CASE("facets: each family has its own facets", "[pure][run]") {
  const Kinds nvswitch = platform_kinds(family_of("dgx2")), hosts = platform_kinds(family_of("rack:4"));
  Kinds with_cost = nvswitch;
  with_cost.insert(with_cost.end(), hosts.begin(), hosts.end());
  CHECK(platform_kinds_with(&FamilyFacets::cost) == with_cost);
  Kinds with_nvlinks = nvswitch;
  with_nvlinks.emplace_back("cluster");
  CHECK(platform_kinds_with(&FamilyFacets::link_faults) == with_nvlinks);
  Kinds with_frames = hosts;
  with_frames.emplace_back("cluster");
  CHECK(platform_kinds_with(&FamilyFacets::capture) == with_frames);
  CHECK(platform_kinds_with(&FamilyFacets::network_schedules) == platform_kinds(family_of("torus:4x4")));
  CHECK(family_of("tofino:4").facets().frames != nullptr);
  CHECK(family_of("tofino:4").facets().trace == nullptr);
  CHECK(family_of("dgx1v").facets().background == nullptr);
  CHECK(family_of("dgx2").facets().background->targets("dgx2") == 0);
  CHECK(family_of("rack:4x2").facets().background->targets("rack:4x2") == 8);
}

TEST_CASE("facets: rules for frames are validated as texts", "[pure][run]") {
  const FamilyFrames& frames = *family_of("rack:4").facets().frames;
  const topology::Graph graph = family_of("rack:4").graph("rack:4");
  CHECK(frames.canonical("drop:gradient:0:1:2", graph) == "drop:gradient:0:1:2");
  CHECK(frames.canonical("drop:host0.port0:3", graph) == "drop:host0.port0>switch.port0:3");
  CHECK(frames.canonical("down:host1.port0@1us", graph) == "down:host1.port0>switch.port1@1us");
  CHECK(frames.canonical("down:switch.port1>host1.port0@1us", graph) == "down:switch.port1>host1.port0@1us");
  CHECK_THROWS_AS(frames.canonical("drop:nothing", graph), std::invalid_argument);
  CHECK_THROWS_WITH(frames.canonical("drop:host7.port0:3", graph),
                    Contains("unknown link 'host7.port0'; did you mean host"));
  CHECK_FALSE(frames.link_down("drop:gradient:0:1:2"));
  const auto down = frames.link_down("down:host0.port0>switch.port0@1us");
  REQUIRE(down);
  CHECK(down->link == "host0.port0>switch.port0");
  CHECK(down->after == 1_us);
}

TEST_CASE("facets: --trace-block takes blocks or chunks", "[pure][run]") {
  const FamilyTrace &blocks = *family_of("dgx2").facets().trace, &chunks = *family_of("torus:4x4").facets().trace;
  CHECK_FALSE(blocks.query(7).chunk);
  CHECK(blocks.query(7).block == 7);
  CHECK(blocks.first(RunSpec{}));
  CHECK(chunks.query(7).chunk);
  CHECK_FALSE(chunks.first(RunSpec{}));
  const FamilyTrace& trees = *family_of("dgx1v").facets().trace;
  RunSpec spec;
  spec.platform = "dgx1v";
  spec.jobs.front().collective = "allreduce", spec.jobs.front().algorithm = "blink";
  CHECK(trees.first(spec));
  spec.jobs.push_back(spec.jobs.front());
  CHECK_FALSE(trees.first(spec));  // two jobs
  spec.jobs.pop_back();
  spec.jobs.front().algorithm = "nccl";
  CHECK_FALSE(trees.first(spec));  // channels have no chunks of trees
}

TEST_CASE("facets: the first endpoints take part unless a family places them otherwise", "[pure][run]") {
  RunSpec spec;
  spec.platform = "torus:4x4";
  const Family& family = family_of(spec.platform);
  CHECK(placement_of(family).participants(spec, spec.jobs.front()) == 16);
  CHECK(placement_of(family).place(spec, 3) == std::vector<int>{0, 1, 2});
  CHECK(family_of("rack:4x2").platform("rack:4x2").endpoints_per_source == 2);
}

}  // namespace tributary::test_facets
