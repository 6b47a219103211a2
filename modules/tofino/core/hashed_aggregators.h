#pragma once
/// HashedAggregators: the aggregators of the switch of ATP, shared by all jobs (Lao et al., NSDI 2021).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/random.h"
#include "modules/base/units.h"
#include "modules/tofino/tofino_params.h"

namespace tributary {

/// Request of the switch to its aggregators, and their answer: payload of their TLM socket.
struct AggregatorTransaction {
  enum class Command : std::uint8_t {
    add,   ///< adds the values of a worker
    free,  ///< the chunk's result passes on its path to the workers
  };
  enum class Answer : std::uint8_t {
    stored,     ///< values of others are missing
    completed,  ///< the last values: the sum is sent to the server
    repeated,   ///< repeated, but not after a timeout: dropped
    collided,   ///< another chunk has the aggregator: the packet is forwarded to the server
    passed,     ///< late or resent: the packet is forwarded to the server
    flushed,    ///< resent: the partial sum is sent to the server, and the packet too unless it is part of the sum
    freed,      ///< `free` has found its chunk
    nothing,    ///< `free` has not found its chunk
    refused,    ///< unknown aggregator or rank, or wrong number of values
  };

  Command command = Command::add;
  bool resent = false;
  std::uint16_t job = 0, rank = 0;
  std::uint16_t workers = 0;  ///< number of workers of the job
  std::uint16_t count = 0;    ///< number of values
  std::uint32_t chunk = 0;
  std::uint32_t aggregator = 0;
  const std::int32_t* values = nullptr;  ///< null: only time is simulated
  Tick now = 0;

  Answer answer = Answer::refused;    ///< out
  bool overflow = false;              ///< out, if completed or flushed: `sum` has exceeded 32 bits
  bool forward = false;               ///< out: the packet is forwarded to the server
  std::uint64_t contributors = 0;     ///< out, if completed or flushed: bit mask of workers whose values are in `sum`
  const std::int32_t* sum = nullptr;  ///< out, likewise; valid until the next access
};

/// An aggregator is occupied by the first chunk that arrives, until that chunk's result passes or one of its packets is
/// resent. After that it still remembers the chunk, whose late packets do not occupy it again. A resent packet never
/// occupies an aggregator.
class HashedAggregators {
 public:
  struct Config {
    std::uint32_t aggregators = 0;
    unsigned values = 0;  ///< largest number of values of a packet
    bool with_data = true;
  };

  /// Throws std::invalid_argument if there are no aggregators or values.
  explicit HashedAggregators(const Config& config);

  /// Returns the aggregator of a chunk, as all workers of its job compute it.
  static std::uint32_t index_of(AggregatorIndex kind, std::uint16_t job, std::uint32_t chunk, std::uint32_t aggregators) {
    if (kind == AggregatorIndex::chunk) return static_cast<std::uint32_t>(below(random_at(0, job, chunk), aggregators));
    return static_cast<std::uint32_t>((below(mix64(job), aggregators) + chunk) % aggregators);
  }

  void access(AggregatorTransaction& t);

  unsigned taken() const { return taken_; }
  /// Returns lines such as `aggregator 5, job 0, chunk 17: 3 of 4 workers, missing worker 2`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Adds the probes `prefix`stored, .completed, .repeated, .collided, .passed, .flushed, .freed, .refused, `prefix`taken.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe stored, completed, repeated, collided, passed, flushed, freed,
      refused;              ///< strobes with the number of an aggregator
  SignalProbe taken_probe;  ///< level

 private:
  struct Aggregator {
    std::uint64_t there = 0;  // bit mask of workers; 0: free
    std::uint32_t chunk = 0;  // current chunk, or the last one
    std::uint16_t job = 0;
    std::uint16_t workers = 0;
    std::uint16_t values = 0;
    bool used = false;  // has ever been occupied
    bool overflow = false;
  };
  using Answer = AggregatorTransaction::Answer;
  void add_values(AggregatorTransaction& t, Aggregator& a);
  void take(AggregatorTransaction& t, Aggregator& a);
  void hand_out(AggregatorTransaction& t, const Aggregator& a);
  std::int32_t* values_of(std::uint32_t aggregator) {
    return config_.with_data ? values_.data() + std::size_t{aggregator} * config_.values : nullptr;
  }

  Config config_;
  std::vector<Aggregator> aggregators_;
  std::vector<std::int32_t> values_;
  unsigned taken_ = 0;
};

/// Access to the aggregators of a switch.
class AggregatorPort {
 public:
  virtual ~AggregatorPort() = default;
  /// Answers the transaction; returns its time beyond the passage, in ps.
  virtual Tick access(AggregatorTransaction& t) = 0;
};

}  // namespace tributary
