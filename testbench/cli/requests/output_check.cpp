#include "testbench/cli/requests/output_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "testbench/cli/requests/file_options.h"
#include "testbench/report/file_identity.h"
#include "testbench/report/replacement_file.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Creates a file in the folder of a new file and removes it. Throws std::system_error.
void check_folder(const std::string& path) {
  const std::filesystem::path target = link_target(path);
  if (!target.has_filename()) throw std::system_error(EISDIR, std::generic_category());
  ReplacementFile(target.has_parent_path() ? target.parent_path() : std::filesystem::path("."));
}

/// A regular file is opened for appending, which keeps its content. A pipe or device is not opened, because closing it would
/// end it.
void check_writable(const Setting& file) {
  const auto refuse = [&](int reason) {
    throw InputError(file.where + ": cannot write '" + file.text + "': " + std::strerror(reason));
  };
  struct stat found {};
  if (::stat(file.text.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) refuse(EISDIR);
    if (!S_ISREG(found.st_mode)) {
      if (::access(file.text.c_str(), W_OK) != 0) refuse(errno);
      return;
    }
    std::FILE* opened = std::fopen(file.text.c_str(), "ab");
    if (opened == nullptr) return refuse(errno);
    std::fclose(opened);
    return;
  }
  if (errno != ENOENT) refuse(errno);
  try {
    check_folder(file.text);
  } catch (const std::system_error& error) {
    refuse(error.code().value());
  }
}

/// Returns the kind of an output that cannot go to standard output; empty if it can.
std::string needs_file(const std::string& option) {
  if (option == "vcd") return "waveform";
  if (option == "pcap") return "capture";
  if (option == "html") return "page";
  if (option == "bottleneck-svg") return "drawing";
  if (option == "perfetto" || option == "perfetto-json") return "timeline";
  return option == "report" ? "report" : "";
}

/// A file that an option names.
struct NamedFile {
  std::string path, where;
  bool derived = false;  ///< named after the option's file
  std::optional<FileIdentity> identity;
};

bool same_file(const NamedFile& a, const NamedFile& b) {
  return a.path == b.path || (a.identity && b.identity && *a.identity == *b.identity);
}

std::string identity_path(const std::string& path) { return path == "-" ? "/dev/stdout" : path; }

void add_inputs(const Settings& settings, std::vector<NamedFile>& inputs) {
  for (const auto& [option, given] : settings.all())
    for (const Setting& setting : given)
      for (const std::string& path : files_read(option, setting.text)) {
        const auto identity = file_identity(path);
        if (identity && identity->regular) inputs.push_back({path, setting.where, false, identity});
      }
  for (const Settings& job : settings.jobs()) add_inputs(job, inputs);
}

/// Refuses a file that is an input or an earlier output.
void check_apart(const NamedFile& file, const std::string& shown, const std::vector<NamedFile>& inputs,
                 const std::vector<NamedFile>& outputs) {
  for (const NamedFile& input : inputs)
    if (same_file(file, input))
      throw InputError(file.where + ": " + shown + " is also an input, the file of " + input.where +
                       " (legal: another file)");
  for (const NamedFile& other : outputs)
    if (same_file(file, other))
      throw InputError(file.where + ": " + shown + " is also " + (other.derived ? "a" : "the") + " file of " + other.where +
                       " (legal: a file for each)");
}

}  // namespace

void check_outputs(const Settings& settings) {
  std::vector<NamedFile> inputs, outputs;
  add_inputs(settings, inputs);
  for (const std::string& option : writing_options()) {
    const Setting* const file = settings.find(option);
    if (file == nullptr) continue;
    if (file->text.empty()) throw InputError(file->where + ": a file name is missing (legal: a path)");
    std::vector<NamedFile> own;
    for (const std::string& path : files_written(option, file->text)) {
      const bool derived = !own.empty();
      own.push_back({path, file->where, derived, file_identity(identity_path(path))});
      check_apart(own.back(), "'" + file->text + "'" + (derived ? " with its file '" + path + "'" : ""), inputs, outputs);
    }
    outputs.insert(outputs.end(), own.begin(), own.end());
    if (file->text != "-")
      check_writable(*file);
    else if (const std::string what = needs_file(option); !what.empty())
      throw InputError(file->where + ": a " + what + " cannot go to standard output (legal: a path)");
  }
}

void check_no_input(const Settings& settings, const Setting& option, const std::string& path) {
  std::vector<NamedFile> inputs;
  add_inputs(settings, inputs);
  check_apart({path, option.where, false, file_identity(path)}, "'" + path + "'", inputs, {});
}

}  // namespace tributary
