#pragma once
/// Combinator: adds the operands of a slot in the order of ranks (Liu et al., 4).

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/late_answer.h"
#include "modules/base/probe.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/part_port.h"

namespace tributary {

/// A slot that enters its unit at `now`, when the unit accepts it. The accelerator counts the cycle in which operands are
/// read and the nominal interval, a cycle and one for each beat. The combinator adds to the delay the time of its adders,
/// and to `timing.interval` the time for which the unit is busy beyond the nominal interval. A combinator that answers later
/// does so at the time at which the first beat of the sum leaves; without adders that is a cycle after `now`. It copies the
/// operands within the call, and writes the sum by its answer, or, with LateAnswer::data_follow, by its last beat.
struct CombineTransaction {
  Tick now = 0;
  unsigned ring = 0;  ///< index among the rings of the accelerator
  Tick reading = 0;   ///< latency of the payload buffer beyond its cycle, which the accelerator adds to that of the sum
  unsigned operands = 0;
  const std::byte* const* operand = nullptr;  ///< by rank; null: only time is simulated
  std::byte* sum = nullptr;                   ///< destination of the sum
  unsigned bytes = 0;                         ///< bytes of each operand, including message headers
  unsigned skip = 0;                          ///< leading bytes that are not elements; they are not written
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  Timing timing{};  ///< out
  LateAnswer late{};
};

/// Has a unit of adders for each ring, or `combinators` units for all rings (docs/systems/netreduce.md#combinators). A unit
/// processes slots one after another, in the order of their requests: a cycle to open a slot, and one for each beat of a
/// payload (SumStage). All banks are read in parallel. The adders are a tree over neighbouring ranks, ((0+1)+(2+3))+..., or
/// a chain, ((0+1)+2)+...; the order is always the same.
class Combinator : public PartPort<CombineTransaction> {
 public:
  explicit Combinator(const AcceleratorParams& params) : params_(params), busy_(params.combinators.value_or(1)) {}

  /// Returns the time of the adders.
  Tick access(CombineTransaction& t) override;
  /// Cycles in which a slot occupies its unit.
  static unsigned slot_cycles(const AcceleratorParams& params, unsigned bytes) {
    const auto beat = static_cast<unsigned>(params.beat.value);
    return 1 + (bytes + beat - 1) / beat;
  }
  /// Number of the unit that serves a ring.
  static unsigned unit_of(const AcceleratorParams& params, unsigned ring) {
    return params.combinators ? ring % *params.combinators : ring;
  }
  /// Cycles from the first beat read to the first beat of the sum.
  unsigned adder_cycles(unsigned operands) const;
  /// Adds the probe `prefix`busy, with several units `prefix`unit0.busy and so on. Without a number of units, the probe
  /// shows the first ring.
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  void add(const CombineTransaction& t);
  void add_in_tree(const CombineTransaction& t, std::byte* sum, unsigned bytes);

  AcceleratorParams params_;
  std::vector<std::byte> partial_;  // adder tree: one for each pair
  std::deque<SignalProbe> busy_;    // by unit
};

}  // namespace tributary
