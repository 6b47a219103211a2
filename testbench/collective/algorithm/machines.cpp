#include "testbench/collective/algorithm/machines.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

constexpr int phases = 6;

/// Builds the program of one GPU phase by phase. Each phase has its own mailbox slots, one per chunk; its sends wait for
/// the last message taken in the previous phase.
class GpuProgramBuilder {
 public:
  explicit GpuProgramBuilder(int chunks)
      : chunks_(chunks), ready_(static_cast<std::size_t>(chunks), ProgramBuilder::nothing) {}

  void phase() {
    ++phase_;
    gate_ = last_take_, read_ = last_send_;
  }
  void step() { program_.at_step(++step_); }
  /// Sends `count` chunks from `first` on.
  void send(int peer, int first, int count) {
    for (int c = first; c < first + count; ++c) last_send_ = program_.send(peer, c, slot(c), {ready(c), last_send_, gate_});
  }
  void take(OperationKind kind, int peer, int first, int count) {
    for (int c = first; c < first + count; ++c)
      ready(c) = last_take_ = program_.take(kind, peer, c, slot(c), {last_take_, ready(c), read_});
  }
  using Has = bool (*)(int place, int part, int size);
  /// One traversal of a ring: in step t, position p sends slice `sent` - t and receives the preceding slice. Slice i has
  /// `width` chunks from `first` + i x width on. A slice is not sent to a position for which `has` returns true.
  void ring(
      OperationKind kind, int size, int place, int first, int width, const std::function<int(int)>& rank_at,
      Has has = [](int, int, int) { return false; }) {
    const int sent = kind == OperationKind::reduce ? place + size - 1 : place;
    const int next = (place + 1) % size, previous = (place + size - 1) % size;
    for (int t = 0; t < size - 1; ++t) {
      const int given = (sent + size - t) % size, taken = (sent + size - t - 1) % size;
      step();
      if (!has(next, given, size)) send(rank_at(next), first + given * width, width);
      if (!has(place, taken, size)) take(kind, rank_at(previous), first + taken * width, width);
    }
  }
  void skip(int steps) { step_ += steps; }
  std::vector<Operation> finish() { return program_.finish(); }

 private:
  int slot(int chunk) const { return phase_ * chunks_ + chunk; }
  int& ready(int chunk) { return ready_[static_cast<std::size_t>(chunk)]; }

  int chunks_;
  std::vector<int> ready_;  // [chunk] operation that produced its current value
  ProgramBuilder program_;
  int phase_ = -1, step_ = 0;
  int gate_ = ProgramBuilder::nothing, read_ = ProgramBuilder::nothing, last_send_ = ProgramBuilder::nothing,
      last_take_ = ProgramBuilder::nothing;
};

void check(const char* name, int machines, int gpus) {
  if (machines < 1 || gpus < 1)
    throw ScheduleError(std::string(name) + ": " + std::to_string(machines) + " machines of " + std::to_string(gpus) +
                        " GPUs; at least 1 of each");
}

/// Chunk g x machines + m is slice m of the slice that GPU g of each machine reduces.
std::vector<Operation> parallel_ring_program(int machines, int gpus, int machine, int gpu) {
  GpuProgramBuilder program(machines * gpus);
  const auto beside = [&](int g) { return machine * gpus + g; };
  const auto across = [&](int m) { return m * gpus + gpu; };
  program.phase();
  program.ring(OperationKind::reduce, gpus, gpu, 0, machines, beside);
  program.phase();
  program.ring(OperationKind::reduce, machines, machine, gpu * machines, 1, across);
  program.phase();
  program.ring(OperationKind::copy, machines, machine, gpu * machines, 1, across);
  program.phase();
  program.ring(OperationKind::copy, gpus, gpu, 0, machines, beside);
  return program.finish();
}

/// True if the scatter along the tree leaves slice `part` at `gpu`: GPU 0 holds all slices, GPU g the slices g to g +
/// (lowest set bit of g) - 1.
bool scattered(int gpu, int part, int gpus) {
  const int parts = gpu == 0 ? gpus : gpu & -gpu;
  return part >= gpu && part < gpu + parts;
}

std::vector<Operation> tencent_program(int machines, int gpus, int machine, int gpu) {
  const int chunks = std::lcm(machines, gpus), width = chunks / gpus;  // width: chunks per slice of a GPU
  GpuProgramBuilder program(chunks);
  const auto beside = [&](int g) { return machine * gpus + g; };
  const auto part = [&](OperationKind kind, int peer, int g, int parts) {
    if (kind == OperationKind::send)
      program.send(beside(peer), g * width, parts * width);
    else
      program.take(kind, beside(peer), g * width, parts * width);
  };
  program.phase();  // exchanges of halves, quarters ...: GPU g keeps the range that contains slice g
  for (int half = gpus / 2; half >= 1; half /= 2) {
    program.step();
    const int mine = gpu & ~(half - 1), theirs = mine ^ half;
    part(OperationKind::send, gpu ^ half, theirs, half);
    part(OperationKind::reduce, gpu ^ half, mine, half);
  }
  program.phase();
  for (int width_now = 1; width_now < gpus; width_now *= 2) {
    program.step();
    if (gpu % width_now != 0) continue;
    if ((gpu & width_now) != 0)
      part(OperationKind::send, gpu - width_now, gpu, width_now);
    else
      part(OperationKind::copy, gpu + width_now, gpu + width_now, width_now);
  }
  const auto masters = [&](int m) { return m * gpus; };
  for (const OperationKind kind : {OperationKind::reduce, OperationKind::copy}) {
    program.phase();
    if (gpu == 0)
      program.ring(kind, machines, machine, 0, chunks / machines, masters);
    else
      program.skip(machines - 1);
  }
  program.phase();
  for (int width_now = gpus / 2; width_now >= 1; width_now /= 2) {
    program.step();
    if (gpu % width_now != 0) continue;
    if ((gpu & width_now) != 0)
      part(OperationKind::copy, gpu - width_now, gpu, width_now);
    else
      part(OperationKind::send, gpu + width_now, gpu + width_now, width_now);
  }
  program.phase();
  program.ring(OperationKind::copy, gpus, gpu, 0, width, beside, scattered);
  return program.finish();
}

template <class Program>
Schedule schedule(const char* name, int machines, int gpus, int chunks, Program program) {
  Schedule made{name, machines * gpus, chunks, phases * chunks, {}};
  for (int m = 0; m < machines; ++m)
    for (int g = 0; g < gpus; ++g) made.programs.push_back(program(machines, gpus, m, g));
  return made;
}

}  // namespace

Schedule parallel_ring_allreduce(int machines, int gpus) {
  check("parallel_ring", machines, gpus);
  return schedule("parallel_ring", machines, gpus, machines * gpus, parallel_ring_program);
}

Schedule tencent_allreduce(int machines, int gpus) {
  check("tencent", machines, gpus);
  if ((gpus & (gpus - 1)) != 0)
    throw ScheduleError("tencent: " + std::to_string(gpus) + " GPUs in each machine; legal: a power of two");
  return schedule("tencent", machines, gpus, std::lcm(machines, gpus), tencent_program);
}

}  // namespace tributary::collective
