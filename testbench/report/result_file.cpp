#include "testbench/report/result_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tributary {
namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write '" + path + "': " + std::strerror(errno));
}

}  // namespace

void replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  // A link is followed: its target is replaced, not the link.
  std::filesystem::path target = path;
  if (std::filesystem::exists(path, error)) target = std::filesystem::canonical(path, error);
  if (std::filesystem::exists(target, error) && !std::filesystem::is_regular_file(target, error))
    return write_file(path, text);
  const std::string whole = target.string() + ".tmp";
  write_file(whole, text);
  std::filesystem::rename(whole, target, error);
  if (error) throw std::runtime_error("cannot write '" + path + "': " + error.message());
}

}  // namespace tributary
