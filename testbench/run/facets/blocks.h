#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/blockcheck/core/block_access.h"
#include "modules/blockcheck/core/block_beats.h"
#include "platforms/block_factories.h"

namespace tributary {

/// Blocks of the hardware that RunSpec::blocks may replace.
class FamilyBlocks {
 public:
  virtual ~FamilyBlocks() = default;

  virtual std::vector<BlockInfo> blocks() const = 0;
  /// Returns a driver of one block: that of `factories` or, if it is null, the model's own. Returns null if the block is not
  /// of this family, cannot be driven alone, or is not among `factories`. Throws FieldError if `config` is no configuration.
  virtual std::unique_ptr<BlockDriver> drive(const std::string& /*block*/, const char* /*name*/,
                                             const BlockFactories* /*factories*/, const FieldValues& /*config*/) const {
    return nullptr;
  }
  /// Returns the default configuration of a block that can be driven alone, without a place; an empty name if there is none
  /// of that name.
  virtual BlockPlace alone(const std::string& /*block*/) const { return {}; }
  /// Returns the period of the interface of such a block, in ps.
  virtual Tick clock(const std::string& /*block*/, const FieldValues& /*config*/) const { return 0; }
  /// Returns the parameter with which the model's own block has the times of an access: `PATH=VALUE`; empty if no value
  /// does. Returns null if these times say nothing about a parameter.
  virtual std::optional<std::string> setting(const BlockPlace& /*place*/, const BlockAccess& /*access*/) const {
    return std::nullopt;
  }
  /// Returns the beats of an instance in RTL; null for a block without pins.
  virtual std::unique_ptr<BlockBeats> beats(const BlockPlace& /*place*/) const { return nullptr; }
};

}  // namespace tributary
