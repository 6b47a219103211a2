/// Named values of transactions.
#include <catch2/catch.hpp>

#include <cstring>

#include "modules/base/field_values.h"
#include "testbench/test/harness/field_sample.h"

namespace tributary::test_field_values {

using Catch::Matchers::Contains;

using Sample = FieldSample;
using Colour = SampleColour;

TEST_CASE("a transaction set from its values is the same transaction", "[pure][base]") {
  FieldValues values = values_of({});
  Sample copy{Colour::red, 0, false, 0, {}};
  FieldSetter setter(values);
  visit(setter, copy);
  CHECK(copy.colour == Colour::green);
  CHECK(copy.count == 7);
  CHECK(copy.last);
  CHECK(copy.due == never);
  CHECK(copy.lanes[1] == -2);
}

TEST_CASE("values that are no transaction are refused by field", "[pure][base]") {
  const auto refused = [](const char* key, FieldValue::Kind kind, std::uint64_t number, const char* text) {
    FieldValues values = values_of({});
    FieldValue& value = *values.find(key);
    value.kind = kind, value.number = number, value.text = text;
    Sample copy;
    FieldSetter setter(values);
    try {
      visit(setter, copy);
    } catch (const FieldError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Kind = FieldValue::Kind;
  CHECK_THAT(refused("in.count", Kind::number, 65536, ""), Contains("`in.count` is 65536 (legal: at most 65535)"));
  CHECK_THAT(refused("in.count", Kind::name, 0, "many"), Contains("`in.count` is 'many'"));
  CHECK_THAT(refused("in.last", Kind::number, 2, ""), Contains("`in.last` is 2"));
  CHECK_THAT(refused("colour", Kind::name, 0, "gren"), Contains("did you mean green"));
  CHECK_THAT(refused("in.lanes", Kind::name, 0, "0g"), Contains("hexadecimal"));
  FieldValues none;
  Sample copy;
  FieldSetter setter(none);
  CHECK_THROWS_WITH(visit(setter, copy), Contains("`colour` is missing"));
}

TEST_CASE("elements are numbers of their type", "[pure][base]") {
  const auto text = [](ElementType type, auto x) { return element_text(type, reinterpret_cast<const std::byte*>(&x)); };
  CHECK(text(ElementType::i8, std::int8_t{-5}) == "-5");
  CHECK(text(ElementType::i64, std::int64_t{1} << 40) == "1099511627776");
  CHECK(text(ElementType::f32, 0.1f) == "0.10000000149011612");
  CHECK(text(ElementType::f64, -2.5) == "-2.5");
  CHECK(text(ElementType::f16, std::uint16_t{0x3C00}) == "1");
  CHECK(text(ElementType::bf16, std::uint16_t{0xC000}) == "-2");
}

TEST_CASE("data are hexadecimal digits in the order of addresses", "[pure][base]") {
  std::vector<std::byte> bytes;
  REQUIRE(from_hex("00fF7a", bytes));
  CHECK(bytes == std::vector<std::byte>{std::byte{0}, std::byte{255}, std::byte{0x7A}});
  std::string text;
  append_hex(bytes, text);
  CHECK(text == "00ff7a");
  for (const char* bad : {"0", "0g", "0x12", " 1"}) CHECK_FALSE(from_hex(bad, bytes));
}

}  // namespace tributary::test_field_values
