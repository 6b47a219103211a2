#pragma once
/// QueuePairTable: the queue pairs of a NIC, by index and by number.

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/base/probe.h"
#include "modules/protocol/roce.h"
#include "modules/roce/core/queue_pair.h"

namespace tributary {

/// Queue pairs have the indices 0, 1, ... in the order in which they are added.
class QueuePairTable {
 public:
  struct Config {
    SendQueue::Config send{};
    DcqcnConfig rate{};
    bool nack_once = true;
    std::uint16_t station = 0;  ///< station of the NIC
    unsigned made = 0;          ///< queue pairs that exist from elaboration on, unused, so that their probes exist
  };
  static constexpr unsigned unknown = ~0u;

  explicit QueuePairTable(const Config& config);

  /// Returns the index. Throws std::invalid_argument if a number is used twice or has more than 24 bits.
  unsigned add(const QueuePairConfig& config);
  /// Removes all queue pairs. Those that are added later reuse their places and probes.
  void clear();
  unsigned size() const { return used_; }
  /// Throws std::out_of_range if there is no place of that index.
  const QueuePair& at(unsigned index) const { return *pairs_.at(index); }
  QueuePair& operator[](unsigned index) { return *pairs_[index]; }
  const QueuePair& operator[](unsigned index) const { return *pairs_[index]; }
  /// Returns the index of the queue pair of an arriving packet; `unknown` if there is none with its sender.
  unsigned find(const RoceHeader& header) const {
    if (last_found_ >= used_ || pairs_[last_found_]->config.number != header.queue_pair) {
      const auto found = index_of_.find(header.queue_pair);
      if (found == index_of_.end()) return unknown;
      last_found_ = found->second;
    }
    return pairs_[last_found_]->config.peer == header.source ? last_found_ : unknown;
  }

  /// Returns one line for each queue pair with packets or requests.
  std::vector<std::string> waiting() const;
  /// Keeps the queue pairs, with their initial PSNs.
  void reset();
  /// Adds the probes of each queue pair, `prefix`qp0. ...
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  QueuePair& make();

  Config config_;
  std::vector<std::unique_ptr<QueuePair>> pairs_;  // the first `used_` are in use
  unsigned used_ = 0;
  std::unordered_map<std::uint32_t, unsigned> index_of_;  // by number
  mutable unsigned last_found_ = 0;
};

}  // namespace tributary
