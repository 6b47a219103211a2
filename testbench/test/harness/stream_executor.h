#pragma once
/// Carries out stream programs in a random order, with data: every behaviour that is legal for GPUs, whatever their
/// times.

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/workload/job.h"

namespace tributary {

class StreamExecutor {
 public:
  StreamExecutor(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs,
                 const std::vector<std::uint64_t>& memory, unsigned queues, unsigned seed);

  /// Returns the fault, or an empty string if all commands ended, nothing arrived late, and the ranks hold the results
  /// that the collective defines. Throws on access to memory that does not exist.
  std::string run();

 private:
  struct Letter {  ///< a copy or a record in flight
    std::vector<std::byte> data;
    std::uint64_t destination = 0;
    std::uint32_t semaphore = 0;
  };
  struct Queue {
    std::vector<std::uint32_t> commands;
    std::size_t head = 0;
  };
  struct Rank {
    std::vector<std::byte> memory;
    std::vector<std::uint32_t> semaphores;
    std::vector<Queue> queues;
    std::size_t left = 0;
  };

  static std::byte* place(Rank& rank, std::uint64_t address, std::uint64_t bytes);
  bool can_run(const Rank& rank, const Queue& queue, const StreamProgram& program) const;
  void run(std::size_t rank, const StreamCommand& command);
  std::string deliver(int to, std::vector<Letter>& letters);

  JobSpec job_;
  Bytes message_;
  const std::vector<StreamProgram>& programs_;
  std::map<int, int> rank_;  ///< by endpoint
  std::vector<Rank> ranks_;
  std::map<std::vector<int>, std::vector<Letter>> in_flight_;  ///< by rank, stream, peer, path; in order
  std::mt19937 random_;
};

}  // namespace tributary
