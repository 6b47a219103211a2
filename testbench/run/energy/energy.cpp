#include "testbench/run/energy/energy.h"

#include <algorithm>
#include <map>

#include "testbench/run/family.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

/// Things that no energy contains.
const std::vector<std::string>& standard_exclusions() {
  static const std::vector<std::string> all{"optics", "fans", "power supplies", "host processors", "GPUs while they wait"};
  return all;
}

/// Returns the share of the links' full power that they draw without traffic, W.
double idle_links(const EnergyUse& use, const EnergyPrices& prices) {
  double watts = 0;
  for (const LinkCapacity& c : use.links) watts += c.bits_per_second * prices.at(c.price) * 1e-12;
  return watts * prices.at("energy.link.idle_share");
}

double watts_of(const EnergyUse& use, const EnergyPrices& prices) {
  double watts = idle_links(use, prices);
  for (const StandingPower& s : use.standing) watts += s.count * prices.at(s.price);
  return watts;
}

/// A link that draws power without traffic draws that much less for its bits. It does so where the rates of all links of its
/// kind are known.
double price_of(const Action& action, const EnergyUse& use, const EnergyPrices& prices) {
  double price = prices.of(action);
  for (const LinkCapacity& c : use.links)
    if (action.part == EnergyPart::links && std::string(c.price) == action.price)
      price *= 1 - prices.at("energy.link.idle_share");
  return price;
}

double total_at(const EnergyUse& use, const PriceParams& params, double seconds, EnergyPrices::End end) {
  const EnergyPrices prices(params, end);
  double joules = watts_of(use, prices) * seconds;
  for (const Action& a : use.actions) joules += a.count * price_of(a, use, prices) * 1e-12;
  return joules;
}

std::vector<std::pair<std::string, double>> prices_of(const EnergyUse& use, const EnergyPrices& prices) {
  std::map<std::string, double> all;
  for (const Action& a : use.actions)
    for (const auto& [name, price] : prices.parameters_of(a)) all[name] = price;
  for (const StandingPower& s : use.standing) all[s.price] = prices.at(s.price);
  if (const double share = prices.at("energy.link.idle_share"); share > 0) all["energy.link.idle_share"] = share;
  return {all.begin(), all.end()};
}

}  // namespace

Energy priced(const EnergyUse& use, const PriceParams& params, double seconds) {
  const EnergyPrices prices(params);
  Energy energy;
  for (const Action& a : use.actions) {
    const double price = price_of(a, use, prices), joules = a.count * price * 1e-12;
    energy.parts[static_cast<std::size_t>(a.part)] += joules;
    energy.has[static_cast<std::size_t>(a.part)] |= a.count > 0;
    energy.actions.push_back({a, price, joules});
  }
  for (const double joules : energy.parts) energy.marginal += joules;
  for (const StandingPower& s : use.standing) energy.powers.emplace_back(s, prices.at(s.price));
  energy.standing = watts_of(use, prices) * seconds;
  energy.low = total_at(use, params, seconds, EnergyPrices::End::low);
  energy.high = total_at(use, params, seconds, EnergyPrices::End::high);
  energy.prices = prices_of(use, prices);
  energy.not_included = standard_exclusions();
  if (prices.at("energy.gpu.standing") > 0) energy.not_included.pop_back();
  energy.not_included.insert(energy.not_included.end(), use.not_included.begin(), use.not_included.end());
  return energy;
}

std::optional<EnergyUse> energy_use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) {
  const FamilyEnergy* const family = family_of(spec.platform).facets().energy;
  if (family == nullptr || !is_complete(row.status) || row.time == 0 || row.links.empty()) return std::nullopt;
  return family->use(spec, params, row);
}

std::optional<Energy> energy_of(const RunSpec& spec, const RunParameters& params, const ResultRow& row) {
  if (spec.jobs.size() > 1) return std::nullopt;
  const auto use = energy_use(spec, params, row);
  if (!use) return std::nullopt;
  Energy energy = priced(*use, params.prices, static_cast<double>(row.time) * 1e-12);
  energy.bytes = static_cast<double>(spec.jobs.front().ranks.size()) * static_cast<double>(row.size_bytes);
  energy.reduces = collective_of(spec.jobs.front().collective).reduces;
  return energy;
}

AreaReport area_of(const RunSpec& spec, const RunParameters& params) {
  const FamilyEnergy* const family = family_of(spec.platform).facets().energy;
  return family == nullptr ? AreaReport{} : family->area(spec, params);
}

double counted(const ResultRow& row, const std::string& counter, EnergyUse& use) {
  const auto found = row.counters.find(counter);
  if (found != row.counters.end()) return found->second;
  use.not_included.push_back("counter " + counter);
  return 0;
}

}  // namespace tributary
