#include "testbench/harness/packet_endpoint.h"

#include <algorithm>

#include "modules/protocol/nvlink.h"

namespace tributary {

Tick PacketEndpoint::run_until(Tick horizon) {
  for (; !held_.empty() && held_.front().until <= horizon; held_.pop()) {
    const LinkCredit credit{0, held_.front().vc, held_.front().flits};
    port.return_credits(held_.front().until, &credit, 1, 0);
  }
  const Tick next = source.run(activation(), horizon, [this](const NvLinkTransmitter::Sent& s) {
    const LinkArrival arrival(0, s.tail - s.head, s.packet);
    port.deliver(s.head, &arrival, 1, 0);
  });
  return held_.empty() ? next : std::min(next, held_.front().until);
}

void PacketEndpoint::on_packets(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick) {
  for (const LinkArrival* a = packets; a != packets + count; ++a) {
    Packet& p = *a->packet;
    const Tick head = first + a->after, tail = head + a->duration;
    delivered.push_back({head, tail, nv(p).address, nv(p).source, p.vc, flits_of<NvLink>(p)});
    held_.push(tail + credit_delay, p.vc, flits_of<NvLink>(p));
    p.release();
    wake(tail + credit_delay);
  }
}

void PacketEndpoint::on_credits(unsigned, Tick first, const LinkCredit* credits, unsigned count, Tick) {
  for (const LinkCredit* c = credits; c != credits + count; ++c) {
    port.transmitter().credit(c->vc, c->flits, first + c->after);
    wake(port.transmitter().next_with_credit(c->vc, first + c->after));
  }
}

}  // namespace tributary
