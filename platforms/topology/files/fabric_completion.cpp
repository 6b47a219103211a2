#include "platforms/topology/files/fabric_completion.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tributary::topology {
namespace {

using Index = std::size_t;

int links_to_gpus(const SwitchLinks& m, Index s) {
  return std::accumulate(m.of_gpu.begin(), m.of_gpu.end(), 0, [&](int sum, const auto& row) { return sum + row[s]; });
}

bool has_trunks(const SwitchLinks& m, Index s) {
  return std::any_of(m.trunks[s].begin(), m.trunks[s].end(), [](int count) { return count > 0; });
}

/// GPUs that share switches, directly or through others, with these switches.
struct Board {
  std::vector<Index> gpus, switches;
};

/// GPUs without links and switches without GPUs are on no board.
std::vector<Board> boards_of(const SwitchLinks& m) {
  std::vector<Board> boards;
  std::vector<bool> seen(m.switches.size(), false);
  for (Index first = 0; first < seen.size(); ++first) {
    if (seen[first]) continue;
    seen[first] = true;
    Board board{{}, {first}};
    for (Index i = 0; i < board.switches.size(); ++i)
      for (Index g = 0; g < m.gpus.size(); ++g) {
        if (m.of_gpu[g][board.switches[i]] == 0) continue;
        if (std::find(board.gpus.begin(), board.gpus.end(), g) == board.gpus.end()) board.gpus.push_back(g);
        for (Index s = 0; s < seen.size(); ++s)
          if (m.of_gpu[g][s] > 0 && !seen[s]) seen[s] = true, board.switches.push_back(s);
      }
    std::sort(board.switches.begin(), board.switches.end());
    if (!board.gpus.empty()) boards.push_back(std::move(board));
  }
  return boards;
}

/// Returns the links to GPUs of each switch of a board, in board order.
std::vector<int> links_by_place(const SwitchLinks& m, const Board& board) {
  std::vector<int> links;
  for (const Index s : board.switches) links.push_back(links_to_gpus(m, s));
  return links;
}

/// True for 6 switches to which no GPU has more than one link: a board of a DGX-2, on which GPUs or links may be missing.
bool of_dgx2(const SwitchLinks& m, const Board& board) {
  return board.switches.size() == 6 && std::all_of(board.gpus.begin(), board.gpus.end(), [&](Index g) {
           return *std::max_element(m.of_gpu[g].begin(), m.of_gpu[g].end()) == 1;
         });
}

/// Returns the trunks between the i-th switches of two boards; empty if there are none.
std::vector<int> trunks_of(const SwitchLinks& m, const Board& a, const Board& b) {
  std::vector<int> links = links_by_place(m, a);
  if (links == links_by_place(m, b)) return links;
  constexpr int of_each = 8;
  return of_dgx2(m, a) && of_dgx2(m, b) ? std::vector<int>(a.switches.size(), of_each) : std::vector<int>{};
}

void join_boards(SwitchLinks& m, std::vector<std::string>& notes) {
  if (m.all_trunks) return;
  for (Index s = 0; s < m.switches.size(); ++s)
    if (has_trunks(m, s)) return;
  const std::vector<Board> boards = boards_of(m);
  if (boards.size() != 2) return;
  const std::vector<int> trunks = trunks_of(m, boards[0], boards[1]);
  if (trunks.empty()) return;
  for (Index i = 0; i < trunks.size(); ++i) {
    const Index a = boards[0].switches[i], b = boards[1].switches[i];
    m.trunks[a][b] = m.trunks[b][a] = trunks[i];
  }
  notes.push_back("no link joins the NVSwitches of " + m.gpus[boards[0].gpus.front()] + " with those of " +
                  m.gpus[boards[1].gpus.front()] + ": assumed to be the two boards of a DGX-2, " +
                  m.switches[boards[0].switches[0]] + " joined with " + m.switches[boards[1].switches[0]] + " by " +
                  std::to_string(trunks[0]) + " links, and so on");
}

/// Replaces switch `s` by `count` switches; the first keeps its index and the others are appended.
void split(SwitchLinks& m, Index s, int count) {
  const std::string name = m.switches[s];
  const Index first_new = m.switches.size();
  m.switches[s] = name + "_0";
  for (int i = 1; i < count; ++i) m.switches.push_back(name + "_" + std::to_string(i));
  for (std::vector<int>& row : m.of_gpu) {
    const int all = row[s];
    row.resize(m.switches.size(), 0);
    for (int i = 0; i < count; ++i) row[i == 0 ? s : first_new + static_cast<Index>(i) - 1] = (all + count - 1 - i) / count;
  }
  for (std::vector<int>& row : m.trunks) row.resize(m.switches.size(), 0);
  m.trunks.resize(m.switches.size(), std::vector<int>(m.switches.size(), 0));
}

/// Returns the smallest number of parts such that no part has too many links; 0 if there is none, as a link cannot be
/// split.
int parts_of(const SwitchLinks& m, Index s) {
  int most = 0;
  for (const std::vector<int>& row : m.of_gpu) most = std::max(most, row[s]);
  for (int parts = 2; parts <= most; ++parts) {
    int links = 0;
    for (const std::vector<int>& row : m.of_gpu) links += (row[s] + parts - 1) / parts;
    if (links <= m.most_links) return parts;
  }
  return 0;
}

void split_switches(SwitchLinks& m, std::vector<std::string>& notes) {
  for (Index s = 0, last = m.switches.size(); s < last; ++s) {
    const int links = links_to_gpus(m, s);
    if (links <= m.most_links || has_trunks(m, s)) continue;
    const int parts = parts_of(m, s);
    if (parts == 0) continue;
    notes.push_back(m.switches[s] + " has " + std::to_string(links) + " links, but an NVSwitch has at most " +
                    std::to_string(m.most_links) + ": assumed to be " + std::to_string(parts) +
                    " parallel NVSwitches, each with its share of the links of every GPU");
    split(m, s, parts);
  }
}

}  // namespace

std::vector<std::string> complete(SwitchLinks& machine) {
  std::vector<std::string> notes;
  join_boards(machine, notes);
  split_switches(machine, notes);
  return notes;
}

}  // namespace tributary::topology
