#include "testbench/collective/algorithm/ring_2d.h"

#include <numeric>

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

struct Shape {
  int rows, columns;
  /// Chunks of a quarter: a multiple of the ranks of either ring.
  int quarter() const { return std::lcm(rows, columns); }
  int chunks() const { return 4 * quarter(); }
};

/// Adds the operations of one quarter of the message to the program of one rank.
class QuarterProgram {
 public:
  QuarterProgram(Shape shape, int rank, int quarter, ProgramBuilder& program)
      : shape_(shape),
        row_(rank / shape.columns),
        column_(rank % shape.columns),
        quarter_(quarter),
        program_(program),
        ready_(static_cast<std::size_t>(shape.quarter()), ProgramBuilder::nothing) {}

  /// Quarters 0 and 1 start east and west, quarters 2 and 3 south and north.
  void build() {
    const bool along_row = quarter_ < 2;
    ring(along_row, 0, 0);
    ring(!along_row, 2 * ((along_row ? shape_.columns : shape_.rows) - 1), 2 * shape_.chunks());
  }

 private:
  void ring(bool along_row, int first_step, int first_slot) {
    const int size = along_row ? shape_.columns : shape_.rows, place = along_row ? column_ : row_;
    const int route = quarter_ % 2 == 0 ? 1 : size - 1;
    const auto rank_at = [&](int p) { return along_row ? row_ * shape_.columns + p : p * shape_.columns + column_; };
    const int next = rank_at((place + route) % size), previous = rank_at((place + size - route) % size);
    const int round = quarter_ % 2 == 0 ? place : (size - place) % size;  // position in the direction of the ring
    const int read = last_send_;                                          // the second ring overwrites the data of the first
    int last_take = ProgramBuilder::nothing;
    for (int t = 0; t < 2 * (size - 1); ++t) {
      const bool reduces = t < size - 1;
      const int slots = first_slot + (reduces ? 0 : shape_.chunks());
      program_.at_step(first_step + t + 1);
      for (const int c : part((round + 2 * size - t) % size, size))
        last_send_ = program_.send(next, chunk(c), slots + chunk(c), {ready(c), last_send_});
      for (const int c : part((round + 2 * size - t - 1) % size, size))
        ready(c) = last_take = program_.take(reduces ? OperationKind::reduce : OperationKind::copy, previous, chunk(c),
                                             slots + chunk(c), {last_take, ready(c), read});
    }
  }

  /// Chunks of slice `i` when the quarter is divided among a ring of `size` ranks.
  std::vector<int> part(int i, int size) const {
    std::vector<int> chunks(static_cast<std::size_t>(shape_.quarter() / size));
    std::iota(chunks.begin(), chunks.end(), i * shape_.quarter() / size);
    return chunks;
  }
  int chunk(int c) const { return quarter_ * shape_.quarter() + c; }
  int& ready(int c) { return ready_[static_cast<std::size_t>(c)]; }

  Shape shape_;
  int row_, column_, quarter_;
  ProgramBuilder& program_;
  std::vector<int> ready_;  ///< [chunk of the quarter] operation that produced its current value
  int last_send_ = ProgramBuilder::nothing;
};

}  // namespace

Schedule ring_2d_allreduce(int rows, int columns) {
  if (rows < 2 || columns < 2)
    throw ScheduleError("ring_2d: " + std::to_string(rows) + "x" + std::to_string(columns) +
                        " nodes (legal: at least 2 rows and 2 columns)");
  const Shape shape{rows, columns};
  Schedule schedule{"ring_2d", rows * columns, shape.chunks(), 4 * shape.chunks(), {}};
  for (int r = 0; r < rows * columns; ++r) {
    ProgramBuilder program;
    for (int quarter = 0; quarter < 4; ++quarter) QuarterProgram(shape, r, quarter, program).build();
    schedule.programs.push_back(program.finish());
  }
  return schedule;
}

}  // namespace tributary::collective
