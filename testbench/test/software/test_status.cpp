/// Statuses: names, exit codes, and the failures that endpoints report.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "testbench/report/result_fields.h"
#include "testbench/run/completion.h"
#include "testbench/run/status.h"

namespace tributary::test_status {

using Catch::Matchers::Contains;

TEST_CASE("statuses have the order of their enumeration and names of their own", "[pure][report]") {
  CHECK(status_names() ==
        "done, wrong, deadlock, no_progress, gave_up, dead_link, time_limit, interrupted, out_of_memory, bad_value, "
        "shadow_differs, shadow_stopped, block_wrong, too_long");
  for (std::size_t i = 0; i < status_infos().size(); ++i) CHECK(static_cast<std::size_t>(status_infos()[i].status) == i);
}

TEST_CASE("only complete runs, and those that a shadow stops, have another exit code than 3", "[pure][report]") {
  for (const StatusInfo& info : status_infos()) {
    INFO(info.name);
    const bool wrong = info.status == Status::wrong || info.status == Status::shadow_differs;
    const bool stopped = info.status == Status::shadow_stopped;
    CHECK(info.exit_code == (info.status == Status::done ? 0 : wrong || stopped ? 1 : 3));
    CHECK(is_complete(info.status) == (info.exit_code < 3 && !stopped));
  }
}

TEST_CASE("schema and page of results list every status", "[pure][report]") {
  const auto schema = nlohmann::json::parse(result_schema());
  const auto& listed = schema["properties"]["results"]["items"]["properties"]["status"]["enum"];
  REQUIRE(listed.size() == status_infos().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    CHECK(listed[i] == status_infos()[i].name);
    CHECK_THAT(result_page(), Contains("| `" + std::string(status_infos()[i].name) + "` | "));
  }
}

TEST_CASE("a completion keeps the kind of the earliest failure", "[pure]") {
  Completion completion("host");
  completion.expect(3);
  CHECK_FALSE(completion.has_failed());
  CHECK_FALSE(completion.has_bad_value());
  completion.failed(2, 9'000'000, "given up after 7 retries");
  CHECK(completion.has_failed());
  CHECK_FALSE(completion.has_bad_value());
  completion.bad_value(1, 5'000'000, "a value of chunk 0 is not a number");
  CHECK(completion.has_bad_value());
  completion.failed(0, 5'000'001, "given up");
  CHECK(completion.has_bad_value());
  CHECK(completion.error(1'000'000) == "host1 reports at 4.000us: a value of chunk 0 is not a number");
  completion.expect(3);
  CHECK_FALSE(completion.has_bad_value());
}

}  // namespace tributary::test_status
