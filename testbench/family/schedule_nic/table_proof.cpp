#include "testbench/family/schedule_nic/table_proof.h"

#include <algorithm>
#include <cstdint>

#include "modules/base/index.h"
#include "modules/nic/core/entry_code.h"
#include "testbench/collective/tree/step_tree_schedule.h"

namespace tributary::collective {
namespace {

using Op = ScheduleEntry::Op;
constexpr std::uint16_t no_node = ScheduleEntry::nil;

/// A rank in a tree.
struct Member {
  std::uint16_t parent = no_node;  ///< rank to which it sends its Reduce
  std::uint16_t from = no_node;    ///< rank that sends it the Gather
  std::uint16_t reduced = 0;       ///< step of its Reduce; 0: none
  std::uint16_t gathered = 0;      ///< step of the Gather that it receives; 0: none
  std::uint16_t first_gather = 0;  ///< step of its first Gather to children; 0: none
  bool named = false;              ///< an entry of its parent names it as a child
};

class TableProof {
 public:
  TableProof(const std::vector<std::vector<ScheduleEntry>>& tables, const std::vector<int>& nics, const TreeRoutes& routes,
             const std::vector<ChunkRange>& chunks)
      : tables_(tables), routes_(routes), chunks_(chunks), members_(nics.size() * nics.size()) {
    for (std::size_t r = 0; r < nics.size(); ++r) {
      if (at(nics[r]) >= rank_of_.size()) rank_of_.resize(at(nics[r]) + 1, no_node);
      rank_of_[at(nics[r])] = static_cast<std::uint16_t>(r);
    }
  }

  /// Enters all sends, then all that waits for them.
  void run() {
    for (std::size_t r = 0; r < tables_.size(); ++r) enter_table(r);
    for (std::size_t r = 0; r < tables_.size(); ++r)
      for (const ScheduleEntry& e : tables_[r])
        if (e.tree != no_node) check(r, e);
    for (std::size_t t = 0; t < chunks_.size(); ++t)
      if (chunks_[t].bytes > 0) check_tree(t);
  }

 private:
  [[noreturn]] static void refuse(std::size_t rank, const ScheduleEntry& e, const std::string& why) {
    throw ScheduleError("table of rank " + std::to_string(rank) + ", " + describe(e) + ": " + why);
  }
  [[noreturn]] static void refuse(std::size_t rank, std::size_t tree, const std::string& why) {
    throw ScheduleError("table of rank " + std::to_string(rank) + ": " + why + " of tree " + std::to_string(tree));
  }

  Member& member(std::size_t tree, std::size_t rank) { return members_[tree * tables_.size() + rank]; }

  std::uint16_t rank_of(std::size_t rank, const ScheduleEntry& e, std::uint16_t nic) const {
    const std::uint16_t found = nic < rank_of_.size() ? rank_of_[nic] : no_node;
    if (found == no_node) refuse(rank, e, "nic" + std::to_string(nic) + " takes no part");
    return found;
  }

  void enter_table(std::size_t r) {
    unsigned step = 1;
    for (const ScheduleEntry& e : tables_[r]) {
      if (e.step < step) refuse(r, e, "the steps of a table do not ascend");
      step = e.step;
      if (e.tree != no_node)
        enter(r, e);
      else if (e.op != Op::nop)
        refuse(r, e, "the entry has no tree");
    }
  }

  void enter(std::size_t r, const ScheduleEntry& e) {
    const std::size_t t = rank_of(r, e, e.tree);
    Member& mine = member(t, r);
    if (e.op == Op::nop) return;
    if (chunks_[t].bytes == 0 || e.start != chunks_[t].offset || e.bytes != chunks_[t].bytes)
      refuse(r, e, "the bytes are not those of the tree");
    if (!(e.op == Op::reduce ? routes_.up : routes_.down)) refuse(r, e, "the collective has no such entry");
    if (e.op == Op::reduce) {
      if (r == t || mine.reduced != 0) refuse(r, e, r == t ? "a root has no parent" : "the rank has another Reduce");
      mine.reduced = e.step;
      mine.parent = rank_of(r, e, e.parent);
      return;
    }
    if (mine.first_gather == 0) mine.first_gather = e.step;
    for (const std::uint16_t nic : e.children)
      if (nic != no_node) enter_gather(r, e, t, rank_of(r, e, nic));
  }

