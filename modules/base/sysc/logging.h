#pragma once
/// Logging to standard error through spdlog, including the reports of SystemC.

#include <string>

namespace tributary {

/// Suppresses the copyright banner; call before SystemC's main starts.
void silence_systemc_banner();

/// Logs to standard error from `level` up (trace, debug, info, warn, error, critical, off) and redirects SystemC's reports
/// there; errors still throw and fatal reports still abort. Throws std::invalid_argument for any other level.
void start_logging(const std::string& level);

/// Logs one line at level trace: an event of a packet or block that the user follows.
void log_event(const std::string& line);

}  // namespace tributary
