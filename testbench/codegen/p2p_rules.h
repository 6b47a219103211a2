#pragma once
/// The division of sends and receives among thread blocks and warps, as NCCL 2.21 and later make it on one server
/// (docs/blocks/nccl_p2p.md).

#include <cstdint>
#include <optional>
#include <vector>

#include "modules/streams/nccl_protocol_params.h"
#include "testbench/codegen/nccl_system.h"

namespace tributary::nccl {

/// The range of a message that one channel carries.
struct P2pPart {
  std::uint64_t offset = 0, bytes = 0;
};

/// A message from one rank to another.
struct P2pShare {
  Protocol protocol = Protocol::simple;
  std::vector<P2pPart> parts = {};  ///< one for each channel; the last ones may be empty
};

/// Warps of a thread block that move the data of one send and one receive.
struct P2pWarps {
  unsigned sends = 0, receives = 0;
};

class P2pRules {
 public:
  /// `params`: the automatic number of channels follows the system. Throws std::invalid_argument if the number is no power
  /// of two.
  P2pRules(const System& system, const NcclP2pParams& params);

  unsigned channels() const { return channels_; }
  /// Channels for a message before its parts become too large, and at most.
  unsigned least() const { return least_; }
  unsigned most() const { return most_; }
  /// Returns the bytes of data of a slot.
  std::uint64_t slot(Protocol protocol) const;

  /// Returns nothing to send for 0 B. `forced`: the protocol; LL128 does not carry sends.
  P2pShare share(std::uint64_t bytes, std::optional<Protocol> forced = {}) const;
  /// Returns the distance to the rank to which each round sends, 0 included; it receives from the rank at the same distance
  /// before it.
  std::vector<unsigned> rounds() const;
  /// Returns the channel of a part of the message of a round, which has this index among rounds().
  unsigned channel(unsigned round, unsigned part) const;
  /// Works of rounds with different values are in different batches.
  unsigned batch_of(unsigned round) const { return before_2_22() ? round / most_works : 0; }
  /// Returns the warps of one of `works` works of a batch, which sends, receives or does both.
  P2pWarps warps(unsigned works, bool sends, bool receives, Protocol protocol) const;

  static constexpr unsigned most_works = 8;  ///< a batch has them: NCCL_MAX_DEV_WORK_P2P_PER_BATCH

 private:
  bool before_2_22() const { return version_ == Version::v2_21; }
  unsigned count(std::uint64_t bytes, std::uint64_t step) const;

  unsigned gpus_, channels_, least_, most_;
  std::optional<unsigned> forced_;  // channels of a message
  Version version_;
  std::uint64_t ll_threshold_, chunk_;
};

}  // namespace tributary::nccl
