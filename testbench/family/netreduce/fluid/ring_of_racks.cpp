#include "testbench/family/netreduce/fluid/ring_of_racks.h"

#include <algorithm>
#include <cmath>

#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/driver.h"
#include "testbench/family/netreduce/fluid/fluid_lowering.h"
#include "testbench/family/netreduce/lowering.h"
#include "testbench/workload/transfer_count.h"

namespace tributary {
namespace {

using collective::Activity;
using collective::ActivityGraph;
using collective::Moment;

constexpr double least_transfers = 50'000;  ///< transfers of a long ring
constexpr int most_proved = 64;             ///< ranks of the ring whose schedule is proved
enum Link : std::uint32_t { host_up, host_down, leaf_up, leaf_down };

double bytes_per_second_of(Bandwidth b) { return static_cast<double>(b.value); }

/// Returns true if the ring visits all hosts of several racks, one rack after another.
bool are_rack_by_rack(const std::vector<int>& hosts, const topology::Racks& machine) {
  if (machine.racks < 2 || static_cast<int>(hosts.size()) != machine.all_hosts()) return false;
  const auto each = static_cast<std::size_t>(machine.hosts);
  for (std::size_t r = 0; r < hosts.size(); ++r)
    if (machine.rack_of(hosts[r]) != machine.rack_of(hosts[r - r % each])) return false;
  return true;
}

/// Returns the ports of devices like this one: `leaf*.port*` of leaf3.
std::string class_of(const std::string& device) {
  const auto digits = device.find_first_of("0123456789");
  return device.substr(0, digits) + (digits == std::string::npos ? "" : "*") + ".port*";
}

bool is_long_ring(const JobSpec& job, const NetReducePlatformParams& params) {
  if (job.step || !netreduce_algorithm(job).parts_go_round) return false;
  const std::uint64_t ranks = job.ranks.size();
  return std::all_of(job.items.begin(), job.items.end(), [&](const WorkItem& item) {
    return item.size.value >= ranks * block_bytes && item.size.value <= ranks * params.host.slice.value &&
           transfer_count(job, item.size) > least_transfers;
  });
}

}  // namespace

std::unique_ptr<RingOfRacks> RingOfRacks::of(const RunSpec& spec, const NetReducePlatformParams& params) {
  if (spec.mode != SimulationMode::fluid || spec.jobs.size() != 1 || params.spines != 1) return nullptr;
  const JobSpec& job = spec.jobs.front();
  const topology::Racks machine = racks_of(spec.platform.name(), params);
  if (machine.gpus != 1 || !is_long_ring(job, params)) return nullptr;
  if (!are_rack_by_rack(job.ranks, machine)) return nullptr;
  check_host_flows(job, params, machine);
  return std::unique_ptr<RingOfRacks>(new RingOfRacks(job, params, machine));
}

RingOfRacks::RingOfRacks(const JobSpec& job, const NetReducePlatformParams& params, const topology::Racks& machine)
    : params_(params),
      flow_(host_flow_params(machine.all_hosts(), machine.racks, params)),
      racks_(machine.racks),
      places_(machine.hosts),
      passes_(collective_of(job.collective).passes),
      reduces_(collective_of(job.collective).reduces) {
  const auto name_of = [&](const topology::PortRef& port) {
    return class_of(machine.graph.nodes().at(static_cast<std::size_t>(port.node)).name);
  };
  for (const char* used :
       {"host*.port*>leaf*.port*", "leaf*.port*>host*.port*", "leaf*.port*>spine.port*", "spine.port*>leaf*.port*"})
    classes_.push_back({used, bytes_per_second_of(params.link.rate), 0});
  for (const topology::Link& link : machine.graph.links()) {
    add_link(name_of(link.a) + ">" + name_of(link.b));
    add_link(name_of(link.b) + ">" + name_of(link.a));
  }
}

void RingOfRacks::add_link(const std::string& name) {
  const auto known = std::find_if(classes_.begin(), classes_.end(), [&](const FluidClass& c) { return c.name == name; });
  if (known == classes_.end())
    classes_.push_back({name, classes_.front().rate, 1});
  else
    ++known->count;
}

/// The schedule of a shorter ring by the same rule is proved.
void RingOfRacks::check(const JobSpec& job) const {
  const int proved = std::min(ranks(), most_proved);
  collective::verify_any(collective::software_schedule(job.collective, job.algorithm, proved, 0,
                                                       static_cast<std::uint64_t>(proved) * block_bytes));
}

double RingOfRacks::memory(const JobSpec&, Bytes) const {
  constexpr double activity_bytes = 400;  // with uses, waits and events
  return activity_bytes * steps() * places_;
}

double RingOfRacks::wire(Bytes message) const {
  return static_cast<double>(collective::write_wire_bytes(chunk(message), flow_.payload));
}

bool RingOfRacks::adds(unsigned step) const { return reduces_ && step + 1 < static_cast<unsigned>(ranks()); }

Activity RingOfRacks::send(int place, Bytes message) const {
  Activity a;
  const bool leaves = place + 1 == places_;
  a.bytes = chunk(message);
  a.multiplicity = racks_;
  const double weight = wire(message) / a.bytes;
  a.uses = {{host_up, weight}, {host_down, weight}};
  if (leaves) a.uses.push_back({leaf_up, weight}), a.uses.push_back({leaf_down, weight});
  a.cap = flow_.inter_rate / weight;  // by a host's own link
  if (params_.host.inter_rate) a.cap = std::min(a.cap, bytes_per_second_of(*params_.host.inter_rate));
  const double path = 2 * flow_.cable + flow_.switching + (leaves ? 2 * (flow_.uplink + flow_.switching) : 0);
  a.latency = 1e12 * (flow_.send + path + flow_.receive);
  a.lane = static_cast<std::uint32_t>(place);
  return a;
}

/// A host sends what it has received in the step before, added to its own chunk in the first pass, and after it has sent
/// that step. No more than `in_flight` bytes wait for their ACK.
void RingOfRacks::add(const JobSpec&, Bytes message, double start, Graph& graph) {
  const auto places = static_cast<Graph::Id>(places_);
  const double adding = 1e12 * chunk(message) / bytes_per_second_of(params_.host.reduction_rate);
  const auto unacknowledged =
      static_cast<unsigned>(std::max(1.0, std::ceil(static_cast<double>(params_.host.in_flight.value) / chunk(message))));
  const auto ps = [](Time t) { return static_cast<double>(t.value); };
  const double acked = ps(params_.nic.ack_latency) + ps(params_.nic.completion_latency) - 1e12 * flow_.receive;
  std::vector<Activity> sends;
  for (int place = 0; place < places_; ++place) sends.push_back(send(place, message));
  const Graph::Id first = static_cast<Graph::Id>(graph.size());
  const auto send_of = [&](unsigned step, Graph::Id place) { return first + step * places + place; };
  for (unsigned step = 0; step <= steps(); ++step)
    for (Graph::Id place = 0; place < places; ++place) {
      const Graph::Id id = step < steps() ? graph.add(sends[place]) : graph.add_point();
      graph.not_before(id, start);
      if (step == 0) continue;
      graph.after(id, send_of(step - 1, place), Moment::sent);
      graph.after(id, send_of(step - 1, (place + places - 1) % places), Moment::arrived, adds(step - 1) ? adding : 0);
      if (step == steps() || step < unacknowledged) continue;
      const double back = sends[place].latency - 1e12 * (flow_.send + flow_.receive);
      graph.after(id, send_of(step - unacknowledged, place), Moment::arrived, std::max(0.0, acked + back));
    }
}

double RingOfRacks::bound(const JobSpec&, Bytes message) const {
  return static_cast<double>(message.value) / (steps() * wire(message)) * flow_.inter_rate * 1e-9;
}

BottleneckRules RingOfRacks::bottlenecks() const {
  BottleneckRules rules;
  rules.link_parameter = [](std::size_t) { return "netreduce.link.rate"; };
  return rules;
}

}  // namespace tributary
