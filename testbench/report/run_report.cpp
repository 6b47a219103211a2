#include "testbench/report/run_report.h"

#include <iostream>
#include <sstream>

#include "modules/base/sysc/logging.h"
#include "modules/base/text_format.h"
#include "testbench/record/timeline.h"
#include "testbench/report/energy_report.h"
#include "testbench/report/html/energy_section.h"
#include "testbench/report/html/html_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/nccl_report.h"
#include "testbench/report/result_summary.h"
#include "testbench/report/screen_width.h"
#include "testbench/run/energy/conservation.h"
#include "testbench/run/facets/cost.h"
#include "testbench/run/facets/tuner.h"
#include "testbench/run/family.h"

namespace tributary {

namespace {

/// Logs the lines without the prefix of notes.
void log_lines(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) log_event(line.rfind("# ", 0) == 0 ? line.substr(2) : line);
}

/// Returns the label of a row of a run with several rows: its layer or size.
std::string message_of(const RunSpec& spec, const ResultRow& row) {
  if (spec.messages() == 1) return "";
  return row.label.empty() ? to_string(bytes(row.size_bytes)) : row.label;
}

}  // namespace

RunReport::RunReport(const RunSpec& spec, const OutputSpec& output, const RunParameters& used)
    : spec_(spec),
      table_(output.takes_stdout() ? std::cerr : std::cout, spec, screen_width()),
      quiet_(output.quiet),
      log_events_(output.log_level == "trace"),
      prints_energy_(output.energy) {
  if (!output.csv.empty()) csv_.emplace(output.csv, spec);
  if (!output.json.empty()) json_ = std::make_unique<JsonReport>(output.json, spec, used);
  if (!output.nccl_text.empty() || !output.nccl_json.empty()) nccl_ = std::make_unique<NcclReport>(output, spec);
  if (!output.html.empty()) html_ = std::make_unique<HtmlReport>(output.html, output.command, spec);
  table_.header();
  if (const FamilyCost* cost = family_of(spec.platform).facets().cost; cost != nullptr && output.cost)
    cost_ = cost->cost(spec, used).text;
  if (output.energy || !output.html.empty()) priced_ = used;
  if (const FamilyTuner* tuner = family_of(spec.platform).facets().tuner; tuner != nullptr && output.tuner)
    tuner_ = tuner->table(spec, used);
}

RunReport::~RunReport() = default;

void RunReport::row(const ResultRow& row, const KernelUse& use) {
  if (spec_.layer_total) rows_.push_back(row);
  write(row, use);
}

void RunReport::measured(const MeasuredResult& result) {
  measured_ = result.text;
  if (json_) json_->measured(result.json);
  if (html_) html_->measured(result.section);
}

void RunReport::against(const std::string& text, const std::string& json) {
  against_ = text;
  if (json_) json_->against(json);
}

void RunReport::shadows(const std::string& text, const std::string& json) {
  shadows_ = text;
  if (json_) json_->shadows(json);
}

void RunReport::in_kernel_time(const std::vector<DeviceInKernelTime>& devices) {
  for (const DeviceInKernelTime& d : devices) {
    std::string parts;
    for (const std::string& part : d.parts) parts += (parts.empty() ? "" : ", ") + part;
    kernel_time_ += "# kernel time: " + d.device + (parts.empty() ? "" : " (" + parts + ")") + "\n";
  }
  if (json_) json_->in_kernel_time(devices);
}

void RunReport::finish(const KernelUse& use, const TimeUsed& used, const RunRecord* record) {
  if (spec_.layer_total && rows_.size() == spec_.messages()) write(total_of(rows_), use);
  table_.bottlenecks();
  if (!against_.empty()) table_.note(against_);
  if (!measured_.empty()) table_.note(measured_);
  if (!shadows_.empty()) table_.note(shadows_);
  if (!kernel_time_.empty()) table_.note(kernel_time_);
  if (!cost_.empty()) table_.note(cost_);
  if (prints_energy_) energy_ += area_of(spec_, *priced_).text;
  if (!energy_.empty()) table_.note(energy_);
  if (!tuner_.empty()) table_.note(tuner_);
  if (json_) json_->finish(use);
  if (nccl_) nccl_->finish();
  if (!quiet_) table_.note(used.line(use));
  if (html_) html_->finish(record);
}

void RunReport::add_energy(const ResultRow& row, const Energy& energy) {
  if (prints_energy_) energy_ += energy_text(energy, static_cast<double>(row.time) * 1e-12, message_of(spec_, row));
  if (html_) html_->energy(html::energy_section(energy, row.label.empty() ? to_string(bytes(row.size_bytes)) : row.label));
}

void RunReport::write(const ResultRow& row, const KernelUse& use) {
  table_.row(row);
  if (log_events_)
    log_lines(row.block_life);
  else if (!row.block_life.empty())
    table_.note(row.block_life);
  if (row.timeline_cut)
    table_.note("# timeline: incomplete after " + fixed(static_cast<double>(*row.timeline_cut) * 1e-6, 3) +
                " us, as it has more than " + std::to_string(Timeline::most_events) +
                " events; select events by --perfetto-window FROM:TO and --trace GLOB\n");
  if (priced_) check_conservation(spec_, *priced_, row);
  if (priced_)
    if (const auto energy = energy_of(spec_, *priced_, row)) add_energy(row, *energy);
  if (csv_) csv_->row(row);
  if (json_) json_->row(row, use);
  if (nccl_) nccl_->row(row);
  if (html_) html_->row(row);
}

}  // namespace tributary
