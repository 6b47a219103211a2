#pragma once
/// CompletionRelay: reports of endpoints whose lanes run in several processes (docs/processes.md).

#include <functional>
#include <mutex>
#include <vector>

#include "modules/base/host/byte_stream.h"
#include "modules/timing/completion_listener.h"

namespace tributary {

/// Keeps the reports that endpoints make during a step until all processes have exchanged them. Then every process passes on
/// the reports of all, in one order. Reports between steps pass at once, because every process makes them.
class CompletionRelay : public CompletionListener {
 public:
  explicit CompletionRelay(CompletionListener& to) : to_(to) {}
  /// `during_step` returns true while lanes run. Without it, all reports pass at once.
  void keep_while(std::function<bool()> during_step) { during_step_ = std::move(during_step); }

  // Endpoints report from the threads of their lanes.
  void done(unsigned endpoint, Tick when) override { report({when, endpoint, Kind::done, {}}); }
  void failed(unsigned endpoint, Tick when, const std::string& why) override { report({when, endpoint, Kind::failed, why}); }
  void bad_value(unsigned endpoint, Tick when, const std::string& why) override {
    report({when, endpoint, Kind::bad_value, why});
  }

  bool empty() const { return kept_.empty(); }
  /// Returns the reports of this process, and forgets them.
  ByteRow take();
  /// Passes on the reports of all processes, by time and endpoint.
  void deliver(const std::vector<ByteRow>& of_processes);

 private:
  enum class Kind : unsigned char { done, failed, bad_value };
  struct Report {
    Tick when;
    unsigned endpoint;
    Kind kind;
    std::string why;
  };
  void report(Report r);
  void pass(const Report& r);

  CompletionListener& to_;
  std::function<bool()> during_step_;
  std::mutex mutex_;
  std::vector<Report> kept_;
};

}  // namespace tributary
