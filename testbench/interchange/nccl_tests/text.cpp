#include <cstdarg>
#include <cstdio>

#include "testbench/interchange/nccl_tests/nccl_tests.h"

namespace tributary::nccl_tests {
namespace {

__attribute__((format(printf, 1, 2))) std::string print(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

constexpr const char* not_measured = "                                ";  // 32 blanks in the columns out of place

}  // namespace

std::string number_text(double value, int width) {
  int digits = 0;  // digits before the point
  for (double power = 1; value >= power; power *= 10) ++digits;
  const auto fits = [&](const std::string& text) { return text.size() <= static_cast<std::size_t>(width); };
  for (int decimals = digits < width - 2   ? 2
                      : digits < width - 1 ? 1
                      : digits < width + 1 ? 0
                                           : -1;
       decimals >= 0; --decimals)
    if (const std::string text = print("%*.*f", width, decimals, value); fits(text)) return text;
  return width >= 7 ? print("%*.1e", width, value) : print("%*.0e", width, value);
}

std::string row_text(const Row& row) {
  std::string text = print("%12llu  %12llu  %8s  %6s  %6i", static_cast<unsigned long long>(row.size_bytes),
                           static_cast<unsigned long long>(row.count), row.type.c_str(), row.redop.c_str(), row.root) +
                     not_measured +
                     print("  %7s  %6s  %6s", number_text(row.time_us, 7).c_str(), number_text(row.algbw_GBps, 6).c_str(),
                           number_text(row.busbw_GBps, 6).c_str());
  return text + (row.wrong ? print("  %6g", static_cast<double>(*row.wrong)) : "    N/A");
}

std::vector<std::string> errors_of(const Report& report) {
  std::vector<std::string> errors;
  for (const FailedRow& row : report.failed)
    errors.push_back(std::to_string(row.size_bytes) + " B: " + row.status + (row.cause.empty() ? "" : ": " + row.cause));
  return errors;
}

std::string text_of(const Report& report) {
  std::string text = "# nccl-tests version 0.0.0 nccl-headers=0 nccl-library=0\n";
  text += "# tributary " + report.version + ": " + report.platform + ", " + report.algorithm + ", simulated\n";
  text += "# Collective test starting: " + report.program + "\n";
  text += print(
      "# nThread 1 nGpus %zu minBytes %llu maxBytes %llu step: %llu(%s) warmup iters: 0 iters: %u agg iters: 1 "
      "validation: %d graph: 0 unalign: 0\n",
      report.devices.size(), static_cast<unsigned long long>(report.min_bytes),
      static_cast<unsigned long long>(report.max_bytes), static_cast<unsigned long long>(report.step),
      report.step_is_factor ? "factor" : "bytes", report.iterations, report.checks_data ? 1 : 0);
  text += "#\n# Using devices\n";
  for (const Device& d : report.devices)
    text +=
        print("#  Rank %2d Group %2d Pid %6d on %10s device %2d [%04x:%02x:%02x] %s\n", d.rank, 0, 0, "tributary", d.number,
              static_cast<unsigned>(d.number) >> 8, static_cast<unsigned>(d.number) & 0xFF, 0U, d.name.c_str());
  const char* const head = "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s %*s\n";
  text += "#\n";
  text += print("# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          \n", "", "", "",
                "", "");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  text += print(head, "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
                "#wrong", 0, "");
  text +=
      print(head, "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "", 0, "");
#pragma GCC diagnostic pop
  int out_of_bounds = 0;
  double sum = 0;
  for (const Row& row : report.rows) {
    text += row_text(row) + "\n";
    out_of_bounds += row.wrong.value_or(0) > 0 ? 1 : 0;
    sum += row.busbw_GBps;
  }
  const bool okay = out_of_bounds == 0 && report.failed.empty();
  text += print("# %-20s : %d %s\n", "Out of bounds values", out_of_bounds, okay ? "OK" : "FAILED");
  text +=
      print("# %-20s : %g \n", "Avg bus bandwidth", report.rows.empty() ? 0 : sum / static_cast<double>(report.rows.size()));
  for (const std::string& error : errors_of(report)) text += "# error: " + error + "\n";
  return text + "#\n# Collective test " + (report.failed.empty() ? "concluded" : "FAILED") + ": " + report.program + "\n";
}

std::string program_of(const std::string& collective) {
  struct Program {
    const char *collective, *name;
  };
  for (const Program& p : {Program{"allreduce", "all_reduce_perf"}, Program{"allgather", "all_gather_perf"},
                           Program{"reduce_scatter", "reduce_scatter_perf"}, Program{"broadcast", "broadcast_perf"},
                           Program{"reduce", "reduce_perf"}, Program{"gather", "gather_perf"},
                           Program{"alltoall", "alltoall_perf"}, Program{"sendrecv", "sendrecv_perf"}})
    if (collective == p.collective) return p.name;
  return {};
}

}  // namespace tributary::nccl_tests
