#include "modules/base/input_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tributary {

std::string refusal_of_file(std::ifstream& file, const std::string& path) {
  namespace fs = std::filesystem;
  if (!file) return std::string("cannot be read: ") + std::strerror(errno);
  static const std::string pointer = "version https://git-lfs.github.com/spec/";
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return "cannot be read: Is a directory";
  if (!fs::is_regular_file(status)) return "";
  std::string begin(pointer.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  file.clear();  // a shorter file has ended
  file.seekg(0);
  if (begin != pointer) return "";
  return "a pointer of Git LFS in place of the file (legal: the file, which `git lfs pull` fetches)";
}

}  // namespace tributary
