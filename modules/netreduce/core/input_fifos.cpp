#include "modules/netreduce/core/input_fifos.h"

#include <algorithm>

#include "modules/protocol/roce.h"

namespace tributary {
namespace {

// Bytes of a frame in a FIFO: without preamble and gap.
unsigned bytes_of(const Packet& frame) { return frame.wire_bytes - EthernetFrame::preamble - EthernetFrame::gap; }

}  // namespace

bool InputFifos::put(unsigned port, Packet* frame) {
  Port& p = ports_[port];
  const std::uint64_t bytes = p.bytes + bytes_of(*frame);
  if (config_.capacity != 0 && bytes > config_.capacity) {
    ++dropped_;
    return false;
  }
  p.bytes = bytes;
  p.frames.push(frame);
  highest_ = std::max(highest_, bytes);
  return true;
}

bool InputFifos::pauses(unsigned port, Tick now) {
  Port& p = ports_[port];
  if (!config_.pauses || p.repeat != never || p.bytes + config_.headroom <= config_.capacity) return false;
  p.repeat = now + interval(port);
  ++pauses_sent_;
  return true;
}

bool InputFifos::resumes(unsigned port) {
  Port& p = ports_[port];
  const bool low = p.bytes == 0 || p.bytes + config_.headroom + config_.resume <= config_.capacity;
  if (p.repeat == never || !low) return false;
  p.repeat = never;
  return true;
}

Tick InputFifos::next_pause() const {
  Tick next = never;
  for (const Port& p : ports_) next = std::min(next, p.repeat);
  return next;
}

Tick InputFifos::ready(unsigned port, bool looks_up, Tick now) {
  Port& p = ports_[port];
  if (p.free_at > now) return p.free_at;
  if (!looks_up || config_.lookups == 0) return now;
  if (p.granted == never) p.granted = grant(now);
  return std::max(now, p.granted);
}

/// `now` is a clock edge.
Tick InputFifos::grant(Tick now) {
  if (now > cycle_) cycle_ = now, in_cycle_ = 0;
  if (in_cycle_ == config_.lookups) cycle_ += config_.clock, in_cycle_ = 0;
  ++in_cycle_;
  return cycle_;
}

Packet* InputFifos::take(unsigned port, Tick now) {
  Port& p = ports_[port];
  Packet* const frame = p.frames.front();
  const unsigned bytes = bytes_of(*frame);
  p.frames.pop();
  p.bytes -= bytes;
  p.free_at = now + (bytes + config_.beat - 1) / config_.beat * config_.clock;
  p.granted = never;
  return frame;
}

void InputFifos::reset() {
  for (Port& p : ports_) {
    for (; !p.frames.empty(); p.frames.pop()) p.frames.front()->release();
    p.bytes = 0;
    p.free_at = 0;
    p.granted = p.repeat = never;
  }
  cycle_ = 0;
  in_cycle_ = 0;
  highest_ = pauses_sent_ = dropped_ = 0;
}

}  // namespace tributary
