#include "testbench/cli/requests/disturbances.h"

#include <charconv>
#include <string>
#include <vector>

#include "testbench/cli/requests/setting_text.h"
#include "testbench/run/add_fault.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/family.h"
#include "testbench/workload/input_error.h"

namespace tributary {

void set_background(const Settings& settings, RunSpec& spec) {
  with(settings, "background", [&](const std::string& text) {
    const Family& family = family_of(spec.platform);
    const FamilyBackground* const background = family.facets().background;
    const int targets = background != nullptr ? background->targets(spec.platform) : 0;
    const bool incasts = targets > 0;
    const std::string legal = std::string(" (legal: uniform:LOAD") + (incasts ? " or incast:LOAD@HOST, LOAD" : ",") +
                              " above 0 and at most 1, for instance " + (incasts ? "incast:0.2@3)" : "uniform:0.2)");
    const std::size_t colon = text.find(':'), at = text.find('@');
    const bool incast = incasts && text.substr(0, colon) == "incast";
    if (colon == std::string::npos || (!incast && text.substr(0, colon) != "uniform") || (incast && at == std::string::npos))
      throw InputError("'" + text + "' is not background traffic" + legal);
    const std::string load = text.substr(colon + 1, incast ? at - colon - 1 : std::string::npos);
    if (incast) {
      const auto last = static_cast<std::uint64_t>(targets - 1);
      spec.background_target = static_cast<int>(parse_count(text.substr(at + 1), last));
    }
    const auto [end, error] = std::from_chars(load.data(), load.data() + load.size(), spec.background_load);
    if (error != std::errc() || end != load.data() + load.size()) throw InputError("'" + load + "' is not a load" + legal);
    if (!(spec.background_load > 0 && spec.background_load <= 1))
      throw InputError("a load of " + load + " is out of range" + legal);
  });
}

void set_faults(const Settings& settings, RunSpec& spec) {
  const Family& family = family_of(spec.platform);
  const FamilyFacets can = family.facets();
  if (can.link_faults == nullptr && can.frames == nullptr) {
    const auto has_faults = [](const FamilyFacets& f) { return f.link_faults != nullptr || f.frames != nullptr; };
    refuse_platform(settings, "fault", "faults of links are not modelled on " + spec.platform.name(),
                    platform_kinds_with(has_faults));
  }
  const topology::Graph graph = family.graph_of_run(spec);
  with(settings, "fault", [&](const std::string& text) { add_fault(spec, text, graph); });
}

}  // namespace tributary
