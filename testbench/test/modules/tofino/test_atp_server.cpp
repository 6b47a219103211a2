#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "modules/tofino/core/atp_server.h"

namespace tributary::test_atp_server {

using Answer = AtpServer::Answer;

namespace {

struct Bench {
  AtpServer server{{3, 2, 1, 4.0, true}};  // 3 workers, window 2, 1 value, scale 4

  template <class Number>
  AtpServer::Verdict send(std::uint32_t chunk, std::uint64_t contributors, Number value, bool overflow = false) {
    AtpServer::Update u;
    u.chunk = chunk;
    u.contributors = contributors;
    u.count = 1;
    u.overflow = overflow;
    u.floats = std::is_same_v<Number, float>;
    static_assert(sizeof value == 4);
    u.values = reinterpret_cast<const std::byte*>(&value);
    return server.update(u, 0);
  }
};

template <class Number>
Number value_of(const AtpServer::Verdict& v) {
  Number x;
  std::memcpy(&x, v.values, sizeof x);
  return x;
}

}  // namespace

TEST_CASE("ATP server: sums of aggregators and single packets, each worker once", "[pure]") {
  Bench b;
  CHECK(b.send(0, 1, 10).answer == Answer::added);
  CHECK(b.send(0, 1, 10).answer == Answer::dropped);
  CHECK(b.send(0, 3, 30).answer == Answer::dropped);  // worker 0 is already in the sum
  CHECK(b.server.waiting() == std::vector<std::string>{"chunk 0: 1 of 3 workers, missing workers 1, 2"});
  const auto last = b.send(0, 6, 50);
  REQUIRE(last.answer == Answer::completed);
  CHECK(last.to == 7);
  CHECK_FALSE(last.floats);
  CHECK(value_of<std::int32_t>(last) == 60);
  CHECK(b.server.waiting().empty());
}

TEST_CASE("ATP server: a result is kept for two windows", "[pure]") {
  Bench b;
  for (std::uint32_t chunk = 0; chunk < 4; ++chunk)
    CHECK(b.send(chunk, 7, static_cast<int>(chunk)).answer == Answer::completed);
  const auto again = b.send(0, 2, 99);
  REQUIRE(again.answer == Answer::answered);
  CHECK(again.to == 2);
  CHECK(value_of<std::int32_t>(again) == 0);
  b.send(4, 7, 4);
  CHECK(b.send(0, 2, 99).answer == Answer::dropped);
}

TEST_CASE("ATP server: float32 is requested if int32 is too small", "[pure]") {
  Bench b;
  b.send(0, 1, 10);
  const auto asks = b.send(0, 6, 0, true);
  CHECK(asks.answer == Answer::asks);
  CHECK(asks.to == 7);
  CHECK(b.send(0, 1, 10).answer == Answer::asks);  // sent before the request arrived
  CHECK(b.send(0, 1, 2.5f).answer == Answer::added);
  CHECK(b.send(0, 1, 10).answer == Answer::dropped);  // has already answered
  CHECK(b.send(0, 2, 1e9f).answer == Answer::added);
  const auto last = b.send(0, 4, 1e9f);
  REQUIRE(last.answer == Answer::completed);
  CHECK(last.floats);
  CHECK(value_of<float>(last) == 2e9f);
}

TEST_CASE("ATP server: a total that exceeds 32 bits is answered as float32", "[pure]") {
  Bench b;
  b.send(0, 3, 2147483647);
  const auto last = b.send(0, 4, 5);
  CHECK(last.floats);
  CHECK(value_of<float>(last) == 2147483652.0f / 4);
}

}  // namespace tributary::test_atp_server
