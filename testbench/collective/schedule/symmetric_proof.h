#pragma once
/// The proof of symbolic.h for schedules whose ranks have programs of equal form, on one rank of each class.

#include <cstdint>
#include <optional>

#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/rank_programs.h"
#include "testbench/collective/schedule/symmetry.h"

namespace tributary::collective {

/// Memory that messages reach.
enum class Landing : std::uint8_t {
  mailboxes,  ///< every message has its slot
  directly    ///< a message that overwrites a chunk is written into the chunk: direct_placement.h
};

/// Returns true if the properties of verify() hold, and with Landing::directly those of verify_direct_placement(), too. The
/// proof is that of verify(), on the events of one rank of each class; those of other ranks are renamed. Returns false if a
/// property does not hold, for which verify() gives the reason. Events of a rank may form 64 chains.
bool holds_by_symmetry(const Symmetry& symmetry, const EventSource& source, const ScheduleShape& shape, Landing landing);

/// Proves a schedule of which no more than a few programs are in memory at a time. Returns its symmetry, or nothing if it is
/// not proved.
std::optional<Symmetry> proved_symmetry(const RankPrograms& programs);

/// Return true if the schedule, or the lowered program with its direct placement, has a symmetry and is proved by it.
bool holds_by_symmetry(const Schedule& schedule);
bool holds_by_symmetry(const FusedProgram& program);

}  // namespace tributary::collective
