#include <nlohmann/json.hpp>
#include <sstream>

#include "modules/base/field_type.h"
#include "testbench/report/energy_report.h"
#include "testbench/report/json_report.h"
#include "testbench/report/plot/csv_cell.h"
#include "testbench/report/result_fields.h"
#include "testbench/report/train_against_json.h"
#include "testbench/report/train_bottleneck.h"
#include "testbench/report/train_report.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

double ns(Tick ps) { return static_cast<double>(ps) / 1000.0; }

/// Returns the parameters of training, then those of the platform.
Json all_parameters(const TrainResult& r) {
  training::TrainParams copy = r.params;
  Json all = Json::object();
  const ParameterSet own = copy.fields();
  for (const ParameterField& field : own.fields())
    all[field.path] = {
        {"value", value_json(field.value())},
        {"unit", field.unit()},
        {"source", field.is_default() ? field.note.source() : "set by the user (default " + field.default_text + ")"}};
  all.update(parameters_json(r.spec.platform, r.spec.parameters, r.parameters));
  return all;
}

Json memory_json(const TrainResult& r) {
  if (!r.step.memory) return nullptr;
  const training::StepMemory& m = *r.step.memory;
  const auto& capacity = r.params.compute.memory;
  return {{"weights_bytes", m.weights},     {"gradients_bytes", m.gradients},
          {"optimizer_bytes", m.optimizer}, {"activations_bytes", m.activations},
          {"total_bytes", m.total()},       {"capacity_bytes", capacity ? Json(capacity->value) : Json(nullptr)}};
}

std::string rate_name(const TrainResult& r) { return std::string(r.step.unit) + "_per_s"; }

Json iterations_json(const TrainResult& r) {
  Json rows = Json::array();
  for (const training::IterationReport& i : r.report.iterations)
    rows.push_back({{"iteration", i.iteration},
                    {"begin_ns", ns(i.begin)},
                    {"time_ns", ns(i.time())},
                    {"compute_ns", ns(i.compute)},
                    {"exposed_ns", ns(i.exposed)},
                    {"exposed_of_ns", exposed_json(i)},
                    {"active_ns", ns(i.active)},
                    {"overlap_ns", ns(i.overlap)},
                    {"optimizer_ns", ns(i.optimizer)},
                    {"idle_ns", ns(i.idle)},
                    {"bottleneck", bottleneck_json(bottleneck_of_iteration(r, i))},
                    {rate_name(r), r.rate(i.time())}});
  return rows;
}

Json transfers_json(const TrainResult& r) {
  Json rows = Json::array();
  for (const IsolatedTransfer& t : r.transfers)
    rows.push_back({{"collective", t.job.collective},
                    {"algorithm", t.job.algorithm},
                    {"ranks", t.job.ranks.size()},
                    {"size_bytes", t.size.value},
                    {"operations", t.operations},
                    {"groups_at_once", t.together},
                    {"time_ns", ns(t.time)},
                    {"software_ns", ns(t.software)},
                    {"bound_GBps", t.bound_GBps},
                    {"wire_bytes", t.wire_bytes}});
  return rows;
}

Json path_json(const TrainResult& r) {
  Json rows = Json::array();
  for (const training::PathInterval& i : r.report.path)
    rows.push_back({{"kind", name_of(i.kind)},
                    {"task", r.step.graph.tasks[i.task].name},
                    {"rank", i.rank},
                    {"begin_ns", ns(i.begin)},
                    {"end_ns", ns(i.end)}});
  return rows;
}

Json operations_json(const TrainResult& r) {
  Json rows = Json::array();
  for (const training::OperationReport& o : r.report.operations) {
    const training::Task& task = r.step.graph.tasks[o.task];
    rows.push_back({{"name", task.name},
                    {"iteration", task.iteration},
                    {"layer", task.layer},
                    {"queue", task.queue},
                    {"size_bytes", task.transfer.bytes},
                    {"ready_ns", ns(o.span.ready)},
                    {"begin_ns", ns(o.span.begin)},
                    {"start_ns", ns(o.span.start)},
                    {"end_ns", ns(o.span.end)},
                    {"all_ended_ns", ns(o.last_end)},
                    {"queue_ns", ns(o.span.start - o.span.ready)},
                    {"slack_ns", ns(o.slack)}});
  }
  return rows;
}

