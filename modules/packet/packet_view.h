#pragma once
/// PacketView: what observers read of a packet, whatever its protocol.

#include <cstdint>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// The protocol fills in what its header says (Protocol::view), view_of() the rest.
struct PacketView {
  std::uint64_t address = 0;  ///< of the data, in the protocol's sense
  std::uint16_t source = 0, destination = 0;
  std::uint16_t count = 0;  ///< operands, or the number of the packet in its chunk
  std::uint16_t slot = 0;   ///< mailbox slot, or flow of the chunk
  std::uint8_t opcode = 0;
  std::uint8_t vc = 0;
  std::uint16_t bytes = 0;        ///< on the wire
  Tick born = 0;                  ///< when its request stood at the generator
  const void* storage = nullptr;  ///< the same at all hops of a packet; with `born` it tells packets apart
};

/// A packet at an exact time: start of serialisation at a transmitter, delivery of the last flit at an endpoint.
using PacketProbe = Probe<Tick, const PacketView&>;

}  // namespace tributary
