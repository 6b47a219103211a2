#include "testbench/report/screen_table.h"

#include <algorithm>
#include <sstream>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/report/result_fields.h"
#include "testbench/report/result_summary.h"
#include "testbench/report/screen_width.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

struct Column {
  const char* name;
  const char* unit;
  std::size_t width;
  bool text;  ///< left-aligned
};

constexpr Column columns[] = {
    {"size", "(B)", 12, false},  {"count", "(elements)", 12, false}, {"type", "", 5, true},         {"redop", "", 5, true},
    {"time", "(us)", 12, false}, {"algbw", "(GB/s)", 8, false},      {"busbw", "(GB/s)", 8, false}, {"#wrong", "", 7, false},
    {"wire", "(B)", 14, false},  {"peak-link", "(busy)", 34, true},  {"bound", "(%)", 6, false},
};

std::string peak_text(const ResultRow& row) {
  const LinkUse* link = peak_link(row);
  return link == nullptr ? "-" : link->name + " " + fixed(100 * link->utilisation, 1) + "%";
}

std::string about(const topology::PlatformDescription& platform, const JobSpec& job) {
  std::string text = std::to_string(job.ranks.size()) + " " + family_of(platform).endpoint_of(platform).plural + ", " +
                     job.collective + " " + job.algorithm;
  if (job.start.value != 0) text += ", from " + to_string(job.start);
  if (!job.skew.none()) text += ", ranks up to " + to_string(job.skew.longest()) + " late";
  return text;
}

}  // namespace

ScreenTable::ScreenTable(std::ostream& out, const RunSpec& spec, std::size_t width) : out_(out), spec_(spec), width_(width) {
  std::size_t label = 0;
  for (const WorkItem& item : spec.jobs.front().items) label = std::max(label, one_line(item.label).size());
  if (spec.jobs.size() > 1)
    leading_.push_back({"job", 3});
  else if (label > 0)
    leading_.push_back({"layer", std::max<std::size_t>(label, 5)});  // "total" is the shortest possible label
  if (spec.iterations > 0) leading_.push_back({"iter", 4});
  if (width_ > 0) leave_out();
}

void ScreenTable::leave_out() {
  std::size_t all = 0;
  for (const Leading& column : leading_) all += column.width + 1;
  for (const Column& column : columns) all += column.width + 1;
  std::vector<std::string> gone;
  for (const char* name : {"wire", "count", "peak-link", "redop", "type", "busbw"}) {
    if (all <= width_ + 1) break;  // no blank follows the last column
    for (const Column& column : columns)
      if (std::string(name) == column.name) all -= column.width + 1;
    gone.push_back(name);
  }
  left_out_ = gone;
}

void ScreenTable::note(const std::string& text) { out_ << wrapped_notes(text, width_) << std::flush; }

void ScreenTable::header() {
  const bool several = spec_.jobs.size() > 1;
  std::ostringstream head;
  head << "# tributary " TRIBUTARY_VERSION ": " << spec_.platform.name();
  if (!several) head << ", " << about(spec_.platform, spec_.jobs.front());
  if (spec_.background_load > 0) head << ", background " << background_text(spec_);
  head << (spec_.mode == SimulationMode::fluid ? ", simulated as flows" : "") << ", seed " << spec_.seed << "\n";
  for (std::size_t j = 0; several && j < spec_.jobs.size(); ++j)
    head << "# job " << j << ": " << about(spec_.platform, spec_.jobs[j]) << "\n";
  if (several) head << "# wire and peak-link: of the whole run, equal for all jobs\n";
  for (const std::string& plugin : spec_.plugins) head << "# with blocks of " << plugin << "\n";
  note(head.str());
  if (!left_out_.empty())
    note("# columns omitted to fit a width of " + std::to_string(width_) + ": " + join_names(left_out_, "and") +
         " (set COLUMNS=140 or use --csv FILE to see all)\n");
  std::vector<std::string> names, units;
  for (const Leading& column : leading_) names.push_back(column.name), units.push_back("");
  for (const Column& column : columns) names.push_back(column.name), units.push_back(column.unit);
  line(names);
  line(units);
}

void ScreenTable::row(const ResultRow& row) {
  keep_bottleneck(row);
  std::vector<std::string> cells;
  for (const Leading& column : leading_) {
    if (column.name == "iter")
      cells.push_back(std::to_string(row.iteration.value_or(0)));
    else
      cells.push_back(row.job ? std::to_string(row.job_index) : one_line(row.label));
  }
  const bool timed = is_complete(row.status) && row.time > 0;
  for (std::string cell :
       {std::to_string(row.size_bytes), std::to_string(row.count), FieldType<ElementType>::print(row.type),
        redop_of(spec_, row), timed ? fixed(static_cast<double>(row.time) * 1e-6, 2) : "-",
        timed ? fixed(row.algbw_GBps(), 2) : "-", timed ? fixed(row.busbw_GBps(), 2) : "-",
        row.wrong ? std::to_string(*row.wrong) : "n/a", std::to_string(row.wire_bytes), peak_text(row),
        timed ? fixed(100 * share_of_bound(row), 1) : "-"})
    cells.push_back(std::move(cell));
  std::string remarks = row.status == Status::done ? "" : status_name(row.status);
  if (const std::string tuned = tuned_text(row); !tuned.empty()) remarks += (remarks.empty() ? "" : ", ") + tuned;
  if (!remarks.empty()) cells.push_back(remarks);
  line(cells);
}

void ScreenTable::keep_bottleneck(const ResultRow& row) {
  if (!row.bottleneck) return;
  std::string name = row.label.empty() ? to_string(bytes(row.size_bytes)) : row.label;
  if (row.job) name = "job " + std::to_string(row.job_index);
  const auto same = [&](const Bottleneck& l) {
    return l.claim == row.bottleneck->claim && l.cause == row.bottleneck->cause &&
           l.parameters == row.bottleneck->parameters;
  };
  if (stretches_.empty() || !same(stretches_.back().bottleneck)) stretches_.push_back({name, name, *row.bottleneck});
  stretches_.back().last = name;
  stretches_.back().bottleneck = *row.bottleneck;
}

void ScreenTable::bottlenecks() {
  for (const Stretch& s : stretches_) {
    const std::string range = s.first == s.last ? s.first : s.first + " to " + s.last;
    note("# bottleneck: " + (stretches_.size() > 1 ? range + ": " : "") + bottleneck_text(s.bottleneck) + "\n");
  }
  out_ << std::flush;
}

void ScreenTable::line(const std::vector<std::string>& cells) {
  std::string text;
  std::size_t i = 0;
  for (const Leading& column : leading_) text += left(cells[i++], column.width) + " ";
  for (const Column& column : columns) {
    const std::string& cell = cells[i++];
    if (std::find(left_out_.begin(), left_out_.end(), column.name) != left_out_.end()) continue;
    text += (column.text ? left(cell, column.width) : right(cell, column.width)) + " ";
  }
  if (i < cells.size()) {
    const bool below = width_ > 0 && text.size() + cells[i].size() > width_;
    if (below) text.back() = '\n';
    text += (below ? "  " : "") + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  out_ << text << "\n" << std::flush;
}

}  // namespace tributary
