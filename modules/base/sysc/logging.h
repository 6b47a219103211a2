#pragma once
/// Logging goes to standard error through spdlog, and so do the reports of SystemC.

#include <string>

namespace tributary {

/// Before SystemC's main starts: no copyright banner.
void silence_systemc_banner();

/// Logs to standard error from `level` up (trace, debug, info, warn, error, critical, off) and routes SystemC's reports
/// there; errors still throw and fatal reports still abort. Throws std::invalid_argument for another level.
void start_logging(const std::string& level);

/// One line at the level trace: what happens to something that is followed.
void log_event(const std::string& line);

}  // namespace tributary
