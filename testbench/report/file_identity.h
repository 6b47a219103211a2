#pragma once
/// Compares files by their identity on disk, not by the texts of their paths.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tributary {

/// Returns the path that writing to `path` reaches: links are followed, also those to a file that does not exist yet.
std::filesystem::path link_target(std::filesystem::path path);

/// A file with all its names: hard links, symbolic links, and different spellings of a path.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;  ///< those of the file, or of the folder in which it would be created
  std::string name;                     ///< name of a file that does not exist yet; empty if the file exists
  bool regular = true;                  ///< false for pipes and terminals

  bool operator==(const FileIdentity& o) const { return device == o.device && inode == o.inode && name == o.name; }
};

/// Returns nothing for a device that keeps nothing, such as /dev/null, and for a file whose folder does not exist.
std::optional<FileIdentity> file_identity(const std::string& path);

}  // namespace tributary
