#include "testbench/workload/training/parallel_degrees.h"

#include <algorithm>
#include <array>
#include <utility>

#include "modules/base/field_type.h"

namespace tributary {
namespace {

using training::ParallelDegrees;

constexpr std::array<std::pair<const char*, unsigned ParallelDegrees::*>, 4> degrees_by_name{
    {{"tensor", &ParallelDegrees::tensor},
     {"context", &ParallelDegrees::context},
     {"pipeline", &ParallelDegrees::pipeline},
     {"expert", &ParallelDegrees::expert}}};
constexpr std::uint64_t largest_degree = 1024;

}  // namespace

ParallelDegrees ParameterText<ParallelDegrees>::parse(const std::string& text) {
  ParallelDegrees degrees;
  if (text == "none") return degrees;
  std::string seen;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string entry = text.substr(at, end - at), name = entry.substr(0, entry.find('='));
    const auto* const found = std::find_if(degrees_by_name.begin(), degrees_by_name.end(),
                                           [&](const auto& degree) { return name == degree.first; });
    if (found == degrees_by_name.end() || name == entry) throw UnitError("'" + entry + "' is not a degree");
    if (seen.find(name) != std::string::npos) throw UnitError("'" + name + "' is given twice");
    seen += name + ",";
    const std::uint64_t number = parse_count(entry.substr(name.size() + 1), largest_degree);
    if (number == 0) throw UnitError("'" + entry + "' is out of range");
    degrees.*(found->second) = static_cast<unsigned>(number);
    at = end + 1;
  }
  return degrees;
}

std::string ParameterText<ParallelDegrees>::print(const ParallelDegrees& degrees) {
  std::string text;
  for (const auto& [name, degree] : degrees_by_name)
    if (degrees.*degree > 1) text += (text.empty() ? "" : ",") + std::string(name) + "=" + std::to_string(degrees.*degree);
  return text.empty() ? "none" : text;
}

}  // namespace tributary
