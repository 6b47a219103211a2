#include <catch2/catch.hpp>

#include "testbench/cli/command_line.h"

namespace tributary::test_cli_lists {

using Catch::Matchers::Contains;

TEST_CASE("list options: list accepts one subject", "[pure][cli]") {
  const auto list = std::get<ListRequest>(parse_command_line({"list", "parameters", "--platform", "dgx2", "--markdown"}));
  CHECK(list.what == "parameters");
  CHECK(list.markdown);
  CHECK_THROWS_WITH(parse_command_line({"list"}), Contains("platforms"));
  CHECK_THROWS_WITH(parse_command_line({"list", "parmeters"}), Contains("did you mean parameters?"));
  CHECK_THROWS_WITH(parse_command_line({"list", "probes", "--platform", "dgx3"}), Contains("did you mean dgx2?"));
  CHECK_THROWS_WITH(parse_command_line({"walk"}), Contains("legal: run, sweep, train, bottleneck, explore, schedule"));
  CHECK_THROWS_WITH(parse_command_line({"rnu"}), Contains("did you mean run?"));
  CHECK_THROWS_WITH(parse_command_line({"plan"}), Contains("unknown command"));
}

}  // namespace tributary::test_cli_lists
