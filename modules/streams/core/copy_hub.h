#pragma once
/// CopyHub: what copy engines, streams and channels ask of the links of their GPU.

#include <cstdint>

#include "modules/base/units.h"
#include "modules/streams/core/copy_command.h"

namespace tributary {

/// Sends bursts: a copy engine, a channel.
class BurstSource {
 public:
  virtual ~BurstSource() = default;
  /// A burst of that lane has begun to leave at `now`: there is room for another.
  virtual void room(std::uint32_t copy, unsigned lane, Tick now) = 0;
  /// The last flit of the lane's last burst has left.
  virtual void left(std::uint32_t copy, unsigned lane, Tick now) = 0;
};

/// All times are exact, and lie at that of the call or later.
class CopyHub {
 public:
  static constexpr unsigned max_ports = 32, bursts_ahead = 2;  ///< of a lane: held here, not begun
  static constexpr std::uint16_t no_stream = 0xFFFF;

  virtual ~CopyHub() = default;

  /// The ports that a copy to the peer takes, a bit for each: of two copies with a port in common one waits for the other,
  /// unless they take turns. 0: no such way.
  virtual std::uint32_t ports_to(std::uint16_t peer, CopyPath path) const = 0;
  /// A copy from now on: it gets its number, lanes and framing. Throws std::logic_error without a way.
  virtual void open(CopyCommand& command, BurstSource& source) = 0;
  /// A burst may leave by its lane from `ready` on. Throws std::logic_error on a third of a lane.
  virtual void push(const Burst& burst, Tick ready) = 0;
  /// All of its lanes have left: its number is free.
  virtual void close(std::uint32_t copy) = 0;
  /// Adds 1 to a semaphore of the peer, from `ready` on, behind all copies of that stream to it that have been closed.
  /// `stream`: as CopyCommand::stream; no_stream: behind none.
  virtual void tell(std::uint16_t peer, CopyPath path, std::uint16_t stream, std::uint32_t semaphore, Tick ready) = 0;
  /// Shown to observers: the copy has got its links.
  virtual void show_owner(const CopyCommand&, Tick) {}
};

}  // namespace tributary
