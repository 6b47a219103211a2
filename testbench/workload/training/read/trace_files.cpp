#include "testbench/workload/training/read/trace_files.h"

#include <algorithm>
#include <filesystem>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/gzip_file.h"

namespace tributary::training {
namespace {

namespace fs = std::filesystem;

constexpr const char* digits = "0123456789";

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Texts before and after the rank in the name of a file.
struct NameOfRank {
  std::string begin, end;
  std::string of(std::size_t rank) const { return begin + std::to_string(rank) + end; }
};

/// Throws if a rank's file exists after the last file of an unbroken sequence: a file between them is missing.
void check_gaps(const NameOfRank& name, std::size_t count) {
  const fs::path path(name.begin);
  const std::string begin = path.filename().string();
  std::error_code ignored;
  const auto folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.size() <= begin.size() + name.end.size() || file.compare(0, begin.size(), begin) != 0) continue;
    if (file.compare(file.size() - name.end.size(), name.end.size(), name.end) != 0) continue;
    const std::string number = file.substr(begin.size(), file.size() - begin.size() - name.end.size());
    if (number.size() > 9 || number.find_first_not_of(digits) != std::string::npos) continue;
    if (std::stoul(number) >= count)
      throw InputError(name.of(count) + ": missing, but " + file + " exists (legal: a trace for each rank from 0)");
  }
}

std::vector<std::string> files_of(const NameOfRank& name) {
  std::vector<std::string> files;
  while (exists(name.of(files.size()))) files.push_back(name.of(files.size()));
  if (!files.empty()) check_gaps(name, files.size());
  return files;
}

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// Returns `name` with `%d` for the number whose file of rank 0 is in the folder; empty: none.
std::string pattern_of(const fs::path& folder, const std::string& name) {
  for (std::size_t first = name.find_first_of(digits); first != std::string::npos;) {
    const std::size_t last = std::min(name.find_first_not_of(digits, first), name.size());
    if (exists((folder / (name.substr(0, first) + "0" + name.substr(last))).string()))
      return (folder / (name.substr(0, first) + "%d" + name.substr(last))).string();
    first = name.find_first_of(digits, last);
  }
  return "";
}

/// Returns the JSON files of a folder, by name. Throws InputError if there are none.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files, names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
    if (ends_with(names.back(), ".json") || ends_with(names.back(), ".json.gz")) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  if (!files.empty()) return files;
  std::sort(names.begin(), names.end());
  std::string example;
  for (const std::string& name : names)
    if (example.empty()) example = pattern_of(folder, name);
  throw InputError(folder + ": is a directory without traces of PyTorch (legal: a file, PREFIX of PREFIX.0.et, ..., or a " +
                   "name with %d for the rank" + (example.empty() ? "" : ", such as " + example) + ")");
}

}  // namespace

std::vector<std::string> trace_files(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return files_in(path);
  if (exists(path)) return {path};
  if (const std::size_t place = path.find("%d"); place != std::string::npos) {
    const NameOfRank name{path.substr(0, place), path.substr(place + 2)};
    if (std::vector<std::string> files = files_of(name); !files.empty()) return files;
    throw InputError(name.of(0) + ": cannot be read: No such file or directory (legal: %d for the ranks from 0)");
  }
  for (const char* end : {".et", ".json", ".json.gz"})
    if (std::vector<std::string> files = files_of({path + ".", end}); !files.empty()) return files;
  return {path};
}

std::unique_ptr<std::istream> open_trace(const std::string& path) { return std::make_unique<InputFile>(path); }

}  // namespace tributary::training
