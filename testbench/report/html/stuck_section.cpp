#include "testbench/report/html/stuck_section.h"

#include <algorithm>

#include "testbench/report/html/page.h"
#include "testbench/report/plot/svg.h"
#include "testbench/report/stuck_report.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/family.h"

namespace tributary::html {
namespace {

constexpr std::size_t shown_classes = 12;

std::string class_table(const std::vector<WaiterClass>& classes, std::size_t from, std::size_t to) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = from; i < std::min(to, classes.size()); ++i)
    rows.push_back({std::to_string(classes[i].count), classes[i].text});
  return table({"number", "waiting"}, rows);
}

}  // namespace

std::string stuck_section(const ResultRow& row) {
  if (row.report.empty()) return "";
  const StuckReport stuck = read_stuck_report(row.report);
  std::string text =
      paragraph(info_of(row.status).headline + std::string(stuck.cause.empty() ? "" : ": ") + stuck.cause, "bad");
  for (const std::string& link : stuck.dead_links) text += paragraph(link, "bad");
  if (stuck.waiters.empty()) return text;
  text += class_table(stuck.classes, 0, shown_classes);
  if (stuck.classes.size() > shown_classes)
    text += folded(std::to_string(stuck.classes.size() - shown_classes) + " more classes",
                   class_table(stuck.classes, shown_classes, stuck.classes.size()));
  std::string all;
  for (const std::string& waiter : stuck.waiters) all += waiter + "\n";
  return text + folded("all that wait: " + std::to_string(stuck.waiters.size()) + " lines",
                       "<pre>" + plot::preformatted(all) + "</pre>\n");
}

std::vector<DeadLink> dead_links(const RunSpec& spec, const ResultRow& row) {
  const std::string before = "link ", after = " is dead since ";
  std::vector<DeadLink> dead;
  for (const std::string& line : read_stuck_report(row.report).dead_links)
    if (const std::size_t end = line.find(after); end != std::string::npos)
      dead.push_back({line.substr(before.size(), end - before.size()), line.substr(end + after.size())});
  if (!row.report.empty()) return dead;
  const auto add = [&](const std::string& link, Time since) {
    if (since.value < row.time) dead.push_back({link, to_string(since)});
  };
  for (const LinkFault& fault : spec.faults)
    if (fault.kind == LinkFault::Kind::down) add(fault.link, fault.after);
  for (const std::string& rule : spec.frame_faults)
    if (const auto down = family_of(spec.platform).facets().frames->link_down(rule)) add(down->link, down->after);
  return dead;
}

}  // namespace tributary::html
