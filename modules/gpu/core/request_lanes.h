#pragma once
/// RequestLanes: the request generators of a DMA engine, one per communication queue, over one set of wave counters (Klenk
/// et al., ISCA 2020, IV-D, has one).

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/gpu/core/request_generator.h"

namespace tributary {

/// With one lane, its generator does everything. Several lanes issue blocks in turn, one each. A free counter goes to the
/// lane that holds the fewest, and one counter is reserved for each lane that holds none, so that its operation progresses
/// wherever it begins first, and GPUs cannot deadlock. Retries are then not needed. Multicasts that hold no table entries
/// may have a set of counters of their own, so that they and the pulls in flight with them do not limit each other.
class RequestLanes {
 public:
  using Request = RequestGenerator::Request;

  /// The requests of a tag.
  struct Tag {
    unsigned lane = 0;
    bool multicasts = false;  ///< their waves use the counters of multicasts
  };

  /// `multicast_counters`: 0: Request::multicasts has no limit.
  RequestLanes(const DmaParams& params, std::uint32_t counters, std::uint64_t seed, std::uint32_t gpu,
               std::uint32_t multicast_counters = 0);

  /// Call when all lanes are idle. `tags`: by tag.
  void use(unsigned lanes, std::vector<Tag> tags);
  void submit(const Request& request, unsigned lane, Tick now);

  bool ready() const { return at_->ready(); }
  std::uint64_t next_block() { return at_->next_block(); }
  std::uint32_t tag() const { return at_->tag(); }
  std::uint8_t counter() const { return at_->counter(); }
  /// Returns true if the block was the last of its request.
  bool issued(Tick now) {
    const bool all = at_->issued(now);
    if (others_.empty()) return all;
    if (all) share(now);  // for its next request
    next_lane();
    return all;
  }
  void arrived(std::uint64_t block, Tick now, std::uint32_t responses, unsigned counter, std::uint32_t tag) {
    others_.empty() ? first_.arrived(block, now, responses, counter, tag) : arrived_shared(block, now, responses, tag);
  }
  Tick retry_at() const { return first_.retry_at(); }
  void retry(Tick now) { first_.retry(now); }

  const std::string& error() const { return first_.error(); }
  std::vector<std::string> waiting() const;
  void reset();
  void reseed(std::uint64_t seed);
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    first_.describe(directory, prefix);
    multicasts_.describe(directory, prefix + "multicast_");
  }

 private:
  RequestGenerator& lane(std::size_t i) { return i == 0 ? first_ : others_[i - 1]; }
  std::size_t lanes() const { return others_.size() + 1; }
  bool uses(std::size_t i, bool multicasts) const { return uses_[i][multicasts]; }
  void arrived_shared(std::uint64_t block, Tick now, std::uint32_t responses, std::uint32_t tag);
  void share(Tick now);
  RequestGenerator* next_to_grant(bool multicasts);
  void next_lane();

  DmaParams params_;
  std::uint32_t counters_;
  std::uint64_t seed_;
  std::uint32_t gpu_;
  RequestGenerator first_;
  std::deque<RequestGenerator> others_;
  RequestGenerator* at_ = &first_;  // the lane that issues next
  std::size_t turn_ = 0;            // index of that lane
  WaveController multicasts_;
  std::vector<Tag> tags_;
  std::vector<std::array<bool, 2>> uses_;  // by lane: counters of its tags, and those of multicasts
};

}  // namespace tributary
