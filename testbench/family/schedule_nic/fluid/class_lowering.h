#pragma once
/// ClassLowering: the commands of one rank of each class of a symmetry, for flows of ranks that act alike.

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/collective/schedule/symmetry.h"
#include "testbench/family/schedule_nic/network_lowering.h"

namespace tributary {

struct ClassLowering {
  LoweredNetwork lowered;               ///< programs of first ranks alone; other ranks have empty programs
  std::vector<std::uint32_t> like;      ///< [link] the link that represents those used alike
  std::vector<std::size_t> first_rank;  ///< [rank] first rank of its class
};

/// Lowers a proved outline for a message that has the network to itself. Returns nothing unless all ranks of a class act
/// alike: their chunks are equally long, their sends leave in an order that does not depend on chunk numbers, and the links
/// on their routes have equal rates and are used by sends of the same classes, by one of each. Throws as lower_network() and
/// check_tables() do.
std::optional<ClassLowering> lower_classes(const JobSpec& job, Bytes message, const collective::NetworkSchedule& outline,
                                           const collective::Symmetry& symmetry, const ScheduleNicPlatform& system);

}  // namespace tributary
