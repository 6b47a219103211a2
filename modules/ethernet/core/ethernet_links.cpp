#include "modules/ethernet/core/ethernet_links.h"

#include <algorithm>
#include <cstring>

namespace tributary {
namespace {

Packet* copy_of(const Packet& frame, PacketPool& pool) {
  Packet* copy = pool.make(frame.payload_bytes, frame.payload != nullptr);
  copy->born = frame.born;
  copy->wire_bytes = frame.wire_bytes;
  copy->vc = frame.vc;
  copy->damage = frame.damage;
  roce(*copy) = roce(frame);
  if (frame.payload != nullptr) std::memcpy(copy->payload, frame.payload, frame.payload_bytes);
  return copy;
}

}  // namespace

EthernetLinks::EthernetLinks(const std::vector<Transmitter*>& transmitters, LinkOutput& wires, PacketPool& pool)
    : wires_(wires), pool_(pool), fates_(transmitters.size()) {
  for (Transmitter* t : transmitters) ports_.push_back({t});
}

void EthernetLinks::cross(Port& port, const Sent& sent) {
  const Tick start = sent.head - port.transmitter->head_latency();
  const auto shown = [&](const char* what) {
    show_fate<EthernetLink>(fates_[static_cast<std::size_t>(&port - ports_.data())], start, *sent.packet, what);
  };
  switch (port.faults->fate(*sent.packet, start)) {
    case FrameFate::drop:
      shown("lost on the wire");
      sent.packet->release();
      return;
    case FrameFate::corrupt:
      shown("damaged: its FCS is wrong");
      sent.packet->damage |= fcs_wrong;
      break;
    case FrameFate::flip:
      shown("damaged in a switch: its ICRC is wrong");
      sent.packet->damage |= icrc_wrong;
      break;
    case FrameFate::duplicate:
      shown("doubled: it comes twice");
      port.train.add(copy_of(*sent.packet, pool_), sent.head, sent.tail);
      break;
    case FrameFate::deliver:
      break;
  }
  port.train.add(sent.packet, sent.head, sent.tail);
}

bool EthernetLinks::quiescent() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const Port& p) { return p.transmitter->quiescent(); });
}

std::vector<std::string> EthernetLinks::waiting() const {
  std::vector<std::string> lines;
  for (unsigned p = 0; p < ports(); ++p)
    if (const std::string text = ports_[p].transmitter->waiting(); !text.empty())
      lines.push_back("port" + std::to_string(p) + ": " + text);
  return lines;
}

void EthernetLinks::reset() {
  for (Port& p : ports_) {
    p.transmitter->reset();
    p.train.empty_into([](Tick, const LinkArrival* packets, unsigned count) {
      for (unsigned i = 0; i < count; ++i) packets[i].packet->release();
    });
    p.sending = false;
  }
  sending_.clear();
}

void EthernetLinks::begin(Tick t0) {
  for (Port& p : ports_)
    if (p.faults != nullptr) p.faults->begin(t0);
}

}  // namespace tributary
