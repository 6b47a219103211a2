#pragma once
/// GpuPorts: the links of a GPU: arrivals, departures, and the room in their queues.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/pooled_queue.h"
#include "modules/gpu/core/gpu_engine.h"
#include "modules/link/core/nvlink_links.h"

namespace tributary {

/// Queues are unlimited, but pacing limits their length: `queue` packets of the request VC may wait for a link. Engines
/// with their own addresses have the same room each, in addition.
class GpuPorts {
  auto on_sent() {
    return [this](const NvLinkTransmitter::Sent& sent) {
      if (!reserved_.empty()) left(*sent.packet);
    };
  }

 public:
  static constexpr unsigned max_ports = 18;

  /// Throws std::invalid_argument for more than max_ports. `queue`: packets that may wait for a link.
  GpuPorts(const std::vector<NvLinkTransmitter*>& transmitters, LinkOutput& output, std::uint32_t queue)
      : links_(transmitters, output), queue_(queue) {
    if (transmitters.size() > max_ports) throw std::invalid_argument("a GPU has at most 18 ports");
    limit_.fill(queue);
    for (unsigned p = 0; p < links_.ports(); ++p) incoming_.emplace_back(links_.arena().of<ChunkStock>());
  }

  /// Assigns these addresses to the engine in that seat.
  void reserve(const EngineScope& scope, unsigned seat);
  /// Returns the seat that owns the address, or -1.
  int owner(std::uint64_t address) const { return address < reserved_from_ ? -1 : find_owner(address); }

  unsigned ports() const { return links_.ports(); }

  // arrivals
  /// Returns true if it is the first packet that waits there.
  bool accept(unsigned port, Packet* packet, Tick tail) {
    const bool first = incoming_[port].empty();
    incoming_[port].push(tail, packet);
    return first;
  }
  /// Removes the packet whose last flit has arrived, and frees its buffer space.
  Packet* take(unsigned port, Tick now) {
    Packet* packet = incoming_[port].front().packet;
    incoming_[port].pop();
    if (!incoming_[port].empty()) __builtin_prefetch(incoming_[port].front().packet);
    links_.free(port, now, packet->vc, flits_of<NvLink>(*packet));
    return packet;
  }
  /// Returns when the last flit of the next packet arrives, or `never`.
  Tick next_arrival(unsigned port) const { return incoming_[port].empty() ? never : incoming_[port].front().tail; }

  // departures
  void send(Packet* packet, Tick ready) {
    const unsigned port = nv(*packet).plane;
    if (packet->vc == request_vc && nv(*packet).address >= reserved_from_) count(*packet, 1);
    links_[port].push(packet, packet->vc, flits_of<NvLink>(*packet), ready, ready);
    links_.sending(port);
  }
  /// Keeps room in the queue for a packet that follows: send_held().
  void hold(const Packet& packet) {
    if (packet.vc != request_vc) return;
    if (nv(packet).address >= reserved_from_) count(packet, 1);
    --limit_[nv(packet).plane];
  }
  void send_held(Packet* packet, Tick ready);
  /// Returns the next departure from a queue that paces packets, as far as it is known; the link has run up to `now`.
  Tick departure(unsigned port, Tick now) {
    return (paused_ >> port & 1u) != 0 ? links_.run(port, now - 1, on_sent()) : never;
  }
  /// Returns true if the queue accepts a packet of engine `seat` (-1: engines without an address range). If not, the link
  /// has run up to `now` and sends its next packet at `next`.
  bool room(unsigned port, int seat, Tick now, Tick& next);
  /// Pauses paced packets until that port has room.
  void pause(unsigned port) { paused_ |= 1u << port; }
  /// Ends the pause of the ports in the mask.
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
    std::array<std::uint32_t, max_ports> queued;  // its queued packets, by link
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
  std::array<std::int64_t, max_ports> limit_;  // `queue_` without the packets of the request VC that follow
};

}  // namespace tributary
