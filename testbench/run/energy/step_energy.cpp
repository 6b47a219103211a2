#include "testbench/run/energy/step_energy.h"

#include <algorithm>
#include <cstring>

namespace tributary {
namespace {

bool is_same(const char* a, const char* b) { return std::strcmp(a, b) == 0; }

bool has_equal_price(const Action& a, const Action& b) {
  return a.part == b.part && is_same(a.component, b.component) && a.kind == b.kind && is_same(a.price, b.price) &&
         a.array_bytes == b.array_bytes && a.instances == b.instances && a.fpga == b.fpga && a.type == b.type &&
         a.op == b.op;
}

/// Keeps the largest count of devices of a kind: a transfer without accelerators does not remove those of others.
void merge(std::vector<StandingPower>& all, const StandingPower& more) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const StandingPower& s) {
    return is_same(s.device, more.device) && is_same(s.price, more.price);
  });
  if (found == all.end())
    all.push_back(more);
  else
    found->count = std::max(found->count, more.count);
}

}  // namespace

void StepEnergy::add(const EnergyUse& use, double times) {
  any_ = true;
  for (Action action : use.actions) {
    action.count *= times;
    const auto found =
        std::find_if(all_.actions.begin(), all_.actions.end(), [&](const Action& a) { return has_equal_price(a, action); });
    if (found == all_.actions.end())
      all_.actions.push_back(action);
    else
      found->count += action.count;
  }
  for (const StandingPower& s : use.standing) merge(all_.standing, s);
  if (all_.links.empty()) all_.links = use.links;
  for (const std::string& what : use.not_included)
    if (std::find(all_.not_included.begin(), all_.not_included.end(), what) == all_.not_included.end())
      all_.not_included.push_back(what);
}

void StepEnergy::add_area(const AreaReport& area) {
  for (const auto& [name, value] : area.values) {
    const auto found =
        std::find_if(area_.values.begin(), area_.values.end(), [&](const auto& one) { return one.first == name; });
    if (found == area_.values.end())
      area_.values.emplace_back(name, value);
    else
      found->second = std::max(found->second, value);
  }
}

std::optional<Energy> StepEnergy::of_iteration(const PriceParams& prices, double seconds, std::size_t iterations) const {
  if (!any_ || iterations == 0) return std::nullopt;
  const auto share = 1 / static_cast<double>(iterations);
  EnergyUse use = all_;
  for (Action& action : use.actions) action.count *= share;
  use.not_included.emplace_back("computation");
  return priced(use, prices, seconds);
}

}  // namespace tributary
