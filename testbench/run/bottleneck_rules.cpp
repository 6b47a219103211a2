#include "testbench/run/bottleneck_rules.h"

#include <algorithm>

#include "testbench/run/run_spec.h"

namespace tributary {
namespace {

void add_link(const BottleneckRules& rules, const ResultRow& row, std::vector<BottleneckCandidate>& all) {
  const auto busiest = std::max_element(row.links.begin(), row.links.end(),
                                        [](const LinkUse& a, const LinkUse& b) { return a.utilisation < b.utilisation; });
  if (busiest == row.links.end() || busiest->bytes == 0) return;
  const auto number = static_cast<std::size_t>(busiest - row.links.begin());
  all.push_back({BottleneckCause::link, BottleneckKind::busy, busiest->name, "Link",
                 rules.link_parameter ? rules.link_parameter(number) : std::string(), busiest->utilisation});
}

BottleneckInput::Seen seen(const LevelTimes::Group& group) {
  BottleneckInput::Seen all;
  for (const LevelTimes::Level& level : group) {
    all.probes += level.changes > 0;
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

void add_path(const std::vector<PathPart>& parts, std::vector<BottleneckCandidate>& all) {
  for (const PathPart& part : parts)
    if (part.weight > 0)
      all.push_back({BottleneckCause::start_up, BottleneckKind::rest, "", "", part.parameter, 0, part.weight});
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

void take_off(std::vector<BottleneckCandidate>& all, BottleneckCause cause) {
  all.erase(std::remove_if(all.begin(), all.end(), [&](const BottleneckCandidate& c) { return c.cause == cause; }),
            all.end());
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

void add_credits(const BottleneckInput& in, BottleneckCandidate says, double credit_rate, double link_rate,
                 std::vector<BottleneckCandidate>& all) {
  constexpr double made_for_links = 0.9;
  const LinkShare link = most_bytes(in, "", credit_rate);
  says.module = link.to + ".input";
  says.share = link.share;
  if (credit_rate >= made_for_links * link_rate)
    for (const LinkUse& use : in.row.links)
      if (use.name == link.from + ">" + link.to) says.share = std::min(says.share, use.utilisation);
  all.push_back(std::move(says));
}

std::string module_of_probe(const std::string& probe) {
  const auto first = probe.find('.'), last = probe.rfind('.');
  return first == last ? probe : probe.substr(first + 1, last - first - 1);
}

BottleneckFinder::BottleneckFinder(BottleneckRules rules, const ProbeDirectory& probes) : rules_(std::move(rules)) {
  for (const BottleneckWatch& watch : rules_.watches) groups_.push_back(&levels_.add(probes, watch.glob, watch.bounds));
}

std::optional<Bottleneck> BottleneckFinder::bottleneck(const ResultRow& row, Tick t0, Tick end) const {
  BottleneckInput input{row, static_cast<double>(end > t0 ? end - t0 : 1)};
  std::vector<BottleneckCandidate> all;
  add_link(rules_, row, all);
  for (std::size_t w = 0; w < groups_.size(); ++w) {
    const LevelTimes::Group& group = *groups_[w];
    input.seen.push_back(seen(group));
    const LevelTimes::Level* most = longest(group, end);
    if (most == nullptr || most->until(end) == 0) continue;
    BottleneckCandidate candidate = rules_.watches[w].says;
    candidate.module = module_of_probe(most->name);
    candidate.share = static_cast<double>(most->until(end)) / input.time;
    all.push_back(std::move(candidate));
  }
  if (rules_.amend) rules_.amend(input, all);
  const bool path =
      std::any_of(all.begin(), all.end(), [](const BottleneckCandidate& c) { return c.kind == BottleneckKind::rest; });
  if (!path) all.push_back({BottleneckCause::start_up, BottleneckKind::rest, "", "", rules_.latency, 0});
  return bottleneck_of(all);
}

}  // namespace tributary
