#include "testbench/cli/measured/named_parameters.h"

#include <nlohmann/json.hpp>

#include "testbench/report/json_report.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

/// Collects texts under `parameter` and `parameters`, in the order of the document.
void collect(const Json& json, std::vector<std::string>& names) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    if (key == "parameter" && value.is_string() && !value.get<std::string>().empty()) names.push_back(value);
    if (key == "parameters" && value.is_array())
      for (const Json& name : value)
        if (name.is_string()) names.push_back(name);
    collect(value, names);
  }
}

}  // namespace

std::vector<std::string> named_parameters(const Json& row) {
  std::vector<std::string> names;
  if (row.is_object() && row.contains("bottleneck")) collect(row["bottleneck"], names);
  return names;
}

std::vector<std::string> named_parameters(const ResultRow& row) { return named_parameters(row_json(row)); }

}  // namespace tributary
