#pragma once
/// OutputQueues: bytes in the output queues of an accelerator, and their room (docs/blocks/accelerator.md#buffers).

#include <cstdint>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"

namespace tributary {

/// A frame occupies its queue from push() to leave(), so that a sum has room before the adders begin with it. Sizes are
/// bytes on the wire.
class OutputQueues {
 public:
  /// `capacity`: bytes of each queue; 0: unlimited.
  OutputQueues(unsigned ports, std::uint64_t capacity) : capacity_(capacity), ports_(ports) {}

  bool limited() const { return capacity_ != 0; }
  /// Returns true if the queue of the port accepts that many bytes. An empty queue accepts any number.
  bool has_room(unsigned port, std::uint64_t bytes) const {
    const std::uint64_t used = ports_[port].used;
    return !limited() || used == 0 || used + bytes <= capacity_;
  }
  /// Adds a frame that may leave from `ready` on.
  void push(unsigned port, unsigned bytes, Tick ready);
  /// Reserves room for a frame that is pushed later, after release().
  void hold(unsigned port, unsigned bytes) { ports_[port].used += bytes; }
  void release(unsigned port, unsigned bytes) { ports_[port].used -= bytes; }
  /// A frame begins to leave at `start`. Call in order of time for each port.
  void leave(unsigned port, unsigned bytes, Tick start);

  std::uint64_t used(unsigned port) const { return ports_[port].used; }
  /// Returns the largest number of bytes that were ready to leave at one port.
  std::uint64_t highest() const { return highest_; }
  void reset();

 private:
  struct Waiting {
    Tick ready;
    unsigned bytes;
  };
  struct Port {
    std::uint64_t used = 0;      // frames that were pushed, and room that is held
    std::uint64_t ready = 0;     // frames that may leave
    RingQueue<Waiting> waiting;  // the other frames, in order of `ready`
  };

  std::uint64_t capacity_;
  std::vector<Port> ports_;
  std::uint64_t highest_ = 0;
};

}  // namespace tributary
