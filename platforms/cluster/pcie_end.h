#pragma once
/// PcieEnd: the end of a GPU's PCIe link: requests to the NIC, its reports, and its accesses to the GPU's memory.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/gpu/core/engine_seat.h"
#include "modules/pcie/pcie_framing.h"

namespace tributary {

/// A packet has its effect when its last byte has arrived, and its room is free from then on. A read is answered after the
/// latency of the GPU's memory, by one packet. Answers leave in the order of their reads, as a NIC sends packets in order:
/// an answer that overtakes others would only delay them.
class PcieEnd final : public NicAccess {
 public:
  class Port {
   public:
    virtual ~Port() = default;
    /// The packet may leave from `ready` on.
    virtual void send(Packet* packet, Tick ready) = 0;
    /// Frees the room of a received packet.
    virtual void free(const Packet& packet, Tick when) = 0;
  };
  struct Counts {
    std::uint64_t posts = 0, notices = 0;
    std::uint64_t read_bytes = 0, written_bytes = 0;
  };
  PcieEnd(EngineSeat seat, const PcieFraming& framing, PacketPool& pool, Port& port);
  ~PcieEnd() override { reset(); }
  /// Reports of queue pairs without a listener go to `others`. Call once, before the first packet.
  void listen_to_others(VerbsListener& others) { others_ = &others; }

  void receive(Packet* packet, Tick tail);
  Tick next() const { return arrivals_.empty() ? never : arrivals_.front().tail; }
  /// Handles the packets that have arrived up to `now`.
  void run(Tick now);

  // NicAccess
  void post_write(unsigned queue_pair, const WriteRequest& request, Tick when) override;
  unsigned outstanding(unsigned queue_pair) const override;
  void listen(unsigned queue_pair, VerbsListener* listener) override;

  const Counts& counts() const { return counts_; }
  std::vector<std::string> waiting() const;
  /// Keeps the listeners.
  void reset();

 private:
  struct Arrival {
    Tick tail;
    Packet* packet;
  };
  struct Pair {
    VerbsListener* listener = nullptr;
    unsigned outstanding = 0;  // signalled requests without a report
  };
  struct Answer {
    Packet* data;
    Tick ready;  // time of the data; `never`: the memory answers later
  };
  Pair& pair(unsigned queue_pair);
  void send_answers();
  void answer(const Packet& read, Tick now);
  void report(const Packet& notice, Tick now);

  EngineSeat seat_;
  PcieFraming framing_;
  PacketPool& pool_;
  Port& port_;
  VerbsListener* others_ = nullptr;
  RingQueue<Arrival> arrivals_;  // in order
  RingQueue<Answer> answers_;    // in the order of their reads
  std::uint64_t answered_ = 0;   // number of the first of them
  Tick last_answer_ = 0;
  std::vector<Pair> pairs_;
  Counts counts_;
};

}  // namespace tributary
