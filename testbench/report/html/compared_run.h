#pragma once
/// ComparedRun: the results of a run, read from the JSON of `run`, for a comparison with another run.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tributary::html {

struct ComparedLink {
  double bytes = 0, utilisation = 0;  ///< utilisation: 0 to 1
};

/// A message of a run.
struct ComparedMessage {
  std::string name;  ///< `65536 B f32`, with its job and iteration
  double size = 0;   ///< bytes
  std::optional<double> time_ns, algbw, busbw;
  std::string status, bottleneck;
  std::map<std::string, double> counters;
  std::map<std::string, ComparedLink> links;
};

struct ComparedRun {
  std::string file;
  /// Properties of the whole run, in the order of the file: platform, algorithm, seed ...
  std::vector<std::pair<std::string, std::string>> properties;
  std::map<std::string, std::string> parameters;  ///< values with their units
  std::vector<ComparedMessage> messages;          ///< names are unique
};

/// Reads a file of at most 64 MiB. Throws InputError (one line that begins with FILE).
ComparedRun read_compared_run(const std::string& file);
/// Parses a text; `file` is its name in errors.
ComparedRun parse_compared_run(const std::string& text, const std::string& file);

}  // namespace tributary::html
