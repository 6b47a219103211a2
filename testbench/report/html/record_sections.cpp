#include "testbench/report/html/record_sections.h"

#include <algorithm>
#include <utility>

#include "modules/base/text_format.h"
#include "testbench/report/html/curves.h"
#include "testbench/report/html/shades.h"
#include "testbench/report/html/strips.h"

namespace tributary::html {
namespace {

constexpr std::size_t shown_links = 64, most_links = 320, shown_levels = 32, shown_lanes = 64;

TimeScale scale_of(const RunRecord& record) { return {record.length(), record.stretch(), record.stretches()}; }

double most_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// Returns the series in descending order of their means.
std::vector<const RecordedSeries*> by_mean(const std::vector<RecordedSeries>& all) {
  std::vector<const RecordedSeries*> sorted;
  for (const RecordedSeries& s : all)
    if (most_of(s.means) > 0) sorted.push_back(&s);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->mean > b->mean; });
  return sorted;
}

std::string links_section(const RunRecord& record) {
  const std::vector<const RecordedSeries*> links = by_mean(record.links());
  std::vector<Strip> first, rest;
  for (std::size_t i = 0; i < links.size() && i < most_links; ++i) {
    const RecordedSeries& link = *links[i];
    (i < shown_links ? first : rest)
        .push_back({link.name, "busy " + fixed(100 * link.mean, 1) + " % of the time", link.means});
  }
  const std::size_t idle = record.links().size() - links.size();
  std::vector<double> busiest(record.stretches(), 0), mean(record.stretches(), 0);
  for (const RecordedSeries* link : links)
    for (std::size_t i = 0; i < busiest.size(); ++i) {
      busiest[i] = std::max(busiest[i], 100 * link->means[i]);
      mean[i] += 100 * link->means[i] / static_cast<double>(record.links().size());
    }
  std::string text = draw_curves("busy (%)", {{"busiest link", busiest}, {"mean of all links", mean}}, scale_of(record)) +
                     paragraph("Drag in a chart or strip to zoom all of them; double-click to reset the zoom.", "soft") +
                     shade_legend("idle", "busy") + draw_strips(first, scale_of(record), "links over time, busiest first");
  if (!rest.empty())
    text += folded("the next " + std::to_string(rest.size()) + " links",
                   draw_strips(rest, scale_of(record), "the other links over time"));
  if (links.size() > most_links)
    text += paragraph(std::to_string(links.size() - most_links) + " more links are not shown.", "soft");
  if (idle > 0) text += paragraph(std::to_string(idle) + (idle == 1 ? " link is idle." : " links are idle."), "soft");
  return text;
}

std::string levels_section(const RunRecord& record, const RecordedGroup<RecordedSeries>& group) {
  std::vector<double> most(record.stretches(), 0), mean(record.stretches(), 0);
  double peak = 0;
  for (const RecordedSeries& s : group.members)
    for (std::size_t i = 0; i < most.size(); ++i) {
      most[i] = std::max(most[i], s.peaks[i]);
      mean[i] += s.means[i] / static_cast<double>(group.members.size());
      peak = std::max(peak, s.peaks[i]);
    }
  const std::string unit = group.title.substr(group.title.find(": ") == std::string::npos ? 0 : group.title.find(": ") + 2);
  std::string text = draw_curves(unit, {{"maximum", most}, {"mean", mean}}, scale_of(record));
  std::vector<Strip> strips;
  for (const RecordedSeries* s : by_mean(group.members)) {
    if (strips.size() == shown_levels) break;
    Strip strip{s->name, "mean " + fixed(s->mean, 2) + ", maximum " + fixed(most_of(s->peaks), 0), s->means};
    for (double& share : strip.shares) share /= peak;
    strips.push_back(std::move(strip));
  }
  text += shade_legend("0", fixed(peak, 0)) + draw_strips(strips, scale_of(record), group.title + ", by device");
  if (group.members.size() > strips.size())
    text += paragraph(std::to_string(group.members.size() - strips.size()) + " with lower means are not shown.", "soft");
  return text;
}

std::string events_section(const RunRecord& record) {
  std::vector<std::vector<std::string>> totals;
  std::vector<Strip> strips;
  for (const RecordedSeries& kind : record.events()) {
    const double most = most_of(kind.means), sum = kind.mean;
    Strip strip{kind.name, fixed(sum, 0) + " in total, at most " + fixed(most, 0) + " per interval", kind.means};
    for (double& share : strip.shares) share /= most;
    strips.push_back(std::move(strip));
    totals.push_back({kind.name, fixed(sum, 0)});
  }
  return draw_strips(strips, scale_of(record), "events over time") + table({"event", "count"}, totals);
}

std::string stages_section(const RunRecord& record, const RecordedGroup<RecordedLane>& group) {
  std::vector<Lane> lanes;
  bool cut = false;
  for (const RecordedLane& recorded : group.members) {
    if (lanes.size() == shown_lanes) break;
    Lane lane{recorded.name, std::to_string(recorded.stages.size()) + " stages", {}};
    for (const RecordedStage& s : recorded.stages)
      lane.parts.push_back({s.from, s.to, static_cast<std::size_t>(s.value - 1)});
    lanes.push_back(std::move(lane));
    cut |= recorded.cut;
  }
  std::string text = draw_lanes(lanes, scale_of(record), group.title + " over time");
  if (group.members.size() > lanes.size())
    text += paragraph(std::to_string(group.members.size() - lanes.size()) + " more are not shown.", "soft");
  if (cut) text += paragraph("Lanes are truncated after 4000 stages.", "soft");
  return text;
}

}  // namespace

void add_record_sections(Page& page, const RunRecord& record) {
  page.section("links", "Links over time", links_section(record));
  std::size_t number = 0;
  for (const auto& group : record.levels())
    if (!group.members.empty()) page.section("level" + std::to_string(number++), group.title, levels_section(record, group));
  if (!record.events().empty()) page.section("events", "Events over time", events_section(record));
  number = 0;
  for (const auto& group : record.stages())
    if (!group.members.empty())
      page.section("stages" + std::to_string(number++), group.title, stages_section(record, group));
  page.ending(curves_scripts());
}

}  // namespace tributary::html
