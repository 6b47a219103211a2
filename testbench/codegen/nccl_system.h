#pragma once
/// The input of NCCL's tuner: collectives, and the servers as NCCL counts them.

#include <cstdint>
#include <optional>
#include <string>

#include "modules/base/units.h"
#include "modules/streams/nccl_terms.h"

namespace tributary::nccl {

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, broadcast, reduce };

/// True if data pass along the ring from or to a root; otherwise all ranks send.
inline bool from_root(Collective c) { return c == Collective::broadcast || c == Collective::reduce; }
/// Returns the collective of that name in this project; nothing if NCCL has no rings for it.
std::optional<Collective> collective_named(const std::string& name);

/// GPUs of one or several equal servers, as NCCL sees them.
struct System {
  unsigned capability = 90;  ///< compute capability: 70 (Volta), 80 (Ampere), 90 (Hopper), 100 (Blackwell)
  unsigned links = 18;       ///< NVLinks of a GPU
  unsigned gpus = 8;         ///< in all servers
  unsigned servers = 1;
  Bandwidth network{};  ///< all NICs of a server, one direction; 0 with one server
  Version version = Version::v2_29;
};

}  // namespace tributary::nccl
