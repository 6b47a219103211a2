/// What a switch shows of itself: waiting packets, probes, and its return to the initial state.

#include <algorithm>

#include "modules/nvswitch/core/switch_core.h"

namespace tributary {
namespace {

std::string queue_name(unsigned cls) { return cls < NvLink::vcs ? "input.vc" + std::to_string(cls) : "replication"; }

std::string outputs_text(std::uint32_t outputs) {
  std::string text;
  for (; outputs != 0; outputs &= outputs - 1) text += (text.empty() ? "" : ",") + std::to_string(__builtin_ctz(outputs));
  return text;
}

}  // namespace

std::vector<std::string> SwitchCore::waiting() const {
  std::vector<std::string> lines;
  for (unsigned p = 0; p < config_.ports; ++p) {
    const std::string port = "port" + std::to_string(p) + ".";
    for (unsigned c = 0; c < classes; ++c) {
      const unsigned requester = c * stride + p, packets = packets_of(requester);
      if (packets == 0) continue;
      std::string line = port + queue_name(c) + ": " + std::to_string(packets) + " packets";
      if (stalled(requester)) line += ", the first waits for a free entry of " + port + "table";
      if (wants_[requester] != 0) line += ", wait for output " + outputs_text(wants_[requester]);
      lines.push_back(line);
    }
    const EgressStage& s = *stations_[p];
    if (!s.idle())
      lines.push_back(port + "table: " + std::to_string(s.consumed.size() + s.passing.size()) + " operands wait" +
                      (s.stalled ? ", the replication buffer is full" : ""));
    const std::string link = links_[p].waiting();
    if (!link.empty()) lines.push_back(port + "output: " + link);
  }
  return lines;
}

// Copies of a multicast count as one packet.
unsigned SwitchCore::packets_of(unsigned requester) const {
  const unsigned cls = requester / stride;
  unsigned packets = 0;
  const auto count = [&](const QueuedPacket& p) { packets += cls == replication || p.vc == cls; };
  packets_.for_each(waiting_[requester], count);
  if (cls == response_vc) packets_.for_each(waiting_[requester % stride], count);  // those of a port that waits in one list
  std::vector<std::uint16_t> groups;
  for (const PacketLists::List& list : routed_to_[requester])
    packets_.for_each(list, [&](const QueuedPacket& p) {
      if (p.shared && std::find(groups.begin(), groups.end(), p.outputs) != groups.end()) return;
      if (p.shared) groups.push_back(p.outputs);
      ++packets;
    });
  return packets;
}

// Copies for several outputs share one reference until they cross.
void SwitchCore::release_packets(unsigned requester) {
  for (PacketLists::List& list = waiting_[requester]; !list.empty();) {
    const PacketLists::Place place = packets_.take(list);
    if (packets_[place].packet != nullptr) packets_[place].packet->release();
    packets_.release(place);
  }
  for (unsigned o = 0; o < stride; ++o)
    for (PacketLists::List& list = routed_to_[requester][o]; !list.empty();) {
      const PacketLists::Place place = packets_.take(list);
      const QueuedPacket& packet = packets_[place];
      const bool last = !packet.shared || packets_.reached(packet.outputs, o);
      if (last && packet.packet != nullptr) packet.packet->release();
      packets_.release(place);
    }
}

void SwitchCore::reset() {
  for (unsigned r = 0; r < waiting_.size(); ++r) release_packets(r);
  head_ready_.fill(never);
  wants_.fill(0);
  replicated_flits_.fill(0);
  stalled_ = 0;
  for (unsigned p = 0; p < config_.ports; ++p) {
    stations_[p]->reset();
    inputs_[p].reset();
  }
  for (Output& out : outputs_) {
    const auto output = static_cast<unsigned>(&out - outputs_.data());
    out = {};
    if (output >= config_.ports) continue;
    for (unsigned vc = 0; vc < NvLink::vcs; ++vc) out.used[vc] = &links_[output].queued_flits(vc);
    out.used[before_unit] = &stations_[output]->consumed_flits;
    out.used[no_resource] = &nothing_;
  }
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc) room_[vc] = links_[0].queue_capacity();
  room_[before_unit] = config_.unit_queue_flits;
  room_[no_resource] = ~0u;
  packets_.clear();
  input_events_.clear();
  events_.clear();
  handled_ = horizon_ = 0;
  undecided_ = copies_to_ = 0;
  idle_requesters_ = ~std::uint64_t{0};
  idle_outputs_ = static_cast<std::uint32_t>((std::uint64_t{1} << config_.ports) - 1);
  links_.reset();
  changed_ = blocked_ = full_ = 0;
  first_output_ = 0;
}

void SwitchCore::describe(ProbeDirectory& directory, const std::string& name) {
  for (unsigned p = 0; p < config_.ports; ++p) {
    const std::string port = name + ".port" + std::to_string(p) + ".";
    for (unsigned c = 0; c < classes; ++c) {
      directory.add_signal(port + queue_name(c) + ".flits", flits_probes_[c * stride + p], SignalKind::delta, 16,
                           "flits held");
      if (c < NvLink::vcs)
        directory.add_signal(port + queue_name(c) + ".stalled", stall_probes_[c * stride + p], SignalKind::level, 1,
                             "its first packet waits for a table entry");
    }
    directory.add_signal(port + "table.queue", stations_[p]->queue_probe, SignalKind::level, 16,
                         "flits of operands that wait for the table");
    directory.add_signal(port + "table.stalled", stations_[p]->stall_probe, SignalKind::level, 1,
                         "the replication buffer is full");
    links_[p].describe(directory, port);
  }
}

}  // namespace tributary
