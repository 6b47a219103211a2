#pragma once
/// AtpServer: what ATP's parameter server adds, and what it answers (Lao et al., NSDI 2021).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Sums of aggregators and packets that found none, by chunk. A chunk is int32 until one of its sums has left 32 bits, or a
/// worker could not scale its values; then all its workers are asked for float32. A worker may ask again for the result of a
/// chunk as long as it stands: two windows, for a chunk is complete when all have sent it, so all have the one a window
/// before.
class AtpServer {
 public:
  struct Config {
    unsigned workers = 0;      ///< 1 to 64
    std::uint32_t window = 0;  ///< of a worker, packets
    unsigned values = 0;       ///< of a packet, at most
    double scale = 1;          ///< of int32
    bool with_data = true;
  };
  struct Update {
    std::uint32_t chunk = 0;
    std::uint64_t contributors = 0;  ///< a bit each
    std::uint16_t count = 0;         ///< of values
    bool overflow = false;           ///< the values mean nothing
    bool floats = false;
    const std::byte* values = nullptr;  ///< int32 or float32; null: without data
  };
  enum class Answer : std::uint8_t {
    added,      ///< others are missing
    completed,  ///< was the last: the result goes to all workers
    answered,   ///< the result goes again to the contributors
    asks,       ///< float32 are asked for, of `to`
    dropped,    ///< is in the sum already, in part or all, or is of an old chunk
  };
  struct Verdict {
    Answer answer = Answer::dropped;
    std::uint64_t to = 0;               ///< workers that get an answer, a bit each
    bool floats = false;                ///< the result is float32
    const std::byte* values = nullptr;  ///< of the result; stands until the next update
  };

  /// Throws std::invalid_argument without workers, window or values, or with more than 64 workers.
  explicit AtpServer(const Config& config);

  Verdict update(const Update& u, Tick now);

  /// `chunk 17: 3 of 4 workers, missing worker 2`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Probes `prefix`added, .completed, .answered, .asks, .dropped.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe added, completed, answered, asks, dropped;  ///< strobes with a chunk

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
  std::vector<Chunk> chunks_;      // chunk k at k mod 2 windows
  std::vector<double> sums_;       // of int32 exact: 64 of them have 37 bits
  std::vector<std::byte> result_;  // of the latest answer
};

}  // namespace tributary
