#pragma once

#include <stdexcept>

namespace tributary {

/// A set-up that cannot be simulated. One line; exit code 2.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tributary
