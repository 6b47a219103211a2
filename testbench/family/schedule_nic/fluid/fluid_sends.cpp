#include "testbench/family/schedule_nic/fluid/fluid_sends.h"

#include <algorithm>
#include <utility>

namespace tributary {

using collective::Activity;
using collective::Moment;
using topology::PortRef;

LinkNumbers::LinkNumbers(const topology::Graph& graph) {
  std::uint32_t link = 0;
  for (const topology::Link& l : graph.links())
    for (const PortRef from : {l.a, l.b}) {
      const auto node = static_cast<std::size_t>(from.node), port = static_cast<std::size_t>(from.port);
      if (node >= of_.size()) of_.resize(node + 1);
      if (port >= of_[node].size()) of_[node].resize(port + 1);
      of_[node][port] = link++;
    }
}

FluidSends::FluidSends(const ScheduleNicPlatform& system, collective::ActivityGraph& graph, double start,
                       std::size_t element_bytes, NicAdding adding)
    : system_(system),
      params_(system.params()),
      graph_(graph),
      start_(start),
      element_bytes_(element_bytes),
      adding_(adding),
      segmentation_(params_.flow_control),
      estimate_(params_.flow_control, params_.nic.lockstep.buffer, ScheduleNicPlatform::unit_rate(params_)),
      reduction_(params_.nic.reduction, params_.nic.clock),
      link_of_(system.graph()) {}

/// The head of a chunk passes a router at both ends of each link, unless a NIC has no router; its tail follows at the rate
/// of the slowest link.
FluidSends::Id FluidSends::send(const std::vector<PortRef>& route, std::uint64_t bytes) {
  const double on_wire = static_cast<double>(segmentation_.flits(bytes) * ScheduleNicLink::flit_bytes);
  Activity a;
  a.bytes = static_cast<double>(bytes);
  const bool direct = system_.network().direct();
  std::size_t routers = direct ? route.size() + 1 : route.size() - 1;
  for (const PortRef hop : route) {
    const std::uint32_t link = link_of_(hop);
    a.uses.push_back({like_.empty() ? link : like_[link], on_wire / a.bytes});
    a.latency += static_cast<double>(params_.link.latency.value) +
                 1e12 * ScheduleNicLink::flit_bytes / static_cast<double>(rate(link).value);
  }
  a.latency += static_cast<double>(routers * params_.router.latency.value);
  a.lane = link_of_(route.front());
  const Id id = graph_.add(a);
  graph_.not_before(id, start_);
  sent_.resize(id + std::size_t{1});
  sent_[id] = {a.lane, bytes, system_.graph().peer(route.back())->node};
  return id;
}

FluidSends::Id FluidSends::point() {
  const Id id = graph_.add_point();
  graph_.not_before(id, start_);
  return id;
}

/// Returns the addition of a chunk by the reduction unit of its receiver: a transfer of a byte per picosecond.
FluidSends::Id FluidSends::addition(Id send) {
  Sent& sent = sent_.at(send);
  if (sent.added) return *sent.added;
  Activity a;
  a.bytes = static_cast<double>(reduction_.time(sent.bytes / element_bytes_));
  a.cap = 1e12;
  a.lane = static_cast<std::uint32_t>(system_.links().size()) + static_cast<std::uint32_t>(sent.to);
  sent.added = graph_.add(a);
  graph_.after(*sent.added, send, Moment::arrived);
  return *sent.added;
}

void FluidSends::after_arrival(Id later, Id send, bool added) {
  const auto pipeline = static_cast<double>(params_.nic.reduction.latency.value);
  if (added && adding_ == NicAdding::serial) return graph_.after(later, addition(send), Moment::sent, pipeline, nic_sum);
  const double adding = added ? pipeline + static_cast<double>(reduction_.time(sent_.at(send).bytes / element_bytes_)) : 0;
  graph_.after(later, send, Moment::arrived, adding);
}

/// Returns the time of the chunks of one link, at least that of one chunk on the slowest link, as ScheduleEngine computes
/// it.
double FluidSends::estimate(const Row* first, const Row* last) const {
  const Lockstep kind = params_.nic.lockstep.kind;
  std::vector<std::pair<std::uint32_t, Tick>> by_link;  // few
  Tick longest = 0;
  for (const Row* row = first; row != last; ++row) {
    if (kind == Lockstep::off || (kind == Lockstep::nop_only && !row->nop)) continue;
    if (row->nop) longest = std::max(longest, estimate_.time(row->bytes));
    for (const Id id : row->sends) {
      const Sent& s = sent_.at(id);
      const auto known = std::find_if(by_link.begin(), by_link.end(), [&](const auto& l) { return l.first == s.link; });
      Tick& sum = known != by_link.end() ? known->second : by_link.emplace_back(s.link, 0).second;
      sum += params_.link.y_rate ? estimate_.time(s.bytes, rate(s.link)) : estimate_.time(s.bytes);
      longest = std::max({longest, sum, estimate_.time(s.bytes)});
    }
  }
  return static_cast<double>(longest);
}

/// Returns the time in which the rows of the step that begins with row `step` are read, with the row after them. The first
/// row of a later step has been read with the step before.
double FluidSends::read_time(const std::vector<Row>& rows, std::size_t step) const {
  std::size_t end = step;
  while (end < rows.size() && rows[end].step == rows[step].step) ++end;
  const std::size_t reads = end - step - (step > 0 ? 1 : 0) + (end < rows.size() ? 1 : 0);
  return static_cast<double>(reads) * static_cast<double>(params_.nic.table.read.value);
}

std::vector<FluidSends::Id> FluidSends::issue(const std::vector<Row>& rows) {
  std::vector<Id> points;
  const double interval = static_cast<double>(params_.nic.issue_interval.value);
  for (std::size_t i = 0; i < rows.size(); ++i) points.push_back(point());
  Id begun = 0;  // the current step
  double lasts = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].step != rows[i - 1].step) {
      const Id step = point();
      const double read = read_time(rows, i);
      if (i > 0) {
        graph_.after(step, begun, Moment::sent, std::max(lasts, read), read > lasts ? nic_table : nic_step);
        graph_.after(step, points[i - 1], Moment::sent);
      } else if (read > 0) {
        graph_.after(step, point(), Moment::sent, read, nic_table);
      }
      std::size_t end = i;
      while (end < rows.size() && rows[end].step == rows[i].step) ++end;
      lasts = estimate(rows.data() + i, rows.data() + end);
      begun = step;
    }
    graph_.after(points[i], begun, Moment::sent);
    if (i > 0) graph_.after(points[i], points[i - 1], Moment::sent, rows[i - 1].nop ? 0 : interval, nic_issue);
    for (const Id id : rows[i].sends)
      graph_.after(id, points[i], Moment::sent, static_cast<double>(params_.nic.memory.latency.value), nic_memory);
  }
  return points;
}

}  // namespace tributary
