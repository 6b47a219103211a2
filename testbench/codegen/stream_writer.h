#pragma once
/// StreamWriter: builds the stream program of one GPU.

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// Identifies a stream or a semaphore by its use. Numbers follow the order of first use.
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

  /// The following commands carry this chunk of the schedule.
  void at_chunk(std::uint32_t chunk) { chunk_ = chunk; }
  void copy(std::uint16_t stream, CopyPath path, std::uint16_t peer, std::uint64_t source, std::uint64_t destination,
            std::uint64_t bytes);
  /// Adds a record that announces one more chunk to `other`, which is this writer or that of a peer. Returns the value that
  /// the semaphore then has.
  std::uint32_t record(std::uint16_t stream, CopyPath path, StreamWriter& other, std::uint32_t semaphore);
  /// Adds a wait for all records so far.
  void wait(std::uint16_t stream, std::uint32_t semaphore) { wait(stream, semaphore, recorded_.at(semaphore)); }
  /// Adds a wait for `value` records.
  void wait(std::uint16_t stream, std::uint32_t semaphore, std::uint32_t value);
  /// Adds kernels that together add all inputs, at most `fan_in` each.
  void add(std::uint16_t stream, std::uint64_t destination, std::uint64_t bytes, const std::vector<std::uint64_t>& inputs,
           unsigned fan_in);

  /// True if no command waits for the last records of the semaphore.
  bool unawaited(std::uint32_t semaphore) const { return awaited_.at(semaphore) < recorded_.at(semaphore); }
  const std::map<StreamKey, std::uint32_t>& semaphores() const { return semaphores_; }
  /// Switches peer access of the job's `gpus` GPUs to PCIe before the first command of each of these streams.
  void switch_peers_before(const std::vector<std::uint16_t>& streams, std::uint32_t gpus);

  /// Sorts the commands by the `turn` of their chunk, then by the peer of their stream: rank + 1, rank + 2 and so on, modulo
  /// `ranks`. The second field of a stream's key is its peer. Streams are renumbered in the new order of first use, and the
  /// order of commands within each stream does not change.
  void stagger(const std::vector<std::uint32_t>& turn, int rank, int ranks);

  StreamProgram finish(ElementType type, ReduceOp op);

 private:
  StreamCommand command(StreamCommand::Kind kind, std::uint16_t stream) const;

  std::uint16_t self_;
  std::map<StreamKey, std::uint16_t> streams_;
  std::map<StreamKey, std::uint32_t> semaphores_;
  std::vector<std::uint32_t> recorded_, awaited_;  ///< [semaphore]
  std::vector<std::uint16_t> recorder_;            ///< [semaphore] GPU of the last record
  std::vector<StreamCommand> commands_;
  std::uint32_t chunk_ = StreamCommand::no_chunk;
};

}  // namespace tributary
