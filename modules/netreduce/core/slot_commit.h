#pragma once
/// SlotCommit: a frame whose slot has been found.

#include <cstdint>

#include "modules/packet/packet.h"

namespace tributary {

struct SlotCommit {
  Tick when;
  Packet* frame;
  std::uint32_t message, offset;
  std::uint16_t ring, member;  ///< index among the rings of the accelerator, and among the members of the ring
  bool again = false;          ///< the slot was already full
  std::uint64_t order = 0;     ///< number of the commit, if its sum is not known
};

}  // namespace tributary
