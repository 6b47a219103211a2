#include "testbench/collective/schedule/schedule_events.h"

#include <map>

namespace tributary::collective {
namespace {

struct Shape {
  int ranks, chunks, slots;
};

void check_range(const std::string& label, const char* what, int value, int end) {
  if (value < 0 || value >= end)
    throw ScheduleError(label + ": there is no " + what + " " + std::to_string(value) + "; legal: 0 to " +
                        std::to_string(end - 1));
}

void check_peer(const std::string& label, const Shape& shape, int rank, int peer, int slot) {
  check_range(label, "rank", peer, shape.ranks);
  check_range(label, "slot", slot, shape.slots);
  if (peer == rank) throw ScheduleError(label + ": a rank has no mailbox for itself");
}

void check_programs(const std::string& algorithm, int ranks, std::size_t programs) {
  if (programs != static_cast<std::size_t>(ranks))
    throw ScheduleError(algorithm + ": " + std::to_string(programs) + " programs for " + std::to_string(ranks) + " ranks");
}

Event event_of(const Operation& o, int rank, const Shape& shape) {
  Event e;
  e.rank = rank;
  e.chunk = o.chunk;
  e.label = describe(rank, o);
  check_range(e.label, "chunk", o.chunk, shape.chunks);
  check_peer(e.label, shape, rank, o.peer, o.slot);
  const Message incoming{o.peer, rank, o.slot, o.step};
  switch (o.kind) {
    case OperationKind::send:
      e.sends = Message{rank, o.peer, o.slot, o.step};
      break;
    case OperationKind::receive:
      e.waits_for = incoming;
      break;
    case OperationKind::reduce:
      e.adds_own = true;
      [[fallthrough]];
    case OperationKind::copy:
      e.reads = incoming;
      e.stores = true;
      break;
  }
  return e;
}

std::string describe(const FusedStep& s, int rank, std::size_t index) {
  std::string text =
      "rank " + std::to_string(rank) + " step " + std::to_string(index) + " (chunk " + std::to_string(s.chunk);
  const auto mailbox = [](const MailboxSlot& m) {
    return " rank " + std::to_string(m.peer) + " slot " + std::to_string(m.slot) + " step " + std::to_string(m.step);
  };
  if (s.receive) text += ", receive" + std::string(s.reduce ? " and reduce" : "") + " from" + mailbox(*s.receive);
  if (s.store_local) text += ", store";
  if (s.send) text += ", send to" + mailbox(*s.send);
  return text + ")";
}

Event event_of(const FusedStep& s, int rank, std::size_t index, const Shape& shape) {
  Event e;
  e.rank = rank;
  e.chunk = s.chunk;
  e.label = describe(s, rank, index);
  check_range(e.label, "chunk", s.chunk, shape.chunks);
  if (s.receive) {
    check_peer(e.label, shape, rank, s.receive->peer, s.receive->slot);
    e.waits_for = e.reads = Message{s.receive->peer, rank, s.receive->slot, s.receive->step};
  } else if (s.reduce || s.store_local) {
    throw ScheduleError(e.label + ": only a step that receives can reduce or store");
  }
  if (s.send) {
    check_peer(e.label, shape, rank, s.send->peer, s.send->slot);
    e.sends = Message{rank, s.send->peer, s.send->slot, s.send->step};
  }
  e.adds_own = s.reduce;
  e.stores = s.store_local;
  return e;
}

}  // namespace

std::vector<Event> events_of(const Schedule& schedule) {
  check_programs(schedule.algorithm, schedule.ranks, schedule.programs.size());
  std::vector<Event> events;
  for (int r = 0; r < schedule.ranks; ++r) {
    const auto& program = schedule.programs[static_cast<std::size_t>(r)];
    std::map<int, std::size_t> index;  // event index by operation id
    for (const Operation& o : program)
      if (!index.emplace(o.id, events.size() + index.size()).second)
        throw ScheduleError(describe(r, o) + ": another operation of this rank has the same id");
    for (const Operation& o : program) {
      events.push_back(event_of(o, r, {schedule.ranks, schedule.chunks, schedule.slots}));
      for (const int d : o.deps) {
        const auto found = index.find(d);
        if (found == index.end())
          throw ScheduleError(describe(r, o) + " waits for #" + std::to_string(d) + ", which does not exist");
        events.back().after.push_back(found->second);
      }
    }
  }
  return events;
}

std::vector<Event> events_of(const FusedProgram& program) {
  check_programs(program.algorithm, program.ranks, program.steps.size());
  std::vector<Event> events;
  for (int r = 0; r < program.ranks; ++r) {
    const auto& steps = program.steps[static_cast<std::size_t>(r)];
    const std::size_t first = events.size();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      events.push_back(event_of(steps[i], r, i, {program.ranks, program.chunks, program.slots}));
      for (const int before : steps[i].after) {
        check_range(events.back().label, "step", before, static_cast<int>(steps.size()));
        events.back().after.push_back(first + static_cast<std::size_t>(before));
      }
    }
  }
  return events;
}

}  // namespace tributary::collective
