#pragma once
/// FinishTimes: records when each endpoint completed its operation.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "modules/timing/completion_listener.h"

namespace tributary {

class FinishTimes : public CompletionListener {
 public:
  void done(unsigned endpoint, Tick when) override { when_[endpoint] = when; }
  void failed(unsigned endpoint, Tick, const std::string& why) override {
    errors_.push_back("endpoint " + std::to_string(endpoint) + ": " + why);
  }

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
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  std::map<unsigned, Tick> when_;
  std::vector<std::string> errors_;
};

}  // namespace tributary
