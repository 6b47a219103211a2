#pragma once

#include <string>

namespace tributary {

/// A new folder for temporary files, which is removed with its content.
class ScratchFolder {
 public:
  /// Throws std::runtime_error.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tributary
