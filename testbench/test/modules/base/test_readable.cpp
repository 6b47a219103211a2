#include <catch2/catch.hpp>

#include "modules/base/readable.h"

namespace tributary::test_readable {

TEST_CASE("durations in messages have a unit that keeps at most four digits", "[pure]") {
  CHECK(readable_time(25'934'165'760) == "25.9ms");
  CHECK(readable_time(1'037'253'332) == "1ms");
  CHECK(readable_time(0) == "0ps");
  CHECK(readable_time(999) == "999ps");
  CHECK(readable_time(1'000) == "1ns");
  CHECK(readable_time(100'000) == "100ns");
  CHECK(readable_time(999'949) == "999.9ns");
  CHECK(readable_time(999'950) == "1us");  // not 1000ns
  CHECK(readable_time(1'500'000) == "1.5us");
  CHECK(readable_time(5'000'000'000'000) == "5s");
  CHECK(readable_time(3'600'000'000'000'000) == "3600s");
}

TEST_CASE("sizes in messages have one decimal and powers of 1000", "[pure]") {
  CHECK(readable_bytes(999) == "999.0 B");
  CHECK(readable_bytes(21'600'000'000) == "21.6 GB");
  CHECK(readable_bytes(~std::uint64_t{0}) == "18.4 EB");
}

}  // namespace tributary::test_readable
