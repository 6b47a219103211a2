#include "testbench/report/result_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tributary {
namespace {

/// `name` is used in errors.
void write_file(const std::string& path, const std::string& text, const std::string& name) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file)
    throw std::runtime_error("cannot write '" + name + "': " + (errno != 0 ? std::strerror(errno) : "unknown error"));
}

}  // namespace

void replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  // A symbolic link is followed: its target is replaced.
  std::filesystem::path target = path;
  if (std::filesystem::exists(path, error)) target = std::filesystem::canonical(path, error);
  if (std::filesystem::exists(target, error) && !std::filesystem::is_regular_file(target, error))
    return write_file(path, text, path);
  const std::string whole = target.string() + ".tmp";
  try {
    write_file(whole, text, path);
    std::filesystem::rename(whole, target, error);
  } catch (...) {
    std::filesystem::remove(whole, error);
    throw;
  }
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(whole, ignored);
  throw std::runtime_error("cannot write '" + path + "': " + error.message());
}

}  // namespace tributary
