#pragma once
/// AggregationPool: the slots in which the switch of SwitchML adds values (Sapio et al., NSDI 2021, Algorithm 3).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Request of the switch to the pool, and its answer: payload of the pool's TLM socket.
struct PoolTransaction {
  enum class Answer : std::uint8_t {
    stored,     ///< values of others are missing
    completed,  ///< the last values: the sum is sent to all workers
    answered,   ///< repeated, and the sum is complete: it is sent to this worker
    dropped,    ///< repeated, and values of others are missing
    refused,    ///< unknown slot or rank, or wrong number of values
  };

  std::uint32_t slot = 0;
  std::uint32_t packet = 0;  ///< for reports only
  bool version = false;
  std::uint16_t rank = 0;
  std::int16_t exponent = 0;
  std::uint16_t count = 0;               ///< number of values
  const std::int32_t* values = nullptr;  ///< null: only time is simulated
  Tick now = 0;

  Answer answer = Answer::refused;    ///< out
  std::int16_t largest_exponent = 0;  ///< out, if completed or answered: largest exponent of all workers
  const std::int32_t* sum = nullptr;  ///< out, likewise; valid until the next access
};

/// Each slot has two versions: while a worker waits for the sum of one, another worker may already have it and fill the
/// other one. A worker's first packet for a version proves that it has the sum of the other version, and clears its bit
/// there. So the sum of a version is kept as long as a worker may request it again.
class AggregationPool {
 public:
  struct Config {
    std::uint32_t slots = 0;
    unsigned workers = 0;  ///< 1 to 64
    unsigned values = 0;   ///< largest number of values of a packet
    bool with_data = true;
  };

  /// Throws std::invalid_argument if there are no slots, workers or values, or more than 64 workers.
  explicit AggregationPool(const Config& config);

  void access(PoolTransaction& t);

  /// Number of slot versions that wait for workers.
  unsigned counting() const { return counting_; }
  /// Bytes of registers that hold values.
  std::uint64_t value_bytes() const { return std::uint64_t{config_.slots} * 2 * config_.values * sizeof(std::int32_t); }
  /// Returns lines such as `slot 3, version 1, packet 8195: 3 of 4 workers, missing worker 2`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Adds the probes `prefix`slot.stored, .completed, .answered, .dropped, .refused, `prefix`slots.counting.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe stored, completed, answered, dropped, refused;  ///< strobes with the number of a slot
  SignalProbe counting_probe;                                 ///< level

 private:
  struct Version {
    std::uint64_t seen = 0;
    std::uint32_t packet = 0;
    std::uint16_t count = 0;  // number of workers; 0 when all have sent
    std::uint16_t values = 0;
    std::int16_t exponent = 0;
  };
  PoolTransaction::Answer update(PoolTransaction& t, Version& version, Version& other);
  std::int32_t* values_of(std::uint32_t slot, bool version) {
    return config_.with_data ? values_.data() + (std::size_t{2} * slot + version) * config_.values : nullptr;
  }

  Config config_;
  std::vector<Version> versions_;  // slot s has 2 s and 2 s + 1
  std::vector<std::int32_t> values_;
  unsigned counting_ = 0;
};

/// Access to the pool of a switch.
class PoolPort {
 public:
  virtual ~PoolPort() = default;
  /// Answers the transaction; returns its time beyond the passage, in ps.
  virtual Tick access(PoolTransaction& t) = 0;
};

}  // namespace tributary
