#pragma once

#include <string>

namespace tributary {

struct VerifyRequest {
  std::string file;
  bool strict = false;  ///< treat warnings as errors
};

/// Proves an MSCCL algorithm. Prints the reason and returns exit code 1 if it is not proved. Throws InputError.
int verify_command(const VerifyRequest& request);

}  // namespace tributary
