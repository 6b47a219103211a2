#pragma once
/// RtlTraces: the choice of the blocks in RTL that write all of their signals in a run.

#include <string>

namespace tributary {

class RtlTraces {
 public:
  virtual ~RtlTraces() = default;
  /// Returns the file of an instance of a block that was built with TRACE; empty if it writes none. Call once for each
  /// model.
  virtual std::string file_of(const std::string& name) = 0;
};

}  // namespace tributary
