#pragma once
/// BlockMonitor: checks each answer of one block before its device uses it (docs/block_checks.md#monitors). Each block has a
/// monitor of its own, a TransactionMonitor in the folder of the block.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "modules/base/clocked_part.h"
#include "modules/base/field_values.h"
#include "modules/base/units.h"

namespace tributary {

struct BlockBreach {
  std::string place;  ///< hierarchical name of the block, or of the device at its socket
  std::string rule;
  Tick time = 0;
  std::string what;
  std::string request;  ///< number and fields of the request; empty if the breach belongs to none
};
/// Returns `PLACE breaks the rule `RULE` at TIME ps: WHAT (request 5: ...)`.
std::string to_text(const BlockBreach& breach);

class BlockMonitor {
 public:
  struct Setup {
    std::string place;   ///< hierarchical name
    Tick most = never;   ///< longest legal interval or latency of an access, ps
    FieldValues config;  ///< configuration of the instance
  };
  using Report = std::function<void(const BlockBreach&)>;

  explicit BlockMonitor(Setup setup) : setup_(std::move(setup)) {}
  virtual ~BlockMonitor() = default;
  BlockMonitor(const BlockMonitor&) = delete;
  BlockMonitor& operator=(const BlockMonitor&) = delete;

  /// Replaces the default, which throws WrongBlock at the first breach.
  void report_to(Report report) { report_ = std::move(report); }
  /// The block is reset: a new message begins.
  virtual void reset() {}
  /// No event is left: reports what the block keeps. `complete`: all ranks have their results; otherwise the run is stuck,
  /// and the block is named only if it must have sent what it keeps.
  virtual void end(Tick now, bool complete) { static_cast<void>(now), static_cast<void>(complete); }
  const std::string& place() const { return setup_.place; }

  // Answers after the call. A request that has no answer after `most` breaks the rule `patience`.
  /// The block defers the answer to the present request.
  void deferred(Ticket ticket) { pending_.push_back({ticket, now_, numbered_request()}); }
  /// The answer to a request is valid at `when`. An unknown ticket is an error that the device names.
  void answered(Ticket ticket, Tick when);
  /// Calls reset(), and forgets all requests.
  void restart() {
    pending_.clear();
    reset();
  }
  /// Calls end(). A request without an answer is reported before.
  void finish(Tick now, bool complete);

 protected:
  /// Begins a request.
  void begin(Tick now) {
    now_ = now, ++requests_;
    if (__builtin_expect(!pending_.empty(), 0)) check_patience();
  }
  Tick now() const { return now_; }
  void check_times(Tick interval, Tick latency) const {
    if (__builtin_expect(interval > setup_.most, 0)) too_long("an interval", interval);
    if (__builtin_expect(latency > setup_.most, 0)) too_long("a latency", latency);
  }
  Tick longest() const { return setup_.most; }
  /// Reports a breach of the block in the present request.
  void fail(const std::string& rule, const std::string& what) const;
  /// Reports a breach of the device in the present request.
  void fail_device(const std::string& rule, const std::string& what) const;
  /// Reports a breach that belongs to no request.
  void fail_at(const std::string& rule, Tick time, const std::string& what) const;
  /// Returns the fields of the present request: `command find, psn 7`.
  virtual std::string request() const = 0;
  /// Returns a number of the configuration.
  std::uint64_t config_number(std::string_view key, std::uint64_t otherwise) const;

 private:
  /// A request whose answer is deferred.
  struct Pending {
    Ticket ticket;
    Tick since;
    std::string request;
  };
  std::string numbered_request() const { return std::to_string(requests_ - 1) + ": " + request(); }
  void check_patience() const;
  void too_long(const char* what, Tick time) const;
  void report(const BlockBreach& breach) const;

  Setup setup_;
  Report report_;
  Tick now_ = 0;
  std::uint64_t requests_ = 0;
  std::vector<Pending> pending_;
};

/// Monitor of a block with one kind of transaction.
template <class Transaction>
class TransactionMonitor : public BlockMonitor {
 public:
  using BlockMonitor::BlockMonitor;
  /// The block receives a request at `now`. Call before, for the block may change what the transaction points to.
  virtual void ask(const Transaction& t, Tick now) = 0;
  /// The block has answered.
  virtual void check(const Transaction& t, Tick interval, Tick latency) = 0;
};

}  // namespace tributary
