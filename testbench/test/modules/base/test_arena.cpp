#include <catch2/catch.hpp>

#include "modules/base/host/arena.h"

namespace tributary::test_arena {

TEST_CASE("an arena has one part of each type, shared by its copies but not by other arenas", "[pure][arena]") {
  struct Part {
    int value = 0;
  };
  const Arena a, b;
  const Arena copy = a;
  a.of<Part>().value = 1;
  CHECK(copy.of<Part>().value == 1);
  CHECK(b.of<Part>().value == 0);
  CHECK(&a.of<Part>() != &b.of<Part>());
}

}  // namespace tributary::test_arena
