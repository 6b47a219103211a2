#pragma once
/// The input files of one request, or of all points of a sweep, and what their runs share. Each file is read, and an MSCCL
/// file is proved, the first time that it is named.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/topology/platform_description.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/collective/packing/kept_trees.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/workload/layer_table.h"

namespace tributary {

class InputFiles {
 public:
  /// Returns the platform of that name. Throws std::invalid_argument as the readers of its files do.
  const topology::PlatformDescription& platform(const std::string& name);
  /// Returns the proved schedule of `msccl:FILE`, imported by the family. Throws InputError that begins with the origin of
  /// the setting.
  const msccl::ImportedSchedule& schedule(const Setting& algorithm, const FamilyScheduleFiles& importer);
  /// Returns the rows of a layer table, in the order of the file. Throws InputError.
  const std::vector<workload::Layer>& layer_table(const Setting& path);
  /// Returns the trees that runs of these files share (RunSpec::trees).
  const std::shared_ptr<collective::KeptTrees>& trees() const { return trees_; }

 private:
  std::map<std::string, topology::PlatformDescription> platforms_;
  std::map<std::string, msccl::ImportedSchedule> schedules_;
  std::map<std::string, std::vector<workload::Layer>> layer_tables_;
  std::shared_ptr<collective::KeptTrees> trees_ = std::make_shared<collective::KeptTrees>();
};

}  // namespace tributary
