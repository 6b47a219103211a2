/// Runs a table of command lines and compares the results with the table: the trajectory of every packet on every link,
/// the bytes that links carried, the completion time and all counters.
///
/// usage: tributary_fingerprints TABLE.json [--print | --threads N [--only TEXT]...]
///   --threads N: every run uses N threads, whose results are those of one thread.
///   --only TEXT: only runs whose options contain TEXT; repeatable.
///   Without --print: one line for each row that differs; exit code 1 if any row differs.
///   --print: the table with the current results, on standard output.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <variant>
#include <vector>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/command_line.h"
#include "testbench/report/result_summary.h"
#include "testbench/test/harness/forked_run.h"

namespace {

using namespace tributary;
using Json = nlohmann::ordered_json;

std::string hexadecimal(std::uint64_t word) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(word));
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

Json row_of(const Run& run) {
  const ResultRow& r = run.row;
  Json row{{"size", r.size_bytes},
           {"status", status_name(r.status)},
           {"time_ps", r.time},
           {"wrong", r.wrong ? Json(*r.wrong) : Json()},
           {"wire_bytes", r.wire_bytes},
           {"trajectory", hexadecimal(run.hashes.trajectory)},
           {"traffic", hexadecimal(run.hashes.traffic)}};
  Json counters = Json::object();
  for (const auto& [name, value] : r.counters)
    if (value != 0) counters[name] = value;
  row["counters"] = counters;
  return row;
}

/// Runs in a process of its own, because SystemC elaborates once.
Json rows_of(const std::string& options) {
  const Command command = parse_command_line(words_of("run " + options));
  RunSpec spec = std::get<RunRequest>(command).spec;
  spec.trajectory = true;
  Json rows = Json::array();
  for (const Run& run : run_all(spec)) rows.push_back(row_of(run));
  return rows;
}

/// One line for each different value.
std::string difference(const Json& expected, const Json& found) {
  std::string text;
  for (const auto& change : nlohmann::json::diff(expected, found)) {
    const std::string path = change["path"];
    const Json::json_pointer at(path);
    const Json was = expected.contains(at) ? expected.at(at) : Json();
    text += "  " + path + ": " + was.dump() + " became " + change.value("value", nlohmann::json()).dump() + "\n";
  }
  return text;
}

/// Compact but readable: one line for each row of results.
void print(const Json& table) {
  std::cout << "[\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::cout << "  {\"run\": " << table[i]["run"].dump() << ",\n   \"rows\": [\n";
    const Json& rows = table[i]["rows"];
    for (std::size_t r = 0; r < rows.size(); ++r)
      std::cout << "     " << rows[r].dump() << (r + 1 < rows.size() ? ",\n" : "]}");
    std::cout << (i + 1 < table.size() ? ",\n" : "\n");
  }
  std::cout << "]\n";
}

/// Returns the values after an option.
std::vector<std::string> values_of(const std::vector<std::string>& arguments, const std::string& option) {
  std::vector<std::string> values;
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i)
    if (arguments[i] == option) values.push_back(arguments[i + 1]);
  return values;
}

bool selected(const std::string& run, const std::vector<std::string>& texts) {
  return texts.empty() || std::any_of(texts.begin(), texts.end(),
                                      [&](const std::string& text) { return run.find(text) != std::string::npos; });
}

int work(const std::vector<std::string>& arguments) {
  if (arguments.empty())
    throw std::runtime_error("usage: tributary_fingerprints TABLE.json [--print | --threads N [--only TEXT]...]");
  const bool printing = arguments.size() > 1 && arguments[1] == "--print";
  const std::vector<std::string> threads = values_of(arguments, "--threads"), only = values_of(arguments, "--only");
  std::ifstream in(arguments[0]);
  if (!in) throw std::runtime_error(arguments[0] + " cannot be read");
  Json table = Json::parse(in);
  const std::string folder = arguments[0].substr(0, arguments[0].find_last_of('/') + 1);
  if (!folder.empty() && ::chdir(folder.c_str()) != 0) throw std::runtime_error(folder + " cannot be entered");
  std::size_t changed = 0, runs = 0;
  for (Json& entry : table) {
    const std::string run = entry["run"];
    if (!selected(run, only)) continue;
    ++runs;
    Json rows;
    try {
      rows = rows_of(threads.empty() ? run : run + " --threads " + threads.front());
    } catch (const std::exception& error) {
      rows = Json::array({Json{{"error", error.what()}}});
    }
    if (!printing && entry["rows"] != rows) {
      ++changed;
      std::cout << run << "\n" << difference(entry["rows"], rows);
    }
    entry["rows"] = rows;
  }
  if (printing) return print(table), 0;
  std::cout << runs - changed << " of " << runs << " runs as in the table\n";
  return changed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  try {
    return work({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "fingerprints: " << error.what() << "\n";
    return 2;
  }
}

int main(int argc, char* argv[]) {
  silence_systemc_banner();
  return sc_core::sc_elab_and_sim(argc, argv);
}
