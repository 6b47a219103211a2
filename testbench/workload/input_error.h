#pragma once
/// Input that the user can put right.

#include <stdexcept>

namespace tributary {

/// One line: what is wrong, where (file, line, key), and what is legal. `main` prints it and exits with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tributary
