#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "modules/switching/core/crossbar_arbiter.h"

namespace tributary {

/// The lowest input first, and of its queues the lowest: low inputs may starve the others.
class FixedPriority : public CrossbarArbiter {
 public:
  std::size_t choose(unsigned, const std::vector<Request>& requests, Tick) override {
    const auto before = [](const Request& a, const Request& b) {
      return std::pair(a.input, a.queue) < std::pair(b.input, b.queue);
    };
    return static_cast<std::size_t>(std::min_element(requests.begin(), requests.end(), before) - requests.begin());
  }
  void granted(unsigned, const Request&, Tick) override {}
  void reset() override {}
};

/// The rules of the switch (docs/blocks/switch.md), as a user might write them: resources take turns, and in each of them
/// the requesters.
class OwnRoundRobin : public CrossbarArbiter {
 public:
  std::size_t choose(unsigned output, const std::vector<Request>& requests, Tick) override {
    const auto wait = [&](const Request& r) {
      const unsigned resources = (r.resource + resource_count - turn_[output] % resource_count) % resource_count;
      const auto last = last_.find({output, r.resource});
      const unsigned number = r.queue * inputs + r.input;
      const bool passed = last != last_.end() && number <= last->second;
      return std::pair(resources, std::pair(passed, number));
    };
    const auto before = [&](const Request& a, const Request& b) { return wait(a) < wait(b); };
    return static_cast<std::size_t>(std::min_element(requests.begin(), requests.end(), before) - requests.begin());
  }
  void granted(unsigned output, const Request& request, Tick) override {
    turn_[output] = request.resource + 1;
    last_[{output, request.resource}] = request.queue * inputs + request.input;
  }
  void reset() override { turn_.clear(), last_.clear(); }

 private:
  static constexpr unsigned inputs = 64, resource_count = 4;
  std::map<unsigned, unsigned> turn_;                       // by output
  std::map<std::pair<unsigned, unsigned>, unsigned> last_;  // winner by output and resource
};

}  // namespace tributary
