#include "testbench/family/netreduce/wave_names.h"

#include <algorithm>
#include <map>

#include "testbench/observe/gtkwave_format.h"

namespace tributary {
namespace {

/// As GTKWave wants it before a name.
std::string colour_of(const std::string& name) {
  static const std::map<std::string, std::string> colours{
      {"gradient", "?DarkGreen?"}, {"result", "?RoyalBlue?"}, {"sum", "?DarkCyan?"}, {"whole sum", "?RoyalBlue?"},
      {"NACK", "?DarkOrange?"},    {"lost", "?Red?"},         {"dropped", "?Red?"},  {"damaged", "?Red?"},
      {"doubled", "?Purple?"},     {"timeout", "?Red?"},      {"goes back", "?DarkOrange?"}};
  const auto found = colours.find(name);
  return found == colours.end() ? std::string() : found->second;
}

}  // namespace

std::uint64_t WaveNames::number_of(const std::string& name) {
  auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) found = names_.insert(names_.end(), name);
  return static_cast<std::uint64_t>(found - names_.begin());
}

std::string WaveNames::file() const { return base_name(file_); }

void WaveNames::write() const {
  std::vector<std::string> coloured = names_;
  for (std::string& name : coloured) name.insert(0, colour_of(name));
  std::vector<const char*> texts;
  for (const std::string& name : coloured) texts.push_back(name.c_str());
  texts.push_back(nullptr);
  write_filter(file_, texts.data(), width);
}

}  // namespace tributary
