#pragma once
/// CopyMonitor: rules of a copy engine (docs/blocks/copy_engine.md), at its three sockets.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/block_monitor.h"
#include "modules/streams/core/copy_rules.h"

namespace tributary {

/// Inputs may be nested: a GPU may answer a call of the engine with the next input. Call leave() when the engine has
/// processed an input.
class CopyMonitor : public BlockMonitor {
 public:
  explicit CopyMonitor(Setup setup);

  void submit(const CopyCommand& command, Tick now);
  void submit(const CopyCommand&&, Tick) = delete;  // a temporary ends before its copy
  void room(const Burst& burst, Tick now);
  void left(const Burst& burst, Tick now);
  void leave() { inputs_.pop_back(); }

  // Calls of the engine.
  void memory(Tick time) const { check_call("a request to the memory", time); }
  void burst(const Burst& burst, Tick ready);
  void done(const CopyCommand& command, Tick when);

  void reset() override;
  void end(Tick now, bool complete) override;

 private:
  struct Input {
    const char* kind;
    std::uint32_t copy;
    unsigned lane;
    Tick now;
  };
  std::string request() const override;
  void enter(const Input& input);
  void check_call(const char* what, Tick time) const;

  CopyRules rules_;
  std::vector<Input> inputs_;  // the innermost one last
};

}  // namespace tributary
