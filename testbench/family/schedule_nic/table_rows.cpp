#include "testbench/family/schedule_nic/table_rows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "modules/base/index.h"
#include "testbench/family/schedule_nic/schedule_tables.h"

namespace tributary {
namespace {

using collective::FusedProgram;
using collective::FusedStep;
using Op = ScheduleEntry::Op;
constexpr std::uint16_t nil = ScheduleEntry::nil;

struct Row {
  ScheduleEntry entry;
  std::vector<std::size_t> commands;
};

class RankRows {
 public:
  RankRows(const FusedProgram& program, int rank, const std::vector<std::uint16_t>& steps, const std::vector<int>& nics,
           NicProgram& nic)
      : program_(program), own_(program.steps[at(rank)]), steps_(steps), nics_(nics), nic_(nic), row_of_(own_.size()) {}

  void add() {
    for (std::size_t c = 0; c < own_.size(); ++c)
      if (own_[c].send) place(c);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Row& a, const Row& b) { return collective::goes_before(a.entry, b.entry); });
    for (std::size_t r = 0; r < rows_.size(); ++r)
      for (const std::size_t c : rows_[r].commands) row_of_[c] = r;
    written_.assign(rows_.size(), false);
    for (std::size_t r = 0; r < rows_.size(); ++r) write(r);
  }

 private:
  std::uint16_t nic_of(int rank) const { return static_cast<std::uint16_t>(nics_[at(rank)]); }

  /// Makes the entry of a command: Gather for a result, Reduce for a chunk that the peer adds. The children are the origins
  /// of the operands of a Reduce, the parent is the origin of a Gather.
  ScheduleEntry entry_of(std::size_t command) const {
    const FusedStep& step = own_[command];
    const NicCommand& c = nic_.commands[command];
    const bool reduces = program_.steps[at(step.send->peer)][c.send->command].reduce;
    ScheduleEntry e{reduces ? Op::reduce : Op::gather,
                    static_cast<std::uint16_t>(step.chunk),
                    nil,
                    {nil, nil, nil, nil},
                    steps_[command],
                    c.chunk,
                    c.bytes};
    std::size_t children = 0;
    for (std::size_t before = 0; before < command; ++before) {
      const FusedStep& s = own_[before];
      if (s.chunk != step.chunk || !s.receive) continue;
      if (!reduces) e.parent = s.reduce ? nil : nic_of(s.receive->peer);
      if (reduces && !s.reduce) children = 0, e.children.fill(nil);
      if (reduces && s.reduce && children < e.children.size()) e.children[children++] = nic_of(s.receive->peer);
    }
    (reduces ? e.parent : e.children[0]) = nic_of(step.send->peer);
    return e;
  }

  void place(std::size_t command) {
    const ScheduleEntry e = entry_of(command);
    const auto shares = [&](const Row& row) {
      const ScheduleEntry& r = row.entry;
      if (r.op != Op::gather || e.op != r.op || std::tie(r.tree, r.step, r.parent) != std::tie(e.tree, e.step, e.parent) ||
          r.children.back() != nil)
        return false;
      const std::vector<std::size_t> before = sends_before(command);
      return std::find_first_of(before.begin(), before.end(), row.commands.begin(), row.commands.end()) == before.end();
    };
    const auto known = std::find_if(rows_.begin(), rows_.end(), shares);
    if (known == rows_.end()) return rows_.push_back({e, {command}});
    *std::find(known->entry.children.begin(), known->entry.children.end(), nil) = e.children[0];
    known->commands.push_back(command);
  }

  /// Returns the sends of the same step that end before the command begins.
  std::vector<std::size_t> sends_before(std::size_t command) const {
    std::vector<std::size_t> sends, open(own_[command].after.begin(), own_[command].after.end());
    for (std::vector<bool> seen(own_.size(), false); !open.empty();) {
      const std::size_t c = open.back();
      open.pop_back();
      if (seen[c]) continue;
      seen[c] = true;
      if (!own_[c].send)
        open.insert(open.end(), own_[c].after.begin(), own_[c].after.end());
      else if (steps_[c] == steps_[command])
        sends.push_back(c);
    }
    return sends;
  }

  /// Appends a row after the rows of its step that it waits for, because the NIC reads only the head of a table.
  void write(std::size_t r) {
    if (written_[r]) return;
    written_[r] = true;
    for (const std::size_t command : rows_[r].commands)
      for (const std::size_t before : sends_before(command)) write(row_of_[before]);
    for (const std::size_t command : rows_[r].commands)
      nic_.commands[command].row = static_cast<std::uint32_t>(nic_.table.entries.size());
    nic_.table.entries.push_back(rows_[r].entry);
  }

  const FusedProgram& program_;
  const std::vector<FusedStep>& own_;
  const std::vector<std::uint16_t>& steps_;
  const std::vector<int>& nics_;
  NicProgram& nic_;
  std::vector<Row> rows_;
  std::vector<std::size_t> row_of_;  // by command
  std::vector<bool> written_;
};

}  // namespace

StepsOfCommands steps_of_algorithm(const FusedProgram& program) {
  int first = 1;
  for (const auto& rank : program.steps)
    for (const FusedStep& step : rank)
      if (step.send) first = std::min(first, step.send->step);
  StepsOfCommands all;
  for (const auto& rank : program.steps) {
    auto& steps = all.emplace_back();
    for (const FusedStep& step : rank)
      steps.push_back(static_cast<std::uint16_t>(step.send ? step.send->step - first + 1 : 0));
  }
  return all;
}

StepsOfCommands steps_of_pipeline(const FusedProgram& program) {
  std::map<std::tuple<int, int, int, int>, std::size_t> receiver;  // (rank, peer, slot, step) -> command
  StepsOfCommands all;
  for (int r = 0; r < program.ranks; ++r) {
    const auto& steps = program.steps[at(r)];
    all.emplace_back(steps.size(), std::uint16_t{0});
    for (std::size_t c = 0; c < steps.size(); ++c)
      if (const auto& from = steps[c].receive) receiver[{r, from->peer, from->slot, from->step}] = c;
  }
  for (bool changed = true; changed;) {  // computes longest paths; a proved schedule has no cycles
    changed = false;
    for (int r = 0; r < program.ranks; ++r)
      for (std::size_t c = 0; c < all[at(r)].size(); ++c) {
        const FusedStep& step = program.steps[at(r)][c];
        unsigned known = std::max<unsigned>(all[at(r)][c], step.send ? 1 : 0);
        for (const int before : step.after) known = std::max(known, all[at(r)][at(before)] + (step.send ? 1u : 0u));
        if (known >= nil) throw collective::ScheduleError("a schedule of more than 65534 steps does not fit a table entry");
        changed = changed || known != all[at(r)][c];
        all[at(r)][c] = static_cast<std::uint16_t>(known);
        if (!step.send) continue;
        std::uint16_t& there = all[at(step.send->peer)][receiver.at({step.send->peer, r, step.send->slot, step.send->step})];
        if (there < known) there = static_cast<std::uint16_t>(known), changed = true;
      }
  }
  return all;
}

void add_table_rows(const FusedProgram& program, int rank, const std::vector<std::uint16_t>& steps,
                    const std::vector<int>& nics, NicProgram& nic) {
  RankRows(program, rank, steps, nics, nic).add();
}

}  // namespace tributary
