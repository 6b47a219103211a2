#include "testbench/run/blocks/shadow_tap.h"

#include <algorithm>
#include <filesystem>

#include "modules/base/nearest.h"
#include "testbench/run/blocks/place_globs.h"
#include "testbench/run/errors.h"
#include "testbench/run/plugin.h"

namespace tributary {
namespace {

constexpr std::size_t none = std::string::npos;

/// Finds the `@` of @PLACE: the last one after the folders of the file.
std::size_t at_of(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return none;
  const std::size_t at = text.rfind('@');
  return at == none || text.find('/', at) != none ? none : at;
}

/// Returns the path without its suffix; `combinator_first` for a combinator.
std::string first_file(const std::string& folder, const std::string& block) {
  const std::string name = block.substr(block.rfind('.') + 1) + "_first";
  return folder == "." ? name : folder + "/" + name;
}

}  // namespace

std::string ShadowTap::plugin_of(const std::string& text) { return text.substr(0, at_of(text)); }

ShadowTap::ShadowTap(const std::string& text, const CompareRule& rule, std::string folder, std::shared_ptr<RtlTraces> traces)
    : rule_(rule), folder_(std::move(folder)) {
  const std::size_t at = at_of(text);
  const std::string plugin = plugin_of(text);
  file_ = plugin_file(plugin);
  if (at != none) glob_ = text.substr(at + 1);
  if (at != none && glob_.empty()) throw std::invalid_argument("a place is missing after @ (legal: a glob of names)");
  factories_.trace_rtl(std::move(traces));
  load_plugin(plugin, factories_);
}

bool ShadowTap::wants(const std::string& block) const {
  const std::vector<std::string> names = factories_.names();
  return std::find(names.begin(), names.end(), block) != names.end();
}

std::shared_ptr<BlockObserver> ShadowTap::attach(const BlockPlace& place, const MakeDriver& make) {
  places_.push_back(place.name);
  const bool first = std::none_of(shadows_.begin(), shadows_.end(),
                                  [&](const auto& shadow) { return shadow->place().block == place.block; });
  if (glob_.empty() ? !first : !selects_place(glob_, place.name)) return nullptr;
  shadows_.push_back(std::make_shared<BlockShadow>(place, make("shadow", &factories_), rule_));
  return shadows_.back();
}

void ShadowTap::check() const {
  if (!shadows_.empty()) return;
  if (places_.empty())
    throw SetupError("--shadow: no instance of " + join_names(factories_.names()) + " in this run can be compared");
  throw SetupError(no_such_place("--shadow", glob_, places_));
}

std::string ShadowTap::last_requests_file(const std::string& block) const { return first_file(folder_, block) + ".jsonl"; }

std::string ShadowTap::waveform_file(const std::string& block) const { return first_file(folder_, block) + ".vcd"; }

bool ShadowTap::differs() const {
  return std::any_of(shadows_.begin(), shadows_.end(), [](const auto& shadow) { return shadow->different() != 0; });
}

bool any_differs(const ShadowTaps& taps) {
  return std::any_of(taps.begin(), taps.end(), [](const auto& tap) { return tap->differs(); });
}

}  // namespace tributary
