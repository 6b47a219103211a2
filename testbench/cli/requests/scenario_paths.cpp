#include "testbench/cli/requests/scenario_paths.h"

#include <filesystem>

#include "testbench/cli/requests/file_options.h"

namespace tributary {
Setting from_scenario(const std::string& file, const std::string& option, Setting setting) {
  const std::size_t begin = path_begin(option, setting.text);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (begin == std::string::npos || folder.empty()) return setting;
  const std::filesystem::path path = setting.text.substr(begin);
  if (path.empty() || path == "-" || path.is_absolute()) return setting;
  setting.written = setting.text;
  setting.text = setting.text.substr(0, begin) + (folder / path).string();
  return setting;
}

}  // namespace tributary
