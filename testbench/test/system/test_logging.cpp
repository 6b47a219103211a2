#include <catch2/catch.hpp>
#include <sstream>
#include <stdexcept>
#include <systemc>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "modules/base/sysc/logging.h"

namespace tributary::test_logging {

using Catch::Matchers::Contains;

namespace {

/// Collects the output of the default logger from here on.
std::ostringstream& captured() {
  static std::ostringstream text;
  text.str("");
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(text, true);
  sink->set_pattern("%l: %v");
  spdlog::default_logger()->sinks().assign(1, sink);
  return text;
}

}  // namespace

TEST_CASE("logging: reports of SystemC are logged, and errors still throw", "[block][logging]") {
  start_logging("info");
  std::ostringstream& text = captured();
  SC_REPORT_INFO("/tributary/test", "for information");
  SC_REPORT_WARNING("/tributary/test", "careful");
  CHECK_THAT(text.str(),
             Contains("info: /tributary/test: for information") && Contains("warning: /tributary/test: careful"));
  text.str("");
  CHECK_THROWS_AS(SC_REPORT_ERROR("/tributary/test", "broken"), sc_core::sc_report);
  CHECK(text.str().empty());  // an error is displayed where it is caught
}

TEST_CASE("logging: messages below the level are not logged", "[block][logging]") {
  start_logging("error");
  std::ostringstream& text = captured();
  SC_REPORT_WARNING("/tributary/test", "careful");
  CHECK(text.str().empty());
  CHECK_THROWS_AS(start_logging("loud"), std::invalid_argument);
}

}  // namespace tributary::test_logging
