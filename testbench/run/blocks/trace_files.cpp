#include "testbench/run/blocks/trace_files.h"

#include <utility>

#include "modules/base/nearest.h"
#include "testbench/run/blocks/place_globs.h"
#include "testbench/run/errors.h"

namespace tributary {

TraceFiles::TraceFiles(std::vector<Chosen> chosen, std::string folder, std::function<void(const std::string&)> admit)
    : chosen_(std::move(chosen)), folder_(std::move(folder)), admit_(std::move(admit)), used_(chosen_.size()) {}

std::string TraceFiles::file_of(const std::string& name) {
  const unsigned number = models_[name]++;
  bool writes = false;
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    if (selects_place(chosen_[i].glob, name)) used_[i] = writes = true;
  if (!writes) return "";
  const std::string file = name + (number == 0 ? "" : "." + std::to_string(number)) + ".vcd";
  const std::string path = folder_ == "." ? file : folder_ + "/" + file;
  admit_(path);
  return path;
}

void TraceFiles::check() const {
  std::vector<std::string> names;
  for (const auto& [name, models] : models_) names.push_back(name);
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (used_[i]) continue;
    const std::string& where = chosen_[i].where;
    if (names.empty()) throw SetupError(where + ": this run has no block in RTL that was built with TRACE");
    const std::vector<std::string> nearest = nearest_names(chosen_[i].glob, names);
    throw SetupError(where + ": no block in RTL with TRACE has the name '" + chosen_[i].glob + "'; did you mean " +
                     (nearest.empty() ? names.front() : nearest.front()) + "? (there are " + std::to_string(names.size()) +
                     ")");
  }
}

}  // namespace tributary
