#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace tributary {

/// A folder that is deleted with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static unsigned serial = 0;
    const std::string name = "tributary-test-" + std::to_string(::getpid()) + "-" + std::to_string(serial++);
    path_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace tributary
