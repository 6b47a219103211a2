#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/base/host/streaming_copy.h"

namespace tributary::test_streaming_copy {

TEST_CASE("a streaming copy writes exactly its bytes at any alignment", "[pure]") {
  constexpr std::size_t line = 64, longest = 260, room = 512;
  using Bytes = std::array<std::byte, room>;
  alignas(line) Bytes source, target, expected;
  for (std::size_t i = 0; i < room; ++i) source[i] = static_cast<std::byte>(i % 251 + 1);
  for (std::size_t to = 0; to < line; ++to)
    for (std::size_t from : {0, 1, 16, 60})
      for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
        target.fill(std::byte{0});
        expected.fill(std::byte{0});
        std::memcpy(expected.data() + to, source.data() + from, bytes);
        copy_streaming(target.data() + to, source.data() + from, bytes);
        if (target != expected) FAIL(bytes << " bytes to " << to << ", from " << from);
      }
}

}  // namespace tributary::test_streaming_copy
