#include "testbench/report/train_against.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

using training::Form;

std::string in_us(double ps) { return fixed(ps * 1e-6, 3); }
std::string in_us(Tick ps) { return in_us(static_cast<double>(ps)); }
std::string percent_of(double share) { return fixed(100 * share, 1) + " %"; }

double difference(Tick other, Tick own) { return static_cast<double>(other) - static_cast<double>(own); }
std::string with_sign(double ps) { return (ps < 0 ? "" : "+") + in_us(ps); }

EstimateSpread spread_of(const AlgorithmStep& step) {
  return step.spread.value_or(EstimateSpread{step.period, step.period, ""});
}

/// Returns the parts that any of the algorithms has.
std::vector<std::size_t> used_parts(const std::vector<AlgorithmStep>& steps) {
  std::vector<std::size_t> used;
  const std::size_t all = parts_of({}).size();
  for (std::size_t part = 0; part < all; ++part)
    if (std::any_of(steps.begin(), steps.end(),
                    [&](const AlgorithmStep& s) { return parts_of(s.iteration)[part].time > 0; }))
      used.push_back(part);
  return used;
}

constexpr std::size_t column_width = 14;

/// Returns a row of the time and the parts of `step`; with `from`, of their differences.
std::string row_text(const std::string& name, std::size_t names, const std::vector<std::size_t>& parts,
                     const AlgorithmStep& step, const AlgorithmStep* from = nullptr) {
  const auto text = [&](Tick time, Tick of_other) {
    return from != nullptr ? with_sign(difference(time, of_other)) : in_us(time);
  };
  std::string line =
      left(name, names) + right(text(step.iteration.time(), from != nullptr ? from->iteration.time() : 0), column_width);
  const std::vector<IterationPart> own = parts_of(step.iteration);
  const std::vector<IterationPart> other = parts_of(from != nullptr ? from->iteration : training::IterationReport{});
  for (const std::size_t part : parts) line += right(text(own[part].time, other[part].time), column_width);
  return line + "\n";
}

/// Returns one sentence: which algorithm takes less time.
std::string verdict(const AlgorithmStep& base, const AlgorithmStep& other) {
  const double change = difference(other.period, base.period) / static_cast<double>(base.period);
  std::string text = other.algorithm + " takes " + percent_of(std::abs(change)) + (change < 0 ? " less" : " more") +
                     " time than " + base.algorithm;
  if (uncertain_order(base, other)) text += "; the spreads of both estimates overlap, so their order is not certain";
  return text;
}

}  // namespace

std::vector<IterationPart> parts_of(const training::IterationReport& iteration) {
  std::vector<IterationPart> parts{{"compute", iteration.compute}, {"optimizer", iteration.optimizer}};
  for (const Form form : {Form::tensor, Form::expert, Form::pipeline, Form::data, Form::none})
    parts.push_back({FieldType<Form>::print(form), iteration.exposed_of[training::index_of(form)]});
  parts.push_back({"bubble", iteration.idle});
  return parts;
}

bool uncertain_order(const AlgorithmStep& a, const AlgorithmStep& b) {
  if (!a.spread && !b.spread) return false;
  const EstimateSpread x = spread_of(a), y = spread_of(b);
  return x.shortest <= y.longest && y.shortest <= x.longest;
}

AlgorithmStep summary_of(const TrainResult& r) {
  AlgorithmStep step;
  step.algorithm = r.spec.jobs.front().algorithm;
  step.iteration = r.report.iterations.back(), step.period = r.report.period();
  step.spread = r.spread;
  return step;
}

void print_parts(std::ostream& out, const TrainResult& r) {
  if (r.step.flop == 0) return;
  const training::IterationReport& last = r.report.iterations.back();
  if (r.params.training.parallel.any() && last.time() > 0) {
    std::string text;
    for (const IterationPart& part : parts_of(last))
      if (part.time > 0)
        text += (text.empty() ? "" : ", ") + part.name + " " +
                percent_of(static_cast<double>(part.time) / static_cast<double>(last.time()));
    out << "# parts of iteration " << last.iteration << " on rank " << r.report.rank << ": " << text << "; exposed "
        << percent_of(static_cast<double>(last.exposed) / static_cast<double>(last.time())) << "\n";
  }
  const auto share = r.use_of_peak(r.report.period());
  if (!share) return;
  const double ranks = static_cast<double>(r.spec.jobs.front().ranks.size());
  out << "# " << fixed(r.rate(r.report.period()) / ranks, 1) << " " << r.step.unit << "/s on each of the "
      << family_of(r.spec.platform).endpoint_of(r.spec.platform).plural << ", MFU " << percent_of(*share) << " of "
      << training::to_string(r.params.compute.roofline.peak) << "\n";
}

void print_against(std::ostream& out, const TrainResult& r) {
  if (r.against.empty()) return;
  const AlgorithmStep base = summary_of(r);
  std::vector<AlgorithmStep> all{base};
  for (const AlgorithmStep& step : r.against)
    if (step.status == Status::done) all.push_back(step);
  const std::vector<std::size_t> parts = used_parts(all);
  std::size_t names = std::string("difference").size();
  for (const AlgorithmStep& step : all) names = std::max(names, step.algorithm.size());
  out << left("algorithm", names) << right("time", column_width);
  for (const std::size_t part : parts) out << right(parts_of({})[part].name, column_width);
  out << "\n" << left("", names);
  for (std::size_t c = 0; c <= parts.size(); ++c) out << right("(us)", column_width);
  out << "\n";
  for (const AlgorithmStep& step : all) {
    out << row_text(step.algorithm, names, parts, step);
    if (&step != &all.front()) out << row_text("difference", names, parts, step, &base);
  }
  for (const AlgorithmStep& step : r.against) {
    if (step.status == Status::done)
      out << "# " << verdict(base, step) << "\n";
    else
      out << "# " << step.algorithm << ": " << status_name(step.status) << "\n";
  }
}

}  // namespace tributary
