#pragma once
/// CopyRules: checks the calls of a copy engine against docs/blocks/copy_engine.md.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/streams/core/copy_command.h"

namespace tributary {

/// Throws WrongBlock, one line with the name of the engine and the rule, on the first breach.
class CopyRules {
 public:
  /// Called for a breach, with the rule and one line; it throws.
  using Report = std::function<void(const char* rule, const std::string& what)>;

  explicit CopyRules(std::string engine) : engine_(std::move(engine)) {}
  explicit CopyRules(Report report) : report_(std::move(report)) {}

  /// A copy is granted. The command stays valid until done().
  void submit(const CopyCommand& command);
  void submit(const CopyCommand&&) = delete;  // a temporary ends before its copy
  /// The hub has room for another burst of a lane.
  void room(std::uint32_t copy, unsigned lane);
  /// The engine sends a burst.
  void burst(const Burst& burst);
  /// The last burst of a lane has left.
  void left(std::uint32_t copy, unsigned lane);
  /// The engine reports the end of a copy.
  void done(const CopyCommand& command);
  /// Returns the copies that are granted and not done.
  std::vector<const CopyCommand*> open() const;
  void reset() { open_.clear(); }

 private:
  struct Lane {
    std::uint64_t next = 0, end = 0;  ///< rest of its range, from the start of the copy
    unsigned held = 0;                ///< bursts that have not begun to leave
    bool left = false;
  };
  struct Copy {
    const CopyCommand* command = nullptr;
    std::vector<Lane> lanes;
  };
  [[noreturn]] void fail(const char* rule, std::uint32_t copy, const std::string& what) const;

  std::string engine_;
  Report report_;
  std::map<std::uint32_t, Copy> open_;  ///< by number
};

}  // namespace tributary
