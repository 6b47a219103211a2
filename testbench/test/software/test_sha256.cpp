// Sha256: the examples of FIPS 180-2, in pieces of any length, with and without instructions of the processor.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "testbench/observe/sha256.h"

namespace tributary::test_sha256 {

std::string hash(const std::string& text, std::size_t piece, bool plain) {
  Sha256 sha;
  if (plain) sha.without_instructions();
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
    for (const bool plain : {false, true})
      for (const std::size_t piece : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{1000}})
        CHECK(hash(text, piece, plain) == expected);
}

TEST_CASE("texts that end at each place of a block have the same hash with and without instructions", "[pure]") {
  for (std::size_t size = 50; size < 140; ++size) {
    std::string text(size, ' ');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + size);
    CHECK(hash(text, size, false) == hash(text, size, true));
  }
}

}  // namespace tributary::test_sha256
