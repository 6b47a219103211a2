#pragma once
/// TraceError: an impossible request to observe something.

#include <stdexcept>

namespace tributary {

/// For example a glob that matches nothing; one line.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tributary
