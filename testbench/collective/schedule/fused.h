#pragma once
/// Schedules as a GPU's executor runs them: chains of operations on one chunk become one step, which reads memory once
/// (like the primitives of NCCL).

#include <optional>
#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

struct MailboxSlot {
  int peer = 0, slot = 0, step = 0;
};
inline bool operator==(const MailboxSlot& a, const MailboxSlot& b) {
  return a.peer == b.peer && a.slot == b.slot && a.step == b.step;
}

/// value = received message (`receive`), received message + own chunk (`receive` and `reduce`), or own chunk (neither);
/// then own chunk = value if `store_local`, and value goes to the peer's mailbox if `send`.
struct FusedStep {
  std::optional<MailboxSlot> receive;
  bool reduce = false;
  bool store_local = false;
  std::optional<MailboxSlot> send;
  int chunk = 0;
  std::vector<int> after = {};  ///< steps of the same rank that end before this one begins
};

struct FusedProgram {
  std::string algorithm;
  int ranks = 0, chunks = 0, slots = 0;
  std::vector<std::vector<FusedStep>> steps;  ///< [rank]
  std::vector<Goal> goals = {};               ///< goals of the schedule
  bool barrier = false;
};

/// Lowers a verified schedule: a receive, its reduce or copy, and the send that forwards the chunk become one step, which
/// waits for everything that they wait for. A partial sum is stored only if this rank reads its own chunk again before
/// overwriting it, or if it is a result of the collective. With `passing_on` false, sends stay separate steps, for a device
/// that sends to several peers simultaneously. Throws ScheduleError when an operation cannot be placed.
FusedProgram fuse(const Schedule& schedule, bool passing_on = true);
/// Lowers the program of one rank alone. `outline`: the schedule; its programs are not used.
std::vector<FusedStep> fused_rank(const Schedule& outline, int rank, const std::vector<Operation>& program, bool passing_on);

}  // namespace tributary::collective
