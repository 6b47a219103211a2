#pragma once
/// The fields of packets in transactions of blocks (field_values.h).

#include "modules/base/field_values.h"
#include "modules/protocol/nvlink.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// Visits all fields of an operand of an NVSwitch network in a group. A setting visitor makes the packet in `pool`, with one
/// reference, if the values have the group; else it sets null.
void visit_operand(FieldVisitor& v, const char* group, Packet*& packet, PacketPool& pool);
/// Visits the fields of a packet that leaves a block: address, operands, data. Only for reading visitors.
void visit_sum(FieldVisitor& v, const char* group, const Packet* packet);

/// Visits all fields of an Ethernet frame in a group, as visit_operand().
void visit_frame(FieldVisitor& v, const char* group, Packet*& frame, PacketPool& pool);
/// Visits the header of a frame, without a group.
void visit_header(FieldVisitor& v, RoceHeader& h);

}  // namespace tributary
