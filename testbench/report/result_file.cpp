#include "testbench/report/result_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "testbench/report/file_identity.h"
#include "testbench/report/replacement_file.h"

namespace tributary {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw std::runtime_error("cannot write '" + path + "': " + reason);
}

void write_in_place(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) refuse(path, errno != 0 ? std::strerror(errno) : "unknown error");
}

/// True if the file exists and can be written, but its folder accepts no new file.
bool lies_in_closed_folder(const std::filesystem::path& target, const std::filesystem::path& folder) {
  return ::access(target.c_str(), W_OK) == 0 && ::access(folder.c_str(), W_OK) != 0;
}

}  // namespace

void replace_file(const std::string& path, const std::string& text) {
  const std::filesystem::path target = link_target(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  std::error_code ignored;
  const bool special = std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored);
  if (special || lies_in_closed_folder(target, folder)) return write_in_place(path, text);
  try {
    ReplacementFile file(folder);
    file.write(text);
    file.replace(target);
  } catch (const std::system_error& error) {
    refuse(path, error.code().message());
  }
}

}  // namespace tributary
