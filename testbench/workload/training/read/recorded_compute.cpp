#include "testbench/workload/training/read/recorded_compute.h"

#include <algorithm>
#include <numeric>

namespace tributary::training {

std::vector<RecordedSpan> united(std::vector<RecordedSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const RecordedSpan& a, const RecordedSpan& b) { return a.begin < b.begin; });
  std::vector<RecordedSpan> all;
  for (const RecordedSpan& span : spans)
    if (!all.empty() && span.begin < all.back().end)
      all.back().end = std::max(all.back().end, span.end);
    else if (span.end > span.begin)
      all.push_back(span);
  return all;
}

ComputeOrder compute_order(const std::vector<RecordedSpan>& calls, const std::vector<RecordedSpan>& compute) {
  std::vector<std::size_t> by_end(calls.size());
  std::iota(by_end.begin(), by_end.end(), std::size_t{0});
  std::stable_sort(by_end.begin(), by_end.end(), [&](std::size_t a, std::size_t b) { return calls[a].end < calls[b].end; });
  ComputeOrder order;
  order.before.resize(calls.size());
  std::size_t begun = 0, ended = 0;  // calls: in their order, and in by_end
  const auto begin_until = [&](Tick end) {
    for (; begun < calls.size() && calls[begun].begin < end; ++begun)
      if (!order.stretches.empty()) order.before[begun] = order.stretches.size() - 1;
  };
  for (const RecordedSpan& span : compute) {
    const std::size_t known = begun;
    begin_until(span.end);
    ComputeStretch stretch;
    for (; ended < calls.size() && calls[by_end[ended]].end <= span.begin; ++ended) stretch.calls.push_back(by_end[ended]);
    if (order.stretches.empty() || begun > known || !stretch.calls.empty()) order.stretches.push_back(std::move(stretch));
    order.stretches.back().time += span.end - span.begin;
  }
  begin_until(never);
  return order;
}

}  // namespace tributary::training
