#pragma once

#include <string>

#include "testbench/interchange/msccl/import.h"

namespace tributary {

/// Schedules of files that endpoints execute in place of an algorithm: `--algorithm msccl:FILE`.
class FamilyScheduleFiles {
 public:
  virtual ~FamilyScheduleFiles() = default;

  /// Reads and proves the schedule that `algorithm` names. Throws as msccl::import_named().
  virtual msccl::ImportedSchedule import(const std::string& algorithm) const { return msccl::import_named(algorithm); }
};

}  // namespace tributary
