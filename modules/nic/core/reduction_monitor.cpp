#include "modules/nic/core/reduction_monitor.h"

#include "modules/base/sum_check.h"

namespace tributary {

std::string ReductionMonitor::request() const {
  return "elements " + std::to_string(asked_.elements) +
         (asked_.data == nullptr ? ", time of a chunk" : ", data of a packet");
}

void ReductionMonitor::ask(const ReductionAccess& t, Tick now) {
  begin(now);
  asked_ = t;
  if (t.data == nullptr) return;
  right_.assign(t.sum, t.sum + t.elements * element_size(t.type));
  apply(t.op, t.type, right_.data(), t.data, right_.size());
}

void ReductionMonitor::check(const ReductionAccess& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  if (t.elements != asked_.elements)
    fail("length", "a sum of " + std::to_string(t.elements) + " elements; legal: " + std::to_string(asked_.elements));
  if (t.sum != asked_.sum || t.data != asked_.data || t.type != asked_.type || t.op != asked_.op)
    fail("keep", "fields of the request are changed");
  if (asked_.data == nullptr) return;
  if (const std::string wrong = wrong_lane(asked_.type, right_.data(), asked_.sum, right_.size()); !wrong.empty())
    fail("data", wrong);
}

}  // namespace tributary
