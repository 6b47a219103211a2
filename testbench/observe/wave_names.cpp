#include "testbench/observe/wave_names.h"

#include <algorithm>

#include "testbench/observe/gtkwave_format.h"

namespace tributary {
std::uint64_t WaveNames::number_of(const std::string& name) {
  auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) found = names_.insert(names_.end(), name);
  return static_cast<std::uint64_t>(found - names_.begin());
}

std::string WaveNames::file() const { return base_name(file_); }

void WaveNames::write() const {
  std::vector<std::string> coloured = names_;
  for (std::string& name : coloured)
    if (const auto found = colours_.find(name); found != colours_.end()) name.insert(0, found->second);
  std::vector<const char*> texts;
  for (const std::string& name : coloured) texts.push_back(name.c_str());
  texts.push_back(nullptr);
  write_filter(file_, texts.data(), width);
}

}  // namespace tributary
