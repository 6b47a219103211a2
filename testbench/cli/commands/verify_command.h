#pragma once

#include <string>

namespace tributary {

struct VerifyRequest {
  std::string file;
  bool strict = false;  ///< warnings are errors
};

/// Proves an MSCCL algorithm, or says why it cannot: exit code 1. Throws InputError.
int verify_command(const VerifyRequest& request);

}  // namespace tributary
