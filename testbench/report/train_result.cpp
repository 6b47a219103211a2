/// Members of TrainResult: rates, and why its times are estimates.
#include <algorithm>
#include <string>

#include "modules/base/text_format.h"
#include "testbench/report/train_report.h"

namespace tributary {

double TrainResult::rate(Tick iteration) const {
  const double samples =
      step.samples == 0 ? 1 : static_cast<double>(step.samples * static_cast<std::uint64_t>(step.replicas));
  return iteration == 0 ? 0 : samples * 1e12 / static_cast<double>(iteration);
}

std::optional<double> TrainResult::use_of_peak(Tick iteration) const {
  if (step.flop == 0 || iteration == 0 || params.compute.model != training::ComputeModel::roofline) return std::nullopt;
  const double peak = params.compute.roofline.peak.per_second * static_cast<double>(spec.jobs.front().ranks.size());
  return step.flop / (peak * static_cast<double>(iteration) * 1e-12);
}

std::string TrainResult::estimate() const {
  if (full) return "";
  const char* const shared = "simultaneous operations share links in proportion to what each uses alone";
  if (spec.mode == SimulationMode::fluid) {
    const auto small =
        std::count_if(transfers.begin(), transfers.end(), [](const IsolatedTransfer& t) { return t.size < 1_MiB; });
    return "flows get fair rates" + (slowed ? "; " + std::string(shared) : "") +
           (small > 0 ? "; " + std::to_string(small) + (small == 1 ? " transfer is" : " transfers are") +
                            " below 1 MiB, where flows were not validated against packets"
                      : "");
  }
  // Groups that the platform cannot run concurrently were measured one by one.
  const bool apart = std::any_of(transfers.begin(), transfers.end(), [&](const IsolatedTransfer& t) {
    return t.together == 1 && t.job.ranks.size() < spec.jobs.front().ranks.size();
  });
  std::string why = in_flight.staggered ? "ranks begin operations at different times" : "";
  if (in_flight.at_once || (in_flight.side_by_side && apart))
    why += std::string(why.empty() ? "" : "; ") + "several operations are in flight simultaneously";
  if (slowed)
    why += (why.empty() ? "" : "; ") + std::string(pairs.all() ? "each pair of them slows as measured together" : shared);
  return !why.empty() ? why : in_flight.close ? "operations follow each other within 1 us" : "";
}

}  // namespace tributary
