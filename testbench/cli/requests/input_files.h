#pragma once
/// The input files of one request. Each file is read, and an MSCCL file is proved, the first time that a job names it.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/cli/requests/settings.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/workload/layer_table.h"

namespace tributary {

class InputFiles {
 public:
  /// Returns the proved schedule of `msccl:FILE`, imported by the family. Throws InputError that begins with the origin of
  /// the setting.
  const msccl::ImportedSchedule& schedule(const Setting& algorithm, const FamilyScheduleFiles& importer);
  /// Returns the rows of a layer table, in the order of the file. Throws InputError.
  const std::vector<workload::Layer>& layer_table(const Setting& path);

 private:
  std::map<std::string, msccl::ImportedSchedule> schedules_;
  std::map<std::string, std::vector<workload::Layer>> layer_tables_;
};

}  // namespace tributary
