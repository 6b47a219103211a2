#include "testbench/run/bottleneck_rules.h"

#include <algorithm>

#include "testbench/run/run_spec.h"

namespace tributary {
namespace {

void add_link(const BottleneckRules& rules, const ResultRow& row, BottleneckAccount& account) {
  const auto busiest = std::max_element(row.links.begin(), row.links.end(),
                                        [](const LinkUse& a, const LinkUse& b) { return a.utilisation < b.utilisation; });
  if (busiest == row.links.end() || busiest->bytes == 0) return;
  const auto number = static_cast<std::size_t>(busiest - row.links.begin());
  account.add({BottleneckCause::link, BottleneckKind::busy, busiest->name, "Link",
               rules.link_parameter ? rules.link_parameter(number) : std::string(), busiest->utilisation});
}

/// Flows have links and a path, and neither buffers nor packets.
void keep_links(BottleneckAccount& account) {
  auto& all = account.resources;
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& c) { return c.cause != BottleneckCause::link; }),
            all.end());
  account.needs.clear();
  account.disturbed = 0;
}

BottleneckInput::Seen seen(const LevelTimes::Group& group) {
  BottleneckInput::Seen all;
  for (const LevelTimes::Level& level : group) {
    all.probes += level.changes > 0;
    all.total += level.changes;
    all.largest = std::max(all.largest, level.largest);
    if (level.changes <= all.firings) continue;
    all.firings = level.changes;
    all.module = module_of_probe(level.name);
  }
  return all;
}

}  // namespace

double BottleneckInput::count(const std::string& counter) const {
  const auto found = row.counters.find(counter);
  return found == row.counters.end() ? 0 : found->second;
}

double mean_links(const ResultRow& row, const std::string& begin) {
  const double sent = bytes_from(row, begin);
  return sent > 0 ? bytes_from(row, "") / sent : 1;
}

double bytes_from(const ResultRow& row, const std::string& begin) {
  double bytes = 0;
  for (const LinkUse& link : row.links)
    if (link.name.compare(0, begin.size(), begin) == 0) bytes += static_cast<double>(link.bytes);
  return bytes;
}

void take_off(BottleneckAccount& account, BottleneckCause cause) {
  auto& all = account.resources;
  all.erase(std::remove_if(all.begin(), all.end(), [&](const BottleneckCandidate& c) { return c.cause == cause; }),
            all.end());
}

bool is_bound(const BottleneckAccount& account) {
  return std::any_of(account.resources.begin(), account.resources.end(), [](const BottleneckCandidate& c) {
    return c.kind == BottleneckKind::busy && c.share >= 1 - bottleneck_closes;
  });
}

LinkShare most_bytes(const BottleneckInput& in, const std::string& begin, double bytes_per_ps) {
  const LinkUse* most = nullptr;
  for (const LinkUse& link : in.row.links)
    if (link.name.compare(0, begin.size(), begin) == 0 && (most == nullptr || link.bytes > most->bytes)) most = &link;
  if (most == nullptr) return {};
  const auto arrow = most->name.find('>');
  return {most->name.substr(0, arrow), arrow == std::string::npos ? most->name : most->name.substr(arrow + 1),
          static_cast<double>(most->bytes) / (bytes_per_ps * in.time)};
}

void add_credits(const BottleneckInput& in, BottleneckCandidate says, const CreditRates& rates, BottleneckAccount& account) {
  if (rates.now >= rates.link) {
    const double used = bottleneck_headroom * rates.link / rates.faster;
    if (!rates.automatic) account.needs.push_back({BottleneckCause::link, says.cause, says.parameter, used});
    return;
  }
  const LinkShare link = most_bytes(in, "", rates.now);
  says.module = link.to + ".input";
  says.share = link.share;
  account.add(std::move(says));
}

std::string module_of_probe(const std::string& probe) {
  const auto first = probe.find('.'), last = probe.rfind('.');
  return first == last ? probe : probe.substr(first + 1, last - first - 1);
}

BottleneckFinder::BottleneckFinder(BottleneckRules rules, const ProbeDirectory& probes) : rules_(std::move(rules)) {
  for (const BottleneckWatch& watch : rules_.watches) groups_.push_back(&levels_.add(probes, watch.glob, watch.bounds));
  for (const auto& observer : rules_.observers) observer->attach(probes);
}

void BottleneckFinder::reset() {
  levels_.reset();
  for (const auto& observer : rules_.observers) observer->reset();
}

std::optional<Bottleneck> BottleneckFinder::bottleneck(const ResultRow& row, Tick t0, Tick end) const {
  BottleneckInput input{row, static_cast<double>(end > t0 ? end - t0 : 1), end};
  BottleneckAccount account;
  account.time = input.time;
  add_link(rules_, row, account);
  for (std::size_t w = 0; w < groups_.size(); ++w) {
    const LevelTimes::Group& group = *groups_[w];
    input.seen.push_back(seen(group));
    const LevelTimes::Level* most = longest(group, end);
    if (rules_.watches[w].says.parameter.empty() || most == nullptr || most->until(end) == 0) continue;
    BottleneckCandidate candidate = rules_.watches[w].says;
    candidate.module = module_of_probe(most->name);
    candidate.share = static_cast<double>(most->until(end)) / input.time;
    account.add(std::move(candidate));
  }
  if (rules_.amend) rules_.amend(input, account);
  if (rules_.flows) keep_links(account);
  return bottleneck_of(account);
}

}  // namespace tributary
