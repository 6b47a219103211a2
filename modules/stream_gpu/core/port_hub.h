#pragma once
/// PortHub: bursts of copies and packets of semaphores on their way to the links of a GPU (Wang et al., MLSys 2020, 4).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/timing/core/event_slots.h"
#include "modules/link/core/outgoing_links.h"
#include "modules/protocol/schedule_nic.h"
#include "modules/stream_gpu/core/gpu_memory.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {

using StreamLinks = BasicOutgoingLinks<ScheduleNicLink>;
using StreamTransmitter = BasicLinkTransmitter<ScheduleNicLink>;

/// How a peer is reached: over bonded direct links, or by one port behind which there are PCIe switches or a network.
struct CopyWay {
  std::uint16_t peer = 0;
  CopyPath path = CopyPath::nvlink;
  std::vector<std::uint8_t> ports;  ///< of this GPU
  CopyFraming framing;              ///< PCIe: what a TLP of 256 B needs beside them; at most 255 flits in a burst
};

/// Links carry a burst at a time. Packets of semaphores go before bursts, which take turns among the copies that use the
/// link now. Nothing that has come from a link leaves by one.
class PortHub final : public CopyHub {
 public:
  struct Config {
    std::uint16_t gpu = 0;
    std::vector<CopyWay> ways;
  };
  /// Throws std::invalid_argument, one line, on more than 32 ports, a way without ports or with one that does not exist, two
  /// ways of one path to a peer, and bursts of more than 255 flits.
  PortHub(const Config& config, const std::vector<StreamTransmitter*>& transmitters, LinkOutput& wires, PacketPool& pool,
          GpuMemory& memory);

  /// Null: no such way.
  const CopyWay* way(std::uint16_t peer, CopyPath path) const;

  // CopyHub
  std::uint32_t ports_to(std::uint16_t peer, CopyPath path) const override;
  void open(CopyCommand& command, BurstSource& source) override;
  void push(const Burst& burst, Tick ready) override;
  void close(std::uint32_t copy) override;
  /// A packet of 2 flits leaves by the way's first link from `ready` on: all that this GPU has sent there before, of any
  /// stream and over whichever link of the way, is ahead of it. It goes before bursts that wait.
  void tell(std::uint16_t peer, CopyPath path, std::uint16_t stream, std::uint32_t semaphore, Tick ready) override;
  void show_owner(const CopyCommand& command, Tick now) override;

  /// Of its next event, as far as is known.
  Tick next() const { return events_.next(); }
  /// The ends of what leaves at `now`: calls left().
  void end_bursts(Tick now);
  /// All else of that instant has been decided: links that are free get their next burst, and room() is called. True: some
  /// has begun.
  bool serve(Tick now);

  // as BasicOutgoingLinks and RouterCore
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);
  Tick finish(Tick horizon);
  Tick sent_until() const { return links_.done(); }
  /// Buffer space of a port comes free.
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
  };
  struct Lane {
    unsigned outgoing = 0;
    unsigned held = 0;
    std::array<Held, bursts_ahead> bursts;
  };
  struct Copy {
    CopyCommand command;
    std::size_t way = 0;
    BurstSource* source = nullptr;
    std::vector<Lane> lanes;
  };
  struct User {
    std::uint32_t copy;
    std::uint8_t lane;
  };
  struct Token {
    Tick ready;
    std::uint32_t semaphore;
    std::uint16_t peer;
  };
  struct Port {
    std::vector<User> users;  // copies that use it now, the next to be served first
    RingQueue<Token> tokens;  // in order of time
    User on_wire{};           // whose burst it is
    bool burst = false;       // a burst is in the transmitter or on the wire,
    bool last = false;        // the last one of its lane,
    bool begun = false;       // and on the wire
  };
  struct WayProbes {
    SignalProbe queued, owner;
  };
  void check(const CopyWay& way) const;
  const CopyWay& known_way(std::uint16_t peer, CopyPath path) const;
  bool start(unsigned port, Tick now);
  bool choose(unsigned port, Tick now);
  void load(unsigned port, const Held& held, Tick now);
  void load(unsigned port, const Token& token, Tick now);
  bool run(unsigned port, Tick now);

  Config config_;
  PacketPool& pool_;
  GpuMemory& memory_;
  StreamLinks links_;
  std::vector<Port> ports_;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_copies_;
  std::vector<WayProbes> probes_;  // by way
  EventSlots<5> events_;           // by port
  PortMask due_ = 0;               // to be served in this instant
};

}  // namespace tributary
