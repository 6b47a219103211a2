#include "testbench/family/schedule_nic/limits.h"

#include <cmath>

#include "modules/protocol/schedule_nic.h"
#include "modules/protocol/segmentation.h"

namespace tributary {
namespace {

double bytes_per_ps(Bandwidth rate) { return static_cast<double>(rate.value) * 1e-12; }

double packet_bytes(const NetworkParams& p) {
  return static_cast<double>(Segmentation(p.flow_control).largest()) * ScheduleNicLink::flit_bytes;
}

/// A packet starts when the buffer has room for all of it. Its place is free again when the router has passed it on, and the
/// credit is back a link's latency later.
double credit_rate(const NetworkParams& p) {
  const double packet = packet_bytes(p);
  const double round_trip =
      static_cast<double>(2 * p.link.latency.value + p.router.latency.value) + packet / bytes_per_ps(p.link.rate);
  return std::floor(p.router.buffer_flits * static_cast<double>(ScheduleNicLink::flit_bytes) / packet) * packet / round_trip;
}

}  // namespace

LimitRules schedule_nic_limits(const RunSpec& spec, const NetworkParams& p) {
  LimitRules rules;
  rules.link_parameter = [](std::size_t) { return "schedule_nic.link.rate"; };
  rules.latency = "schedule_nic.link.latency";
  rules.watches.push_back({"*.reduction.busy",
                           {},
                           {LimitCause::compute, LimitKind::busy, "", "ReductionUnit", "schedule_nic.nic.reduction.units"}});
  rules.watches.push_back({"*.nic.lockstep",
                           {},
                           {LimitCause::schedule, LimitKind::room, "", "ScheduleTable", "schedule_nic.nic.lockstep.kind"}});
  std::size_t ranks = 0;
  for (const JobSpec& job : spec.jobs) ranks += job.ranks.size();
  rules.amend = [p, ranks](const LimitInput& in, std::vector<LimitCandidate>& all) {
    for (LimitCandidate& c : all)  // a step that lasts as long as its chunks are on the link holds nothing back
      if (c.cause == LimitCause::schedule) c.share -= most_bytes(in, "", bytes_per_ps(p.link.rate)).share;
    const double read = in.count("nic.packets_read") / static_cast<double>(ranks);  // by each NIC
    const auto payload = static_cast<double>(p.flow_control.payload.value);
    if (p.nic.memory.rate)
      all.push_back({LimitCause::memory, LimitKind::busy, "nic0.nic", "DmaReader", "schedule_nic.nic.memory.rate",
                     read * payload / (bytes_per_ps(*p.nic.memory.rate) * in.time)});
    if (p.nic.interfaces.rate && p.nic.interfaces.count)
      all.push_back({LimitCause::injection, LimitKind::busy, "nic0.nic", "Nic", "schedule_nic.nic.interfaces.rate",
                     read * packet_bytes(p) / (bytes_per_ps(*p.nic.interfaces.rate) * *p.nic.interfaces.count * in.time)});
    add_credits(in, {LimitCause::credits, LimitKind::busy, "", "InputBuffer", "schedule_nic.router.buffer_flits"},
                credit_rate(p), bytes_per_ps(p.link.rate), all);
  };
  return rules;
}

}  // namespace tributary
