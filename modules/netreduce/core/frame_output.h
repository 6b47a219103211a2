#pragma once
/// FrameOutput: accepts the frames that the stages of an accelerator make.

#include <cstddef>
#include <cstring>

#include "modules/protocol/roce.h"

namespace tributary {

class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  /// The frame may leave by `port` from `ready` on. Takes ownership of one reference.
  virtual void send(unsigned port, Packet* frame, Tick ready) = 0;
  /// A frame of that size on the wire follows: its room in the output queue is held, until `now`.
  virtual void hold_room(unsigned port, unsigned bytes) = 0;
  virtual void release_room(unsigned port, unsigned bytes, Tick now) = 0;
};

/// Returns a frame with the bytes of `sum` from `skip` on, after `skip` zeros; null: no payload.
inline Packet* make_result(PacketPool& pool, FrameKind kind, unsigned payload_bytes, const std::byte* sum, unsigned skip,
                           Tick born) {
  Packet* const frame = make_frame(pool, kind, payload_bytes, sum != nullptr);
  frame->born = born;
  frame->vc = roce_class;
  if (frame->payload == nullptr) return frame;
  if (skip != 0) std::memset(frame->payload, 0, skip);
  std::memcpy(frame->payload + skip, sum + skip, payload_bytes - skip);
  return frame;
}

}  // namespace tributary
