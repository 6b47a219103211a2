#pragma once
/// Sha256: the hash of a text that is written piece by piece (FIPS 180-4).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tributary {

class Sha256 {
 public:
  /// Uses the SHA instructions of the processor where it has them.
  Sha256();
  void append(std::string_view text);
  /// Returns 64 hexadecimal digits. Nothing is appended afterwards.
  std::string finish();
  /// Computes in plain C++, for tests.
  void without_instructions() { instructions_ = false; }

 private:
  static constexpr std::size_t block_bytes = 64;

  void process(const std::uint8_t* blocks, std::size_t count);

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, block_bytes> rest_;
  std::uint64_t bytes_ = 0;
  bool instructions_;
};

}  // namespace tributary
