#pragma once
/// PinTable: signals of a block at the level of clock cycles. Port lists of SystemVerilog, the tables on the pages of the
/// manual and the adapters of blocks in RTL are all made from it.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tributary {

/// A signal of a channel. Its width is `bits`, times each parameter of the RTL in `times` ("RANKS", "UNITS*WIDTH").
struct Pin {
  const char* name;
  unsigned bits;
  const char* about;
  const char* times = "";
};

/// Signals that are valid together, in the form of AXI-Stream: a transfer takes place at a rising edge of the clock at which
/// `<name>_valid` and `<name>_ready` are high. Each pin is named `<name>_<pin>`.
struct PinChannel {
  const char* name;
  bool to_block;  ///< direction of `valid` and of the pins
  bool ready;     ///< has the pin `ready` against this direction; otherwise each beat is accepted
  bool last;      ///< has the pin `last`, high in the last beat of a request or answer
  const char* about;
  std::vector<Pin> pins;
};

/// A parameter of the RTL that some widths depend on.
struct PinParameter {
  const char* name;
  std::uint64_t value;  ///< default
  const char* about;
};

/// Interface of a block. It also has the pins `clk` and `rst_n`: inputs and outputs change after the rising edge of `clk`,
/// and `rst_n` is synchronous and active low.
struct PinTable {
  const char* block;   ///< name in `tributary list pins`, and name of the module in RTL
  const char* slot;    ///< block that a plug-in replaces (`tributary list blocks`)
  const char* page;    ///< page of the manual
  const char* clock;   ///< period of `clk`
  const char* timing;  ///< interval and latency of the model's own block, in clocks
  std::vector<PinParameter> parameters;
  std::vector<PinChannel> channels;
};

using PinParameters = std::map<std::string, std::uint64_t>;

/// A signal with its full name.
struct FlatPin {
  std::string name;
  bool to_block;
  unsigned bits;
  const char* times;
  std::string about;
};

/// Returns all pins in the order of the port list, from `clk` on.
std::vector<FlatPin> flat_pins(const PinTable& table);
/// Returns the width of a pin; parameters that are not in `values` have their defaults.
std::uint64_t width_of(const PinTable& table, unsigned bits, const char* times, const PinParameters& values = {});
/// Returns the width as text: `512*RANKS`.
std::string width_text(unsigned bits, const char* times);

/// Returns the port list of a module in SystemVerilog, for `include` between its parentheses.
std::string port_list(const PinTable& table);
/// Returns the macro TRIBUTARY_PINS(bind, model) in C++, which calls bind("name", &model.name) for each pin that the model
/// has.
std::string pin_bindings(const PinTable& table);
/// Returns a test bench in SystemVerilog that replays a record of beats into a module.
std::string test_bench(const PinTable& table);
/// Returns the table of the block's page.
std::string pin_page(const PinTable& table);

}  // namespace tributary
