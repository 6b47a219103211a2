#pragma once
/// BasicSwitchCore: reports of waiting packets, probes, and reset.

#include <algorithm>

#include "modules/base/waiting_since.h"
#include "modules/nvswitch/core/basic_switch_core.h"

namespace tributary {

inline std::string switch_queue_name(unsigned cls) {
  return cls < NvLink::vcs ? "input.vc" + std::to_string(cls) : "replication";
}

template <unsigned max_ports>
std::vector<std::string> BasicSwitchCore<max_ports>::waiting() const {
  std::vector<std::string> lines;
  for (unsigned p = 0; p < config_.ports; ++p) {
    const std::string port = "port" + std::to_string(p) + ".";
    for (unsigned c = 0; c < classes; ++c) {
      const unsigned requester = c * stride + p, packets = packets_of(requester);
      if (packets == 0) continue;
      std::string line = port + switch_queue_name(c) + ": " + std::to_string(packets) + " packets";
      if (stalled_[requester]) line += ", the first waits for a free entry of " + port + "table";
      Tick first = never;  // creation time of the oldest request
      const auto look = [&](const Queued& q) { first = q.packet == nullptr ? first : std::min(first, q.packet->born); };
      packets_.for_each(waiting_[requester], look);
      for (const List& list : routed_to_[requester]) packets_.for_each(list, look);
      std::string outputs;
      crossbar_.wants(requester).for_each(
          [&](unsigned output) { outputs += (outputs.empty() ? "" : ",") + std::to_string(output); });
      if (!outputs.empty()) line += ", wait for output " + outputs;
      lines.push_back(line + waiting_since(first == never ? 0 : first));
    }
    const EgressStage& s = *stages_[p];
    if (!s.idle())
      lines.push_back(port + "table: " + std::to_string(s.consumed.size() + s.passing.size()) + " operands wait" +
                      (s.stalled ? ", the replication buffer is full" : ""));
    const std::string link = links_[p].waiting();
    if (!link.empty()) lines.push_back(port + "output: " + link);
  }
  return lines;
}

// Copies of a multicast count as one packet.
template <unsigned max_ports>
unsigned BasicSwitchCore<max_ports>::packets_of(unsigned requester) const {
  const unsigned cls = requester / stride;
  unsigned packets = 0;
  const auto count = [&](const Queued& p) { packets += cls == replication || p.vc == cls; };
  packets_.for_each(waiting_[requester], count);
  if (cls == response_vc) packets_.for_each(waiting_[requester % stride], count);  // packets of a port that uses one list
  std::vector<std::uint64_t> groups;
  for (const List& list : routed_to_[requester])
    packets_.for_each(list, [&](const Queued& p) {
      if (p.shared && std::find(groups.begin(), groups.end(), p.outputs) != groups.end()) return;
      if (p.shared) groups.push_back(p.outputs);
      ++packets;
    });
  return packets;
}

// Copies for several outputs share one reference until they cross.
template <unsigned max_ports>
void BasicSwitchCore<max_ports>::release_packets(unsigned requester) {
  for (List& list = waiting_[requester]; !list.empty();) {
    const Place place = packets_.take(list);
    if (packets_[place].packet != nullptr) packets_[place].packet->release();
    packets_.release(place);
  }
  for (unsigned o = 0; o < stride; ++o)
    for (List& list = routed_to_[requester][o]; !list.empty();) {
      const Place place = packets_.take(list);
      const Queued& packet = packets_[place];
      const bool last = !packet.shared || packets_.reached(static_cast<std::uint16_t>(packet.outputs), o);
      if (last && packet.packet != nullptr) packet.packet->release();
      packets_.release(place);
    }
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::reset() {
  for (unsigned r = 0; r < waiting_.size(); ++r) release_packets(r);
  crossbar_.reset();
  head_ready_.fill(never);
  replicated_flits_.fill(0);
  for (unsigned p = 0; p < config_.ports; ++p) {
    stages_[p]->reset();
    auto& used = crossbar_.output(p).used;
    for (unsigned vc = 0; vc < NvLink::vcs; ++vc) used[vc] = &links_[p].queued_flits(vc);
    used[before_stage] = &stages_[p]->consumed_flits;
    used[no_resource] = &nothing_;
  }
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc) room_[vc] = links_[0].queue_capacity();
  room_[before_stage] = config_.stage_queue_flits;
  room_[no_resource] = ~0u;
  packets_.clear();
  input_events_.clear();
  events_.clear();
  handled_ = horizon_ = 0;
  links_.reset();
  stalled_ = {};
  full_ = {};
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::describe(ProbeDirectory& directory, const std::string& name) {
  for (unsigned p = 0; p < config_.ports; ++p) {
    const std::string port = name + ".port" + std::to_string(p) + ".";
    for (unsigned c = 0; c < classes; ++c) {
      directory.add_signal(port + switch_queue_name(c) + ".flits", flits_probes_[c * stride + p], SignalKind::delta, 16,
                           "flits held");
      if (c < NvLink::vcs)
        directory.add_signal(port + switch_queue_name(c) + ".stalled", stall_probes_[c * stride + p], SignalKind::level, 1,
                             "its first packet waits for a table entry");
    }
    directory.add_signal(port + "table.queue", stages_[p]->queue_probe, SignalKind::level, 16,
                         "flits of operands that wait for the table");
    directory.add_signal(port + "table.stalled", stages_[p]->stall_probe, SignalKind::level, 1,
                         "the replication buffer is full");
    links_[p].describe(directory, port);
  }
}

}  // namespace tributary
