#pragma once
/// Writes down the stream program of one GPU.

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// A stream or a semaphore by what it serves; numbers follow the order of first use.
using StreamKey = std::tuple<int, int, int, int>;

class StreamWriter {
 public:
  explicit StreamWriter(std::uint16_t self) : self_(self) {}

  std::uint16_t self() const { return self_; }
  std::size_t streams() const { return streams_.size(); }
  std::uint16_t stream(const StreamKey& key);
  bool has_stream(const StreamKey& key) const { return streams_.count(key) != 0; }
  std::uint32_t semaphore(const StreamKey& key);
  std::uint32_t new_semaphore();

  /// What follows serves that chunk of the schedule.
  void at_chunk(std::uint32_t chunk) { chunk_ = chunk; }
  void copy(std::uint16_t stream, CopyPath path, std::uint16_t peer, std::uint64_t source, std::uint64_t destination,
            std::uint64_t bytes);
  /// One more chunk is there, as `other` (this one, or a peer's) will see: how many with this one.
  std::uint32_t record(std::uint16_t stream, CopyPath path, StreamWriter& other, std::uint32_t semaphore);
  /// Until all is there that has been recorded so far.
  void wait(std::uint16_t stream, std::uint32_t semaphore) { wait(stream, semaphore, recorded_.at(semaphore)); }
  /// Until so many are there.
  void wait(std::uint16_t stream, std::uint32_t semaphore, std::uint32_t value);
  /// Kernels that add all inputs, each at most `fan_in`.
  void add(std::uint16_t stream, std::uint64_t destination, std::uint64_t bytes, const std::vector<std::uint64_t>& inputs,
           unsigned fan_in);

  /// Whether some records of a semaphore are not waited for.
  bool unawaited(std::uint32_t semaphore) const { return awaited_.at(semaphore) < recorded_.at(semaphore); }
  const std::map<StreamKey, std::uint32_t>& semaphores() const { return semaphores_; }
  /// Turns peer access of a job's `gpus` to PCIe before the first command of each of these streams.
  void switch_peers_before(const std::vector<std::uint16_t>& streams, std::uint32_t gpus);

  /// Issues the commands of chunks with a lower `turn` first, then those of streams to the rank behind `rank`, the one
  /// behind that, and so on; numbers of streams follow. What each stream does stays as it is. Second in a key is a stream's
  /// peer.
  void stagger(const std::vector<std::uint32_t>& turn, int rank, int ranks);

  StreamProgram finish(ElementType type, ReduceOp op);

 private:
  StreamCommand command(StreamCommand::Kind kind, std::uint16_t stream) const;

  std::uint16_t self_;
  std::map<StreamKey, std::uint16_t> streams_;
  std::map<StreamKey, std::uint32_t> semaphores_;
  std::vector<std::uint32_t> recorded_, awaited_;  ///< [semaphore]
  std::vector<std::uint16_t> recorder_;            ///< [semaphore] GPU whose record was the last
  std::vector<StreamCommand> commands_;
  std::uint32_t chunk_ = StreamCommand::no_chunk;
};

}  // namespace tributary
