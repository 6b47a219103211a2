#include "testbench/report/result_summary.h"

#include <algorithm>

namespace tributary {
namespace {

/// False for counters such as `packet_latency_ns.mean`, as statistics of a distribution are not additive.
bool adds_up(const std::string& counter) {
  const auto dot = counter.rfind('.');
  const std::string last = dot == std::string::npos ? counter : counter.substr(dot + 1);
  for (const char* statistic : {"mean", "min", "max", "p50", "p90", "p95", "p99", "p999"})
    if (last == statistic) return false;
  return true;
}

void add_links(ResultRow& total, const ResultRow& row) {
  if (total.links.empty())
    for (const LinkUse& link : row.links) total.links.push_back({link.name, 0, 0, link.count});
  for (std::size_t i = 0; i < row.links.size() && i < total.links.size(); ++i) {
    total.links[i].bytes += row.links[i].bytes;
    total.links[i].utilisation += row.links[i].utilisation * static_cast<double>(row.time);  // divided at the end
  }
}

/// Returns the bottleneck with the largest share of the total time, and this share.
std::optional<Bottleneck> bottleneck_of_total(const std::vector<ResultRow>& rows, Tick time) {
  std::optional<Bottleneck> most;
  for (const ResultRow& row : rows) {
    if (!row.bottleneck) continue;
    Bottleneck same = *row.bottleneck;
    double busy = 0;  // ps
    for (const ResultRow& other : rows)
      if (other.bottleneck && other.bottleneck->cause == same.cause && other.bottleneck->parameters == same.parameters)
        busy += other.bottleneck->share * static_cast<double>(other.time);
    same.share = time ? busy / static_cast<double>(time) : 0;
    if (!most || same.share > most->share) most = same;
  }
  return most;
}

}  // namespace

const LinkUse* peak_link(const ResultRow& row) {
  const auto busiest = std::max_element(row.links.begin(), row.links.end(),
                                        [](const LinkUse& a, const LinkUse& b) { return a.utilisation < b.utilisation; });
  return busiest == row.links.end() || busiest->bytes == 0 ? nullptr : &*busiest;
}

double share_of_bound(const ResultRow& row) { return row.bound_GBps > 0 ? row.algbw_GBps() / row.bound_GBps : 0; }

ResultRow total_of(const std::vector<ResultRow>& rows) {
  ResultRow total;
  if (rows.empty()) return total;
  total.type = rows.front().type;
  total.op = rows.front().op;
  total.bus_factor = rows.front().bus_factor;
  total.label = "total";
  double shortest = 0;  // sum of size / bound
  for (const ResultRow& row : rows) {
    total.size_bytes += row.size_bytes;
    total.count += row.count;
    total.time += row.time;
    total.wire_bytes += row.wire_bytes;
    if (row.wrong) total.wrong = total.wrong.value_or(0) + *row.wrong;
    if (row.status != Status::done) total.status = row.status;
    if (row.bound_GBps > 0) shortest += static_cast<double>(row.size_bytes) / row.bound_GBps;
    for (const auto& [name, value] : row.counters)
      if (adds_up(name)) total.counters[name] += value;
    add_links(total, row);
  }
  total.bottleneck = bottleneck_of_total(rows, total.time);
  if (shortest > 0) total.bound_GBps = static_cast<double>(total.size_bytes) / shortest;
  for (LinkUse& link : total.links) link.utilisation = total.time ? link.utilisation / static_cast<double>(total.time) : 0;
  return total;
}

}  // namespace tributary