  void enter_gather(std::size_t r, const ScheduleEntry& e, std::size_t t, std::size_t child) {
    Member& theirs = member(t, child);
    if (child == t || theirs.gathered != 0) refuse(r, e, "rank " + std::to_string(child) + " has the chunk already");
    theirs.gathered = e.step;
    theirs.from = static_cast<std::uint16_t>(r);
  }

  /// Checks what an entry waits for. The children of a rank in a tree are those that all its entries of the tree name.
  void check(std::size_t r, const ScheduleEntry& e) {
    const std::size_t t = rank_of(r, e, e.tree);
    const Member& mine = member(t, r);
    for (const std::uint16_t nic : e.children) {
      if (nic == no_node || !routes_.up) continue;
      Member& child = member(t, rank_of(r, e, nic));
      if (child.parent != r) refuse(r, e, "nic" + std::to_string(nic) + " sends it no Reduce");
      child.named = true;
    }
    if (e.op != Op::gather) return;
    if ((r == t) != (e.parent == no_node)) refuse(r, e, "the root alone has no parent");
    if (r == t) return;
    if (mine.gathered == 0 || mine.from != rank_of(r, e, e.parent)) refuse(r, e, "the parent sends it no Gather");
    if (mine.gathered >= e.step) refuse(r, e, "the parent's Gather is not in an earlier step");
  }

  void check_tree(std::size_t t) {
    const bool root_names = member(t, t).first_gather != 0;
    for (std::size_t r = 0; r < tables_.size(); ++r) {
      if (r == t) continue;
      const Member& mine = member(t, r);
      if (routes_.down && mine.gathered == 0) refuse(r, t, "no Gather arrives");
      if (!routes_.up) continue;
      if (mine.reduced == 0) refuse(r, t, "there is no Reduce");
      if (routes_.down && mine.from != mine.parent) refuse(r, t, "there are two parents");
      const bool to_root = mine.parent == t;
      if (!mine.named && (!to_root || root_names)) refuse(r, t, "the parent does not wait for the Reduce");
      const Member& parent = member(t, mine.parent);
      const unsigned next = to_root ? parent.first_gather : parent.reduced;
      if (next != 0 && mine.reduced >= next) refuse(r, t, "the parent's entry is not in a later step than the Reduce");
      if (!to_root && next == 0) refuse(mine.parent, t, "there is no Reduce");
    }
  }

  const std::vector<std::vector<ScheduleEntry>>& tables_;
  const TreeRoutes& routes_;
  const std::vector<ChunkRange>& chunks_;
  std::vector<std::uint16_t> rank_of_;  ///< by NIC
  std::vector<Member> members_;         ///< [tree][rank]
};

}  // namespace

void verify_tables(const std::vector<std::vector<ScheduleEntry>>& tables, const std::vector<int>& nics,
                   const std::string& collective, const std::vector<ChunkRange>& chunks) {
  const TreeRoutes* const routes = tree_routes(collective);
  if (routes == nullptr || routes->personal) throw ScheduleError("tables of NICs are not proved for " + collective);
  if (tables.size() != nics.size() || chunks.size() != nics.size())
    throw ScheduleError(std::to_string(tables.size()) + " tables and " + std::to_string(chunks.size()) + " chunks for " +
                        std::to_string(nics.size()) + " ranks");
  TableProof(tables, nics, *routes, chunks).run();
}

}  // namespace tributary::collective
