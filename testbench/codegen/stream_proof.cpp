#include "testbench/codegen/stream_proof.h"

#include <algorithm>
#include <optional>
#include <string>

#include "modules/base/index.h"
#include "testbench/codegen/stream_order.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

using collective::ScheduleError;

/// The contents of a memory range: elements from `first` on, with the count of each operand in their sum. An empty list
/// means undefined contents.
struct Contents {
  std::uint64_t first = 0;
  std::vector<std::uint8_t> operands;

  bool means_nothing() const { return operands.empty(); }
};
bool operator==(const Contents& a, const Contents& b) { return a.first == b.first && a.operands == b.operands; }

/// A range of memory of one rank that commands always use as a whole.
struct Cell {
  std::uint64_t address = 0, bytes = 0;
  Contents contents = {};
  std::optional<StreamEvent> write = {};
  std::vector<StreamEvent> reads = {};  ///< reads since the write
};
bool operator<(const Cell& a, const Cell& b) { return a.address < b.address; }

class Prover : private StreamAccesses {
 public:
  Prover(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs,
         const std::vector<std::uint64_t>& memory, unsigned queues)
      : job_(job),
        element_(element_size(job.type)),
        order_(programs, job.ranks, queues),
        initial_(by_rank(collective_of(job.collective).initial(job, message))),
        result_(by_rank(collective_of(job.collective).result(job, message))),
        cells_(programs.size()) {
    for (std::size_t r = 0; r < programs.size(); ++r) find_cells(programs[r], static_cast<int>(r));
    for (std::size_t r = 0; r < programs.size(); ++r) fix_cells(static_cast<int>(r), memory.at(r));
  }

  void prove() {
    order_.walk(*this);
    for (std::size_t r = 0; r < cells_.size(); ++r)
      for (const OperandRange& range : result_[r]) check_range(static_cast<int>(r), range);
  }

 private:
  std::vector<std::vector<OperandRange>> by_rank(const std::vector<OperandRange>& ranges) const {
    std::vector<std::vector<OperandRange>> found(job_.ranks.size());
    for (const OperandRange& range : ranges)
      for (const int rank : range.at) found[at(rank)].push_back(range);
    return found;
  }

  // ---- memory

  void find_cells(const StreamProgram& program, int rank) {
    for (const StreamCommand& c : program.commands) {
      if (c.kind == StreamCommand::Kind::copy) {
        cells_[at(rank)].push_back({c.source, c.bytes});
        cells_[at(order_.rank_of(c.peer))].push_back({c.destination, c.bytes});
      } else if (c.kind == StreamCommand::Kind::kernel) {
        cells_[at(rank)].push_back({c.destination, c.bytes});
        for (unsigned i = 0; i < c.input_count; ++i) cells_[at(rank)].push_back({c.inputs[i], c.bytes});
      }
    }
  }

  void fix_cells(int rank, std::uint64_t memory) {
    std::vector<Cell>& cells = cells_[at(rank)];
    const auto refuse = [&](const Cell& c, const std::string& why) {
      throw ScheduleError("streams: " + place(rank, c) + why);
    };
    std::sort(cells.begin(), cells.end());
    std::size_t kept = 0;
    for (const Cell& c : cells) {
      if (c.bytes > memory || c.address > memory - c.bytes)
        refuse(c, " are outside its memory of " + std::to_string(memory) + " B");
      if (kept > 0 && c.address == cells[kept - 1].address && c.bytes == cells[kept - 1].bytes) continue;
      if (kept > 0 && c.address < cells[kept - 1].address + cells[kept - 1].bytes)
        refuse(c, " are used in part by another command");
      cells[kept++] = c;
    }
    cells.resize(kept);
    for (Cell& c : cells) c.contents = initially(rank, c.address, c.bytes);
  }

  std::string place(int rank, const Cell& c) const {
    return std::to_string(c.bytes) + " B at " + std::to_string(c.address) + " of GPU " +
           std::to_string(job_.ranks[at(rank)]);
  }

  Contents of(const OperandRange& range, std::uint64_t address) const {
    Contents found{range.first_element + (address - range.address) / element_,
                   std::vector<std::uint8_t>(job_.ranks.size(), 0)};
    for (const int operand : range.operands) ++found.operands[at(operand)];
    return found;
  }

  Contents initially(int rank, std::uint64_t address, std::uint64_t bytes) const {
    for (const OperandRange& range : initial_[at(rank)])
      if (range.address <= address && address + bytes <= range.address + range.bytes) return of(range, address);
    return {};
  }

