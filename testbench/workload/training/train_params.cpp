#include "testbench/workload/training/train_params.h"

#include <algorithm>
#include <array>

namespace tributary::training {

ParameterSet TrainParams::fields() {
  ParameterSet all(training, "training.");
  all.append(ParameterSet(comm, "comm."));
  all.append(ParameterSet(compute, "compute."));
  all.append(ParameterSet(stragglers, "compute."));
  all.append(ParameterSet(optimizer, "optimizer."));
  all.append(ParameterSet(ring, "ring."));
  all.append(ParameterSet(graph, "graph."));
  return all;
}

bool TrainParams::owns(const std::string& path) {
  constexpr std::array<const char*, 6> prefixes{"training.", "comm.", "compute.", "optimizer.", "ring.", "graph."};
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const char* p) { return path.rfind(p, 0) == 0; });
}

std::uint32_t TrainParams::iterations() const {
  return training.iterations.value_or(comm.order == MessageOrder::priority ? 3 : 1);
}

bool TrainParams::first_input_gradient() const {
  return training.first_input_gradient.value_or(compute.model == ComputeModel::table);
}

ElementType TrainParams::gradient_type() const {
  const bool parts = training.sharding == Sharding::optimizer || training.sharding == Sharding::gradients;
  const bool wider =
      parts && training.parallel.model_ranks() > 1 && element_size(training.dtype) < element_size(ElementType::f32);
  return training.gradient_dtype.value_or(wider ? ElementType::f32 : training.dtype.element);
}

std::string TrainParams::unused_by_graph() const {
  TrainParams copy = *this;
  const ParameterSet all = copy.fields();
  for (const ParameterField& field : all.fields()) {
    const bool used = field.path == "training.iterations" || field.path == "training.dtype";
    const bool of_model =
        field.path.rfind("training.", 0) == 0 || field.path.rfind("comm.", 0) == 0 || field.path.rfind("optimizer.", 0) == 0;
    if (of_model && !used && !field.is_default()) return field.path;
  }
  return "";
}

}  // namespace tributary::training

namespace tributary {

training::ModelName ParameterText<training::ModelName>::parse(const std::string& text) {
  if (text.empty()) throw UnitError("no name");
  return {text};
}

training::RankFactors ParameterText<training::RankFactors>::parse(const std::string& text) {
  training::RankFactors factors;
  if (text == "none") return factors;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string entry = text.substr(at, end - at);
    const std::size_t colon = entry.find(':');
    if (colon == std::string::npos) throw UnitError("'" + entry + "' is not RANK:FACTOR");
    const auto rank = static_cast<std::uint32_t>(parse_count(entry.substr(0, colon), 1'000'000));
    const double factor = parse_real(entry.substr(colon + 1));
    if (!(factor >= 0.01 && factor <= 100)) throw UnitError("a factor of " + entry.substr(colon + 1) + " is out of range");
    factors.factors.emplace_back(rank, factor);
    at = end + 1;
  }
  return factors;
}

std::string ParameterText<training::RankFactors>::print(const training::RankFactors& factors) {
  if (factors.factors.empty()) return "none";
  std::string text;
  for (const auto& [rank, factor] : factors.factors)
    text += (text.empty() ? "" : ",") + std::to_string(rank) + ":" + print_real(factor);
  return text;
}

const std::vector<std::pair<training::MessageOrder, std::string>>& EnumNames<training::MessageOrder>::names() {
  using training::MessageOrder;
  static const std::vector<std::pair<MessageOrder, std::string>> all{{MessageOrder::fifo, "fifo"},
                                                                     {MessageOrder::priority, "priority"}};
  return all;
}

const std::vector<std::pair<training::BackwardOrder, std::string>>& EnumNames<training::BackwardOrder>::names() {
  using training::BackwardOrder;
  static const std::vector<std::pair<BackwardOrder, std::string>> all{{BackwardOrder::ig_wg, "ig_wg"},
                                                                      {BackwardOrder::wg_ig, "wg_ig"}};
  return all;
}

}  // namespace tributary
