#include "testbench/cli/requests/trace_options.h"

#include <iostream>

#include "modules/base/field_type.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

BlockQuery read_block(const Settings& settings, const RunSpec& spec, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::uint64_t number = parse_count(text.substr(0, colon), ~std::uint64_t{0});
  const Family& family = family_of(spec.platform);
  const FamilyTrace* const trace = family.facets().trace;
  if (trace == nullptr)
    throw InputError("nothing can be followed by its number on " + spec.platform + " (legal: on " +
                     join_names(platform_kinds_with(&FamilyFacets::trace), "and") + ")");
  BlockQuery query = trace->query(number);
  if (colon != std::string::npos)
    query.endpoint = static_cast<unsigned>(
        parse_count(text.substr(colon + 1), static_cast<std::uint64_t>(family.platform(spec.platform).endpoints - 1)));
  if (spec.messages() != 1) throw InputError("one block of one message can be followed (legal: with one --size, once)");
  if (settings.has("trace"))
    throw InputError("a block selects its own signals, but --trace is given (legal: one of the two)");
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
  if (free && trace != nullptr && spec.messages() == 1 && spec.engine != EngineMode::fluid)
    spec.trace.block = trace->first();
  if (spec.trace.block) return;
  const std::string other =
      trace != nullptr ? "--trace-block N follows one of a run of one message" : "--trace GLOB shows signals";
  std::cerr << "tributary: note: --log-level trace follows no block here; " << other << "\n";
}

}  // namespace tributary
