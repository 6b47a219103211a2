#include "testbench/family/schedule_nic/nic_setting.h"

#include <limits>

#include "modules/base/field_type.h"
#include "platforms/schedule_nic/blocks.h"

namespace tributary {
namespace {

std::string text_of(const BlockPlace& place, const char* key) {
  const FieldValue* const value = place.config.find(key);
  return value == nullptr ? "" : value->text;
}

std::uint64_t count_of(const BlockPlace& place, const char* key) {
  return parse_count(text_of(place, key), std::numeric_limits<std::uint32_t>::max());
}

/// Writes of software have no time.
std::optional<std::string> table_setting(const BlockPlace& place, const BlockAccess& access) {
  const FieldValue* const command = access.request.find("command");
  if (command == nullptr || command->text != "read") return std::nullopt;
  if (access.signed_interval() != access.signed_latency()) return "";
  const Tick nominal = parse_time(text_of(place, "table.read")).value;
  return "schedule_nic.nic.table.read=" + to_string(Time{nominal + access.latency - access.early.latency});
}

/// Data are added in no time. A unit that is busy while it adds has longer passes; otherwise it has a latency.
std::optional<std::string> unit_setting(const BlockPlace& place, const BlockAccess& access) {
  const FieldValue* const elements = access.request.find("elements");
  if (elements == nullptr || access.request.find("data") != nullptr) return std::nullopt;
  if (access.signed_interval() == 0 && access.latency != 0)
    return "schedule_nic.nic.reduction.latency=" + to_string(Time{access.latency});
  const std::uint64_t units = count_of(place, "reduction.units"), width = count_of(place, "reduction.width");
  const std::uint64_t passes = ((elements->number + units - 1) / units + width - 1) / width;
  const Tick nominal = count_of(place, "reduction.cycles") * passes * place.clock;
  const Tick takes = nominal + access.latency - access.early.latency, period = passes * place.clock;
  if (access.signed_interval() != access.signed_latency() || period == 0 || takes % period != 0) return "";
  return "schedule_nic.nic.reduction.cycles=" + std::to_string(takes / period);
}

}  // namespace

std::optional<std::string> nic_setting(const BlockPlace& place, const BlockAccess& access) {
  if (place.block == schedule_table_slot.name) return table_setting(place, access);
  if (place.block == reduction_unit_slot.name) return unit_setting(place, access);
  return std::nullopt;
}

}  // namespace tributary
