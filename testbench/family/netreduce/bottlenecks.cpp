#include "testbench/family/netreduce/bottlenecks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "modules/protocol/roce.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/driver.h"
#include "testbench/family/netreduce/fluid/fluid_lowering.h"

namespace tributary {
namespace {

double ps(Time time) { return static_cast<double>(time.value); }
double bytes_per_ps(Bandwidth rate) { return static_cast<double>(rate.value) * 1e-12; }

/// The first job, and the properties of its machine that determine the paths of packets.
struct HostJob {
  HostRole role = HostRole::commands;
  std::string collective;
  bool tree = false;  ///< several racks
  double gpus = 1;    ///< GPUs of a host
  RingCollective on_ring = RingCollective::allreduce;
  bool own_adders = true;  ///< false: the combinator is that of a plugin, whose latency is not known
};

/// A sum passes the switch of each level twice, in addition to its accelerator.
std::vector<PathPart> accelerated_path(const HostJob& job, const NetReducePlatformParams& p) {
  const AcceleratorParams& a = p.accelerator;
  const bool inside = a.placement == AcceleratorPlacement::in_switch;  // without second passes, cables and MACs
  const double accelerators = job.tree ? 3 : 1, passes = inside ? 1 : 2;
  const double switches = passes * accelerators, links = (job.tree ? 8 : 4) - (inside ? 2 * accelerators : 0);
  const unsigned macs = inside ? 0 : 2 * a.mac_cycles, adders = job.own_adders ? a.add_cycles : 0;
  return {{"netreduce.nic.tx_latency", ps(p.nic.tx_latency)},
          {"netreduce.nic.rx_latency", ps(p.nic.rx_latency)},
          {"netreduce.switch.latency", switches * ps(p.ethernet_switch.latency)},
          {"netreduce.link.latency", links * ps(p.link.latency)},
          {"netreduce.link.rate", (job.tree ? 8 : 4) * static_cast<double>(p.nic.mtu.value) / bytes_per_ps(p.link.rate)},
          {"netreduce.accelerator.clock", accelerators * (macs + a.lookup_cycles + adders) * ps(a.clock)},
          {"netreduce.host.hop", job.role == HostRole::machine ? 2 * (job.gpus - 1) * ps(p.host.hop) : 0}};
}

/// Returns the parts of the chain of a software schedule: transfers over the two links of a rack, over four with the spine,
/// and between GPUs of a host. The wait for ACKs has no parameter.
std::vector<PathPart> software_path(const collective::LongestChain& chain, const NetReducePlatformParams& p) {
  const auto racks = static_cast<double>(chain.arrivals(4)), sends = static_cast<double>(chain.arrivals(2)) + racks;
  const char* const slow = p.host.inter_rate && sends > 0 ? "netreduce.host.inter_rate" : "netreduce.host.intra_rate";
  return {{"netreduce.link.rate", chain.on_links()},
          {slow, chain.capped()},
          {"netreduce.host.reduction_rate", chain.delay(host_adding)},
          {"", chain.delay(host_answer)},
          {"netreduce.nic.tx_latency", sends * ps(p.nic.tx_latency)},
          {"netreduce.nic.rx_latency", sends * ps(p.nic.rx_latency)},
          {"netreduce.switch.latency", (sends + 2 * racks) * ps(p.ethernet_switch.latency)},
          {"netreduce.link.latency", 2 * sends * ps(p.link.latency)},
          {"netreduce.link.uplink_latency", 2 * racks * ps(p.link.uplink_latency)},
          {"netreduce.host.hop", static_cast<double>(chain.arrivals(0)) * ps(p.host.hop)}};
}

/// Adds the reduction in the host that receives the most; in a software all-reduce, it adds the first half of its bytes.
void add_sums(const BottleneckInput& in, const HostJob& job, const NetReducePlatformParams& p, BottleneckAccount& account) {
  const bool server = job.role == HostRole::server;
  if ((job.role != HostRole::commands && !server) || !collective_of(job.collective).reduces) return;
  const LinkUse* most = nullptr;
  for (const LinkUse& link : in.row.links)
    if (link.name.find(">host") != std::string::npos && (most == nullptr || link.bytes > most->bytes)) most = &link;
  if (most == nullptr) return;
  const double part = server ? 1 : 1.0 / collective_of(job.collective).passes;
  const std::string port = most->name.substr(most->name.find('>') + 1);
  account.add({BottleneckCause::software, BottleneckKind::busy, port.substr(0, port.find('.')) + ".agent", "HostAgent",
               "netreduce.host.reduction_rate",
               part * static_cast<double>(most->bytes) / (bytes_per_ps(p.host.reduction_rate) * in.time)});
}

/// All messages of a ring have one length. If most of their bytes are padding, shorter messages help, and the other
/// resources are at work on padding; their work on data is a part of the path. If padding costs clearly less than the data,
/// a resource at work needs a higher rate. Otherwise padding disturbs the run, since other lengths of messages can be better
/// or worse.
void weigh_padding(const BottleneckInput& in, const HostJob& job, const NetReducePlatformParams& p,
                   BottleneckAccount& account) {
  constexpr double mostly = 0.5, some = 0.05;
  if (job.role != HostRole::flow_control && job.role != HostRole::machine) return;
  if (job.on_ring != RingCollective::allreduce) return;  // padding is sent in empty packets
  const double part = static_cast<double>(in.row.size_bytes) / (job.role == HostRole::machine ? job.gpus : 1);
  const double message = p.flow_control.messages.message_packets * static_cast<double>(p.nic.mtu.value);
  const double padding = 1 - part / (std::ceil(part / message) * message);
  const auto at_work = [](const BottleneckCandidate& c) { return c.kind == BottleneckKind::busy; };
  double most = 0;
  for (const BottleneckCandidate& c : account.resources)
    if (at_work(c)) most = std::max(most, c.share);
  const char* const text = " of the bytes are padding";
  if (padding > some && most * (1 - 2 * padding) > bottleneck_apart)
    account.note(padding, text);
  else if (padding > some)
    account.disturb(padding, BottleneckCause::padding, text);
  if (padding < mostly) return;
  auto& all = account.resources;
  all.erase(std::remove_if(all.begin(), all.end(), at_work), all.end());
  account.add({BottleneckCause::padding, BottleneckKind::busy, "", "HostAgent", "netreduce.flow_control.message_packets",
               padding * most});
  account.add_path({{"netreduce.link.rate", (1 - padding) * most * in.time}});
}

/// Returns the parameter that causes loss of packets; empty if none was lost, as timeouts ended too early.
const char* loss_parameter(const BottleneckInput& in, const NetReducePlatformParams& p) {
  if (p.link.loss_rate > 0) return "netreduce.link.loss_rate";
  if (p.link.bit_error_rate > 0) return "netreduce.link.bit_error_rate";
  if (in.count("switch.drops") > in.count("background.dropped")) return "netreduce.switch.buffer";
  if (in.count("nic.duplicates") >= in.count("nic.retries")) return "";
  return "netreduce.nic.rto";  // losses by scripted faults
}

/// Returns the share of the busiest link if no other resource was busy for longer, else 0.
double busiest_link(const BottleneckAccount& account) {
  double link = 0, others = 0;
  for (const BottleneckCandidate& c : account.resources) {
    double& most = c.cause == BottleneckCause::link ? link : others;
    if (c.kind == BottleneckKind::busy) most = std::max(most, c.share);
  }
  return link >= others ? link : 0;
}

/// Lost packets are sent again, with all packets that followed them. If many are, and a link is always busy with them, it
/// needs a higher rate and fewer losses. Otherwise the repeated part of the traffic is no load that needs faster links. If
/// few packets are repeated, the time until a loss is detected counts.
void add_retransmission(const BottleneckInput& in, const NetReducePlatformParams& p, BottleneckAccount& account) {
  constexpr double many = 0.2;
  const double sent = bytes_from(in.row, "host");
  const auto packet =
      static_cast<double>(EthernetFrame::wire_bytes(FrameKind::write_middle, static_cast<unsigned>(p.nic.mtu.value)));
  const double repeated = sent > 0 ? std::min(1.0, in.count("nic.retries") * packet / sent) : 0;
  const double waited = in.count("nic.timeouts") * ps(p.nic.rto) / in.time, busiest = busiest_link(account);
  const std::string cause = repeated >= many ? loss_parameter(in, p) : "netreduce.nic.rto";
  const bool at_random = p.link.loss_rate > 0 || p.link.bit_error_rate > 0;  // otherwise the load itself causes the losses
  if (repeated >= many && at_random && busiest >= 1 - bottleneck_closes) {
    account.needs.push_back({BottleneckCause::link, BottleneckCause::retransmission, cause, 1 + repeated});
    return;
  }
  account.disturb(repeated, BottleneckCause::retransmission, " of the packets are sent again");
  double lost = waited;
  if (repeated >= many)
    for (BottleneckCandidate& c : account.resources)
      if (c.cause == BottleneckCause::link) lost = std::max(lost, repeated * c.share), c.share *= 1 - repeated;
  if (lost > 0) account.add({BottleneckCause::retransmission, BottleneckKind::room, "", "RoceNic", cause, lost});
}

}  // namespace

BottleneckRules netreduce_bottlenecks(const RunSpec& spec, const NetReducePlatformParams& p, HostChainOf chain_of) {
  const topology::Racks machine = racks_of(spec.platform.name(), p);
  const JobSpec& first = spec.jobs.front();
  const HostJob job{netreduce_algorithm(first).role,
                    first.collective,
                    machine.tree(),
                    static_cast<double>(machine.gpus),
                    netreduce_algorithm(first).on_ring,
                    spec.blocks.find(combinator_slot) == nullptr};
  BottleneckRules rules;
  rules.link_parameter = [](std::size_t) { return "netreduce.link.rate"; };
  rules.watches.push_back(
      {"*.window.blocked",
       {},
       {BottleneckCause::window, BottleneckKind::room, "", "FlowControl", "netreduce.flow_control.window"}});
  rules.watches.push_back(
      {"*.combinator.*busy",
       {},
       {BottleneckCause::compute, BottleneckKind::busy, "", "Combinator", "netreduce.accelerator.clock"}});
  rules.amend = [p, job, chain_of = std::move(chain_of)](const BottleneckInput& in, BottleneckAccount& account) {
    add_retransmission(in, p, account);
    if (p.host.inter_rate)
      account.add({BottleneckCause::software, BottleneckKind::busy, "host0.agent", "HostAgent", "netreduce.host.inter_rate",
                   most_bytes(in, "host", bytes_per_ps(*p.host.inter_rate)).share});
    add_sums(in, job, p, account);
    weigh_padding(in, job, p, account);
    const bool accelerated = job.role == HostRole::flow_control || job.role == HostRole::machine;
    if (accelerated) {
      account.add_path(accelerated_path(job, p));
    } else if (is_bound(account)) {
      return;
    } else if (const std::optional<collective::LongestChain> chain = chain_of(in.row)) {
      account.chain = true;
      account.add_path(software_path(*chain, p));
    }
  };
  return rules;
}

}  // namespace tributary
