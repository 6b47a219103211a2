#pragma once
/// What happens before what when stream programs run, whatever the timing: the ground of stream_proof.h.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// How far each chain of events has come: a hardware queue, or what one stream sends to one peer by one path.
using StreamClock = std::vector<std::uint32_t>;

/// One event of a command: its place in its chain, from 1.
struct StreamEvent {
  std::uint32_t chain = 0, place = 0;
  int rank = 0;  ///< of the command
  std::uint32_t command = 0;

  bool ended_before(const StreamClock& clock) const { return clock[chain] >= place; }
};

/// Sees each access once, in an order that the programs allow. `clock`: what has ended before it begins, itself included.
class StreamAccesses {
 public:
  virtual ~StreamAccesses() = default;
  virtual void add(const StreamCommand& command, const StreamEvent& here, const StreamClock& clock) = 0;
  virtual void read(const StreamCommand& copy, const StreamEvent& here, const StreamClock& clock) = 0;
  /// Of the copy that has just been read, at rank `to`.
  virtual void arrive(const StreamCommand& copy, int to, const StreamEvent& there, const StreamClock& clock) = 0;
};

class StreamOrder {
 public:
  /// `endpoints`: what programs call rank i. Throws ScheduleError on what does not exist, and on waits without records.
  StreamOrder(const std::vector<StreamProgram>& programs, const std::vector<int>& endpoints, unsigned queues);

  /// Throws ScheduleError on a deadlock, and on what may arrive when all commands of its GPU have ended.
  void walk(StreamAccesses& accesses);

  int rank_of(std::uint16_t endpoint) const;
  /// `GPU 3 #12 (stream 4): wait until semaphore 7 is 2`
  std::string text(int rank, std::size_t command) const;

 private:
  struct Recording {                      ///< all records of one semaphore
    std::vector<std::uint32_t> commands;  ///< of `rank`, in order
    int rank = -1;
    std::uint16_t stream = 0;
    std::vector<std::uint32_t> waits;  ///< [record] for exactly that value
    std::vector<StreamClock> clocks;   ///< [record] of its arrival, while waits for it are left
  };
  struct Node {
    int rank;
    std::uint32_t command;
  };

  void check(int rank, std::size_t command) const;
  void index(int rank, std::size_t command);
  void find_successors();
  std::size_t node(int rank, std::size_t command) const { return first_[static_cast<std::size_t>(rank)] + command; }
  const StreamCommand& command(const Node& n) const {
    return programs_[static_cast<std::size_t>(n.rank)].commands[n.command];
  }
  Recording& recording(int rank, std::uint32_t semaphore) { return recordings_[static_cast<std::size_t>(rank)][semaphore]; }
  std::uint32_t chain_to(const Node& n);
  void run(const Node& n, StreamAccesses& accesses);
  void run_wait(const Node& n, StreamClock& clock);
  void run_record(const Node& n, const StreamClock& clock);
  void check_arrivals() const;
  [[noreturn]] void report_cycle(const std::vector<std::uint8_t>& pending) const;
  [[noreturn]] void refuse(int rank, std::size_t command, const std::string& why) const;

  const std::vector<StreamProgram>& programs_;
  std::vector<int> endpoints_;
  std::map<int, int> rank_;  ///< by endpoint
  unsigned queues_;
  std::vector<std::size_t> first_;  ///< [rank] its first node
  std::vector<Node> nodes_;
  std::vector<std::size_t> before_, after_;  ///< [node] in its queue; itself: none
  std::vector<std::size_t> recorded_by_;     ///< [node] of a wait: the record that it waits for; itself: none
  std::vector<std::uint32_t> queue_chain_;   ///< [rank * queues + queue]
  std::map<std::tuple<int, int, int, int>, std::uint32_t> sent_chain_;  ///< rank, stream, peer, path
  std::vector<int> receiver_;                                           ///< [chain] rank that it leads to, -1: a queue
  std::vector<std::uint32_t> last_command_;                             ///< [chain]
  std::vector<StreamClock> clocks_;                                     ///< [chain] now
  std::vector<std::vector<Recording>> recordings_;                      ///< [rank][semaphore]
};

}  // namespace tributary
