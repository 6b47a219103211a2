#pragma once
/// Results in the forms of nccl-tests: its table, and its JSON (version 2). NVIDIA/nccl-tests src/util.cu.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tributary::nccl_tests {

/// One message, in place.
struct Row {
  std::uint64_t size_bytes = 0, count = 0;
  std::string type, redop;  ///< `float`; `none` where nothing is reduced
  int root = -1;            ///< -1: there is none
  double time_us = 0, algbw_GBps = 0, busbw_GBps = 0;
  std::optional<std::uint64_t> wrong;  ///< elements; none: the data were not checked
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
  bool step_is_factor = false;  ///< else bytes
  bool checks_data = true;
  std::vector<Device> devices;
  std::vector<Row> rows;
};

/// A number in `width` characters by the rule of nccl-tests: two decimals where they fit, then one, none, an exponent. A
/// number that rounding makes a digit longer takes the next form, so that no column is broken.
std::string number_text(double value, int width);
/// Without its line break.
std::string row_text(const Row& row);
/// The whole table, with head and foot.
std::string text_of(const Report& report);
/// On one line. Booleans are texts, times have six decimals, dates are constant; what is not of nccl-tests is under
/// `tributary`.
std::string json_of(const Report& report);

/// The program that measures a collective; empty: there is none.
std::string program_of(const std::string& collective);

}  // namespace tributary::nccl_tests
