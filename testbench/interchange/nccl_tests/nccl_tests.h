#pragma once
/// Results in the formats of nccl-tests: its table and its JSON (version 2). Source: NVIDIA/nccl-tests src/util.cu.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tributary::nccl_tests {

/// The result of one message, in place.
struct Row {
  std::uint64_t size_bytes = 0, count = 0;
  std::string type, redop;  ///< `float`, `sum`; redop is `none` without a reduction
  int root = -1;            ///< -1: no root
  double time_us = 0, algbw_GBps = 0, busbw_GBps = 0;
  std::optional<std::uint64_t> wrong;  ///< wrong elements; none: the data were not checked
};

/// A message without a result.
struct FailedRow {
  std::uint64_t size_bytes = 0;
  std::string status;  ///< `dead_link`
  std::string cause;   ///< one line; may be empty
};

struct Device {
  int rank = 0, number = 0;
  std::string name;
};

struct Report {
  std::string program;  ///< `all_reduce_perf`
  std::string version, platform, algorithm;
  std::uint64_t min_bytes = 0, max_bytes = 0;
  std::uint64_t step = 0;
  bool step_is_factor = false;  ///< false: in bytes
  bool checks_data = true;
  std::vector<Device> devices;
  std::vector<Row> rows;
  std::vector<FailedRow> failed = {};
  unsigned iterations = 1;  ///< kernels whose mean time a row has
};

/// Formats a number in `width` characters by the rule of nccl-tests: with two decimals if they fit, then one, none, or an
/// exponent. A number that becomes a digit longer by rounding uses the next form, which keeps columns aligned.
std::string number_text(double value, int width);
/// Formats a row without its line break.
std::string row_text(const Row& row);
/// Returns the errors of a report, one line for each failed row: `65536 B: dead_link: 4 ranks are not done`.
std::vector<std::string> errors_of(const Report& report);
/// Formats the whole table with head and foot. A failed row is an `# error:` line, as an error of NCCL is, and the summary
/// is FAILED.
std::string text_of(const Report& report);
/// Formats the JSON on one line. Booleans are texts, times have six decimals, and dates are constant. Keys that nccl-tests
/// does not have are under `tributary`. Failed rows are `errors`.
std::string json_of(const Report& report);

/// Returns the program of nccl-tests for a collective; empty if there is none.
std::string program_of(const std::string& collective);

}  // namespace tributary::nccl_tests
