#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "modules/base/bits.h"
#include "modules/base/random.h"

namespace tributary::test_bits {
namespace {

/// Compares Bits with a std::set.
template <unsigned size>
void check_bits() {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::set<unsigned> model, other;
    Bits<size> bits, others;
    for (std::uint64_t i = 0; i < seed % 7; ++i) {
      const auto a = static_cast<unsigned>(below(random_at(seed, 1, i), size));
      const auto b = static_cast<unsigned>(below(random_at(seed, 2, i), size));
      model.insert(a), other.insert(b);
      bits |= Bits<size>::of(a), others |= Bits<size>::of(b);
    }
    CHECK(bits.any() == !model.empty());
    CHECK(bits.several() == (model.size() > 1));
    std::vector<unsigned> all;
    bits.for_each([&](unsigned i) { all.push_back(i); });
    CHECK(all == std::vector<unsigned>(model.begin(), model.end()));
    for (unsigned i = 0; i < size; ++i) {
      CHECK(bits[i] == (model.count(i) != 0));
      CHECK((bits & others)[i] == (model.count(i) != 0 && other.count(i) != 0));
      CHECK((bits & ~others)[i] == (model.count(i) != 0 && other.count(i) == 0));
    }
    if (!model.empty()) CHECK(bits.first() == *model.begin());
    CHECK(bits.only_if(true).any() == bits.any());
    CHECK(!bits.only_if(false).any());
    for (unsigned start = 0; !model.empty() && start <= size; ++start) {
      const auto next = model.lower_bound(start);
      CHECK(bits.first_from(start) == (next == model.end() ? *model.begin() : *next));
    }
  }
}

}  // namespace

TEST_CASE("Bits behaves as a set of small numbers, in one word and in several", "[pure][bits]") {
  check_bits<16>();
  check_bits<32>();
  check_bits<48>();
  check_bits<64>();
  check_bits<128>();
  check_bits<256>();
}

}  // namespace tributary::test_bits
