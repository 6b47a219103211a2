#include "testbench/family/schedule_nic/bottlenecks.h"

#include <cmath>
#include <utility>

#include "modules/protocol/schedule_nic.h"
#include "modules/protocol/segmentation.h"
#include "testbench/family/schedule_nic/fluid/fluid_sends.h"

namespace tributary {
namespace {

double bytes_per_ps(Bandwidth rate) { return static_cast<double>(rate.value) * 1e-12; }

double packet_bytes(const NetworkParams& p) {
  return static_cast<double>(Segmentation(p.flow_control).largest()) * ScheduleNicLink::flit_bytes;
}

/// Returns the parts of the chain. Steps in lockstep last as long as their chunks on a link; additions are capped. `adding`:
/// parameter of the reduction unit.
std::vector<PathPart> parts_of(const NicChain& c, const std::string& adding, const NetworkParams& p) {
  const auto ps = [](Time time) { return static_cast<double>(time.value); };
  const auto links = static_cast<double>(c.chain.crossed_links());
  const double flit = ScheduleNicLink::flit_bytes / bytes_per_ps(p.link.rate);
  const bool unequal = p.link.y_rate && p.link.y_rate->value != p.link.rate.value;  // either rate may be meant
  const std::string rate = unequal ? "" : "schedule_nic.link.rate";
  const bool slow = credit_rate(p, bytes_per_ps(p.link.rate)) < bytes_per_ps(p.link.rate);
  const double steps = c.chain.delay(nic_step) + links * flit;
  return {{rate, steps + (slow ? 0 : c.chain.on_links())},
          {"schedule_nic.router.buffer_flits", slow ? c.chain.on_links() : 0},
          {"schedule_nic.link.latency", links * ps(p.link.latency)},
          {"schedule_nic.router.latency", c.routers * ps(p.router.latency)},
          {"schedule_nic.nic.memory.latency", c.chain.delay(nic_memory)},
          {"schedule_nic.nic.issue_interval", c.chain.delay(nic_issue)},
          {"schedule_nic.nic.table.read", c.chain.delay(nic_table)},
          {"schedule_nic.nic.reduction.latency", c.chain.delay(nic_sum)},
          {adding, c.chain.capped()}};
}

/// Returns the mean passes of an addition: each sets and clears the level of its unit.
double passes_of(const BottleneckInput& in, const BottleneckCandidate& unit, const NetworkParams& p) {
  const double additions = static_cast<double>(in.seen[0].firings) / 2;
  const double pass = static_cast<double>(p.nic.reduction.cycles * p.nic.clock.value);
  return additions > 0 && pass > 0 ? unit.share * in.time / additions / pass : 0;
}

/// Returns the parameter that shortens an addition. Units and their width help while a chunk needs several passes.
std::string reduction_parameter(const NetworkParams& p, double passes) {
  const ReductionUnitParams& r = p.nic.reduction;
  const std::string unit = "schedule_nic.nic.reduction.";
  if (passes > 1.5) return unit + "units";
  return r.cycles > 1 ? unit + "cycles" : "schedule_nic.nic.clock";
}

/// Adds the time in which the NIC that issues the most entries issues them.
void add_issue(const BottleneckInput& in, const BottleneckInput::Seen& issued, Time interval, BottleneckAccount& account) {
  account.add({BottleneckCause::injection, BottleneckKind::busy, issued.module, "Nic", "schedule_nic.nic.issue_interval",
               static_cast<double>(issued.firings * interval.value) / in.time});
}

}  // namespace

/// A packet starts when the buffer has room for
/// the whole packet. The room is free again when the router has forwarded a flit, or the packet, and the credit is back one
/// link latency later.
double credit_rate(const NetworkParams& p, double wire) {
  const double packet = packet_bytes(p), flit = ScheduleNicLink::flit_bytes;
  const double returned = p.router.credits == CreditReturn::flit ? flit : packet;
  const double round_trip = static_cast<double>(2 * p.link.latency.value + p.router.latency.value) + returned / wire;
  return std::floor(p.router.buffer_flits * flit / packet) * packet / round_trip;
}

BottleneckRules schedule_nic_bottlenecks(const RunSpec& spec, const NetworkParams& p, NicChainOf chain_of) {
  BottleneckRules rules;
  rules.link_parameter = [](std::size_t) { return "schedule_nic.link.rate"; };
  rules.watches.push_back(
      {"*.reduction.busy",
       {},
       {BottleneckCause::compute, BottleneckKind::busy, "", "ReductionUnit", "schedule_nic.nic.reduction.units"}});
  rules.watches.push_back(
      {"*.nic.lockstep",
       {},
       {BottleneckCause::schedule, BottleneckKind::room, "", "ScheduleTable", "schedule_nic.nic.lockstep.kind"}});
  rules.watches.push_back({"*.nic.issued", {1, 0}, {}});  // counts firings; the level is not used
  std::size_t ranks = 0;
  for (const JobSpec& job : spec.jobs) ranks += job.ranks.size();
  rules.amend = [p, ranks, chain_of = std::move(chain_of)](const BottleneckInput& in, BottleneckAccount& account) {
    std::string adding = reduction_parameter(p, 1);
    for (BottleneckCandidate& c : account.resources) {
      // A step that lasts as long as its chunks are on the link holds nothing back.
      if (c.cause == BottleneckCause::schedule) c.share -= most_bytes(in, "", bytes_per_ps(p.link.rate)).share;
      if (c.cause == BottleneckCause::compute) adding = c.parameter = reduction_parameter(p, passes_of(in, c, p));
    }
    const double read = in.count("nic.packets_read") / static_cast<double>(ranks);  // per NIC
    const auto payload = static_cast<double>(p.flow_control.payload.value);
    if (p.nic.memory.rate)
      account.add({BottleneckCause::memory, BottleneckKind::busy, "nic0.nic", "DmaReader", "schedule_nic.nic.memory.rate",
                   read * payload / (bytes_per_ps(*p.nic.memory.rate) * in.time)});
    if (p.nic.interfaces.rate && p.nic.interfaces.count)
      account.add({BottleneckCause::injection, BottleneckKind::busy, "nic0.nic", "Nic", "schedule_nic.nic.interfaces.rate",
                   read * packet_bytes(p) / (bytes_per_ps(*p.nic.interfaces.rate) * *p.nic.interfaces.count * in.time)});
    const double rate = bytes_per_ps(p.link.rate);
    add_credits(in, {BottleneckCause::credits, BottleneckKind::busy, "", "InputBuffer", "schedule_nic.router.buffer_flits"},
                {credit_rate(p, rate), credit_rate(p, bottleneck_headroom * rate), rate}, account);
    account.needs.push_back({BottleneckCause::credits, BottleneckCause::link, "schedule_nic.link.rate",
                             bottleneck_headroom * credit_rate(p, rate) / rate});
    add_issue(in, in.seen[2], p.nic.issue_interval, account);
    if (is_bound(account)) return;
    if (const std::optional<NicChain> chain = chain_of(in.row)) {
      account.chain = true;
      account.add_path(parts_of(*chain, adding, p));
    }
  };
  return rules;
}

}  // namespace tributary
