#include "testbench/report/replacement_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>
#include <system_error>

namespace tributary {
namespace {

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

/// Returns a short name, so that it is legal wherever the name of the replaced file is.
std::string random_name() {
  std::random_device random;
  char name[40];
  std::snprintf(name, sizeof name, ".tributary-%08x%08x.tmp", random(), random());
  return name;
}

}  // namespace

ReplacementFile::ReplacementFile(const std::filesystem::path& folder) {
  constexpr int most_attempts = 16;
  for (int i = 0; i < most_attempts && file_ < 0; ++i) {
    path_ = folder / random_name();
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) fail();
  }
  if (file_ < 0) fail();
}

ReplacementFile::~ReplacementFile() {
  if (file_ >= 0) ::close(file_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

void ReplacementFile::write(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    done += static_cast<std::size_t>(written);
  }
}

void ReplacementFile::replace(const std::filesystem::path& target) {
  struct stat old {};
  constexpr mode_t permissions = 0777;
  if (::stat(target.c_str(), &old) == 0) static_cast<void>(::fchmod(file_, old.st_mode & permissions));
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail();
  if (::rename(path_.c_str(), target.c_str()) != 0) fail();
  path_.clear();
}

}  // namespace tributary
