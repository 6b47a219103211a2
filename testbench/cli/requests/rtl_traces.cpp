#include "testbench/cli/requests/rtl_traces.h"

#include <filesystem>
#include <utility>

#include "testbench/cli/requests/output_check.h"
#include "testbench/workload/input_error.h"

namespace tributary {

void require_folder(const Setting& folder) {
  if (folder.text.empty()) throw InputError(folder.where + ": a folder is missing (legal: a path)");
  if (!std::filesystem::is_directory(folder.text))
    throw InputError(folder.where + ": there is no folder '" + folder.text + "' (legal: a folder)");
}

std::shared_ptr<TraceFiles> make_rtl_traces(const Settings& settings) {
  const Setting* const folder = settings.find("trace-rtl-dir");
  if (folder != nullptr) require_folder(*folder);
  std::vector<TraceFiles::Chosen> chosen;
  for (const Setting& setting : settings.all("trace-rtl")) chosen.push_back({setting.text, setting.where});
  if (chosen.empty() && folder != nullptr) throw InputError(folder->where + " requires --trace-rtl GLOB");
  if (chosen.empty()) return nullptr;
  const Setting asked = folder == nullptr ? *settings.find("trace-rtl") : *folder;
  return std::make_shared<TraceFiles>(std::move(chosen), folder == nullptr ? "." : folder->text,
                                      [settings, asked](const std::string& file) { check_no_input(settings, asked, file); });
}

}  // namespace tributary
