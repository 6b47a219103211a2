#include "testbench/cli/requests/input_files.h"

#include "testbench/cli/requests/option_text.h"

namespace tributary {

const topology::PlatformDescription& InputFiles::platform(const std::string& name) {
  auto found = platforms_.find(name);
  if (found == platforms_.end()) found = platforms_.emplace(name, name).first;
  return found->second;
}

const msccl::ImportedSchedule& InputFiles::schedule(const Setting& algorithm, const FamilyScheduleFiles& importer) {
  auto found = schedules_.find(algorithm.text);
  if (found == schedules_.end())
    found = schedules_.emplace(algorithm.text, with_place(algorithm.where, [&] { return importer.import(algorithm.text); }))
                .first;
  return found->second;
}

const std::vector<workload::Layer>& InputFiles::layer_table(const Setting& path) {
  auto found = layer_tables_.find(path.text);
  if (found == layer_tables_.end()) found = layer_tables_.emplace(path.text, workload::read_layer_table(path.text)).first;
  return found->second;
}

}  // namespace tributary
