#pragma once

#include <filesystem>
#include <string>

namespace tributary {

/// A new file that can replace another one. Its name cannot be guessed, and it never opens a file or link that exists. The
/// destructor removes the file unless it has replaced another one.
class ReplacementFile {
 public:
  /// Creates the file. Throws std::system_error.
  explicit ReplacementFile(const std::filesystem::path& folder);
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;
  ~ReplacementFile();

  /// Throws std::system_error.
  void write(const std::string& text);
  /// Closes the file and renames it to `target`, which keeps the permissions of the file that it replaces. Throws
  /// std::system_error.
  void replace(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace tributary
