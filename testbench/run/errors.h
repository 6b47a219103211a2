#pragma once

#include <stdexcept>

namespace tributary {

/// A configuration that cannot be simulated. The text has one line; the exit code is 2.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tributary
