#pragma once

#include <string>
#include <vector>

namespace tributary {

/// Platforms that are described by files. Several families have names of the form `file:FILE`.
class FamilyFiles {
 public:
  virtual ~FamilyFiles() = default;

  /// Returns true if a platform of this name belongs to the family. Throws std::invalid_argument, one line, as the reader of
  /// the file does.
  virtual bool takes(const std::string& platform) const = 0;
  /// Returns one line for each thing in the platform's file that is not modelled, and for each assumption where the file
  /// says nothing.
  virtual std::vector<std::string> notes(const std::string& platform) const = 0;
};

}  // namespace tributary
