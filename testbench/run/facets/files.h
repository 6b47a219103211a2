#pragma once

#include <string>
#include <vector>

#include "platforms/topology/platform_description.h"

namespace tributary {

/// Platforms that are described by files. Several families have names of the form `file:FILE`.
class FamilyFiles {
 public:
  virtual ~FamilyFiles() = default;

  /// Returns true if the platform belongs to the family.
  virtual bool takes(const topology::PlatformDescription& platform) const = 0;
  /// Returns one line for each thing in the platform's file that is not modelled, and for each assumption where the file
  /// says nothing.
  virtual std::vector<std::string> notes(const topology::PlatformDescription& platform) const = 0;
};

}  // namespace tributary
