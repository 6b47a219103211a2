#include "modules/base/pin_table.h"

#include <algorithm>
#include <cctype>

namespace tributary {
namespace {

std::string full_name(const PinChannel& channel, const char* pin) { return std::string(channel.name) + "_" + pin; }

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

/// Returns the range of a port: `[15:0]`, `[512*RANKS-1:0]`; empty for one bit.
std::string range_of(const FlatPin& pin) {
  if (pin.bits == 1 && *pin.times == 0) return "";
  if (*pin.times == 0) return "[" + std::to_string(pin.bits - 1) + ":0]";
  return "[" + width_text(pin.bits, pin.times) + "-1:0]";
}

std::vector<std::string> factors_of(const char* times) {
  std::vector<std::string> names(1);
  for (const char* c = times; *c != 0; ++c) {
    if (*c == '*')
      names.emplace_back();
    else
      names.back() += *c;
  }
  return names;
}

}  // namespace

std::vector<FlatPin> flat_pins(const PinTable& table) {
  std::vector<FlatPin> pins{{"clk", true, 1, "", "clock: rising edge"},
                            {"rst_n", true, 1, "", "synchronous reset, active low"}};
  for (const PinChannel& channel : table.channels) {
    pins.push_back({full_name(channel, "valid"), channel.to_block, 1, "", channel.about});
    if (channel.ready) pins.push_back({full_name(channel, "ready"), !channel.to_block, 1, "", "accepts the beat"});
    if (channel.last) pins.push_back({full_name(channel, "last"), channel.to_block, 1, "", "last beat"});
    for (const Pin& pin : channel.pins)
      pins.push_back({full_name(channel, pin.name), channel.to_block, pin.bits, pin.times, pin.about});
  }
  return pins;
}

std::uint64_t width_of(const PinTable& table, unsigned bits, const char* times, const PinParameters& values) {
  std::uint64_t width = bits;
  if (*times == 0) return width;
  for (const std::string& name : factors_of(times)) {
    const auto given = values.find(name);
    if (given != values.end()) {
      width *= given->second;
      continue;
    }
    for (const PinParameter& parameter : table.parameters)
      if (name == parameter.name) width *= parameter.value;
  }
  return width;
}

std::string width_text(unsigned bits, const char* times) {
  if (*times == 0) return std::to_string(bits);
  return bits == 1 ? std::string(times) : std::to_string(bits) + "*" + times;
}

std::string port_list(const PinTable& table) {
  const std::vector<FlatPin> pins = flat_pins(table);
  std::size_t widest = 0;
  for (const FlatPin& pin : pins) widest = std::max(widest, range_of(pin).size());
  std::string text = "// Ports of the block " + std::string(table.block) + ", written by `tributary export pins " +
                     table.block + "`.\n// Clock: " + table.clock + ".\n";
  for (const PinParameter& p : table.parameters)
    text += "// Parameter " + std::string(p.name) + ": " + p.about + " (" + std::to_string(p.value) + ").\n";
  for (std::size_t i = 0; i < pins.size(); ++i) {
    std::string range = range_of(pins[i]);
    range.resize(widest, ' ');
    std::string line = std::string("  ") + (pins[i].to_block ? "input  logic " : "output logic ") + range +
                       (widest == 0 ? "" : " ") + pins[i].name + (i + 1 < pins.size() ? "," : "");
    line.resize(std::max<std::size_t>(line.size(), 48 + widest / 2), ' ');
    text += line + "  // " + pins[i].about + "\n";
  }
  return text;
}

std::string pin_bindings(const PinTable& table) {
  std::string text = "// Pins of the block " + std::string(table.block) + ", written by `tributary export pins " +
                     table.block + " --format cpp`.\n#pragma once\n#define TRIBUTARY_PINS(bind, model)";
  for (const FlatPin& pin : flat_pins(table))
    text += " \\\n  bind(\"" + pin.name + "\", model, [](auto& m) -> decltype(&m." + pin.name + ") { return &m." + pin.name +
            "; });";
  return text + "\n";
}

std::string pin_page(const PinTable& table) {
  std::string text = "The block `" + std::string(table.block) + "` is clocked by " + table.clock +
                     ". The model's own block: " + table.timing + ".\n";
  if (!table.parameters.empty()) {
    text += "\n| parameter of the RTL | default | meaning |\n|---|---|---|\n";
    for (const PinParameter& p : table.parameters)
      text += "| `" + std::string(p.name) + "` | " + std::to_string(p.value) + " | " + cell(p.about) + " |\n";
  }
  text += "\n| pin | direction | bits | meaning |\n|---|---|---|---|\n";
  for (const FlatPin& pin : flat_pins(table))
    text += "| `" + pin.name + "` | " + (pin.to_block ? "in" : "out") + " | " + width_text(pin.bits, pin.times) + " | " +
            cell(pin.about) + " |\n";
  return text;
}

}  // namespace tributary
