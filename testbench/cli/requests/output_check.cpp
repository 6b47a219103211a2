#include "testbench/cli/requests/output_check.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Opens the file for appending, which keeps its content, and removes a file that did not exist. A pipe or device is not
/// opened, because closing it would end it.
void check_writable(const Setting& file) {
  const auto refuse = [&](int reason) {
    throw InputError(file.where + ": cannot write '" + file.text + "': " + std::strerror(reason));
  };
  std::error_code ignored;
  const bool was_there = std::filesystem::exists(file.text, ignored);
  if (std::filesystem::is_directory(file.text, ignored)) refuse(EISDIR);
  if (was_there && !std::filesystem::is_regular_file(file.text, ignored)) {
    if (access(file.text.c_str(), W_OK) != 0) refuse(errno);
    return;
  }
  std::FILE* opened = std::fopen(file.text.c_str(), "ab");
  if (opened == nullptr) return refuse(errno);
  std::fclose(opened);
  if (!was_there) std::filesystem::remove(file.text, ignored);
}

/// Returns the kind of an output that cannot go to standard output; empty if it can.
std::string needs_file(const std::string& option) {
  if (option == "vcd") return "waveform";
  if (option == "pcap") return "capture";
  if (option == "html") return "page";
  if (option == "perfetto" || option == "perfetto-json") return "timeline";
  return option == "report" ? "report" : "";
}

}  // namespace

void check_outputs(const Settings& settings) {
  std::map<std::string, std::string> where;  // place of the option, by file
  for (const char* option : {"json", "csv", "dot", "svg", "msccl", "nccl-text", "nccl-json", "vcd", "pcap", "html",
                             "perfetto", "perfetto-json", "report", "write-graph"}) {
    const Setting* file = settings.find(option);
    if (file == nullptr) continue;
    if (file->text.empty()) throw InputError(file->where + ": a file name is missing (legal: a path)");
    const auto [other, first] = where.emplace(file->text, file->where);
    if (!first)
      throw InputError(file->where + ": '" + file->text + "' is also the file of " + other->second +
                       " (legal: a file for each)");
    if (file->text != "-")
      check_writable(*file);
    else if (const std::string what = needs_file(option); !what.empty())
      throw InputError(file->where + ": a " + what + " cannot go to standard output (legal: a path)");
  }
}

}  // namespace tributary
