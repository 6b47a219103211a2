#pragma once
/// Error in the user's input.

#include <stdexcept>

namespace tributary {

/// One line: what is wrong, its position (file, line, key), and the legal values. `main` prints it and exits with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tributary
