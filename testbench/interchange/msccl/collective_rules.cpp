#include "testbench/interchange/msccl/collective_rules.h"

namespace tributary::msccl {
namespace {

using collective::every_rank;
using collective::Goal;

// ---- contents of the output

Atom sum_of_chunk(const Extent&, int, int, int chunk) { return {every_rank, chunk}; }
Atom chunk_of_root(const Extent&, int root, int, int chunk) { return {root, chunk}; }
Atom chunk_of_its_rank(const Extent& e, int, int, int chunk) { return {chunk / e.part, chunk % e.part}; }
Atom sum_of_own_part(const Extent& e, int, int rank, int chunk) { return {every_rank, rank * e.part + chunk}; }
Atom own_part_of_its_rank(const Extent& e, int, int rank, int chunk) {
  return {chunk / e.part, rank * e.part + chunk % e.part};
}
Atom own_part_of_root(const Extent& e, int root, int rank, int chunk) { return {root, rank * e.part + chunk}; }

// ---- chunks of a schedule

int same_chunk(const Extent&, const Atom& input) { return input.chunk; }
int after_lower_ranks(const Extent& e, const Atom& input) { return input.rank * e.part + input.chunk; }
int after_lower_wholes(const Extent& e, const Atom& input) { return input.rank * e.whole + input.chunk; }

Goal all_to_all(const Extent&, int, int) { return {every_rank, every_rank}; }
Goal all_to_root(const Extent&, int root, int) { return {every_rank, root}; }
Goal root_to_all(const Extent&, int root, int) { return {root, every_rank}; }
Goal all_to_owner(const Extent& e, int, int chunk) { return {every_rank, chunk / e.part}; }
Goal owner_to_all(const Extent& e, int, int chunk) { return {chunk / e.part, every_rank}; }
Goal owner_to_root(const Extent& e, int root, int chunk) { return {chunk / e.part, root}; }
Goal rank_to_rank(const Extent& e, int, int chunk) { return {chunk / e.whole, chunk % e.whole / e.part}; }
Goal root_to_owner(const Extent& e, int root, int chunk) { return {root, chunk / e.part}; }

}  // namespace

const std::vector<CollectiveRule>& collective_rules() {
  constexpr bool part = true, whole = false, cut = true, root = true;
  static const std::vector<CollectiveRule> all{
      {"allreduce", "allreduce", whole, whole, !cut, !root, !root, sum_of_chunk, same_chunk, all_to_all},
      {"allgather", "allgather", part, whole, cut, !root, !root, chunk_of_its_rank, after_lower_ranks, owner_to_all},
      {"reducescatter", "reduce_scatter", whole, part, cut, !root, !root, sum_of_own_part, same_chunk, all_to_owner},
      {"alltoall", "alltoall", whole, whole, cut, !root, !root, own_part_of_its_rank, after_lower_wholes, rank_to_rank},
      {"broadcast", "broadcast", whole, whole, !cut, root, !root, chunk_of_root, same_chunk, root_to_all},
      {"reduce", "reduce", whole, whole, !cut, root, root, sum_of_chunk, same_chunk, all_to_root},
      {"gather", "gather", part, whole, cut, root, root, chunk_of_its_rank, after_lower_ranks, owner_to_root},
      {"scatter", nullptr, whole, part, cut, root, !root, own_part_of_root, same_chunk, root_to_owner},
  };
  return all;
}

const CollectiveRule* rule_of_file(const std::string& name) {
  for (const CollectiveRule& rule : collective_rules())
    if (name == rule.name) return &rule;
  return nullptr;
}

const CollectiveRule* rule_of_collective(const std::string& collective) {
  for (const CollectiveRule& rule : collective_rules())
    if (rule.collective != nullptr && collective == rule.collective) return &rule;
  return nullptr;
}

}  // namespace tributary::msccl
