#pragma once
/// HashedAggregators: the aggregators of ATP's switch, which all jobs share (Lao et al., NSDI 2021).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/random.h"
#include "modules/base/units.h"
#include "modules/tofino/tofino_params.h"

namespace tributary {

/// What the switch asks of its aggregators, and what they answer: payload of their TLM socket.
struct AggregatorTransaction {
  enum class Command : std::uint8_t {
    add,   ///< a worker's values
    free,  ///< the chunk's result passes on its way to the workers
  };
  enum class Answer : std::uint8_t {
    stored,     ///< others are missing
    completed,  ///< was the last one: the sum goes to the server
    repeated,   ///< comes again, not after a timeout: dropped
    collided,   ///< another chunk has the aggregator: the packet goes on to the server
    passed,     ///< comes late or again: it goes on to the server
    flushed,    ///< comes after a timeout: what is there goes to the server, and so does the packet unless it is in it
    freed,      ///< `free` has found its chunk
    nothing,    ///< `free` has not
    refused,    ///< no such aggregator or rank, or not as many values
  };

  Command command = Command::add;
  bool resent = false;
  std::uint16_t job = 0, rank = 0;
  std::uint16_t workers = 0;  ///< of the job
  std::uint16_t count = 0;    ///< of values
  std::uint32_t chunk = 0;
  std::uint32_t aggregator = 0;
  const std::int32_t* values = nullptr;  ///< null: without data
  Tick now = 0;

  Answer answer = Answer::refused;    ///< out
  bool overflow = false;              ///< out, of completed and flushed: `sum` has left 32 bits
  bool forward = false;               ///< out: the packet goes on to the server
  std::uint64_t contributors = 0;     ///< out, of completed and flushed: whose values are in `sum`, a bit each
  const std::int32_t* sum = nullptr;  ///< out, the same; stands until the next access
};

/// An aggregator belongs to the chunk that has come first, until that chunk's result passes, or a worker asks again. It then
/// remembers that chunk, whose late packets do not take it again. A packet that is sent again never takes an aggregator.
class HashedAggregators {
 public:
  struct Config {
    std::uint32_t aggregators = 0;
    unsigned values = 0;  ///< of a packet, at most
    bool with_data = true;
  };

  /// Throws std::invalid_argument without aggregators or values.
  explicit HashedAggregators(const Config& config);

  /// The aggregator of a chunk, as all workers of its job compute it.
  static std::uint32_t index_of(AggregatorIndex kind, std::uint16_t job, std::uint32_t chunk, std::uint32_t aggregators) {
    if (kind == AggregatorIndex::chunk) return static_cast<std::uint32_t>(below(random_at(0, job, chunk), aggregators));
    return static_cast<std::uint32_t>((below(mix64(job), aggregators) + chunk) % aggregators);
  }

  void access(AggregatorTransaction& t);

  unsigned taken() const { return taken_; }
  /// `aggregator 5, job 0, chunk 17: 3 of 4 workers, missing worker 2`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Probes `prefix`stored, .completed, .repeated, .collided, .passed, .flushed, .freed, .refused, `prefix`taken.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe stored, completed, repeated, collided, passed, flushed, freed, refused;  ///< strobes with an aggregator
  SignalProbe taken_probe;                                                             ///< level

 private:
  struct Aggregator {
    std::uint64_t there = 0;  // workers; 0: free
    std::uint32_t chunk = 0;  // that it has, or had
    std::uint16_t job = 0;
    std::uint16_t workers = 0;
    std::uint16_t values = 0;
    bool used = false;  // ever
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

/// The way to the aggregators of a switch.
class AggregatorPort {
 public:
  virtual ~AggregatorPort() = default;
  /// Answers the transaction; returns what it takes beyond the passage (ps).
  virtual Tick access(AggregatorTransaction& t) = 0;
};

}  // namespace tributary
