#pragma once
/// Combinator: adds the operands of a slot in the order of ranks (Liu et al., 4.2).

#include <cstddef>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/probe.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/part_port.h"

namespace tributary {

/// A slot whose operands are all there at `now`.
struct CombineTransaction {
  Tick now = 0;
  unsigned ring = 0;  ///< counted among those of the accelerator: each has adders for its ranks
  Tick reading = 0;   ///< what the payload buffer takes beyond its cycle
  unsigned operands = 0;
  const std::byte* const* operand = nullptr;  ///< by rank; null: time alone
  std::byte* sum = nullptr;                   ///< written
  unsigned bytes = 0;                         ///< of each, headers of messages included
  unsigned skip = 0;                          ///< bytes at the begin that are no elements: not written
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  Tick done = 0;  ///< out: the first beat of the sum leaves the adders
};

/// Slots of a ring one after another: a cycle to open a slot, and one for each beat of a payload; all banks are read in
/// parallel, and rings lie in banks and have adders of their own (docs/systems/netreduce.md#readings). The
/// adders are a tree over neighbouring ranks, ((0+1)+(2+3))+..., or a chain, ((0+1)+2)+...; the order is the same each time.
class Combinator : public PartPort<CombineTransaction> {
 public:
  explicit Combinator(const AcceleratorParams& params) : params_(params) {}

  Tick access(CombineTransaction& t) override;
  /// Cycles that a slot takes of it.
  unsigned slot_cycles(unsigned bytes) const { return 1 + (bytes + beat() - 1) / beat(); }
  /// From the first beat read to the first beat of the sum.
  unsigned adder_cycles(unsigned operands) const;
  void reset() { free_at_.clear(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "busy", busy_, SignalKind::level, 1, "beats of a slot go in");
  }

 private:
  unsigned beat() const { return static_cast<unsigned>(params_.beat.value); }
  void add(const CombineTransaction& t);
  void add_in_tree(const CombineTransaction& t, std::byte* sum, unsigned bytes);

  AcceleratorParams params_;
  std::vector<Tick> free_at_;       // by ring
  std::vector<std::byte> partial_;  // of a tree: one for each pair
  SignalProbe busy_;
};

}  // namespace tributary
