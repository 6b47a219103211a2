#pragma once
/// AtpServer: the parameter server of ATP, which adds updates and answers them (Lao et al., NSDI 2021).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Adds sums of aggregators, and packets that found no aggregator, by chunk. A chunk is int32 until one of its sums exceeds
/// 32 bits or a worker cannot scale its values; then float32 is requested from all its workers. A worker may request the
/// result of a chunk again while it is stored, which is two windows: a chunk is complete when all workers have sent it, so
/// all of them have the result of the chunk one window before.
class AtpServer {
 public:
  struct Config {
    unsigned workers = 0;      ///< 1 to 64
    std::uint32_t window = 0;  ///< window of a worker, in packets
    unsigned values = 0;       ///< largest number of values of a packet
    double scale = 1;          ///< scale of int32 values
    bool with_data = true;
  };
  struct Update {
    std::uint32_t chunk = 0;
    std::uint64_t contributors = 0;  ///< bit mask of workers
    std::uint16_t count = 0;         ///< number of values
    bool overflow = false;           ///< the values are invalid
    bool floats = false;
    const std::byte* values = nullptr;  ///< int32 or float32; null: only time is simulated
  };
  enum class Answer : std::uint8_t {
    added,      ///< updates of others are missing
    completed,  ///< the last update: the result is sent to all workers
    answered,   ///< the result is sent again to the contributors
    asks,       ///< float32 is requested from the workers `to`
    dropped,    ///< already in the sum, entirely or in part, or of an old chunk
  };
  struct Verdict {
    Answer answer = Answer::dropped;
    std::uint64_t to = 0;               ///< bit mask of workers that get an answer
    bool floats = false;                ///< the result is float32
    const std::byte* values = nullptr;  ///< values of the result; valid until the next update
  };

  /// Throws std::invalid_argument if there are no workers, window or values, or more than 64 workers.
  explicit AtpServer(const Config& config);

  Verdict update(const Update& u, Tick now);

  /// Returns lines such as `chunk 17: 3 of 4 workers, missing worker 2`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Returns the operands added since reset(), without the first of each chunk.
  std::uint64_t added_values() const { return added_values_; }
  /// Adds the probes `prefix`added, .completed, .answered, .asks, .dropped.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe added, completed, answered, asks, dropped;  ///< strobes with the number of a chunk

 private:
  struct Chunk {
    std::uint32_t chunk = 0;
    std::uint16_t values = 0;
    bool used = false, done = false, floats = false;
    std::uint64_t there = 0;
  };
  Verdict add(const Update& u, Chunk& c, double* sums);
  Verdict complete(Chunk& c, const double* sums);
  double* sums_of(const Chunk& c) {
    return config_.with_data ? sums_.data() + static_cast<std::size_t>(&c - chunks_.data()) * config_.values : nullptr;
  }

  Config config_;
  std::uint64_t added_values_ = 0;
  std::vector<Chunk> chunks_;      // chunk k is at k mod (2 windows)
  std::vector<double> sums_;       // exact for int32: a sum of 64 of them has 38 bits at most
  std::vector<std::byte> result_;  // values of the latest answer
};

}  // namespace tributary