Json layers_json(const TrainResult& r) {
  Json rows = Json::array();
  for (const training::LayerReport& l : r.report.layers)
    rows.push_back({{"layer", l.layer},
                    {"name", r.step.graph.layers[static_cast<std::size_t>(l.layer)]},
                    {"operations", l.operations},
                    {"size_bytes", l.bytes},
                    {"ready_ns", ns(l.ready)},
                    {"end_ns", ns(l.end)},
                    {"queue_ns", ns(l.queue)},
                    {"slack_ns", ns(l.slack)}});
  return rows;
}

/// Returns the claim and its parameters, joined by `+`, as two cells of a CSV.
std::string bottleneck_cells(const Json& bottleneck) {
  if (!bottleneck.is_object()) return ",";
  std::string parameters;
  for (const Json& name : bottleneck.at("parameters"))
    parameters += (parameters.empty() ? "" : "+") + name.get<std::string>();
  return csv_cell(bottleneck.at("claim").get<std::string>()) + "," + csv_cell(parameters);
}

Json links_json(const TrainResult& r) {
  Json rows = Json::array();
  for (const LinkUse& link : r.links)
    rows.push_back({{"name", link.name}, {"bytes", link.bytes}, {"utilisation", link.utilisation}, {"count", link.count}});
  return rows;
}

}  // namespace

std::string training_csv(const TrainResult& r) {
  const std::vector<std::string> numbers{"iteration", "begin_ns",   "time_ns",      "compute_ns", "exposed_ns",
                                         "active_ns", "overlap_ns", "optimizer_ns", "idle_ns",    rate_name(r)};
  std::ostringstream text;
  for (const std::string& name : numbers) text << csv_cell(name) << ",";
  text << "bottleneck_claim,bottleneck_parameters,status\n";
  for (const Json& row : iterations_json(r)) {
    for (const std::string& name : numbers) text << row.at(name).dump() << ",";
    text << bottleneck_cells(row.at("bottleneck")) << "," << status_name(r.status) << "\n";
  }
  if (r.status != Status::done) text << std::string(numbers.size() + 2, ',') << status_name(r.status) << "\n";
  return text.str();
}

std::string training_json(const TrainResult& r) {
  const JobSpec& job = r.spec.jobs.front();
  const bool done = r.status == Status::done;
  const std::string estimate = done ? r.estimate() : "the step did not end";
  Json document;
  document["tributary"] = TRIBUTARY_VERSION;
  document["platform"] = r.spec.platform.name();
  document["algorithm"] = job.algorithm;
  document["ranks"] = job.ranks.size();
  document["step"] = r.step.name;
  document["weights"] = r.step.weights == 0 ? Json(nullptr) : Json(r.step.weights);
  document["memory"] = memory_json(r);
  document["seed"] = r.spec.seed;
  if (!job.skew.none()) document["skew"] = job.skew.text();
  document["fidelity"] = {{"mode", r.full                                 ? "full"
                                   : r.spec.mode == SimulationMode::fluid ? "fluid"
                                                                          : "isolated"},
                          {"exact", estimate.empty()},
                          {"estimate_because", estimate}};
  if (r.pairs.met > 0) document["fidelity"]["pairs"] = {{"met", r.pairs.met}, {"measured", r.pairs.measured}};
  if (r.spread) {
    document["fidelity"]["spread_ns"] = {ns(r.spread->shortest), ns(r.spread->longest)};
    document["fidelity"]["no_full"] = r.spread->no_full;
  }
  document["status"] = status_name(r.status);
  if (!done) document["report"] = r.cause;
  document["iterations"] = iterations_json(r);
  document["steady_ns"] = r.report.steady ? Json(ns(*r.report.steady)) : Json(nullptr);
  document["period_ns"] = done ? Json(ns(r.report.period())) : Json(nullptr);
  document["alone_ns"] = ns(r.alone);
  document[rate_name(r)] = done ? Json(r.rate(r.report.period())) : Json(nullptr);
  const auto share = done ? r.use_of_peak(r.report.period()) : std::nullopt;
  document["mfu"] = share ? Json(*share) : Json(nullptr);
  if (!r.against.empty()) document["against"] = against_json(r);
  document["transfers"] = transfers_json(r);
  document["critical_path"] = path_json(r);
  document["layers"] = layers_json(r);
  document["links"] = links_json(r);
  if (r.energy) document["energy"] = step_energy_json(*r.energy);
  for (const auto& [part, value] : r.area.values) document["area"][part] = value;
  document["operations"] = operations_json(r);
  document["parameters"] = all_parameters(r);
  document["kernel"] = kernel_json(r.kernel, r.spec.mode);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tributary
