// The seat of a router of a user in a switch (docs/blocks/switch.md#router).
#include <catch2/catch.hpp>

#include "modules/switching/core/switch_router.h"

namespace tributary::test_switch_router {
namespace {

struct Fixed : SwitchRouter {
  explicit Fixed(std::size_t index) : choice(index) {}
  std::size_t choose(const Request&) const override { return choice; }
  std::size_t choice;
};

RouterSeat seat(std::size_t choice) {
  return {[choice](const SwitchRouterConfig& config) {
            CHECK((config.device == "switch1" && config.ports == 16));
            return std::make_unique<Fixed>(choice);
          },
          {"switch1", 16}};
}

}  // namespace

TEST_CASE("a switch without a factory, or whose factory makes none, has the router of the model", "[pure][switching]") {
  CHECK_FALSE(RouterSeat());
  CHECK_FALSE(RouterSeat({}, {"switch1", 16}));
  CHECK_FALSE(RouterSeat([](const SwitchRouterConfig&) { return nullptr; }, {"switch1", 16}));
  CHECK(seat(0));
}

TEST_CASE("a router chooses among the ports of all shortest paths, each of which it sees once", "[pure][switching]") {
  CHECK(seat(0).choose({3, 7, false, 1, {9, 4, 9, 6}, 6}) == 4);
  CHECK(seat(1).choose({3, 7, false, 1, {9, 4, 9, 6}, 6}) == 6);
  CHECK(seat(2).choose({3, 7, false, 1, {9, 4, 9, 6}, 6}) == 9);
  CHECK(seat(2).choose({3, 7, false, 1, {6, 6}, 6}) == 6);  // not asked
}

TEST_CASE("a choice beyond the paths is named with the switch and the destination", "[pure][switching]") {
  CHECK_THROWS_WITH(seat(2).choose({3, 7, false, 1, {4, 6}, 6}),
                    "switch1.router breaks the rule `answer`: it chooses path 2 of 2 to 7");
  CHECK_THROWS_WITH(seat(5).choose({3, 7, true, 1, {4, 6}, 6}),
                    "switch1.router breaks the rule `answer`: it chooses path 5 of 2 to switch 7");
}

}  // namespace tributary::test_switch_router
