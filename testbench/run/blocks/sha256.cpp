// The functions of OpenSSL's own interface EVP would link all of its ciphers, 4 MB. These are deprecated for that interface,
// and still there.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "testbench/run/blocks/sha256.h"

#include <openssl/sha.h>

namespace tributary {

Sha256::Sha256() : state_(std::make_unique<SHA256state_st>()) { SHA256_Init(state_.get()); }

Sha256::~Sha256() = default;

void Sha256::append(std::string_view text) { SHA256_Update(state_.get(), text.data(), text.size()); }

std::string Sha256::finish() {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256_Final(hash, state_.get());
  std::string text;
  for (const unsigned char byte : hash) text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  return text;
}

}  // namespace tributary
