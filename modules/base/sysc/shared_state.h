#pragma once
/// SharedStatePart: facet of a module that shares state with modules of other devices.

namespace tributary {

/// Lanes run devices at the same time, each on a thread of its own. A module with this facet uses variables, a file or a
/// generator that modules of other devices use as well, so its platform has one lane (docs/plugins.md#threads).
class SharedStatePart {
 public:
  virtual ~SharedStatePart() = default;
};

}  // namespace tributary
