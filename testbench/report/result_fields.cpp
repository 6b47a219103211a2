#include "testbench/report/result_fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "testbench/report/result_summary.h"
#include "testbench/workload/collective.h"

namespace tributary {

using Json = nlohmann::ordered_json;

namespace {

using Column = ResultField::Column;
using MaybeJson = std::optional<Json>;

/// Returns endpoints as --ranks reads them: `0-3,8`.
std::string endpoint_text(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last;
  }
  return text;
}

const JobSpec& job_of(const RunSpec& spec, const ResultRow& row) { return row.job ? *row.job : spec.jobs.front(); }

/// Returns a key of the row's job, if each row has its own job.
MaybeJson of_job(const ResultRow& row, const char* key) {
  if (!row.job) return std::nullopt;
  Json all;
  add_job(all, *row.job);
  all["start_ns"] = static_cast<double>(row.job->start.value) / 1000.0;
  return all.contains(key) ? MaybeJson(all[key]) : std::nullopt;
}

Json links_json(const ResultRow& row) {
  Json all = Json::array();
  for (const LinkUse& link : row.links)
    all.push_back({{"name", link.name}, {"bytes", link.bytes}, {"utilisation", link.utilisation}, {"count", link.count}});
  return all;
}

Json histograms_json(const ResultRow& row) {
  Json all = Json::object();
  for (const auto& [name, buckets] : row.latency_histograms) {
    Json& histogram = all[name] = Json::array();
    for (const auto& [middle, packets] : buckets) histogram.push_back({static_cast<double>(middle) / 1000.0, packets});
  }
  return all;
}

Json counters_json(const ResultRow& row) {
  Json all = Json::object();
  for (const auto& [name, value] : row.counters) all[name] = number_json(value);
  return all;
}

Json peak_json(const ResultRow& row) {
  const LinkUse* peak = peak_link(row);
  return peak ? Json{{"name", peak->name}, {"utilisation", peak->utilisation}} : Json(nullptr);
}

/// Returns null for a row that did not finish, so that no reader takes a zero for a measured value.
Json if_complete(const ResultRow& row, double value) { return is_complete(row.status) ? Json(value) : Json(nullptr); }

MaybeJson tuned_json(const ResultRow& row) {
  if (row.tuned.empty()) return std::nullopt;
  Json all;
  for (const Choice& choice : row.tuned) all[choice.name] = choice.value ? number_json(*choice.value) : Json(choice.text);
  return all;
}

/// Fields that identify a row: its job and its message.
void add_identity(std::vector<ResultField>& all) {
  using R = const ResultRow&;
  const auto job_key = [](const char* key) { return [key](R row) { return of_job(row, key); }; };
  all.push_back({"platform", "", "", "platform, with its arguments", {}, false, Column::always, [](const RunSpec& spec, R) {
                   return spec.platform.name();
                 }});
  all.push_back({"label", "string", "", "layer of a network, or `total`",
                 [](R row) { return row.label.empty() ? std::nullopt : MaybeJson(row.label); }, false, Column::always,
                 [](const RunSpec&, R row) { return row.label; }});
  all.push_back({"iteration", "integer", "", "iteration of the message, from 0 (--iterations)",
                 [](R row) { return row.iteration ? MaybeJson(*row.iteration) : std::nullopt; }, false, Column::iterations,
                 [](const RunSpec&, R row) { return row.iteration ? std::to_string(*row.iteration) : ""; }});
  all.push_back({"job", "integer", "", "with several jobs: number of the job, from 0",
                 [](R row) { return row.job ? MaybeJson(row.job_index) : std::nullopt; }, false, Column::several_jobs,
                 [](const RunSpec&, R row) { return row.job ? std::to_string(row.job_index) : ""; }});
  all.push_back({"collective", "string", "", "collective of the job", job_key("collective"), false, Column::always,
                 [](const RunSpec& spec, R row) { return job_of(spec, row).collective; }});
  all.push_back({"algorithm", "string", "", "algorithm of the job", job_key("algorithm"), false, Column::always,
                 [](const RunSpec& spec, R row) { return job_of(spec, row).algorithm; }});
  all.push_back({"asked_algorithm", "string", "", "algorithm that the job asked for, if it fell back to another one",
                 job_key("asked_algorithm"), false});
  all.push_back({"ranks", "integer", "", "number of ranks of the job", job_key("ranks"), false, Column::always,
                 [](const RunSpec& spec, R row) { return std::to_string(job_of(spec, row).ranks.size()); }});
  all.push_back(
      {"endpoints", "string", "", "numbers of the job's endpoints, as --ranks reads them", job_key("endpoints"), false});
  all.push_back({"root", "integer", "rank", "root of the job, unless 0", job_key("root"), false});
  all.push_back({"targets", "string", "", "ranks that the job's multicast reaches", job_key("targets"), false});
  all.push_back({"start_ns", "number", "ns", "start of the job, from the start of the run", job_key("start_ns"), false,
                 Column::several_jobs,
                 [](const RunSpec&, R row) { return row.job ? nanoseconds(row.job->start.value) : ""; }});
  all.push_back({"skew", "string", "", "delays of the job's ranks, as --skew reads them", job_key("skew"), false});
  all.push_back({"size_bytes", "integer", "B", "size of the message, as nccl-tests counts it",
                 [](R row) { return Json(row.size_bytes); }, true, Column::always,
                 [](const RunSpec&, R row) { return std::to_string(row.size_bytes); }});
  all.push_back({"count", "integer", "elements", "size of the message in elements", [](R row) { return Json(row.count); },
                 true, Column::always, [](const RunSpec&, R row) { return std::to_string(row.count); }});
  all.push_back({"type", "string", "", "type of the elements: f64, f32, f16, bf16, i8, i16, i32, i64",
                 [](R row) { return Json(FieldType<ElementType>::print(row.type)); }, true, Column::always,
                 [](const RunSpec&, R row) { return FieldType<ElementType>::print(row.type); }});
  all.push_back({"redop", "string", "", "reduction operation: sum, min, max; none for a collective that reduces nothing",
                 [](R row) { return Json(FieldType<ReduceOp>::print(row.op)); }, true, Column::always, redop_of});
}

/// Fields of the row's bottleneck.
void add_bottleneck(std::vector<ResultField>& all) {
  using R = const ResultRow&;
  using S = const RunSpec&;
  all.push_back(
      {"bottleneck", "object|null", "",
       "`claim`, its `parameters`, the resource at work longest, and what was `seen`; the CSV has its cause, or unnamed",
       [](R row) { return bottleneck_json(row.bottleneck); }, true, Column::last,
       [](S, R row) { return row.bottleneck ? bottleneck_name(*row.bottleneck) : ""; }});
  all.push_back({"bottleneck_module", "", "", "module that was at work longest", {}, false, Column::last, [](S, R row) {
                   return row.bottleneck ? row.bottleneck->module : "";
                 }});
  all.push_back({"bottleneck_share",
                 "",
                 "share",
                 "share of the time in which the module was at work, 0 to 1",
                 {},
                 false,
                 Column::last,
                 [](S, R row) { return row.bottleneck ? print_real(row.bottleneck->share) : ""; }});
  all.push_back({"bottleneck_claim", "", "", "named, together or unnamed", {}, false, Column::last, [](S, R row) {
                   return row.bottleneck ? std::string(name_of(row.bottleneck->claim)) : "";
                 }});
  all.push_back({"bottleneck_parameters",
                 "",
                 "",
                 "parameters of the claim, joined by `+`; empty if unnamed",
                 {},
                 false,
                 Column::last,
                 [](S, R row) { return row.bottleneck ? bottleneck_parameters(*row.bottleneck) : ""; }});
}

/// Measured values.
void add_measures(std::vector<ResultField>& all) {
  using R = const ResultRow&;
  all.push_back(
      {"time_ns", "number|null", "ns",
       "time from the start of the job until the last byte is visible in the last rank's memory; null: not finished",
       // Three decimals are exact below 2^53 ps.
       [](R row) { return if_complete(row, static_cast<double>(row.time) / 1000.0); }, true, Column::always,
       [](const RunSpec&, R row) { return is_complete(row.status) ? nanoseconds(row.time) : ""; }});
  all.push_back({"algbw_GBps", "number|null", "GB/s",
                 "algorithm bandwidth: size divided by time; 1 GB is 10^9 B; null: not finished",
                 [](R row) { return if_complete(row, row.algbw_GBps()); }, true, Column::always,
                 [](const RunSpec&, R row) { return is_complete(row.status) ? print_real(row.algbw_GBps()) : ""; }});
  all.push_back({"busbw_GBps", "number|null", "GB/s",
                 "bus bandwidth: algbw times the factor of nccl-tests; null: not finished",
                 [](R row) { return if_complete(row, row.busbw_GBps()); }, true, Column::always,
                 [](const RunSpec&, R row) { return is_complete(row.status) ? print_real(row.busbw_GBps()) : ""; }});
  all.push_back({"wrong", "integer|null", "elements", "number of wrong elements; null: not checked",
                 [](R row) { return row.wrong ? Json(*row.wrong) : Json(nullptr); }, true, Column::always,
                 [](const RunSpec&, R row) { return row.wrong ? std::to_string(*row.wrong) : ""; }});
  all.push_back({"status", "string", "", "end of the message, see [statuses](#statuses)",
                 [](R row) { return Json(status_name(row.status)); }, true, Column::always,
                 [](const RunSpec&, R row) { return status_name(row.status); }});
  all.push_back({"wire_bytes", "integer|null", "B", "bytes on all links until the end of the row; null: not measured",
                 [](R row) { return row.links.empty() ? Json(nullptr) : Json(row.wire_bytes); }, true, Column::always,
                 [](const RunSpec&, R row) { return row.links.empty() ? "" : std::to_string(row.wire_bytes); }});
  all.push_back({"bound_GBps", "number", "GB/s", "upper bound of algbw from the busiest link or cut; 0: unknown",
                 [](R row) { return Json(row.bound_GBps); }, true, Column::always,
                 [](const RunSpec&, R row) { return print_real(row.bound_GBps); }});
  all.push_back({"peak_link", "object|null", "", "busiest link: `name` and `utilisation` (0 to 1)",
                 [](R row) { return peak_json(row); }, true, Column::always,
                 [](const RunSpec&, R row) { return peak_link(row) ? peak_link(row)->name : ""; }});
  all.push_back({"peak_link_utilisation",
                 "",
                 "share",
                 "utilisation of the busiest link, 0 to 1",
                 {},
                 false,
                 Column::always,
                 [](const RunSpec&, R row) { return peak_link(row) ? print_real(peak_link(row)->utilisation) : ""; }});
  add_bottleneck(all);
  all.push_back({"energy", "object", "", "energy of the row by docs/energy.md; not with several jobs",
                 [](R) { return MaybeJson(); },  // JsonReport adds it, since it depends on parameters
                 false});
  all.push_back({"counters", "object", "", "counters by name, see below", [](R row) { return counters_json(row); }});
  all.push_back({"links", "array", "",
                 "every directed link: `name`, `bytes`, `utilisation`, and `count`: 1, or the number of links of a class, "
                 "each with these bytes",
                 [](R row) { return links_json(row); }});
  all.push_back(
      {"latency_histograms", "object", "",
       "latencies of `collective` and `background` packets: a list of [ns, packets], the middle of a bucket and its count",
       [](R row) { return histograms_json(row); }});
  all.push_back({"tuned", "object", "",
                 "values chosen by the driver, by name: numbers in the unit of the parameter, or names",
                 [](R row) { return tuned_json(row); }, false, Column::iterations,
                 [](const RunSpec&, R row) { return tuned_text(row); }});
  all.push_back(
      {"timeline_cut_ns", "number", "ns",
       "time from the start of the run after which the timeline is incomplete, if it has more events than are kept",
       [](R row) { return row.timeline_cut ? MaybeJson(static_cast<double>(*row.timeline_cut) / 1000.0) : std::nullopt; },
       false});
  all.push_back({"report", "string", "", "for a run that did not finish: the cause, and everything that waits, by name",
                 [](R row) { return row.report.empty() ? std::nullopt : MaybeJson(row.report); }, false});
}

}  // namespace