  Cell& cell(int rank, std::uint64_t address) {
    return *std::lower_bound(cells_[at(rank)].begin(), cells_[at(rank)].end(), Cell{address, 0});
  }

  // ---- accesses

  void ordered(const StreamEvent& earlier, const StreamEvent& later, const StreamClock& clock, const Cell& c) const {
    if (!earlier.ended_before(clock))
      throw ScheduleError(order_.text(later.rank, later.command) + " and " + order_.text(earlier.rank, earlier.command) +
                          " race for " + std::to_string(c.bytes) + " B at " + std::to_string(c.address));
  }

  const Contents& use(int rank, std::uint64_t address, const StreamEvent& event, const StreamClock& clock) {
    Cell& c = cell(rank, address);
    if (c.write) ordered(*c.write, event, clock, c);
    if (c.contents.means_nothing())
      throw ScheduleError(order_.text(event.rank, event.command) + ": " + place(rank, c) + " hold no operand");
    c.reads.push_back(event);
    return c.contents;
  }

  Contents& overwrite(int rank, std::uint64_t address, const StreamEvent& event, const StreamClock& clock) {
    Cell& c = cell(rank, address);
    if (c.write) ordered(*c.write, event, clock, c);
    for (const StreamEvent& read : c.reads) ordered(read, event, clock, c);
    c.reads.clear();
    c.write = event;
    return c.contents;
  }

  void add(const StreamCommand& command, const StreamEvent& here, const StreamClock& clock) override {
    Contents sum = use(here.rank, command.destination, here, clock);
    for (unsigned i = 0; i < command.input_count; ++i) {
      const Contents& input = use(here.rank, command.inputs[i], here, clock);
      if (input.first != sum.first)
        throw ScheduleError(order_.text(here.rank, here.command) + ": input " + std::to_string(i) + " holds elements from " +
                            std::to_string(input.first) + " on, and the sum holds elements from " +
                            std::to_string(sum.first) + " on");
      for (std::size_t r = 0; r < sum.operands.size(); ++r)
        sum.operands[r] = static_cast<std::uint8_t>(std::min(255, sum.operands[r] + input.operands[r]));
    }
    overwrite(here.rank, command.destination, here, clock) = std::move(sum);
  }

  void read(const StreamCommand& copy, const StreamEvent& here, const StreamClock& clock) override {
    in_flight_ = use(here.rank, copy.source, here, clock);
  }
  void arrive(const StreamCommand& copy, int to, const StreamEvent& there, const StreamClock& clock) override {
    overwrite(to, copy.destination, there, clock) = in_flight_;
  }

  // ---- results

  /// Memory that no command uses keeps its initial contents.
  void check_range(int rank, const OperandRange& range) const {
    const std::vector<Cell>& cells = cells_[at(rank)];
    const std::uint64_t end = range.address + range.bytes;
    std::uint64_t here = range.address;
    for (auto c = std::lower_bound(cells.begin(), cells.end(), Cell{here, 0}); here < end; ++c) {
      const bool more = c != cells.end() && c->address < end;
      const std::uint64_t next = more ? c->address : end;
      if (next > here) check(rank, {here, next - here, initially(rank, here, next - here)}, range);
      if (!more) return;
      check(rank, *c, range);
      here = next + c->bytes;
    }
  }

  void check(int rank, const Cell& c, const OperandRange& range) const {
    const Contents wanted = of(range, c.address);
    if (c.contents == wanted) return;
    std::string why = " hold other elements";
    if (c.contents.means_nothing()) why = " hold no operand";
    for (std::size_t r = 0; r < c.contents.operands.size() && c.contents.first == wanted.first; ++r)
      if (c.contents.operands[r] != wanted.operands[r])
        why = " hold the operand of rank " + std::to_string(r) + " " + std::to_string(c.contents.operands[r]) +
              " times instead of " + std::to_string(wanted.operands[r]);
    throw ScheduleError("streams: at the end " + place(rank, c) + why);
  }

  const JobSpec& job_;
  std::uint64_t element_;
  StreamOrder order_;
  std::vector<std::vector<OperandRange>> initial_, result_;  ///< [rank]
  std::vector<std::vector<Cell>> cells_;                     ///< [rank] by address
  Contents in_flight_;
};

}  // namespace

void prove_streams(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs,
                   const std::vector<std::uint64_t>& memory, unsigned queues) {
  Prover(job, message, programs, memory, queues).prove();
}

}  // namespace tributary
