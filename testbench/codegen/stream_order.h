#pragma once
/// StreamOrder: the happens-before order of stream programs under any timing, which stream_proof.h uses.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// A vector clock: the number of events of each chain. A chain is a hardware queue, or the messages of one stream to one
/// peer over one path.
using StreamClock = std::vector<std::uint32_t>;

/// One event of a command: its index in its chain, from 1.
struct StreamEvent {
  std::uint32_t chain = 0, place = 0;
  int rank = 0;  ///< rank of the command
  std::uint32_t command = 0;

  bool ended_before(const StreamClock& clock) const { return clock[chain] >= place; }
};

/// Receives each access once, in an order that the programs allow. `clock`: the events that end before the access begins,
/// and the access itself.
class StreamAccesses {
 public:
  virtual ~StreamAccesses() = default;
  virtual void add(const StreamCommand& command, const StreamEvent& here, const StreamClock& clock) = 0;
  virtual void read(const StreamCommand& copy, const StreamEvent& here, const StreamClock& clock) = 0;
  /// The data of the copy that was read last arrive at rank `to`.
  virtual void arrive(const StreamCommand& copy, int to, const StreamEvent& there, const StreamClock& clock) = 0;
};

class StreamOrder {
 public:
  /// `endpoints`: number of rank i in the programs. Throws ScheduleError for streams, semaphores and peers that do not
  /// exist, and for waits without records.
  StreamOrder(const std::vector<StreamProgram>& programs, const std::vector<int>& endpoints, unsigned queues);

  /// Throws ScheduleError for a deadlock, and for data or records that may arrive after all commands of their GPU have
  /// ended.
  void walk(StreamAccesses& accesses);

  int rank_of(std::uint16_t endpoint) const;
  /// Returns a text such as `GPU 3 #12 (stream 4): wait until semaphore 7 is 2`.
  std::string text(int rank, std::size_t command) const;

 private:
  struct Recording {                      ///< all records of one semaphore
    std::vector<std::uint32_t> commands;  ///< records of `rank`, in order
    int rank = -1;
    std::uint16_t stream = 0;
    std::vector<std::uint32_t> waits;  ///< [record] waits for exactly that value that have not run
    std::vector<StreamClock> clocks;   ///< [record] clock of its arrival, until all these waits have run
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
  std::vector<std::size_t> first_;  ///< [rank] first node
  std::vector<Node> nodes_;
  std::vector<std::size_t> before_, after_;  ///< [node] neighbours in its queue; the node itself if there is none
  std::vector<std::size_t> recorded_by_;     ///< [node] record for which a wait waits; the node itself if there is none
  std::vector<std::uint32_t> queue_chain_;   ///< [rank * queues + queue]
  std::map<std::tuple<int, int, int, int>, std::uint32_t> sent_chain_;  ///< rank, stream, peer, path
  std::vector<int> receiver_;                                           ///< [chain] receiving rank; -1 for a queue
  std::vector<std::uint32_t> last_command_;                             ///< [chain]
  std::vector<StreamClock> clocks_;                                     ///< [chain] current clock
  std::vector<std::vector<Recording>> recordings_;                      ///< [rank][semaphore]
};

}  // namespace tributary