void add_job(Json& json, const JobSpec& job) {
  json["collective"] = job.collective;
  json["algorithm"] = job.algorithm;
  if (!job.asked_algorithm.empty()) json["asked_algorithm"] = job.asked_algorithm;
  json["ranks"] = job.ranks.size();
  json["endpoints"] = endpoint_text(job.ranks);
  if (job.root != 0) json["root"] = job.root;
  if (!job.targets.empty()) json["targets"] = endpoint_text(job.targets);
  if (job.start.value != 0) json["start_ns"] = static_cast<double>(job.start.value) / 1000.0;
  if (!job.skew.none()) json["skew"] = job.skew.text();
}

Json bottleneck_json(const std::optional<Bottleneck>& bottleneck) {
  if (!bottleneck) return nullptr;
  Json seen = Json::array();
  for (const BottleneckSeen& s : bottleneck->seen)
    seen.push_back({{"cause", name_of(s.cause)}, {"module", s.module}, {"share", s.share}});
  return {{"claim", name_of(bottleneck->claim)},  {"parameters", bottleneck->parameters},
          {"module", bottleneck->module},         {"class", bottleneck->type},
          {"cause", name_of(bottleneck->cause)},  {"share", bottleneck->share},
          {"path_share", bottleneck->path_share}, {"seen", seen}};
}

