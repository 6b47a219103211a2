#pragma once
/// PacketView: the fields of a packet that observers read, independent of its protocol.

#include <cstdint>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Protocol of a link and its packets. Devices of a platform may have links of several protocols.
enum class ProtocolId : std::uint8_t { nvlink, ethernet, pcie, network };

/// Protocol::view() fills in the fields that the header holds, view_of() the others.
struct PacketView {
  std::uint64_t address = 0;  ///< address of the data, as the protocol defines it
  std::uint16_t source = 0, destination = 0;
  std::uint16_t count = 0;  ///< operands, or the packet's index in its chunk
  std::uint16_t slot = 0;   ///< mailbox slot, or the number of the chunk
  std::uint8_t opcode = 0;
  std::uint8_t vc = 0;
  std::uint16_t bytes = 0;  ///< on the wire
  ProtocolId protocol = ProtocolId::nvlink;
  Tick born = 0;                  ///< time at which the generator created its request
  const void* storage = nullptr;  ///< the packet's storage, the same at all hops; identifies a packet together with `born`
};

/// Fires with a packet and an exact time: the start of serialisation at a transmitter, or the delivery of the last flit at
/// an endpoint.
using PacketProbe = Probe<Tick, const PacketView&>;

}  // namespace tributary
