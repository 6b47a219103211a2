#include <catch2/catch.hpp>

#include "modules/base/units.h"

namespace tributary::test_units {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

TEST_CASE("in sizes, k is 1000 and Ki is 1024", "[pure][units]") {
  CHECK(parse_bytes("128B").value == 128);
  CHECK(parse_bytes("8KiB").value == 8192);
  CHECK(parse_bytes("8kB").value == 8000);
  CHECK(parse_bytes("64MiB").value == 67'108'864);
  CHECK(parse_bytes("100MB").value == 100'000'000);
  CHECK(parse_bytes("1.5KiB").value == 1536);
  CHECK(parse_bytes("0B").value == 0);
  CHECK(parse_bytes("18446744073709551615B").value == ~0ull);
}

TEST_CASE("times are exact to the picosecond", "[pure][units]") {
  CHECK(parse_time("150ns").value == 150'000);
  CHECK(parse_time("115.2ns").value == 115'200);
  CHECK(parse_time("0.64ns").value == 640);
  CHECK(parse_time("5760ps").value == 5760);
  CHECK(parse_time("2us").value == 2'000'000);
  // Doubles would get 0.1 + 0.2 wrong.
  CHECK(parse_time("0.3us") == parse_time("0.1us") + parse_time("0.2us"));
  CHECK(parse_time("9007199254740993ps").value == 9'007'199'254'740'993);  // 2^53 + 1 is not a double
}

TEST_CASE("bandwidths are in bytes or bits per second", "[pure][units]") {
  CHECK(parse_bandwidth("25GB/s").value == 25'000'000'000);
  CHECK(parse_bandwidth("100Gb/s").value == 12'500'000'000);
  CHECK(parse_bandwidth("8b/s").value == 1);
  CHECK(parse_bandwidth("12.5GB/s") == parse_bandwidth("100Gb/s"));
}

TEST_CASE("the error for an illegal quantity names the reason", "[pure][units]") {
  CHECK_THROWS_WITH(parse_time("150"), Contains("'150' has no unit") && Contains("ns"));
  CHECK_THROWS_WITH(parse_time("150KiB"), Contains("'KiB' is not a unit of time") && Contains("us"));
  CHECK_THROWS_WITH(parse_bytes("20ns"), Contains("'ns' is not a unit of size"));
  CHECK_THROWS_WITH(parse_bytes("8M"), Contains("; did you mean 8MB or 8MiB?"));
  CHECK_THROWS_WITH(parse_bytes("8k"), Contains("; did you mean 8kB or 8KiB?"));
  CHECK_THROWS_WITH(parse_time("5u"), Contains("; did you mean 5us?"));
  CHECK_THROWS_WITH(parse_bandwidth("25GBs"), Contains("; did you mean 25GB/s?"));
  CHECK_THROWS_WITH(parse_bandwidth("25GB"), Contains("'GB' is not a unit of bandwidth") && Contains("GB/s"));
  CHECK_THROWS_WITH(parse_bytes("-4B"), Contains("negative"));
  CHECK_THROWS_WITH(parse_time("0.5ps"), Contains("whole number of picoseconds"));
  CHECK_THROWS_WITH(parse_bytes("0.3B"), Contains("whole number of bytes"));
  CHECK_THROWS_WITH(parse_bandwidth("1b/s"), Contains("whole number of bytes per second"));
  for (const char* text : {"18446744073709551616B", "99999999999999999999999KiB", "18446744073709551616.5B"})
    CHECK_THROWS_WITH(parse_bytes(text),
                      Equals("'" + std::string(text) + "' is too large (at most 18446744073709551615 bytes)"));
  CHECK_THROWS_WITH(parse_time("1.00000000000000000001s"),
                    Equals("'1.00000000000000000001s' has too many digits (at most 19)"));
  CHECK_THROWS_WITH(parse_bytes("18014398509481984KiB"), Contains("too large"));
  for (const char* text : {"", "B", "1.B", ".5B", "1.2.3B", "1 B", "1e3B", "+1B", "1B ", "0x10B", "1kb"})
    CHECK_THROWS_AS(parse_bytes(text), UnitError);
}

TEST_CASE("printing gives the shortest exact text", "[pure][units]") {
  CHECK(to_string(bytes(256)) == "256B");
  CHECK(to_string(bytes(4096)) == "4KiB");
  CHECK(to_string(bytes(1000)) == "1kB");
  CHECK(to_string(bytes(4608)) == "4608B");
  CHECK(to_string(bytes(0)) == "0B");
  CHECK(to_string(picoseconds(115'200)) == "115.2ns");
  CHECK(to_string(150_ns) == "150ns");
  CHECK(to_string(1_ms) == "1ms");
  CHECK(to_string(picoseconds(5760)) == "5760ps");
  CHECK(to_string(25_GBps) == "25GB/s");
  CHECK(to_string(100_Gbps) == "12.5GB/s");
}

TEST_CASE("printed quantities read back unchanged", "[pure][units]") {
  const std::uint64_t x = GENERATE(0ull, 1ull, 999ull, 1000ull, 1023ull, 1024ull, 1536ull, 1'000'001ull, 16'777'216ull,
                                   123'456'789'012ull, 1ull << 50, ~0ull);
  CHECK(parse_bytes(to_string(bytes(x))).value == x);
  CHECK(parse_time(to_string(picoseconds(x))).value == x);
  CHECK(parse_bandwidth(to_string(bytes_per_second(x))).value == x);
}

TEST_CASE("literals have the value of their unit", "[pure][units]") {
  CHECK((8_KiB).value == 8192);
  CHECK((1_MiB).value == 1'048'576);
  CHECK((20_ns).value == 20'000);
  CHECK((25_GBps).value == 25'000'000'000);
}

}  // namespace tributary::test_units
