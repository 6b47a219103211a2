#include "modules/streams/core/engine_grants.h"

#include <algorithm>

namespace tributary {

EngineGrants::EngineGrants(unsigned logical, unsigned physical, EngineLinks links)
    : links_(links),
      open_(logical, true),
      busy_(physical == 0 ? logical : std::min(physical, logical), false),
      probes_(busy_.size()) {}

bool EngineGrants::any() const {
  for (unsigned e = 0; e < open_.size(); ++e)
    if (open(e)) return true;
  return false;
}

std::optional<unsigned> EngineGrants::engine_for(std::uint32_t ports) const {
  const auto logical = static_cast<unsigned>(open_.size());
  if (links_ == EngineLinks::own) {
    const unsigned own = ports == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(ports)) % logical;
    return open(own) ? std::optional<unsigned>(own) : std::nullopt;
  }
  for (unsigned e = 0; e < logical; ++e)
    if (open(e)) return e;
  return std::nullopt;
}

void EngineGrants::take(unsigned engine, Tick now) {
  const std::size_t physical = engine % busy_.size();
  open_[engine] = false;
  busy_[physical] = true;
  if (shared()) probes_[physical](now, 1);
}

void EngineGrants::free(unsigned engine, Tick now) {
  const std::size_t physical = engine % busy_.size();
  open_[engine] = true;
  busy_[physical] = false;
  if (shared()) probes_[physical](now, 0);
}

void EngineGrants::reset() {
  std::fill(open_.begin(), open_.end(), true);
  std::fill(busy_.begin(), busy_.end(), false);
}

void EngineGrants::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t p = 0; p < probes_.size() && shared(); ++p)
    directory.add_signal(prefix + "physical" + std::to_string(p) + ".busy", probes_[p], SignalKind::level, 1,
                         "a logical engine of this physical copy engine has a copy");
}

}  // namespace tributary
