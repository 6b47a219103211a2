#include "testbench/cli/explore/explore_page_file.h"

#include <filesystem>

#include "testbench/cli/requests/file_options.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

fs::path place_of(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

void add_inputs_of(const Settings& settings, Settings& inputs) {
  for (const auto& [option, given] : settings.all())
    for (const Setting& setting : given)
      if (!files_read(option, setting.text).empty()) inputs.add(option, setting);
}

/// Returns the files that the exploration and its runs read.
Settings inputs_of(const ExploreRequest& request) {
  const ExploreFile& file = request.model->file();
  Settings inputs;
  inputs.add("file", {request.file, "FILE"});
  for (const ExploreWorkload& workload : file.workloads) add_inputs_of(workload.settings, inputs);
  for (const Settings& rung : file.method.rungs) add_inputs_of(rung, inputs);
  for (const ExploreVariable& variable : file.variables)
    for (const std::string& text : variable.variable.values)
      if (variable.is_option && !files_read(variable.target, text).empty())
        inputs.add(variable.target, {text, variable.where});
  return inputs;
}

}  // namespace

void check_page_file(const ExploreRequest& request) {
  const Setting given{request.page, "--html"};
  if (request.page.empty()) throw InputError("--html: a file name is missing (legal: a path)");
  const fs::path page = place_of(request.page), folder = place_of(request.folder);
  const bool is_table = page == folder / "points.csv" || page == folder / "front.csv" || page == folder / "explore.json";
  const bool is_compared = request.other && page == place_of(request.other->folder) / "explore.json";
  if (is_compared) throw InputError("--html: '" + request.page + "' is also an input of --compare (legal: another file)");
  if (is_table || page.parent_path() == folder / "points")
    throw InputError("--html: '" + request.page + "' is also a file of --out (legal: another file)");
  Settings files = inputs_of(request);
  std::error_code ignored;
  if (page.parent_path() == folder && !fs::exists(folder, ignored)) return check_no_input(files, given, request.page);
  files.add("html", given);
  check_outputs(files);
}

}  // namespace tributary
