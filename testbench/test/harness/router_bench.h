#pragma once
/// RouterCore alone: links without receivers, packets made by the test.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/switching/core/router_core.h"

namespace tributary {

inline constexpr Tick ns = 1000;

/// Links and an interface: nic1 is beyond port 0, nic2 beyond port 1 and so on; nic0 is local.
template <class Core>
class BasicRouterBench : public RouterListener, public LinkOutput {
 public:
  struct Sent {
    unsigned port;
    Tick head;
    unsigned vc, flits;
    std::uint16_t tag;
  };
  explicit BasicRouterBench(unsigned buffer_flits = 318, bool flit_credits = true, unsigned ports = 2,
                            const std::vector<std::string>& names = {}, const std::vector<Bandwidth>& rates = {},
                            bool output_queues = false) {
    LinkParams link;
    link.rate = 16_GBps;
    link.latency = 150_ns;
    for (unsigned p = 0; p < ports; ++p)
      links.push_back(std::make_unique<RouterTransmitter>(RouterTransmitter::Config{link, buffer_flits, 34, 17}));
    RouterConfig config;
    config.ports = ports;
    config.interfaces = 1;
    config.latency = 3 * ns;
    config.rate = 16_GBps;
    config.flit_credits = flit_credits;
    config.port_names = names;
    config.rates = rates;
    config.output_queues = output_queues;
    config.routes.ports = {0, 1, RouterHop::eject};
    config.routes.to = {{RouterHop::eject, RouterHop::any}};
    std::vector<RouterTransmitter*> transmitters;
    for (unsigned p = 0; p < ports; ++p) {
      config.routes.to.push_back({static_cast<std::uint8_t>(p), RouterHop::any});
      transmitters.push_back(links[p].get());
    }
    core = std::make_unique<Core>(config, *this, *this, transmitters);
  }
  ~BasicRouterBench() override { core->reset(); }

  Packet* packet(std::uint16_t to, unsigned lane, unsigned flits, std::uint16_t tag, bool ends = true) {
    Packet* p = pool.make(16, false);
    p->wire_bytes = static_cast<std::uint16_t>(flits * ScheduleNicLink::flit_bytes);
    p->vc = static_cast<std::uint8_t>(lane);
    RouterHeader& h = router_header(*p);
    h.destination = to;
    h.tag = tag;
    h.lane = lane & 1u;
    h.short_class = lane >> 1 & 1u;
    h.ends = ends;
    return p;
  }
  void arrive(unsigned port, Packet* p, Tick head) {
    core->accept(port, p, head, head + (flits_of<ScheduleNicLink>(*p) - 1u) * ns);
  }
  void run(Tick horizon = 1000 * 1000 * ns) {
    while (core->next() <= horizon) core->handle(core->next());
    core->finish(horizon);
  }

  /// Returns buffer space of a VC beyond a port.
  void give_back(unsigned port, unsigned vc, unsigned flits, Tick when) {
    const LinkCredit back{0, static_cast<std::uint8_t>(vc), static_cast<std::uint16_t>(flits)};
    core->credit(port, when, &back, 1);
  }
  /// Returns the tags of the packets sent on a VC, in order.
  std::vector<std::uint16_t> tags(unsigned vc) const {
    std::vector<std::uint16_t> all;
    for (const Sent& s : sent)
      if (s.vc == vc) all.push_back(s.tag);
    return all;
  }

  void eject(unsigned port, Packet* p, Tick end) override {
    ejected.push_back({port, end});
    routes.push_back(router_header(*p).route);
    p->release();
  }
  void injected(unsigned, Tick) override {}
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
    for (unsigned i = 0; i < count; ++i) {
      Packet* p = packets[i].packet;
      routes.push_back(router_header(*p).route);
      sent.push_back({port, first + packets[i].after, p->vc, flits_of<ScheduleNicLink>(*p), router_header(*p).tag});
      p->release();
    }
  }
  void return_credits(unsigned port, Tick first, const LinkCredit* c, unsigned count, Tick) override {
    for (unsigned i = 0; i < count; ++i) credits.push_back({port, first + c[i].after});
  }

  PacketPool pool{framing_of<ScheduleNicLink>(256)};
  std::vector<std::unique_ptr<RouterTransmitter>> links;
  std::unique_ptr<Core> core;
  std::vector<Sent> sent;
  std::vector<std::pair<unsigned, Tick>> ejected, credits;
  std::vector<SourceRoute> routes;  ///< headers of the packets sent or ejected, as they leave
};
using RouterBench = BasicRouterBench<RouterCore>;

}  // namespace tributary
