#pragma once
/// CopyHub: the interface of copy engines, streams and channels to the links of their GPU.

#include <cstdint>

#include "modules/base/units.h"
#include "modules/streams/core/copy_command.h"

namespace tributary {

/// A sender of bursts: a copy engine or a channel.
class BurstSource {
 public:
  virtual ~BurstSource() = default;
  /// A burst of the lane begins to leave at `now`: there is room for another.
  virtual void room(std::uint32_t copy, unsigned lane, Tick now) = 0;
  /// The last flit of the lane's last burst leaves at `now`.
  virtual void left(std::uint32_t copy, unsigned lane, Tick now) = 0;
};

/// All times are exact. Unless a function says otherwise, they are not earlier than the time of the call.
class CopyHub {
 public:
  static constexpr unsigned max_ports = 32, bursts_ahead = 2;  ///< bursts of a lane that are held but have not begun
  static constexpr std::uint16_t no_stream = 0xFFFF;

  virtual ~CopyHub() = default;

  /// Returns the ports of a copy to the peer as a bit mask; 0 if there is no such path. If two copies have a port in common,
  /// one waits for the other, unless copies take turns.
  virtual std::uint32_t ports_to(std::uint16_t peer, CopyPath path) const = 0;
  /// Opens a copy: sets its number, lanes and framing. Throws std::logic_error if there is no path.
  virtual void open(CopyCommand& command, BurstSource& source) = 0;
  /// Adds at `now` a burst that may leave on its lane from `ready` on, which may be earlier: the burst then waited for room.
  /// Throws std::logic_error if two bursts of the lane are held.
  virtual void push(const Burst& burst, Tick ready, Tick now) = 0;
  /// Returns the longest time of a lane in which its link was free and its data were not delivered by the memory.
  virtual Tick starved(std::uint32_t) const { return 0; }
  /// Frees the number of a copy whose lanes have all left.
  virtual void close(std::uint32_t copy) = 0;
  /// Sends a packet that adds 1 to a semaphore of the peer. It may leave from `ready` on, and arrives after all closed
  /// copies of the stream to that peer. `stream`: as in CopyCommand::stream, or no_stream if the order does not matter.
  virtual void tell(std::uint16_t peer, CopyPath path, std::uint16_t stream, std::uint32_t semaphore, Tick ready) = 0;
  /// Shows observers that links are granted to the copy.
  virtual void show_owner(const CopyCommand&, Tick) {}
};

}  // namespace tributary
