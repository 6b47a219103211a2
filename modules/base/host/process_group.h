#pragma once
/// ProcessGroup: the processes that run one simulation together, each with a share of its devices (docs/processes.md).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/base/host/byte_stream.h"

namespace tributary {

/// All processes make the same calls in the same order. A call returns when all of them have made it.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual unsigned rank() const = 0;  ///< number of this process, from 0
  virtual unsigned size() const = 0;

  /// Sends out[p] to each other process p, and stores in in[p] the row that p has sent. Both have size() rows.
  virtual void exchange(const std::vector<ByteRow>& out, std::vector<ByteRow>& in) = 0;
  /// Replaces each value by the least one of all processes.
  virtual void least(std::uint64_t* values, std::size_t count) = 0;
  /// Returns the rows of all processes, by rank.
  virtual std::vector<ByteRow> gather(const ByteRow& own) = 0;

  /// True while the calls of one process need those of the others: a process that ends now must end all of them. A failure
  /// that all processes know sets it to false.
  bool joined() const { return joined_; }
  void set_joined(bool joined) { joined_ = joined; }

 private:
  bool joined_ = false;
};

}  // namespace tributary