Json number_json(double x) {
  if (std::trunc(x) != x || std::abs(x) > 0x1p53) return x;
  return static_cast<std::int64_t>(x);
}

const std::vector<ResultField>& result_fields() {
  static const std::vector<ResultField> fields = [] {
    std::vector<ResultField> all;
    add_identity(all);
    add_measures(all);
    return all;
  }();
  return fields;
}

/// Order of the columns: the job, the label, the measured values, then the fields that only some runs have.
std::vector<const ResultField*> csv_fields(const RunSpec& spec) {
  std::vector<const ResultField*> columns;
  const auto add = [&](Column when) {
    for (const ResultField& field : result_fields())
      if (field.column == when) columns.push_back(&field);
  };
  add(Column::always);
  for (std::size_t i = 0; i < columns.size(); ++i)  // after the ranks
    if (columns[i]->name == "label") {
      std::rotate(columns.begin() + static_cast<std::ptrdiff_t>(i), columns.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  columns.begin() + static_cast<std::ptrdiff_t>(i) + 4);
      break;
    }
  if (spec.jobs.size() > 1) add(Column::several_jobs);
  if (spec.iterations > 0) add(Column::iterations);
  add(Column::last);
  return columns;
}

std::string redop_of(const RunSpec& spec, const ResultRow& row) {
  return collective_of(job_of(spec, row).collective).reduces ? FieldType<ReduceOp>::print(row.op) : "none";
}

}  // namespace tributary
