#pragma once
/// EngineGrants: the copy engine that a copy is granted (docs/blocks/copy_engine.md#logical-and-physical-engines).

#include <optional>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/stream_params.h"

namespace tributary {

/// A copy is granted a *logical* engine. *Physical* engines, which move the data, are distributed over the logical ones in
/// turn. If there are fewer, logical engine e uses physical engine e modulo their number, which carries out one copy at a
/// time.
class EngineGrants {
 public:
  /// `physical`: 0: as many as logical engines.
  EngineGrants(unsigned logical, unsigned physical, EngineLinks links);

  /// True if some engine accepts a copy.
  bool any() const;
  /// Returns the first engine that accepts a copy over these ports (a bit mask) and may drive them.
  std::optional<unsigned> engine_for(std::uint32_t ports) const;
  void take(unsigned engine, Tick now);
  void free(unsigned engine, Tick now);
  void reset();
  /// Describes `physicalN.busy` if logical engines share physical ones.
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  bool open(unsigned engine) const { return open_[engine] && !busy_[engine % busy_.size()]; }
  bool shared() const { return busy_.size() < open_.size(); }

  EngineLinks links_;
  std::vector<bool> open_;  // by logical engine
  std::vector<bool> busy_;  // by physical engine that logical ones share
  std::vector<SignalProbe> probes_;
};

}  // namespace tributary
