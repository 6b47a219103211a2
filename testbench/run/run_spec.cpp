#include "testbench/run/run_spec.h"

#include "modules/base/field_type.h"
#include "testbench/run/one_lane.h"

namespace tributary {

unsigned RunSpec::lanes() const {
  const unsigned most = threads * (processes ? processes->size() : 1);
  return most > 1 && one_lane_because(*this).empty() ? most : 1;
}

std::string tuned_text(const ResultRow& row) {
  std::string text;
  for (const Choice& choice : row.tuned) text += (text.empty() ? "" : ", ") + choice.name + "=" + choice.text;
  return text;
}

std::string background_text(const RunSpec& spec) {
  if (spec.background_load <= 0) return "";
  const std::string load = print_real(spec.background_load);
  return spec.background_target ? "incast:" + load + "@" + std::to_string(*spec.background_target) : "uniform:" + load;
}

}  // namespace tributary
