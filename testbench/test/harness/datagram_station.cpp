#include "testbench/test/harness/datagram_station.h"

#include <algorithm>

namespace tributary {

// An arrival affects the transmitter after the reaction to a pause at the earliest.
DatagramStation::DatagramStation(const sc_core::sc_module_name& name, const PortConfig& port, PacketPool& pool)
    : EthernetDevice(name, port.pause_reaction, {port}, pool), pool_(pool) {}

void DatagramStation::send(Packet* frame, Tick ready) {
  links().push(0, frame, frame->vc, ready, ready);
  wake(ready);
}

void DatagramStation::start(const DatagramSource::Config& config, Tick t0) {
  source_ = std::make_unique<DatagramSource>(config, links(), 0, pool_);
  source_->start(t0);
  wake(source_->next());
}

Tick DatagramStation::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon, [this](unsigned, Packet* frame, Tick head, Tick tail) {
    const RoceHeader& h = roce(*frame);
    if (h.kind == FrameKind::pause) {
      ++pauses;
      links().pause(0, h.extra >> 16, h.extra & 0xFFFFu, tail);
    } else {
      arrived.push_back({h.kind == FrameKind::datagram ? h.psn : h.address, h.source, head, tail, h.ecn});
    }
    frame->release();
  });
  if (source_ != nullptr) source_->run(horizon);
  const Tick next = links().finish(horizon, safe_times(), [](unsigned, const EthernetLinks::Sent&) {});
  return source_ == nullptr ? next : std::min(next, source_->next());
}

void DatagramStation::reset_core() {
  if (source_ != nullptr) source_->reset();
  arrived.clear();
}

}  // namespace tributary
