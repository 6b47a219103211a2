#include "testbench/report/html/html_report.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "platforms/topology/graph.h"
#include "testbench/report/html/latency_section.h"
#include "testbench/report/html/page.h"
#include "testbench/report/html/record_sections.h"
#include "testbench/report/html/shades.h"
#include "testbench/report/html/stuck_section.h"
#include "testbench/report/html/topology_picture.h"
#include "testbench/report/plot/svg.h"
#include "testbench/report/result_file.h"
#include "testbench/report/result_summary.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

using namespace html;

std::string about(const RunSpec& spec, const JobSpec& job) {
  return std::to_string(job.ranks.size()) + " " + family_of(spec.platform).endpoint_of(spec.platform).plural + ", " +
         job.collective + " " + job.algorithm;
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

/// Returns a sentence on the correctness of the results.
std::string verdict(const RunSpec& spec, const std::vector<ResultRow>& rows) {
  std::uint64_t wrong = 0, unfinished = 0;
  for (const ResultRow& row : rows) {
    wrong += row.wrong.value_or(0);
    unfinished += is_complete(row.status) ? 0 : 1;
  }
  if (rows.empty()) return paragraph("No message has finished.", "bad");
  if (unfinished > 0)
    return paragraph(std::to_string(unfinished) + " of " + std::to_string(rows.size()) +
                         " rows did not finish: " + status_name(rows.back().status) + ".",
                     "bad");
  if (wrong > 0) return paragraph(std::to_string(wrong) + " elements are wrong.", "bad");
  if (spec.data == DataMode::none || !rows.front().wrong) return paragraph("Timing only: no data was moved.", "soft");
  return paragraph("Every element of every result is right.", "good");
}

std::string head(const RunSpec& spec, const std::string& command, const std::vector<ResultRow>& rows) {
  std::string text = "<p><code>" + plot::xml_text(command) + "</code></p>\n";
  for (const JobSpec& job : spec.jobs) text += paragraph(spec.platform.name() + ": " + about(spec, job));
  text += verdict(spec, rows);
  if (!rows.empty() && rows.back().bottleneck)
    text += paragraph((rows.size() == 1 ? "Bottleneck: " : "Bottleneck of the last row: ") +
                      bottleneck_text(*rows.back().bottleneck));
  text += paragraph("tributary " TRIBUTARY_VERSION ", seed " + std::to_string(spec.seed) +
                        (spec.mode == SimulationMode::fluid ? ", simulated as flows" : ""),
                    "soft");
  RunParameters asked = spec.parameters;
  std::vector<std::vector<std::string>> changed;
  const ParameterSet fields = asked.fields();
  for (const ParameterField& field : fields.fields())
    if (!field.is_default()) changed.push_back({field.path, field.print(), field.default_text});
  if (changed.empty()) return text + paragraph("All parameters have default values.", "soft");
  return text + table({"parameter", "value", "default"}, changed);
}

std::string results(const std::vector<ResultRow>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const ResultRow& row : rows) {
    const LinkUse* peak = peak_link(row);
    const std::string job = row.job         ? std::to_string(row.job_index)
                            : row.iteration ? std::to_string(*row.iteration)
                                            : row.label;
    const bool timed = is_complete(row.status) && row.time > 0;
    cells.push_back({job, std::to_string(row.size_bytes), FieldType<ElementType>::print(row.type),
                     timed ? fixed(static_cast<double>(row.time) * 1e-6, 3) : "", timed ? fixed(row.algbw_GBps(), 2) : "",
                     timed ? fixed(row.busbw_GBps(), 2) : "", row.wrong ? std::to_string(*row.wrong) : "n/a",
                     timed ? percent(share_of_bound(row)) : "", peak ? percent(peak->utilisation) : "",
                     peak ? peak->name : "", row.bottleneck ? bottleneck_name(*row.bottleneck) : "",
                     status_name(row.status)});
  }
  return table({"", "size (B)", "type", "time (us)", "algbw (GB/s)", "busbw (GB/s)", "wrong", "% of bound", "peak link", "",
                "bottleneck", ""},
               cells);
}

std::string counters(const ResultRow& row) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& [name, value] : row.counters)
    if (value != 0)
      cells.push_back({name, fixed(value, value == static_cast<double>(static_cast<long long>(value)) ? 0 : 3)});
  return cells.empty() ? "" : folded("non-zero counters", table({"counter", "value"}, cells));
}

/// Returns a sentence if the graph is one of several equal servers.
std::string about_servers(const topology::Graph& graph, const PlatformName& platform) {
  int gpus = 0;
  for (const topology::Node& node : graph.nodes()) gpus += node.kind == topology::NodeKind::gpu;
  if (gpus == 0 || platform.endpoints <= gpus) return "";
  return paragraph("The picture shows one of " + std::to_string(platform.endpoints / gpus) +
                   " equal servers, without its NICs and the network between the servers.");
}

std::string topology_section(const RunSpec& spec, const ResultRow& row, const RunRecord* record) {
  std::vector<LinkLoad> loads;
  for (std::size_t i = 0; i < row.links.size(); ++i) {
    const LinkUse& use = row.links[i];
    const double rate = record != nullptr && i < record->links().size() ? record->links()[i].rate_GBps : 0;
    loads.push_back({use.name, use.utilisation, static_cast<double>(use.bytes), rate});
  }
  const std::vector<DeadLink> dead = dead_links(spec, row);
  std::string about_dead;
  for (const DeadLink& link : dead)
    about_dead +=
        paragraph("A dashed line with a cross is a dead link: " + link.name + ", since " + link.since + ".", "bad");
  const Family& family = family_of(spec.platform);
  // Flows have results of one server, which represents the others.
  const bool flows = spec.mode == SimulationMode::fluid;
  const topology::Graph graph = flows ? family.graph(spec.platform) : family.graph_of_run(spec);
  return draw_topology(graph, spec.platform.name(), loads, dead) + about_servers(graph, family.platform(spec.platform)) +
         shade_legend("idle", "always busy") + about_dead +
         paragraph(
             "A line represents all links between two devices; its colour is the utilisation of the busiest one. "
             "Hover over a line to see the name of that link.",
             "soft");
}

}  // namespace

HtmlReport::HtmlReport(std::string path, std::string command, const RunSpec& spec)
    : path_(std::move(path)), command_(std::move(command)), spec_(spec) {}

void HtmlReport::finish(const RunRecord* record) const {
  Page page("tributary: " + spec_.platform.name());
  page.section("run", "Run", head(spec_, command_, rows_));
  if (!rows_.empty()) {
    const ResultRow& last = rows_.back();
    if (const std::string text = stuck_section(last); !text.empty()) page.section("stuck", "Cause of the end", text);
    page.section("results", "Results", results(rows_) + counters(last));
    if (!measured_.empty()) page.section("bottleneck", "Measured bottleneck", measured_);
    if (!energy_.empty()) page.section("energy", "Energy", energy_);
    const std::string which = rows_.size() == 1 ? "" : " of the last row";
    page.section("topology", "Machine" + which, topology_section(spec_, last, record));
    if (record != nullptr && record->length() > 0) add_record_sections(page, *record);
    if (const std::string text = latency_section(last); !text.empty()) page.section("latency", "Packet latency", text);
    if (!last.block_life.empty())
      page.section("block", "Traced block", "<pre>" + plot::preformatted(last.block_life) + "</pre>\n");
  }
  replace_file(path_, page.text());
}

}  // namespace tributary
