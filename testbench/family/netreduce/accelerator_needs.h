#pragma once
/// Memory, table entries and rules that the rings of all jobs need, and checks that accelerators and switches have them.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/netreduce/core/accelerator_core.h"
#include "platforms/netreduce/platform_params.h"
#include "platforms/topology/racks.h"
#include "testbench/run/facets/cost.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the number of rings of all jobs.
unsigned rings_of(const RunSpec& spec, const topology::Racks& machine);

/// Adders that a ring needs in its unit of a combinator: one less than its members in each lane, so that the unit accepts a
/// beat of all operands in a cycle.
struct RingAdders {
  unsigned unit = 0;
  std::uint64_t adders = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

/// Needs of the rings of an accelerator, and of the switch to which it is attached.
struct AcceleratorNeeds {
  std::string accelerator, switch_name;  ///< names of the nodes
  unsigned rings = 0;
  AcceleratorMemory memory;        ///< of all rings; of the slots that they share in time, if there is not enough for all
  std::uint64_t unshared = 0;      ///< bytes that all rings need at once
  std::uint64_t least = 0;         ///< bytes of the slots of one message, and of the queues
  bool shares = false;             ///< the rings share slots in time
  bool across = false;             ///< a ring has ranks in several racks
  std::uint64_t connections = 0;   ///< entries of the connection lookup table
  std::uint64_t translations = 0;  ///< rows of the connection translation table: pairs of connections
  std::uint64_t rules = 0;         ///< rows of the access list
  std::vector<RingAdders> adders;  ///< by ring
};
/// Returns the needs of all accelerators, racks before spines.
std::vector<AcceleratorNeeds> accelerator_needs(const RunSpec& spec, const NetReducePlatformParams& params,
                                                const topology::Racks& machine);

/// Throws SetupError unless each accelerator and switch of the machine has enough memory, table entries and rules for all
/// rings (netreduce.accelerator.memory, .clt.entries, .ctt.entries, netreduce.switch.access_rules).
void check_accelerator_needs(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

/// With netreduce.admission=fallback, replaces the algorithm of each job whose rings do not fit beside those of the jobs
/// before it, and adds a note with the reason.
void admit_jobs(RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

/// Throws SetupError if a FIFO or queue of an accelerator is too small for a frame, or for the frames that still arrive
/// after a pause.
void check_accelerator_buffers(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

/// Returns the number of block RAMs of 36 Kb, which hold 4608 B each, for these bytes.
std::uint64_t block_rams(std::uint64_t bytes);
/// Block RAMs of the prototype's FPGA: 993 are 26.27 % (Liu et al., 5.1).
inline constexpr std::uint64_t prototype_block_rams = 3780;

/// Returns the needs of the accelerator with the most memory.
CostReport accelerator_cost(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

}  // namespace tributary
