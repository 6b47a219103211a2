#include "testbench/report/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tributary {
namespace {

bool is_terminal(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const bool terminal = file >= 0 && ::isatty(file) == 1;
  if (file >= 0) ::close(file);
  return terminal;
}

FileIdentity identity_of(const struct stat& file, std::string name) {
  return {static_cast<std::uint64_t>(file.st_dev), static_cast<std::uint64_t>(file.st_ino), std::move(name),
          S_ISREG(file.st_mode) || S_ISDIR(file.st_mode)};
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

std::filesystem::path link_target(std::filesystem::path path) {
  constexpr int most_links = 40;  // as the kernel allows
  std::error_code error;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(path, error); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next : folder_of(path) / next;
  }
  return path;
}

std::optional<FileIdentity> file_identity(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (S_ISCHR(found.st_mode) && !is_terminal(path)) return std::nullopt;
    return identity_of(found, "");
  }
  const std::filesystem::path target = link_target(path);
  if (::stat(folder_of(target).c_str(), &found) != 0) return std::nullopt;
  return identity_of(found, target.filename().string());
}

}  // namespace tributary
