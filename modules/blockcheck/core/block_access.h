#pragma once
/// BlockAccess: one transaction of a block as named values. BlockObserver receives the transactions of a block in a run;
/// BlockDriver passes such transactions to a block.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "modules/base/block_monitor.h"
#include "modules/base/early_answers.h"
#include "modules/base/field_values.h"
#include "modules/base/units.h"

namespace tributary {

class BlockFactories;
class ProbeDirectory;

/// Times are those of access_timing.h, in ps.
struct BlockAccess {
  Tick time = 0;             ///< time of the request
  std::uint32_t ticket = 0;  ///< number of the request at its block, from 0
  FieldValues request, answer;
  Tick interval = 0, latency = 0;
  EarlyTime early = {};  ///< a block in RTL that is faster than its device counts

  /// Times relative to the nominal ones, negative if they are earlier.
  std::int64_t signed_interval() const {
    return static_cast<std::int64_t>(interval) - static_cast<std::int64_t>(early.interval);
  }
  std::int64_t signed_latency() const {
    return static_cast<std::int64_t>(latency) - static_cast<std::int64_t>(early.latency);
  }
};

/// One instance of a block.
struct BlockPlace {
  std::string block;   ///< name of `list blocks`
  std::string name;    ///< hierarchical name
  Tick clock = 0;      ///< period of the interface
  FieldValues config;  ///< configuration of the instance
};

class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  /// The block has answered. The access is valid during the call.
  virtual void accessed(const BlockAccess& access) = 0;
  /// The block is reset: a new message begins.
  virtual void reset() {}
  /// Adds the probes of a block that the observer compares.
  virtual void describe(ProbeDirectory&) {}
  /// ElementLimits::check_elements of a block that the observer compares.
  virtual void check_elements(ElementType, ReduceOp, unsigned) const {}
};

class BlockDriver {
 public:
  virtual ~BlockDriver() = default;
  /// Passes a request to the block at its time, and stores the answer in `got`. `asked` has the answer of the block that
  /// was observed. Throws FieldError if the values are no request.
  virtual void access(const BlockAccess& asked, BlockAccess& got) = 0;
  /// True if the block answers in the kernel's time: access_later() takes the place of access().
  virtual bool answers_later() const { return false; }
  /// Receives an answer; null: the block has failed, with this error.
  using Answered = std::function<void(const BlockAccess* got, const std::string& error)>;
  /// As access(). Calls `answered` when the answer is complete, unless the block is reset before.
  virtual void access_later(const BlockAccess& asked, const Answered& answered) {
    BlockAccess got;
    got.time = asked.time;
    access(asked, got);
    answered(&got, "");
  }
  /// The block has broken a rule between its requests. Returns false if the error ends the run.
  virtual bool part_failed(const std::string& /*why*/) { return false; }
  /// Returns the time by which the pins of the block are later than its requests.
  virtual Tick pin_shift() const { return 0; }
  virtual void reset() = 0;
  /// Adds the probes of the pins of a block in RTL.
  virtual void describe(ProbeDirectory&) {}
  /// ElementLimits::check_elements of the block.
  virtual void check_elements(ElementType, ReduceOp, unsigned) const {}
};

/// Chooses the instances of blocks that are observed.
class BlockTap {
 public:
  /// Makes the block that `factories` has for a place, or that of the model if it is null, with a driver. `name` is that of
  /// the driver's module.
  using MakeDriver = std::function<std::unique_ptr<BlockDriver>(const char* name, const BlockFactories* factories)>;

  virtual ~BlockTap() = default;
  /// Returns false if no instance of the block is observed.
  virtual bool wants(const std::string& block) const = 0;
  /// Returns the observer of an instance; null if it is not observed. Called once for each instance, during elaboration.
  virtual std::shared_ptr<BlockObserver> attach(const BlockPlace& place, const MakeDriver& make) = 0;
  /// Returns the longest legal interval or latency if the instances get monitors.
  virtual std::optional<Tick> monitors() const { return std::nullopt; }
  /// An instance has a monitor.
  virtual void add(std::shared_ptr<BlockMonitor>) {}
  /// No event of the run is left. `complete`: all ranks have their results.
  virtual void end(Tick now, bool complete) { static_cast<void>(now), static_cast<void>(complete); }
};

}  // namespace tributary
