#pragma once
/// PortHub: queues bursts of copies and packets of semaphores for the links of a GPU (Wang et al., MLSys 2020, 4).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/link/core/outgoing_links.h"
#include "modules/protocol/schedule_nic.h"
#include "modules/stream_gpu/core/gpu_memory.h"
#include "modules/stream_gpu/core/memory_reads.h"
#include "modules/stream_gpu/core/peer_reads.h"
#include "modules/streams/core/copy_hub.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

using StreamLinks = BasicOutgoingLinks<ScheduleNicLink>;
using StreamTransmitter = BasicLinkTransmitter<ScheduleNicLink>;

/// The ports to a peer: bonded direct links, or one port to PCIe switches or a network.
struct CopyRoute {
  std::uint16_t peer = 0;
  CopyPath path = CopyPath::nvlink;
  std::vector<std::uint8_t> ports;  ///< ports of this GPU
  CopyFraming framing;              ///< a burst has at most 255 flits
};

/// A link carries one burst at a time. Packets of semaphores have priority over bursts. Copies that use the same link take
/// turns burst by burst. The hub forwards no packet from one link to another. If the rate of the memory is limited, the data
/// of a burst are requested when the burst is ready, and it may leave when the memory begins to deliver them. A burst of a
/// copy that reads becomes a packet of 2 flits to the peer, which has the priority of semaphores. The peer's hub sends the
/// data over the link on which the packet has arrived.
class PortHub final : public CopyHub {
 public:
  struct Config {
    std::uint16_t gpu = 0;
    std::vector<CopyRoute> routes;
    Tick latency = 0;  ///< of the memory, for reads of peers
  };
  /// Throws std::invalid_argument, in one line, for more than 32 ports, an entry of `routes` without ports or with a port
  /// that does not exist, two entries with the same peer and path, and bursts of more than 255 flits.
  PortHub(const Config& config, const std::vector<StreamTransmitter*>& transmitters, LinkOutput& wires, PacketPool& pool,
          GpuMemory& memory, MemoryRate* rate = nullptr);

  /// Returns null if there is no such path to the peer.
  const CopyRoute* route(std::uint16_t peer, CopyPath path) const;

  // CopyHub
  std::uint32_t ports_to(std::uint16_t peer, CopyPath path) const override;
  void open(CopyCommand& command, BurstSource& source) override;
  void push(const Burst& burst, Tick ready, Tick now) override;
  Tick starved(std::uint32_t copy) const override;
  void close(std::uint32_t copy) override;
  /// Sends a packet of 2 flits on the first link of the path from `ready` on, before bursts that wait. It arrives after all
  /// that this GPU has sent to the peer earlier, on any stream and on any link of the path.
  void tell(std::uint16_t peer, CopyPath path, std::uint16_t stream, std::uint32_t semaphore, Tick ready) override;
  void show_owner(const CopyCommand& command, Tick now) override;
  /// Sends the data that a peer reads. `read`: its packet, which arrived on `port`.
  void serve_read(unsigned port, const Packet& read, Tick now);
  /// Data of a read of this GPU have arrived.
  void read_arrived(const Packet& data, Tick now);

  /// Returns the time of the next event, or `never` if it is not known.
  Tick next() const { return events_.next(); }
  /// Requests the data of bursts, ends the bursts whose last flit leaves at `now`, and calls left().
  void end_bursts(Tick now);
  /// Starts the next burst of each free link, and calls room(). Call it last within an instant. Returns true if any burst or
  /// packet has begun.
  bool serve(Tick now);

  // The functions below work as in BasicOutgoingLinks and RouterCore.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);
  Tick finish(Tick horizon);
  Tick sent_until() const { return links_.done(); }
  /// Frees the buffer space of a received packet.
  void free(unsigned port, Tick when, const Packet& packet) {
    links_.free(port, when, packet.vc, flits_of<ScheduleNicLink>(packet));
  }

  unsigned ports() const { return links_.ports(); }
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Held {
    Tick ready;
    Burst burst;
    Tick requested = 0;  // its data, if the rate of the memory is limited
  };
  struct Lane {
    unsigned outgoing = 0;
    std::uint8_t port = 0;
    unsigned held = 0;
    Tick starved = 0;
    std::array<Held, bursts_ahead> bursts;
  };
  struct Copy {
    CopyCommand command;
    std::size_t route = 0;
    BurstSource* source = nullptr;
    std::vector<Lane> lanes;
    std::optional<PeerReads::Request> answers;  // the data of a read of the peer
  };
  struct User {
    std::uint32_t copy;
    std::uint8_t lane;
  };
  struct Token {
    Tick ready;
    std::uint32_t semaphore;
    std::uint16_t peer;
    bool reads;  // the packet asks for the data of `burst`
    Burst burst;
  };
  struct Port {
    std::vector<User> users;  // copies that use the port, in the order of service
    RingQueue<Token> tokens;  // packets of semaphores, in the order of `ready`
    User on_wire{};           // copy and lane of the burst in the transmitter
    bool burst = false;       // a burst is in the transmitter or on the wire
    bool last = false;        // it is the last burst of its lane
    bool begun = false;       // it is on the wire
  };
  struct PathProbes {
    SignalProbe queued, owner;
  };
  void check(const CopyRoute& route) const;
  const CopyRoute& known_route(std::uint16_t peer, CopyPath path) const;
  void hold(Copy& copy, const Burst& burst, Tick ready, Tick now);
  void request_data(Tick now);
  bool start(unsigned port, Tick now);
  bool choose(unsigned port, Tick now);
  void load(unsigned port, const Held& held, Tick now);
  void load(unsigned port, const Token& token, Tick now);
  std::uint32_t new_copy();
  bool run(unsigned port, Tick now);

  Config config_;
  PacketPool& pool_;
  GpuMemory& memory_;
  MemoryReads reads_;
  PeerReads peer_reads_;
  StreamLinks links_;
  std::vector<Port> ports_;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_copies_;
  std::vector<PathProbes> probes_;  // by entry of config_.routes
  static constexpr unsigned read_slot = max_ports;
  EventSlots<6> events_;  // by port; of reads_
  PortMask due_ = 0;      // ports to serve in this instant
};

}  // namespace tributary
