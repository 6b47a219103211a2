#pragma once
/// FinishTimes: records when each endpoint completed its operation.

#include <algorithm>
#include <map>
#include <string>

#include "modules/timing/completion_listener.h"

namespace tributary {

class FinishTimes : public CompletionListener {
 public:
  void done(unsigned endpoint, Tick when) override { when_[endpoint] = when; }
  /// An endpoint that has failed is not counted.
  void failed(unsigned, Tick, const std::string&) override {}

  /// Returns the number of completed endpoints.
  std::size_t count() const { return when_.size(); }
  /// Returns the completion time of an endpoint, which must have completed.
  Tick when(unsigned endpoint) const { return when_.at(endpoint); }
  /// Returns the latest completion time; 0 if no endpoint has completed.
  Tick last() const {
    Tick latest = 0;
    for (const auto& [endpoint, when] : when_) latest = std::max(latest, when);
    return latest;
  }

 private:
  std::map<unsigned, Tick> when_;
};

}  // namespace tributary
