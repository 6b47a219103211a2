#include <cstdio>

#include "testbench/interchange/nccl_tests/nccl_tests.h"

namespace tributary::nccl_tests {
namespace {

constexpr const char* no_date = "1970-01-01 00:00:00";

/// Quotes a text as nccl-tests does, which also escapes slashes.
std::string text(const std::string& value) {
  std::string all = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '/') all += '\\';
    all += c < ' ' || c > '~' ? '?' : c;
  }
  return all + "\"";
}
std::string text(bool value) { return text(std::string(value ? "true" : "false")); }

std::string decimal(double value) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, "%f", value);
  return buffer;
}

std::string key(const char* name, const std::string& value) { return text(std::string(name)) + ":" + value; }
std::string key(const char* name, std::uint64_t value) { return key(name, std::to_string(value)); }

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ",") + part;
  return all;
}
std::string object(const std::vector<std::string>& keys) { return "{" + joined(keys) + "}"; }
std::string list(const std::vector<std::string>& values) { return "[" + joined(values) + "]"; }

std::string device_json(const Device& d) {
  char place[64];
  std::snprintf(place, sizeof place, "%04x:%02x:00", static_cast<unsigned>(d.number) >> 8,
                static_cast<unsigned>(d.number) & 0xFF);
  return object({key("rank", std::to_string(d.rank)), key("group", "0"), key("pid", "0"),
                 key("hostname", text(std::string("tributary"))), key("device", std::to_string(d.number)),
                 key("device_hex", text(std::string(place))), key("device_info", text(d.name))});
}

std::string row_json(const Row& row, const std::string& algorithm) {
  char root[32];
  std::snprintf(root, sizeof root, "%6i", row.root);
  return object({key("size", row.size_bytes), key("count", row.count), key("type", text(row.type)),
                 key("redop", text(row.redop)), key("root", text(std::string(root))), key("out_of_place", "null"),
                 key("in_place", object({key("time", decimal(row.time_us)), key("alg_bw", decimal(row.algbw_GBps)),
                                         key("bus_bw", decimal(row.busbw_GBps)),
                                         key("nwrong", row.wrong ? decimal(static_cast<double>(*row.wrong)) : "null")})),
                 key("actual_iterations", "1"), key("experiment_name", text(algorithm))});
}

}  // namespace

std::string json_of(const Report& report) {
  std::vector<std::string> devices, rows;
  for (const Device& d : report.devices) devices.push_back(device_json(d));
  double sum = 0;
  std::uint64_t out_of_bounds = 0;
  for (const Row& row : report.rows) {
    rows.push_back(row_json(row, report.algorithm));
    sum += row.busbw_GBps;
    out_of_bounds += row.wrong.value_or(0) > 0 ? 1 : 0;
  }
  const std::string config =
      object({key("nthreads", "1"), key("ngpus", report.devices.size()), key("minimum_bytes", report.min_bytes),
              key("maximum_bytes", report.max_bytes), key(report.step_is_factor ? "step_factor" : "step_bytes", report.step),
              key("warmup_iters", "0"), key("iterations", report.iterations), key("aggregated_iterations", "1"),
              key("validation", report.checks_data ? "1" : "0"), key("graph", "0"), key("blocking_collectives", text(false)),
              key("per_iter_timing", text(false)), key("parallel_init", text(false)), key("devices", list(devices))});
  const bool okay = out_of_bounds == 0 && report.failed.empty();
  std::vector<std::string> errors;
  for (const std::string& error : errors_of(report)) errors.push_back(text(error));
  const double mean = rows.empty() ? 0 : sum / static_cast<double>(rows.size());
  return object({key("version", "2"), key("start_time", text(std::string(no_date))),
                 key("args", list({text(report.program)})), key("env", "[]"), key("nccl_version", "0"),
                 key("config", config), key("results", list(rows)),
                 key("out_of_bounds", object({key("count", out_of_bounds), key("okay", text(okay))})),
                 key("average_bus_bandwidth",
                     object({key("bandwidth", decimal(mean)), key("okay", text(std::string("unchecked")))})),
                 key("errors", list(errors)), key("end_time", text(std::string(no_date))),
                 key("tributary", object({key("version", text(report.version)), key("platform", text(report.platform)),
                                          key("algorithm", text(report.algorithm))}))}) +
         "\n";
}

}  // namespace tributary::nccl_tests
