#include "testbench/harness/packet_endpoint.h"

#include <algorithm>

#include "modules/link/nvlink_header.h"

namespace tributary {

Tick PacketEndpoint::run_until(Tick horizon) {
  for (; !held_.empty() && held_.front().until <= horizon; held_.pop())
    port.return_credit(held_.front().vc, held_.front().flits, held_.front().until);
  const Tick next = source.run(activation(), horizon, [this](const LinkTransmitter::Sent& s) { port.deliver(s); });
  return held_.empty() ? next : std::min(next, held_.front().until);
}

void PacketEndpoint::on_packet(unsigned, Packet* packet, Tick head, Tick tail) {
  delivered.push_back({head, tail, nv(*packet).address, nv(*packet).source, packet->vc, packet->flits});
  held_.push({tail + credit_delay, packet->vc, packet->flits});
  packet->release();
  wake(tail + credit_delay);
}

void PacketEndpoint::on_credit(unsigned, unsigned vc, unsigned flits, Tick when) {
  port.transmitter().credit(vc, flits, when);
  wake(port.transmitter().next_with_credit(vc, when));
}

}  // namespace tributary
