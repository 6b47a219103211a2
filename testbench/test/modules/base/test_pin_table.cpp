// Pin tables: widths, port lists and bindings of a small table.
#include <catch2/catch.hpp>

#include "modules/base/pin_table.h"

namespace tributary::test_pin_table {

const PinTable& small() {
  static const PinTable table{
      "adder",
      "family.device.adder",
      "docs/blocks/link.md",
      "1 ns",
      "interval 1, latency 2",
      {{"LANES", 4, "lanes"}, {"BANKS", 2, "banks"}},
      {{"s", true, true, true, "operands", {{"data", 32, "lanes", "LANES*BANKS"}, {"mask", 1, "a | b", "LANES"}}},
       {"m", false, false, false, "sums", {{"id", 8, "number"}}}}};
  return table;
}

TEST_CASE("widths follow the parameters of the RTL, or their defaults", "[pure][rtl]") {
  CHECK(width_of(small(), 32, "LANES*BANKS") == 256);
  CHECK(width_of(small(), 32, "LANES*BANKS", {{"LANES", 3}}) == 192);
  CHECK(width_of(small(), 8, "") == 8);
  CHECK(width_text(32, "LANES*BANKS") == "32*LANES*BANKS");
  CHECK(width_text(1, "LANES") == "LANES");
}

TEST_CASE("a port list has clock, reset and all channels with their handshake", "[pure][rtl]") {
  const std::string text = port_list(small());
  std::string names;
  for (const FlatPin& pin : flat_pins(small())) names += (names.empty() ? "" : " ") + pin.name + (pin.to_block ? "<" : ">");
  CHECK(names == "clk< rst_n< s_valid< s_ready> s_last< s_data< s_mask< m_valid> m_id>");
  CHECK(text.find("  input  logic [32*LANES*BANKS-1:0] s_data,") != std::string::npos);
  CHECK(text.find("  input  logic [LANES-1:0]          s_mask,") != std::string::npos);
  CHECK(text.find("  output logic                      s_ready,") != std::string::npos);
  CHECK(text.find("  output logic [7:0]                m_id ") != std::string::npos);  // the last port has no comma
}

TEST_CASE("bindings and the page name every pin", "[pure][rtl]") {
  for (const FlatPin& pin : flat_pins(small())) {
    CHECK(pin_bindings(small()).find("bind(\"" + pin.name + "\", model,") != std::string::npos);
    CHECK(pin_page(small()).find("| `" + pin.name + "` | " + (pin.to_block ? "in" : "out") + " |") != std::string::npos);
  }
  CHECK(pin_page(small()).find("| `s_mask` | in | LANES | a \\| b |") != std::string::npos);
}

}  // namespace tributary::test_pin_table
