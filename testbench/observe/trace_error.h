#pragma once

#include <stdexcept>

namespace tributary {

/// What the user asked to observe is impossible: a glob that matches nothing. One line.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tributary
