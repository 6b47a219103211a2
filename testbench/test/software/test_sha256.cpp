// Sha256: the examples of FIPS 180-2, in pieces of any length.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "testbench/run/blocks/sha256.h"

namespace tributary::test_sha256 {

std::string hash(const std::string& text, std::size_t piece) {
  Sha256 sha;
  for (std::size_t at = 0; at < text.size(); at += piece) sha.append(std::string_view(text).substr(at, piece));
  return sha.finish();
}

TEST_CASE("the hash of a text is that of the standard", "[pure]") {
  const std::pair<std::string, const char*> examples[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};
  for (const auto& [text, expected] : examples)
    for (const std::size_t piece : {1, 63, 64, 1000}) CHECK(hash(text, piece) == expected);
}

}  // namespace tributary::test_sha256
