#pragma once
/// InputFifos: frames of an accelerator that wait for its tables or for room in an output queue, by port
/// (docs/blocks/accelerator.md#buffers).

#include <cstdint>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"
#include "modules/packet/packet.h"

namespace tributary {

/// A frame enters the FIFO of its port when it is parsed. Frames of a port leave in order, no faster than the data path
/// reads them, and data frames when the tables have a lookup for them. All ports share the lookups in the order of their
/// requests. A FIFO that is filled up to its headroom pauses its sender (priority flow control), and resumes it at a
/// departure that leaves it `resume` bytes below, or empty; without headroom a frame without room is dropped.
class InputFifos {
 public:
  struct Config {
    Tick clock = 1;
    unsigned beat = 64;          ///< bytes that the data path of a port reads in a cycle
    unsigned lookups = 0;        ///< data frames in a cycle; 0: unlimited
    std::uint64_t capacity = 0;  ///< bytes of each port; 0: unlimited
    bool pauses = false;
    std::uint64_t headroom = 0, resume = 0;  ///< bytes
    std::vector<Tick> quantum = {};          ///< by port, if it pauses: duration of a quantum, 512 bit times
  };
  static constexpr unsigned quanta = 0xFFFF;  ///< length of a pause, which is repeated after half of its time

  InputFifos(unsigned ports, const Config& config) : config_(config), ports_(ports) {}

  bool empty(unsigned port) const { return ports_[port].frames.empty(); }
  unsigned size(unsigned port) const { return ports_[port].frames.size(); }
  /// The first frame of a port that is not empty.
  Packet* front(unsigned port) const { return ports_[port].frames.front(); }

  /// Stores a frame; returns false if there is no room.
  bool put(unsigned port, Packet* frame);
  /// Returns true if a pause has to be sent, after put() at `now`.
  bool pauses(unsigned port, Tick now);
  /// Returns the time from which on the first frame may be taken. It gets a lookup if it `looks_up` and has none.
  Tick ready(unsigned port, bool looks_up, Tick now);
  /// Removes the first frame.
  Packet* take(unsigned port, Tick now);
  /// Returns true if the port has to be resumed, after take().
  bool resumes(unsigned port);

  /// Returns the time at which a pause has to be sent again; `never` if no port is paused.
  Tick next_pause() const;
  /// Calls `send(port)` for each pause that is due at `now`.
  template <class Send>
  void repeat_pauses(Tick now, Send&& send) {
    for (unsigned p = 0; p < ports_.size(); ++p)
      if (ports_[p].repeat <= now) {
        ports_[p].repeat = now + interval(p);
        send(p);
      }
  }

  std::uint64_t highest() const { return highest_; }  ///< largest number of bytes in the FIFO of one port
  std::uint64_t pauses_sent() const { return pauses_sent_; }
  std::uint64_t dropped() const { return dropped_; }
  /// Releases all frames.
  void reset();

 private:
  struct Port {
    RingQueue<Packet*> frames;
    std::uint64_t bytes = 0;
    Tick free_at = 0;      // the data path has read the frame before
    Tick granted = never;  // lookup of the first frame
    Tick repeat = never;   // next pause; never: it is not paused
  };
  Tick grant(Tick now);
  Tick interval(unsigned port) const { return quanta * config_.quantum[port] / 2; }

  Config config_;
  std::vector<Port> ports_;
  Tick cycle_ = 0;         // latest cycle with a lookup
  unsigned in_cycle_ = 0;  // lookups in that cycle
  std::uint64_t highest_ = 0, pauses_sent_ = 0, dropped_ = 0;
};

}  // namespace tributary
