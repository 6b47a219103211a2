#include "testbench/cli/requests/trace_options.h"

#include <iostream>

#include "modules/base/field_type.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

BlockQuery read_block(const Settings& settings, const RunSpec& spec, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::uint64_t number = parse_count(text.substr(0, colon), ~std::uint64_t{0});
  const Family& family = family_of(spec.platform);
  const FamilyTrace* const trace = family.facets().trace;
  if (trace == nullptr)
    throw InputError("--trace-block does not exist on " + spec.platform.name() + " (legal on " +
                     join_names(platform_kinds_with(&FamilyFacets::trace), "and") + ")");
  BlockQuery query = trace->query(number);
  if (colon != std::string::npos)
    query.endpoint = static_cast<unsigned>(
        parse_count(text.substr(colon + 1), static_cast<std::uint64_t>(family.platform(spec.platform).endpoints - 1)));
  if (spec.messages() != 1)
    throw InputError("a block can be followed in a run of one message (legal with one --size and one iteration)");
  if (settings.has("trace"))
    throw InputError("--trace is given, but the block selects its own signals (legal: one of them)");
  return query;
}

}  // namespace

void set_block(const Settings& settings, RunSpec& spec) {
  for (const Setting& setting : settings.all("trace-block"))
    with_place(setting.where, [&] { spec.trace.block = read_block(settings, spec, setting.text); });
}

void follow_first_block(const Settings& settings, RunSpec& spec) {
  const FamilyTrace* const trace = family_of(spec.platform).facets().trace;
  const bool free = !spec.trace.block && !settings.has("trace") && !settings.has("vcd");
  if (free && trace != nullptr && spec.messages() == 1 && spec.mode != SimulationMode::fluid)
    spec.trace.block = trace->first(spec);
  if (spec.trace.block) return;
  const std::string other =
      trace != nullptr ? "--trace-block N follows a block in a run of one message" : "--trace GLOB shows signals";
  std::cerr << "tributary: note: --log-level trace logs no block here; " << other << "\n";
}

}  // namespace tributary
