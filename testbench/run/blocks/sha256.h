#pragma once
/// Sha256: the hash of a text that is written piece by piece (FIPS 180-4).

#include <memory>
#include <string>
#include <string_view>

struct SHA256state_st;

namespace tributary {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void append(std::string_view text);
  /// Returns 64 hexadecimal digits. Nothing is appended afterwards.
  std::string finish();

 private:
  std::unique_ptr<SHA256state_st> state_;
};

}  // namespace tributary
