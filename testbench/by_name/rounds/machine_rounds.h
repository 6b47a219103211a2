#pragma once
/// MachineRounds: the rounds of collectives on one platform.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "testbench/by_name/rounds/round.h"
#include "testbench/run/completion.h"
#include "testbench/run/driver.h"

namespace tributary {

/// A round begins once the platform is at rest. It resets all devices, fills the memories, and posts its jobs, as Session
/// does for a message. One process begins the rounds.
class MachineRounds : private CompletionListener {
 public:
  explicit MachineRounds(const std::string& platform);
  ~MachineRounds() override;

  /// Returns the settings, to be changed. Throws std::logic_error once a collective has been posted.
  RunSpec& settings();
  const RunSpec& spec() const { return spec_; }
  std::shared_ptr<Posting> post(const std::string& collective, const std::string& algorithm, Bytes message,
                                const PostOptions& options);
  /// Elaborates the platform unless it exists.
  void build();
  Platform& platform();
  ProbeDirectory& probes();
  std::vector<std::string> waiting() const;
  const std::vector<std::string>& notes() const { return notes_; }

  /// Returns the number of wrong elements of a completed posting of the current round, or its results by rank.
  std::uint64_t count_wrong(const Posting& posting);
  std::vector<std::vector<std::byte>> results(const Posting& posting);

 private:
  class Builder;
  struct Rank {
    std::size_t job;
    std::size_t rank;
  };

  void done(unsigned endpoint, Tick when) override;
  void failed(unsigned endpoint, Tick when, const std::string& why) override;
  void bad_value(unsigned endpoint, Tick when, const std::string& why) override;
  void note_failure(unsigned endpoint);
  void add_last_round();
  void start_process();
  void proceed();
  bool at_rest() const;
  void begin_in_time();
  void begin_round();
  void begin(Posting& posting, std::size_t job, Tick t0);
  void keep_results();
  /// Allocates the memory of the ranks of all rounds. Throws as lowering does, and if the simulating machine has too little.
  void allocate(const std::vector<const Round*>& rounds);
  MemoryOfRank memory_of(const JobSpec& job);
  std::vector<OperandRange> results_of(const Posting& posting);

  RunSpec spec_;
  const Family& family_;
  Completion completion_;
  std::unique_ptr<Driver> driver_;
  Round machine_;  ///< parameters and hardware of all rounds so far
  std::deque<Round> waiting_rounds_;
  Round round_;                        ///< runs, or ran last
  std::vector<std::uint64_t> memory_;  ///< bytes by endpoint
  std::map<unsigned, Rank> rank_of_;   ///< by endpoint: ranks of the round
  std::unique_ptr<ProbeDirectory> probes_;
  std::vector<std::string> notes_;
  sc_core::sc_event proceed_;
  bool posted_ = false;
  std::unique_ptr<Builder> builder_;
};

}  // namespace tributary
