#include "testbench/report/train_against_json.h"

#include "modules/base/field_type.h"
#include "testbench/report/train_against.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

double in_ns(Tick ps) { return static_cast<double>(ps) / 1000.0; }

Json parts_json(const AlgorithmStep& step, const AlgorithmStep* from) {
  Json parts = Json::object();
  const auto own = parts_of(step.iteration),
             other = parts_of(from != nullptr ? from->iteration : training::IterationReport{});
  for (std::size_t k = 0; k < own.size(); ++k) parts[own[k].name + "_ns"] = in_ns(own[k].time) - in_ns(other[k].time);
  return parts;
}

}  // namespace

Json exposed_json(const training::IterationReport& iteration) {
  Json parts = Json::object();
  for (const auto& [form, name] : EnumNames<training::Form>::names())
    parts[name] = in_ns(iteration.exposed_of[training::index_of(form)]);
  return parts;
}

Json against_json(const TrainResult& r) {
  Json rows = Json::array();
  if (r.status != Status::done) return rows;
  const AlgorithmStep base = summary_of(r);
  for (const AlgorithmStep& step : r.against) {
    Json row{{"algorithm", step.algorithm}, {"status", status_name(step.status)}};
    if (step.status == Status::done) {
      row["period_ns"] = in_ns(step.period);
      row["difference_ns"] = in_ns(step.period) - in_ns(base.period);
      row["parts"] = parts_json(step, nullptr);
      row["part_differences"] = parts_json(step, &base);
      const auto share = r.use_of_peak(step.period);
      row["mfu"] = share ? Json(*share) : Json(nullptr);
      row["order_certain"] = !uncertain_order(base, step);
      if (step.spread) row["spread_ns"] = {in_ns(step.spread->shortest), in_ns(step.spread->longest)};
    } else {
      row["report"] = step.cause;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tributary
