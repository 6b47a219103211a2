#pragma once

#include "testbench/workload/input_error.h"

namespace tributary {

/// What the user asked to observe is impossible: a glob that matches nothing. One line.
class TraceError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace tributary
