#include "testbench/family/netreduce/accelerator_setting.h"

#include "modules/base/field_type.h"
#include "modules/netreduce/core/combinator.h"
#include "platforms/netreduce/blocks.h"

namespace tributary {
namespace {

std::string text_of(const BlockPlace& place, const char* key) {
  const FieldValue* const value = place.config.find(key);
  return value == nullptr ? "" : value->text;
}

/// Adders between the operands and the sum.
unsigned levels_of(const BlockPlace& place, std::uint64_t operands) {
  AcceleratorParams params;
  params.add_cycles = 1;
  params.order = FieldType<decltype(params.order)>::parse(text_of(place, "accelerator.order"));
  return Combinator(params).adder_cycles(static_cast<unsigned>(operands));
}

std::string setting(const char* path, std::uint64_t value) { return std::string(path) + "=" + std::to_string(value); }

}  // namespace

std::optional<std::string> accelerator_setting(const BlockPlace& place, const BlockAccess& access) {
  const bool combines = place.block == combinator_slot.name;
  const bool looks_up = place.block == connection_lookup_slot.name || place.block == connection_translation_slot.name;
  if ((!combines && !looks_up) || place.clock == 0) return std::nullopt;
  const EarlyTime& early = access.early;
  if (access.interval != 0 || early.interval != 0 || access.latency % place.clock != 0 || early.latency % place.clock != 0)
    return "";
  const std::uint64_t clocks = access.latency / place.clock;
  if (looks_up) {
    const FieldValue* const command = access.request.find("command");
    if (command != nullptr && (command->text == "preset" || command->text == "learn")) return std::nullopt;  // posted
    return setting(
        "netreduce.accelerator.lookup_cycles",
        parse_count(text_of(place, "accelerator.lookup_cycles"), 1u << 20) + clocks - early.latency / place.clock);
  }
  const FieldValue* const operands = access.request.find("operands");
  const unsigned levels = operands == nullptr ? 0 : levels_of(place, operands->number);
  if (early.latency != 0) return "";
  if (levels == 0) return clocks == 0 ? std::nullopt : std::optional<std::string>("");
  return clocks % levels == 0 ? setting("netreduce.accelerator.add_cycles", clocks / levels) : "";
}

}  // namespace tributary
