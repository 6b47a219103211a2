#pragma once
/// Collectives that processes have recorded: a debug log of NCCL, a trace of PyTorch.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"

namespace tributary::training {

/// A stretch of time of a process, ps since the begin of its records.
struct RecordedSpan {
  Tick begin = 0, end = 0;
};

/// One call of a process.
struct RecordedCall {
  enum class Kind : std::uint8_t { collective, send, receive };
  std::string place;  ///< file and place in it, for error texts
  std::string name;   ///< as recorded
  Kind kind = Kind::collective;
  std::string collective;           ///< a name of `list collectives`; empty for sends and receives
  std::uint64_t bytes = 0;          ///< message size as nccl-tests counts it
  std::optional<ElementType> type;  ///< none: not simulated
  std::uint64_t root = 0;           ///< rank in the communicator: the root, or the peer of a send or receive
  std::string comm, stream;
  std::uint64_t ranks = 0;   ///< size of the communicator
  std::vector<int> members;  ///< ranks of the run in the communicator; empty: unknown
  bool exchange = false;     ///< all-to-all, whose ranks may send different numbers of bytes
  bool uneven = false;       ///< all-to-all: parts of different sizes
  RecordedSpan span;         ///< time on the device; empty: unknown
};

/// A communicator as one process sees it.
struct RecordedMember {
  std::string id;  ///< equal on all its ranks; empty: unknown
  std::uint64_t rank = 0, ranks = 0;
};

/// A process with a GPU.
struct RecordedProcess {
  std::string name;
  std::vector<RecordedCall> calls;
  std::map<std::string, RecordedMember> members;  ///< by communicator
  std::uint64_t ranks = 0;                        ///< ranks of the run; 0: those of the largest communicator
  std::optional<std::uint64_t> rank;              ///< rank of the run, if the records state it
  std::vector<std::string> warnings;              ///< what the reader has left out
  std::vector<RecordedSpan> compute;              ///< the device computes: in order, without overlap; empty: unknown
};

}  // namespace tributary::training
