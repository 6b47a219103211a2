/// Trees given by the user: text form and rejected trees.
#include <catch2/catch.hpp>

#include "modules/base/units.h"
#include "platforms/topology/dgx1.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/blink/given_trees.h"

namespace tributary::test_given_trees {

using Text = ParameterText<GivenTrees>;

namespace {

std::vector<collective::WeightedTree> on_dgx1v(const std::string& text, const std::vector<int>& gpus, int root = 0) {
  return weighted_trees(Text::parse(text), topology::allocation(topology::dgx1v(), gpus), root);
}

}  // namespace

TEST_CASE("given trees: printed trees are read back unchanged", "[pure]") {
  CHECK(Text::parse("generated").trees.empty());
  CHECK(Text::print({}) == "generated");
  CHECK(Text::print(Text::parse("0>1>3 1>2")) == "0>1 1>3 1>2");
  CHECK(Text::print(Text::parse("0>1>3  1>2 / 3: 0>3>2>1")) == "0>1 1>3 1>2 / 3: 0>3 3>2 2>1");
  const auto again = Text::parse(Text::print(Text::parse("2: 0>1 / 0>1")));
  REQUIRE(again.trees.size() == 2);
  CHECK(again.trees[0].weight == 2);
}

TEST_CASE("given trees: texts that are not trees of paths are rejected", "[pure]") {
  for (const char* text : {"", " ", "0", "0>", ">0", "0>1>", "0>a", "0>1 /", "/ 0>1", "0>1 / / 0>1", "0: 0>1", "1001: 0>1",
                           "0>1 2: 1>2", "0>-1", "0>1024", "2:", "chain", "0>1/0>2", "99999999999>0"})
    CHECK_THROWS_AS(Text::parse(text), UnitError);
  std::string many = "0>1";
  for (int i = 0; i < 64; ++i) many += " / 0>1";
  CHECK_THROWS_AS(Text::parse(many), UnitError);
}

TEST_CASE("given trees: a chain and a fan map to the ranks of an allocation", "[pure]") {
  const auto chain = on_dgx1v("0>1>5>4", {4, 5, 1, 0}, 3);  // GPU 0 is rank 3
  REQUIRE(chain.size() == 1);
  CHECK(chain[0].tree.parent == std::vector<int>{1, 2, 3, collective::no_rank});
  CHECK(chain[0].tree.height() == 3);
  const auto two = on_dgx1v("4>0 0>3 0>2 0>1 / 3: 4>0>3>2>1", {0, 1, 2, 3, 4}, 4);
  REQUIRE(two.size() == 2);
  CHECK(two[0].tree.children[0] == std::vector<int>{1, 2, 3});
  CHECK(two[1].units == 3);
  CHECK(two[1].group == 1);
}

TEST_CASE("given trees: trees that do not fit the allocation are rejected", "[pure]") {
  const auto says = [](const std::string& text, const std::vector<int>& gpus, int root = 0) {
    try {
      on_dgx1v(text, gpus, root);
    } catch (const collective::ScheduleError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(says("0>1 1>2", {0, 1, 2}).empty());
  CHECK(says("0>1 1>2", {0, 1, 2}, -1).empty());
  CHECK(says("0>1 1>2", {0, 1, 2}, 1) ==
        "blink.trees: the root of a tree is GPU 0 (legal: GPU 1, the root of the collective)");
  CHECK(says("0>1 1>3", {0, 1, 2}) == "blink.trees: GPU 3 does not take part");
  CHECK(says("0>5", {0, 5}) == "blink.trees: 0>5: no NVLink");
  CHECK(says("0>0", {0, 1}) == "blink.trees: 0>0: no NVLink");
  CHECK(says("0>1 2>1", {0, 1, 2}) == "blink.trees: 2>1: the second edge to GPU 1");
  CHECK(says("0>1", {0, 1, 2}) == "blink.trees: in a tree, no path leads from the root to GPU 2");
  CHECK(says("1>2 2>3 3>1", {0, 1, 2, 3}) == "blink.trees: in a tree, no path leads from the root to GPU 1");
}

}  // namespace tributary::test_given_trees
