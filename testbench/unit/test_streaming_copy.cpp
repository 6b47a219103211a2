#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "modules/base/streaming_copy.h"

using namespace tributary;

TEST_CASE("a streaming copy writes all its bytes and no others, from and to anywhere", "[pure]") {
  constexpr std::size_t longest = 260, room = 512;
  std::vector<std::byte> source(room), target(room), expected(room);
  for (std::size_t i = 0; i < room; ++i) source[i] = static_cast<std::byte>(i % 251 + 1);
  for (std::size_t to = 0; to < 64; to += 3)
    for (std::size_t from : {0, 1, 16, 60})
      for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
        target.assign(room, std::byte{0});
        expected.assign(room, std::byte{0});
        std::memcpy(expected.data() + to, source.data() + from, bytes);
        copy_streaming(target.data() + to, source.data() + from, bytes);
        if (target != expected) FAIL(bytes << " bytes to " << to << ", from " << from);
      }
}
