#include "modules/base/sysc/logging.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <stdexcept>
#include <systemc>

namespace tributary {
namespace {

spdlog::level::level_enum level_of(sc_core::sc_severity severity) {
  switch (severity) {
    case sc_core::SC_INFO:
      return spdlog::level::info;
    case sc_core::SC_WARNING:
      return spdlog::level::warn;
    case sc_core::SC_ERROR:
      return spdlog::level::err;
    default:
      return spdlog::level::critical;
  }
}

/// Returns one line: message, process, time.
std::string text_of(const sc_core::sc_report& report) {
  std::string text = report.get_msg_type();
  if (const char* message = report.get_msg(); message != nullptr && *message != '\0') text += std::string(": ") + message;
  if (const char* process = report.get_process_name())
    text += std::string(" (") + process + " at " + report.get_time().to_string() + ")";
  return text;
}

/// Displays and logs through spdlog; SystemC still throws, stops and aborts. A report that is thrown is displayed once, by
/// its handler.
void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  const bool shown = (actions & (sc_core::SC_DISPLAY | sc_core::SC_LOG)) != 0 && (actions & sc_core::SC_THROW) == 0;
  if (shown) spdlog::log(level_of(report.get_severity()), "{}", text_of(report));
  const auto rest =
      static_cast<sc_core::sc_actions>(actions & ~static_cast<unsigned>(sc_core::SC_DISPLAY | sc_core::SC_LOG));
  sc_core::sc_report_handler::default_handler(report, rest);
}

}  // namespace

void silence_systemc_banner() { setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1); }

void start_logging(const std::string& level) {
  const auto wanted = spdlog::level::from_str(level);
  if (wanted == spdlog::level::off && level != "off") throw std::invalid_argument("unknown log level '" + level + "'");
  auto logger = spdlog::get("tributary");
  if (!logger) logger = spdlog::stderr_color_mt("tributary");
  logger->set_pattern("%n: %^%l%$: %v");
  logger->set_level(wanted);
  spdlog::set_default_logger(logger);
  sc_core::sc_report_handler::set_handler(on_report);
}

void log_event(const std::string& line) { spdlog::trace("{}", line); }

}  // namespace tributary
