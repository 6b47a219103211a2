#pragma once
/// AggregationPool: the slots in which SwitchML's switch adds (Sapio et al., NSDI 2021, Algorithm 3).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// What the switch asks of the pool, and what it answers: payload of the pool's TLM socket.
struct PoolTransaction {
  enum class Answer : std::uint8_t {
    stored,     ///< others are missing
    completed,  ///< was the last one: the sum goes to all workers
    answered,   ///< comes again and the sum is there: it goes to this worker
    dropped,    ///< comes again, others are missing
    refused,    ///< no such slot or rank, or not as many values
  };

  std::uint32_t slot = 0;
  std::uint32_t packet = 0;  ///< for reports
  bool version = false;
  std::uint16_t rank = 0;
  std::int16_t exponent = 0;
  std::uint16_t count = 0;               ///< of values
  const std::int32_t* values = nullptr;  ///< null: without data
  Tick now = 0;

  Answer answer = Answer::refused;    ///< out
  std::int16_t largest_exponent = 0;  ///< out, of completed and answered: of all workers
  const std::int32_t* sum = nullptr;  ///< out, the same; stands until the next access
};

/// Each slot has two versions: while a worker waits for the sum of one, another may have it and fill the other. The first
/// packet of a worker for a version says that it has the sum of the other one, and clears its bit there. So the sum of a
/// version stands as long as a worker may ask for it again.
class AggregationPool {
 public:
  struct Config {
    std::uint32_t slots = 0;
    unsigned workers = 0;  ///< 1 to 64
    unsigned values = 0;   ///< of a packet, at most
    bool with_data = true;
  };

  /// Throws std::invalid_argument without slots, workers or values, or with more than 64 workers.
  explicit AggregationPool(const Config& config);

  void access(PoolTransaction& t);

  /// Slot versions that wait for workers.
  unsigned counting() const { return counting_; }
  /// Bytes of registers that the values take.
  std::uint64_t value_bytes() const { return std::uint64_t{config_.slots} * 2 * config_.values * sizeof(std::int32_t); }
  /// `slot 3, version 1, packet 8195: 3 of 4 workers, missing worker 2`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Probes `prefix`slot.stored, .completed, .answered, .dropped, .refused, `prefix`slots.counting.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe stored, completed, answered, dropped, refused;  ///< strobes with a slot's number
  SignalProbe counting_probe;                                 ///< level

 private:
  struct Version {
    std::uint64_t seen = 0;
    std::uint32_t packet = 0;
    std::uint16_t count = 0;  // of workers, 0 when all are there
    std::uint16_t values = 0;
    std::int16_t exponent = 0;
  };
  PoolTransaction::Answer update(PoolTransaction& t, Version& version, Version& other);
  std::int32_t* values_of(std::uint32_t slot, bool version) {
    return config_.with_data ? values_.data() + (std::size_t{2} * slot + version) * config_.values : nullptr;
  }

  Config config_;
  std::vector<Version> versions_;  // of slot s: 2 s and 2 s + 1
  std::vector<std::int32_t> values_;
  unsigned counting_ = 0;
};

/// The way to the pool of a switch.
class PoolPort {
 public:
  virtual ~PoolPort() = default;
  /// Answers the transaction; returns what it takes beyond the passage (ps).
  virtual Tick access(PoolTransaction& t) = 0;
};

}  // namespace tributary
