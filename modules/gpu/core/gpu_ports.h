#pragma once
/// GpuPorts: the links of a GPU: what has come in, what is sent, and the room in their queues.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/pooled_queue.h"
#include "modules/gpu/core/gpu_engine.h"
#include "modules/link/core/nvlink_links.h"

namespace tributary {

/// Queues have no end, but what is paced looks at their length: so many packets of the request VC may wait for a link.
/// Engines with addresses of their own have as much room beside that, each for itself.
class GpuPorts {
  auto on_sent() {
    return [this](const NvLinkTransmitter::Sent& sent) {
      if (!reserved_.empty()) left(*sent.packet);
    };
  }

 public:
  static constexpr unsigned max_ports = 18;

  /// Throws std::invalid_argument on more than max_ports. `queue`: packets that may wait for a link.
  GpuPorts(const std::vector<NvLinkTransmitter*>& transmitters, LinkOutput& output, std::uint32_t queue)
      : links_(transmitters, output), queue_(queue) {
    if (transmitters.size() > max_ports) throw std::invalid_argument("a GPU has at most 18 ports");
    for (unsigned p = 0; p < links_.ports(); ++p) incoming_.emplace_back(links_.arena().of<ChunkStock>());
  }

  /// Packets to these addresses belong to the engine in that seat.
  void reserve(const EngineScope& scope, unsigned seat);
  /// The seat whose own the address is, or -1.
  int owner(std::uint64_t address) const { return address < reserved_from_ ? -1 : find_owner(address); }

  unsigned ports() const { return links_.ports(); }

  // arrivals
  /// Returns whether it is the first one that waits there.
  bool accept(unsigned port, Packet* packet, Tick tail) {
    const bool first = incoming_[port].empty();
    incoming_[port].push(tail, packet);
    return first;
  }
  /// The packet whose last flit is in; its buffer space goes back.
  Packet* take(unsigned port, Tick now) {
    Packet* packet = incoming_[port].front().packet;
    incoming_[port].pop();
    if (!incoming_[port].empty()) __builtin_prefetch(incoming_[port].front().packet);
    links_.free(port, now, packet->vc, flits_of<NvLink>(*packet));
    return packet;
  }
  /// When the last flit of the next one is in, or never.
  Tick next_arrival(unsigned port) const { return incoming_[port].empty() ? never : incoming_[port].front().tail; }

  // departures
  void send(Packet* packet, Tick ready) {
    const unsigned port = nv(*packet).plane;
    if (packet->vc == request_vc && nv(*packet).address >= reserved_from_) count(*packet, 1);
    links_[port].push(packet, packet->vc, flits_of<NvLink>(*packet), ready, ready);
    links_.sending(port);
  }
  /// Whether a packet of the engine in that seat (-1: of those without addresses of their own) finds room. If not, the link
  /// has run up to `now`, and sends next at `next`.
  bool room(unsigned port, int seat, Tick now, Tick& next);
  /// What is paced waits for room there.
  void pause(unsigned port) { paused_ |= 1u << port; }
  /// No more, at the ports of a mask.
  void resume(std::uint32_t ports) { paused_ &= ~ports; }
  bool open() const { return paused_ == 0; }

  // windows: see BasicOutgoingLinks
  Tick credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    return links_.credit(port, first, credits, count, (paused_ >> port & 1u) != 0);
  }
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);
  Tick finish(Tick horizon) { return links_.finish(horizon, on_sent()); }
  Tick done() const { return links_.done(); }

  void add_waiting(std::vector<std::string>& lines) const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& gpu);

 private:
  struct Incoming {
    Tick tail;
    Packet* packet;
  };
  struct Reserved {
    EngineScope scope;
    unsigned seat;
    std::array<std::uint32_t, max_ports> queued;  // its packets, by link
  };
  int find_owner(std::uint64_t address) const;
  [[gnu::cold]] void left(const Packet& packet);
  [[gnu::cold]] void count(const Packet& packet, std::uint32_t change);

  NvOutgoingLinks links_;
  std::vector<PooledQueue<Incoming>> incoming_;
  std::uint32_t queue_;
  std::uint32_t paused_ = 0;
  std::vector<Reserved> reserved_;
  std::uint64_t reserved_from_ = ~std::uint64_t{0};
};

}  // namespace tributary
